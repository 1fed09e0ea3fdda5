package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// benchLines is how many lines the benchmarks' log has; RLBENCH_LINES=10e6 makes it as large as that of a busy site's day, 2 GB.
func benchLines(b *testing.B) int {
	text := os.Getenv("RLBENCH_LINES")
	if text == "" {
		return 100_000
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		b.Fatal(err)
	}
	return int(n)
}

// makeLog writes a combined log: 200 requests a second, of clients some of whom are much busier than others.
func makeLog(b *testing.B, name string, n int, zip bool) {
	b.Helper()
	f, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	out := io.WriteCloser(f)
	if zip {
		out = gzip.NewWriter(f)
	}
	w := bufio.NewWriterSize(out, 1<<20)
	rng := rand.New(rand.NewPCG(1, 2))
	begin := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	stamp := ""
	for i := range n {
		if i%200 == 0 {
			stamp = begin.Add(time.Duration(i/200) * time.Second).Format("02/Jan/2006:15:04:05 -0700")
		}
		client := uint32(230e3*rng.Float64()*rng.Float64()*rng.Float64()) * 2654435761
		fmt.Fprintf(w, "%d.%d.%d.%d - - [%s] \"GET /articles/%d/comments?page=%d HTTP/1.1\" 200 %d "+
			"\"https://www.example.org/articles/%d\" \"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\"\n",
			1+client>>24%223, client>>16&255, client>>8&255, client&255, stamp, i%977, i%7, i%50000, i%977)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if zip {
		if err := out.Close(); err != nil {
			b.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
}

func command(b *testing.B, args ...string) {
	b.Helper()
	var stdout, stderr bytes.Buffer
	if status := run(b.Context(), append([]string{"rlbench"}, args...), strings.NewReader(""), &stdout, &stderr); status != exitDone {
		b.Fatal(stderr.String())
	}
}

// BenchmarkReplay replays a made log with the default limiters, from its lines to the tables.
func BenchmarkReplay(b *testing.B) {
	n, dir := benchLines(b), b.TempDir()
	plain, binary, zipped := filepath.Join(dir, "x.log"), filepath.Join(dir, "x.rlt"), filepath.Join(dir, "x.log.gz")
	makeLog(b, plain, n, false)
	command(b, "trace", "convert", plain, "-o", binary)
	makeLog(b, zipped, n, true)
	for _, file := range []string{plain, zipped, binary} {
		b.Run(strings.TrimPrefix(filepath.Base(file), "x."), func(b *testing.B) {
			for b.Loop() {
				command(b, "replay", file, "--limit", "60")
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}

// BenchmarkAgainstGoAccess has rlbench and goaccess read the same log to a report, in turns.
func BenchmarkAgainstGoAccess(b *testing.B) {
	goaccess, err := exec.LookPath("goaccess")
	if err != nil {
		b.Fatal("goaccess is not installed")
	}
	n, dir := benchLines(b), b.TempDir()
	log := filepath.Join(dir, "x.log")
	makeLog(b, log, n, false)
	var ours, theirs time.Duration
	for b.Loop() {
		begun := time.Now()
		command(b, "replay", log, "--limit", "60")
		ours += time.Since(begun)
		begun = time.Now()
		cmd := exec.Command(goaccess, log, "--log-format=COMBINED", "--no-global-config", "-o", filepath.Join(dir, "report.html"))
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		theirs += time.Since(begun)
	}
	b.ReportMetric(float64(n)*float64(b.N)/ours.Seconds(), "lines/s")
	b.ReportMetric(float64(n)*float64(b.N)/theirs.Seconds(), "goaccess-lines/s")
	b.ReportMetric(float64(theirs)/float64(ours), "times-faster")
}
