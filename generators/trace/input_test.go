package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
)

// write makes files of the given contents and returns their names.
func write(t testing.TB, contents ...[]byte) []string {
	t.Helper()
	dir := t.TempDir()
	var names []string
	for i, data := range contents {
		names = append(names, filepath.Join(dir, fmt.Sprintf("log.%d", i)))
		if err := os.WriteFile(names[i], data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

func zstandard(t testing.TB, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(data, nil)
}

// cut cuts data into parts of whole lines.
func cut(data []byte, parts int) (list [][]byte) {
	for ; parts > 1; parts-- {
		n := len(data) / parts
		n += bytes.IndexByte(data[n:], '\n') + 1
		list, data = append(list, data[:n]), data[n:]
	}
	return append(list, data)
}

func shuffled(data []byte, seed uint64, fixed int) []byte {
	lines := bytes.SplitAfter(data, []byte("\n"))
	rest := lines[fixed : len(lines)-1]
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	return bytes.Join(lines, nil)
}

// However a log comes in, its requests are the same.
func TestSameLogEveryWay(t *testing.T) {
	for _, c := range []struct {
		format string
		header int
		data   []byte
	}{
		{"combined", 0, readSample(t, "traces/company-site-2013.log.gz")[:520<<10]},
		{"clf", 0, readSample(t, "traces/nasa-1995-07-09.log.gz")[:300<<10]},
		{"csv", 1, readSample(t, "traces/llm-2024.csv.gz")},
		{"csv", 0, madeLog("csv", 20000)},
		{"vhost-combined", 0, madeLog("vhost-combined", 2000)},
	} {
		data := c.data[:bytes.LastIndexByte(c.data, '\n')+1]
		header := ""
		if c.header > 0 {
			header, _, _ = strings.Cut(string(data), "\n")
		}
		want, parsed, _, _ := oracleLog(c.format, data, header)
		digest := ""
		check := func(what string, o Options, files ...[]byte) {
			t.Helper()
			var tr *held
			if files == nil {
				tr = load(t, o, "-")
			} else {
				tr = load(t, o, write(t, files...)...)
			}
			s := tr.Stats()
			if digest == "" {
				digest = s.Digest
			}
			if !contents(tr).equal(want) || s.Digest != digest || s.Format != c.format || s.Parsed != parsed || s.Skipped != 0 {
				t.Errorf("%s, %s: not the same requests: %+v", c.format, what, s)
			}
		}
		check("plain", Options{}, data)
		for _, workers := range []int{1, 2, 8} {
			check(fmt.Sprint(workers, " workers"), Options{Workers: workers}, data)
		}
		half := cut(data, 2)
		three := cut(data, 3)
		check("gzip", Options{}, gzipped(t, data))
		check("two gzip members", Options{}, append(gzipped(t, half[0]), gzipped(t, half[1])...))
		check("zstd", Options{}, zstandard(t, data))
		check("two zstd frames", Options{}, append(zstandard(t, half[0]), zstandard(t, half[1])...))
		check("three files", Options{}, three...)
		check("three files of all kinds", Options{}, three[0], gzipped(t, three[1]), zstandard(t, three[2]))
		check("an empty file between", Options{}, half[0], nil, []byte("\n# rotated\n"), half[1])
		check("CRLF", Options{}, bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")))
		check("UTF-8 mark", Options{}, append([]byte("\xef\xbb\xbf"), data...))
		check("no final newline", Options{}, data[:len(data)-1])
		check("blank lines and comments", Options{}, bytes.ReplaceAll(data, []byte("\n"), []byte("\n\n# 1,2\n \t\r\n")))
		check("a megabyte of blank lines before it", Options{}, append(bytes.Repeat([]byte("\n"), 1300<<10), data...))
		check("standard input", Options{Stdin: bytes.NewReader(data)})
		check("gzip from standard input, in small pieces", Options{Stdin: iotest.HalfReader(bytes.NewReader(gzipped(t, data)))})
		if c.format != "csv" { // where costs differ, ties hang on the order
			check("shuffled", Options{}, shuffled(data, 7, c.header))
			check("the last part first", Options{}, three[2], three[0], three[1])
		}
		check("named", Options{Format: c.format}, data)
	}
}

// Requests with costs and no ties are the same in any order of lines, and requests that tie keep their order.
func TestOrderOfCosts(t *testing.T) {
	var b strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&b, "%d.%09d,client-%d,%d\n", 1772438400+i/7, i, i%31, i)
	}
	data := []byte(b.String())
	want := load(t, Options{}, write(t, data)...)
	got := load(t, Options{}, write(t, shuffled(data, 1, 0))...)
	if got.Stats().Digest != want.Stats().Digest || !contents(got).equal(contents(want)) {
		t.Error("shuffling changed the requests")
	}
	tied := load(t, Options{}, write(t, []byte("2,a,1\n1,a,2\n2,a,3\n1,a,4\n"), []byte("1,a,5\n2,a,6\n"))...)
	if _, _, costs := tied.Client(0); !slices.Equal(costs, []int64{2, 4, 5, 1, 3, 6}) {
		t.Errorf("costs come as %d", costs)
	}
}

// rubbish is what nobody can take for a request.
func rubbish(rng *rand.Rand) string {
	noise := make([]byte, rng.IntN(100)+1)
	for i := range noise {
		noise[i] = byte(128 + rng.IntN(128))
	}
	list := []string{
		string(noise), "server restarted, listening", "{\"level\":\"info\",\"ts\":1}", "-", "\x00\x00\x00", "a\x1b[31mb",
		` "curl/7.54.0"`, strings.Repeat("x", 70_000), strings.Repeat("1,", 20) + "\xff",
		`1.2.3.4 - - [02/Jan/06:15:04:05 -0700] "GET / HTTP/1.0" 200 5 "-" "-"`,
		`1.2.3.4 - - [02/01/2006:15:04:05 -0700] "GET / HTTP/1.0" 200 5 "-" "-"`,
	}
	return list[rng.IntN(len(list))]
}

// One percent of rubbish anywhere, the first line included, is counted, shown, and changes nothing.
func TestRubbish(t *testing.T) {
	for _, format := range formatNames() {
		data := madeLog(format, 3000)
		want := load(t, Options{}, write(t, data)...)
		if format == "csv" {
			data = append([]byte("timestamp,key,cost\n"), data...)
		}
		rng := rand.New(rand.NewPCG(3, 4))
		var b strings.Builder
		var places []int64
		n := int64(0)
		for line := range strings.Lines(string(data)) {
			if n == 0 || rng.IntN(100) == 0 {
				n++
				places = append(places, n)
				text := rubbish(rng)
				if format == "csv" && text[0] == '1' && strings.HasSuffix(text, "\xff") {
					text = "1," // twenty columns of ones are a request
				}
				if format == "caddy" && text[0] == '{' {
					text = "{" // the other is a line of another logger of Caddy's
				}
				b.WriteString(text + "\n")
			}
			n++
			b.WriteString(line)
		}
		tr := load(t, Options{}, write(t, []byte(b.String()))...)
		s := tr.Stats()
		if s.Digest != want.Stats().Digest || s.Skipped != int64(len(places)) || s.Format != format {
			t.Errorf("%s: %d lines of rubbish, %+v", format, len(places), s)
		}
		for i, bad := range s.Bad {
			if bad.Line != places[i] || bad.Reason == "" || strings.ContainsAny(bad.Text, "\x00\x1b\n") || !utf8.ValidString(bad.Text) || len(bad.Text) > 500 {
				t.Errorf("%s: bad line %d is shown as %v", format, places[i], bad)
			}
		}
		if len(s.Bad) != badLinesKept {
			t.Errorf("%s: %d bad lines shown", format, len(s.Bad))
		}
	}
}

// A line as long as the limit is read, a longer one is skipped, and what stands around them is read.
func TestLongLines(t *testing.T) {
	key := func(n int) string { return strings.Repeat("k", n-len("1,")) }
	for _, end := range []string{"\n", "\r\n"} {
		for _, last := range []string{end, ""} {
			data := "1,a" + end + "1," + key(longest) + end + "2,a" + end + "1," + key(longest+1) + end + "3,a" + end +
				"1," + key(3*longest) + end + "4,a" + end + "1," + key(longest+2) + last
			tr := load(t, Options{}, write(t, []byte(data))...)
			s := tr.Stats()
			if s.Lines != 8 || s.Parsed != 5 || s.Skipped != 3 || tr.Clients() != 2 {
				t.Errorf("%q, %q: %+v", end, last, s)
			}
			for i, line := range []int64{4, 6, 8} {
				if s.Bad[i].Line != line || s.Bad[i].Reason != reasons[tooLong] {
					t.Errorf("%q, %q: bad line %d is %v", end, last, i, s.Bad[i])
				}
			}
		}
	}
	if s := load(t, Options{}, write(t, []byte(strings.Repeat("x", 5<<20)+"\n1,a\n2,a\n"))...).Stats(); s.Parsed != 2 || s.Skipped != 1 {
		t.Errorf("a first line of 5 MiB: %+v", s)
	}
}

// Input that ends early is an error that says where, or, if allowed, every whole line before its end.
func TestCutInput(t *testing.T) {
	data := madeLog("combined", 5000)
	for what, whole := range map[string][]byte{"gzip": gzipped(t, data), "zstd": zstandard(t, data)} {
		for _, n := range []int{5, 30, len(whole) / 3, len(whole) / 2, len(whole) - 1} {
			name := write(t, whole[:n])
			_, err := Load(context.Background(), name, Options{})
			if err == nil || !strings.Contains(err.Error(), name[0]+" ends early, after line ") || !strings.Contains(err.Error(), "--allow-truncated") {
				t.Fatalf("%s cut at %d: %v", what, n, err)
			}
			tr, err := Load(context.Background(), append(name, write(t, data[:1000])...), Options{AllowTruncated: true})
			if err != nil {
				t.Errorf("%s cut at %d, allowed: %v", what, n, err)
				continue
			}
			defer tr.Close()
			if s := tr.Stats(); len(s.Warnings) != 1 || s.Skipped > 1 {
				t.Errorf("%s cut at %d, allowed: %+v", what, n, s)
			}
		}
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	broken := errors.New("disk on fire")
	in := func() io.Reader {
		return io.MultiReader(bytes.NewReader(bytes.Join(lines[:99], nil)), strings.NewReader("1.2.3.4 - - [01/"), iotest.ErrReader(broken))
	}
	if _, err := Load(context.Background(), []string{"-"}, Options{Stdin: in()}); !errors.Is(err, broken) || !strings.Contains(err.Error(), "after line 100") {
		t.Errorf("a read error gives %v", err)
	}
	tr := load(t, Options{Stdin: in(), AllowTruncated: true}, "-")
	want := load(t, Options{}, write(t, bytes.Join(lines[:99], nil))...)
	if s := tr.Stats(); s.Digest != want.Stats().Digest || s.Skipped != 1 || s.Bad[0].Reason != reasons[cutOff] {
		t.Errorf("up to a read error: %+v", s)
	}
	garbage := append(gzipped(t, data), "trailing garbage"...)
	if _, err := Load(context.Background(), write(t, garbage), Options{}); err == nil || !strings.Contains(err.Error(), "after line 5000 (what follows is not gzip") {
		t.Errorf("garbage behind gzip gives %v", err)
	}
}

// Blocks hold every line exactly once, whatever their size and however the input comes.
func TestSourceKeepsLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		data := make([]byte, rng.IntN(120))
		for i := range data {
			data[i] = "\n\r ab"[min(rng.IntN(9), 4)]
		}
		const longest = 12
		var want []string
		for line := range bytes.Lines(data) {
			if text := bytes.TrimSuffix(line, []byte("\n")); len(text) <= longest {
				want = append(want, string(text))
			}
		}
		var r io.Reader = bytes.NewReader(data)
		if rng.IntN(2) == 0 {
			r = iotest.OneByteReader(r)
		}
		if rng.IntN(2) == 0 {
			r = iotest.DataErrReader(r)
		}
		src := &source{r: r, longest: longest}
		var got []string
		for src.err == nil {
			b := &block{data: make([]byte, 0, 1+rng.IntN(20))}
			src.fill(b)
			for line := range bytes.Lines(b.data) {
				if text := bytes.TrimSuffix(line, []byte("\n")); len(text) <= longest {
					got = append(got, string(text))
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q came as %q", data, got)
		}
	}
}

func TestProgress(t *testing.T) {
	files := write(t, gzipped(t, madeLog("clf", 20000)), madeLog("clf", 20000))
	var size int64
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	var last int64
	load(t, Options{Progress: func(done, total int64) {
		if done < last || total != size {
			t.Errorf("%d after %d, of %d, not %d", done, last, total, size)
		}
		last = done
	}}, files...)
	if last != size {
		t.Errorf("progress ends at %d of %d", last, size)
	}
}

// A cancelled read returns at once, even from an input that says nothing.
func TestCancel(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		w.Write([]byte("1,a\n"))
		cancel()
	}()
	if _, err := Load(ctx, []string{"-"}, Options{Stdin: r}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled Load gives %v", err)
	}
}
