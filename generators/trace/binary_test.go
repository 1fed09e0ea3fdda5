package trace

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
)

// convert makes a binary trace of a log.
func convert(t testing.TB, o Options, files ...string) (name string) {
	t.Helper()
	tr, err := Load(context.Background(), files, o)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	name = filepath.Join(t.TempDir(), "x.rlt")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(tr.WriteBinary(context.Background(), f), f.Close()); err != nil {
		t.Fatal(err)
	}
	return name
}

// A binary trace holds the same requests, and says the same of the log, however it is made and read.
func TestBinaryRoundTrip(t *testing.T) {
	files := []string{"../../testdata/traces/company-site-2013.log.gz", "../../testdata/traces/llm-2024.csv.gz", "../../testdata/formats/events.csv"}
	files = append(files, write(t, crowdedLog(9000), []byte("-9223372036.854775808,\xff\x00\n9223372036.854775807,b,9223372036854775807\n"))...)
	mixed := append(madeLog("csv", 500), "1772438400,rare,7\n1772438401.5,rare\n"...)
	files = append(files, write(t, bytes.ReplaceAll(mixed, []byte(",1\n"), []byte(",\n")))...)
	files = append(files, write(t, []byte("1,a\n2,b\n3,c\n4,d,9\n5,e\n5,d\n"))...)
	for _, file := range files {
		want := load(t, Options{}, file)
		var first []byte
		for _, o := range []Options{{}, {Shards: 3, Workers: 1}, {Memory: 1, TempDir: t.TempDir()}} {
			name := convert(t, o, file)
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = data
			}
			if !bytes.Equal(data, first) {
				t.Errorf("%s: other bytes with %+v", file, o)
			}
			for _, shards := range []int{1, 3, 64} {
				got := load(t, Options{Shards: shards}, name)
				if !contents(got).equal(contents(want)) {
					t.Errorf("%s: not the same requests in %d shards", file, shards)
				}
				s := got.stats
				s.Files, s.Bad = want.stats.Files, want.stats.Bad
				if fmt.Sprint(s) != fmt.Sprint(want.stats) {
					t.Errorf("%s: %+v is not %+v", file, s, want.stats)
				}
			}
		}
	}
}

// Binary traces that are read together are as their logs read together, and so are their parts.
func TestBinariesTogether(t *testing.T) {
	parts := cut(crowdedLog(9000), 3)
	logs := write(t, parts...)
	var names []string
	for _, log := range logs {
		names = append(names, convert(t, Options{}, log))
	}
	want, got := load(t, Options{}, logs...), load(t, Options{Shards: 5}, names...)
	if !contents(got).equal(contents(want)) || got.stats.Digest != want.stats.Digest || got.stats.Late != want.stats.Late || got.stats.Lines != want.stats.Lines {
		t.Errorf("%+v is not %+v", got.stats, want.stats)
	}
	for part := range 3 {
		o := Options{Part: part, Parts: 3}
		if !contents(load(t, o, names...)).equal(contents(load(t, o, logs...))) {
			t.Errorf("part %d of 3 differs", part)
		}
	}
	o := Options{Only: "client-7"}
	if one := contents(load(t, o, names...)); len(one) != 1 || !one.equal(contents(load(t, o, logs...))) {
		t.Errorf("the only client differs")
	}
	for _, mixed := range [][]string{{logs[0], names[1]}, {names[0], logs[1]}} {
		if _, err := Load(context.Background(), mixed, Options{}); err == nil || !strings.Contains(err.Error(), "binary trace") {
			t.Errorf("a log and a binary trace together give %v", err)
		}
	}
	for flag, o := range map[string]Options{"--format csv": {Format: "csv"}, "--cost 2": {CostField: "2"}, "--key k": {KeyField: "k"}} {
		if _, err := Load(context.Background(), names, o); err == nil || !strings.Contains(err.Error(), flag) {
			t.Errorf("%s with a binary trace gives %v", flag, err)
		}
	}
	data, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	for what, data := range map[string][]byte{"a pipe": data, "gzip": gzipped(t, data)} {
		_, err := Load(context.Background(), []string{"-"}, Options{Stdin: bytes.NewReader(data)})
		if err == nil || what == "a pipe" && !strings.Contains(err.Error(), "name the file itself") {
			t.Errorf("a binary trace through %s gives %v", what, err)
		}
	}
}

// readAll reads a binary trace to its end.
func readBinary(name string) (requests int64, err error) {
	tr, err := Load(context.Background(), []string{name}, Options{Shards: 2, Workers: 1})
	if err != nil {
		return 0, err
	}
	defer tr.Close()
	times, costs := make([]int64, 100), make([]int64, 100)
	for shard := range tr.Shards() {
		err := tr.Visit(context.Background(), shard, func(_ string, read func(times, costs []int64) (int, error)) error {
			last := int64(-1 << 63)
			for {
				n, err := read(times, costs)
				if n == 0 || err != nil {
					return err
				}
				for i, t := range times[:n] {
					if t < last || costs[i] < 0 {
						return errors.New("times that do not ascend, or a negative cost, were let through")
					}
					last = t
				}
				requests += int64(n)
			}
		})
		if err != nil {
			return requests, err
		}
	}
	return requests, nil
}

