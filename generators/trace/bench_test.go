package trace

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
)

// logLine writes a made request of one of 20,000 clients, 10 of them in every second.
func logLine(format string, i int, rng *rand.Rand) string {
	client := int(20000 * rng.Float64() * rng.Float64())
	at := time.Unix(1772438400+int64(i/10), 0).UTC()
	host := fmt.Sprintf("198.18.%d.%d", client>>8, client&255)
	clf := fmt.Sprintf(`%s - - [%s] "GET /articles/%d/comments?page=%d HTTP/1.1" 200 %d`,
		host, at.Format("02/Jan/2006:15:04:05 -0700"), i%977, i%7, i%50000)
	switch format {
	case "clf":
		return clf + "\n"
	case "vhost-combined":
		clf = "www.example.org:443 " + clf
	case "combined", "nginx-combined-ext", "traefik-clf":
	default:
		return formatLine(format, host, at, i)
	}
	clf += ` "https://www.example.org/articles/" "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"`
	switch format {
	case "nginx-combined-ext":
		clf += fmt.Sprintf(` "203.0.113.%d, %s" rt=0.001 msec=%d.%03d`, i%200, host, at.Unix(), i%1000)
	case "traefik-clf":
		clf += fmt.Sprintf(` %d "api@file" "http://10.0.3.7:8080" %dms`, i, i%50)
	}
	return clf + "\n"
}

func madeLog(format string, n int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	if columns, ok := testFields[format]; ok {
		b.WriteString("#Version: 1.0\n" + columns + "\n")
	}
	for i := range n {
		b.WriteString(logLine(format, i, rng))
	}
	return b.Bytes()
}

func gzipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// BenchmarkLoad reads made logs of 200,000 lines from memory and reports lines a second.
func BenchmarkLoad(b *testing.B) {
	n := 200_000
	if testing.Short() {
		n = 10_000
	}
	for _, format := range formatNames() {
		for _, input := range []string{"plain", "gzip"} {
			b.Run(format+"/"+input, func(b *testing.B) {
				plain := madeLog(format, n)
				data := plain
				if input == "gzip" {
					data = gzipped(b, plain)
				}
				b.SetBytes(int64(len(plain)))
				for b.Loop() {
					tr, err := Load(context.Background(), []string{"-"}, Options{Stdin: bytes.NewReader(data)})
					if err != nil || tr.Stats().Parsed != int64(n) || tr.Stats().Format != format {
						b.Fatal(tr.Stats(), err)
					}
					if err := tr.Close(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
			})
		}
	}
}
