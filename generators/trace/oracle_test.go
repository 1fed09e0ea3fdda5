package trace

import (
	"bytes"
	"context"
	"math/big"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"compress/gzip"
	"io"
)

// The oracle reads lines slowly, with regular expressions, time.Parse, encoding/csv and fractions.

// An event is a request as the oracle reads it.
type event struct {
	key        string
	time, cost int64
}

var (
	clfTime = regexp.MustCompile(`^ \[(\d\d/(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)/\d{4}:\d\d:\d\d:)(\d\d)((?:\.\d+)? [+-](?:[01]\d|2[0-3])[0-5]\d)\] "`)
	rfcTime = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:)(\d\d)((?:\.\d+)?)([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$`)
	decimal = regexp.MustCompile(`^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d+))?$`)
	whole   = regexp.MustCompile(`^\d+$`)
	ported  = regexp.MustCompile(`(?s)^(?:[^:]+|\[.*\]):\d{1,5}$`)
)

// oracleInstant parses a time whose seconds may be 60.
func oracleInstant(layout, before, seconds, after string) (int64, bool) {
	leap := seconds == "60"
	if leap {
		seconds = "59"
	}
	t, err := time.Parse(layout, before+seconds+after)
	if err != nil {
		return 0, false
	}
	if leap {
		t = t.Add(time.Second)
	}
	ns := new(big.Int).Mul(big.NewInt(t.Unix()), big.NewInt(1e9))
	ns.Add(ns, big.NewInt(int64(t.Nanosecond())))
	return ns.Int64(), ns.IsInt64()
}

func oracleCLF(line string, vhost bool) (event, bool) {
	for i := range len(line) {
		if !strings.HasPrefix(line[i:], " [") {
			continue
		}
		m := clfTime.FindStringSubmatch(line[i:])
		if m == nil {
			continue
		}
		ns, ok := oracleInstant("02/Jan/2006:15:04:05 -0700", m[1], m[2], m[3])
		if !ok {
			continue
		}
		words := strings.Split(line[:i], " ")
		isIP := func(s string) bool { _, err := netip.ParseAddr(s); return err == nil }
		if vhost {
			// vhost client ident user
			if len(words) < 4 || isIP(words[0]) && !isIP(words[1]) {
				return event{}, false
			}
			words = words[1:]
		} else if len(words) > 1 && words[1] != "-" && (isIP(words[1]) || len(words) > 3 && ported.MatchString(words[0])) {
			return event{}, false
		}
		client := oracleClient(words[0])
		return event{client, ns, 1}, client != ""
	}
	return event{}, false
}

func oracleTime(text, unit string) (int64, bool) {
	text = strings.Trim(text, " \t")
	if m := rfcTime.FindStringSubmatch(text); m != nil {
		return oracleInstant(time.RFC3339, m[1]+"T"+m[2], m[3], m[4]+strings.ToUpper(m[5]))
	}
	m := decimal.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	if digits := strings.TrimLeft(m[1], "+-0"); len(digits) > 4 { // too large for big.Rat, and for every mantissa of a line here
		mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
		switch {
		case strings.Trim(mantissa, "+-0.") == "":
			return 0, true
		case m[1][0] != '-':
			return 0, false
		case text[0] == '-':
			return -1, true
		}
		return 0, true
	}
	v, ok := new(big.Rat).SetString(text)
	if !ok {
		return 0, false
	}
	size := new(big.Rat).Abs(v)
	reaches := func(exponent int64) bool {
		return size.Cmp(new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(exponent), nil))) >= 0
	}
	ns := map[string]int64{"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1}[unit]
	switch {
	case ns > 0:
	case reaches(17):
		ns = 1
	case reaches(14):
		ns = 1e3
	case reaches(11):
		ns = 1e6
	default:
		ns = 1e9
	}
	v.Mul(v, new(big.Rat).SetInt64(ns))
	floor := new(big.Int).Div(v.Num(), v.Denom()) // Euclidean: rounds down, since the denominator is positive
	return floor.Int64(), floor.IsInt64()
}

func oracleCost(text string) (int64, bool) {
	if text = strings.Trim(text, " \t"); text == "" {
		return 1, true
	}
	n, ok := new(big.Int).SetString(text, 10)
	if !whole.MatchString(text) || !ok || !n.IsInt64() {
		return 0, false
	}
	return n.Int64(), true
}

// byClient is what a trace holds, in a form to compare.
type byClient map[string][]event

func (b byClient) sorted() byClient {
	for _, list := range b {
		slices.SortStableFunc(list, func(x, y event) int {
			return map[bool]int{true: -1}[x.time < y.time] + map[bool]int{true: 1}[x.time > y.time]
		})
	}
	return b
}

// oracleLog reads a whole log; header is a line that is none. What of the rest is ignored is not its business: it counts as
// skipped.
func oracleLog(format string, data []byte, header string) (b byClient, parsed, skipped, ignored int64) {
	b = byClient{}
	var w wrapping
	columns := testFields[format]
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if strings.HasPrefix(line, "#Fields:") {
			columns = line
		}
		if strings.Trim(line, " \t\r") == "" || line[0] == '#' || line == header {
			ignored++
			continue
		}
		inner, whole := w.unwrap(line)
		if e, ok := oracleFormat(format, inner, columns, ""); ok && whole {
			parsed++
			b[e.key] = append(b[e.key], e)
		} else {
			skipped++
		}
	}
	return b.sorted(), parsed, skipped, ignored
}

func contents(tr *held) byClient {
	b := byClient{}
	for i := range tr.Clients() {
		key, times, costs := tr.Client(i)
		for j, t := range times {
			e := event{key, t, 1}
			if costs != nil {
				e.cost = costs[j]
			}
			b[key] = append(b[key], e)
		}
	}
	return b
}

func (b byClient) equal(other byClient) bool {
	if len(b) != len(other) {
		return false
	}
	for key, list := range b {
		if !slices.Equal(list, other[key]) {
			return false
		}
	}
	return true
}

func readSample(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile("../../testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(file, ".gz") {
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if data, err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	return data
}

func TestSamplesAgainstOracle(t *testing.T) {
	for _, c := range sampleFacts {
		header := ""
		data := readSample(t, c.file)
		if c.ignored > 0 && (c.format == "csv" || c.format == "tsv") {
			header, _, _ = strings.Cut(string(data), "\n")
		}
		want, parsed, skipped, ignored := oracleLog(c.format, data, header)
		if parsed != c.parsed || skipped+ignored != c.skipped+c.ignored {
			t.Errorf("%s: the oracle reads %d, skips %d, ignores %d", c.file, parsed, skipped, ignored)
		}
		tr := load(t, Options{}, filepath.Join("../../testdata", c.file))
		if !contents(tr).equal(want) {
			t.Errorf("%s: requests differ from the oracle's", c.file)
		}
	}
}

// FuzzLine compares every parser with the oracle, line by line.
func FuzzLine(f *testing.F) {
	for _, c := range sampleFacts {
		lines := bytes.Split(readSample(f, c.file), []byte("\n"))
		for i := 0; i < len(lines); i += 1 + len(lines)/10 {
			f.Add(lines[i])
		}
	}
	for _, line := range awkwardLines {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.IndexByte(line, '\n') >= 0 || len(line) == 0 || len(line) > 4096 {
			return
		}
		compareLine(t, line)
	})
}

func compareLine(t *testing.T, line []byte) {
	t.Helper()
	for i := range Formats {
		f := &Formats[i]
		for _, unit := range []string{"", "s", "ms", "us", "ns"} {
			p := opened(t, f.Name, &Options{TimeUnit: unit})
			if mayBeWrapped(line) { // what is inside is another test's business
				return
			}
			var r record
			before := bytes.Clone(line)
			why := p.parse(line, &r)
			fits := p.fits(line, &record{})
			if !bytes.Equal(line, before) {
				t.Fatalf("%s: the line was changed", f.Name)
			}
			want, ok := oracleFormat(f.Name, string(line), testFields[f.Name], unit)
			got := event{string(r.key), r.time, r.cost}
			if ok != (why == request) || ok && got != want {
				t.Errorf("%s, unit %q: %q is %v (%q), the oracle says %v, %v", f.Name, unit, line, got, reasons[why], want, ok)
			}
			if fits && why != request && why != badCost {
				t.Errorf("%s: %q fits, but is not read: %s", f.Name, line, reasons[why])
			}
			if !f.columns {
				break
			}
		}
	}
}

// FuzzLoad holds Load to its accounts: nothing panics and no line is lost, whatever the input.
func FuzzLoad(f *testing.F) {
	for _, c := range sampleFacts {
		data := readSample(f, c.file)
		f.Add(data[:min(len(data), 3000)])
	}
	for _, line := range awkwardLines {
		f.Add([]byte(line + "\n1.2.3.4 - - [02/Jan/2006:15:04:05 -0700] \"GET /\" 200 1\n"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.HasPrefix(data, []byte("\x1f\x8b")) || bytes.HasPrefix(data, []byte("\x28\xb5\x2f\xfd")) || len(data) > 1<<16 {
			return
		}
		for _, format := range append([]string{"auto"}, formatNames()...) {
			whole, err := Load(context.Background(), []string{"-"}, Options{Format: format, Stdin: bytes.NewReader(data), Workers: 2})
			if err != nil {
				continue
			}
			tr := hold(t, whole, 100)
			if _, ok := byteOrder(data[:min(len(data), 8)]); ok {
				return // other tests see to UTF-16
			}
			text := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
			lines := int64(bytes.Count(text, []byte("\n")))
			if len(text) > 0 && text[len(text)-1] != '\n' {
				lines++
			}
			s := tr.Stats()
			held := 0
			for i := range tr.Clients() {
				_, times, _ := tr.Client(i)
				held += len(times)
			}
			if s.Lines != lines || s.Lines != s.Parsed+s.Skipped+s.Ignored || int64(held) != s.Parsed {
				t.Errorf("%s: %d lines, %+v, %d requests held", format, lines, s, held)
			}
		}
	})
}