// A binary trace that was cut anywhere, or had any byte changed, is refused with its name and the remedy.
func TestDamagedBinary(t *testing.T) {
	name := convert(t, Options{}, write(t, crowdedLog(800))...)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := readBinary(name)
		if err == nil || !strings.Contains(err.Error(), name) && !strings.Contains(err.Error(), "no format recognised") {
			t.Errorf("%s: %v", what, err)
		}
	}
	for n := 4; n < len(data); n += 1 + len(data)/60 {
		refused(fmt.Sprintf("cut to %d bytes of %d", n, len(data)), data[:n])
	}
	for i := 4; i < len(data); i += 1 + len(data)/300 {
		changed := bytes.Clone(data)
		changed[i] ^= 0x10
		refused(fmt.Sprintf("byte %d of %d changed", i, len(data)), changed)
	}
	refused("line ends changed", bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")))
	newer := bytes.Clone(data)
	newer[len(binaryMagic)] = 2
	if err := os.WriteFile(name, newer, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readBinary(name); err == nil || !strings.Contains(err.Error(), "version 2") {
		t.Errorf("a newer version gives %v", err)
	}
}

// sealed makes a binary trace of any blocks, index and stats, with right checksums.
func sealed(run, index, stats []byte) []byte {
	var b bytes.Buffer
	f := &frameWriter{w: &b}
	f.write([]byte(binaryMagic))
	f.write(binary.LittleEndian.AppendUint32(nil, binaryVersion))
	f.frame(run)
	at := binary.LittleEndian.AppendUint64(nil, uint64(f.n))
	f.frame(index)
	at = binary.LittleEndian.AppendUint64(at, uint64(f.n))
	f.frame(stats)
	f.write(at)
	f.write(binary.LittleEndian.AppendUint64(nil, xxhash.Sum64(at)))
	io.WriteString(f.w, binaryEnd)
	return b.Bytes()
}

// FuzzBinary reads what is no binary trace but has the right checksums: nothing panics, and no nonsense gets through.
func FuzzBinary(f *testing.F) {
	name := convert(f, Options{}, write(f, crowdedLog(50))...)
	b, err := openBinary(name)
	if err != nil {
		f.Fatal(err)
	}
	defer b.file.Close()
	run, err := b.frame(b.index[0].offset, b.end, mostBlock)
	if err != nil {
		f.Fatal(err)
	}
	index := binary.LittleEndian.AppendUint64(nil, uint64(binaryHead))
	index = binary.LittleEndian.AppendUint32(index, 0)
	index = binary.LittleEndian.AppendUint64(index, b.index[0].hash)
	stats := `{"format":"csv","lines":50,"parsed":50,"resolution_ns":1,"costly":true,"digest":"1"}`
	f.Add(run, index, []byte(stats))
	f.Add([]byte("\x01a\x02\x00\x02\x01"), index, []byte(stats))
	f.Add([]byte("\x01a\x02\x19\x02\x01"), index[:20], []byte(strings.ReplaceAll(stats, "1,", "1000,")))
	f.Fuzz(func(t *testing.T, run, index, stats []byte) {
		if len(run) > 1<<12 || len(index) > 200 {
			return
		}
		name := filepath.Join(t.TempDir(), "x.rlt")
		if err := os.WriteFile(name, sealed(run, index, stats), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readBinary(name); err != nil && strings.Contains(err.Error(), "were let through") {
			t.Error(err)
		}
	})
}

// CSV that was made of a log holds the same requests.
func TestCSVRoundTrip(t *testing.T) {
	odd := "1.5,\" quoted, \"\"so\"\" \",3\n-0.000000001,\"a\rb\"\n-2.25,\xfe\xff,0\n9223372036.854775807,é,9223372036854775807\n"
	files := []string{"../../testdata/traces/company-site-2013.log.gz", "../../testdata/traces/llm-2024.csv.gz", "../../testdata/formats/events.csv"}
	for _, file := range append(files, write(t, []byte(odd), crowdedLog(3000))...) {
		want := load(t, Options{}, file)
		for _, from := range []string{file, convert(t, Options{}, file)} {
			var out bytes.Buffer
			stats, err := WriteCSV(context.Background(), []string{from}, Options{}, &out)
			if err != nil {
				t.Fatal(err)
			}
			got := load(t, Options{Format: "csv", Stdin: &out}, "-")
			if !contents(got).equal(contents(want)) || got.stats.Digest != want.stats.Digest || stats.Parsed != want.stats.Parsed || got.stats.Skipped != 0 {
				t.Errorf("%s: not the same requests: %+v is not %+v", from, got.stats, want.stats)
			}
			if from == file && got.stats.Late != want.stats.Late {
				t.Errorf("%s: %d late, not %d: the order is another", file, got.stats.Late, want.stats.Late)
			}
		}
	}
}
