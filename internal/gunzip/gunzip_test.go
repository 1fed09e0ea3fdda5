package gunzip

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
)

// samples are data of all kinds: text, noise, runs, matches of every distance, more than the output holds.
var samples = sync.OnceValue(func() map[string][]byte {
	rng := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 300_000)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	var log, far bytes.Buffer
	for i := range 20_000 {
		fmt.Fprintf(&log, "10.0.%d.%d - - [02/Mar/2026:08:%02d:%02d +0000] \"GET /articles/%d HTTP/1.1\" 200 %d\n", rng.IntN(9), rng.IntN(256), i/60%60, i%60, rng.IntN(977), rng.IntN(50000))
	}
	for far.Len() < 900_000 { // copies from up to 32 KiB back, of up to 300 bytes
		if n := far.Len(); n > 40_000 && rng.IntN(3) > 0 {
			from := n - 1 - rng.IntN(32768)
			far.Write(bytes.Clone(far.Bytes()[from:min(from+rng.IntN(300), n)]))
		} else {
			far.Write(noise[:rng.IntN(50)])
		}
	}
	skewed := make([]byte, 200_000) // long codes: each byte half as common as the one before
	for i := range skewed {
		for skewed[i] < 200 && rng.IntN(2) == 0 {
			skewed[i]++
		}
	}
	return map[string][]byte{
		"empty": nil, "byte": {7}, "log": log.Bytes(), "noise": noise, "zeros": make([]byte, 700_000), "far": far.Bytes(), "skewed": skewed,
		"pairs": []byte(strings.Repeat("ab", 150_000)), "fifteen": []byte(strings.Repeat("123456789abcdef", 50_000)),
	}
})

func zip(t testing.TB, data []byte, level int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, level)
	if err == nil {
		w.Name, w.Comment, w.Extra = "a name", "a comment", []byte("extra")
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func unzip(src io.Reader) ([]byte, error) {
	r, err := NewReader(src)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// What the standard library compressed comes back, at every level, however it arrives.
func TestRoundTrip(t *testing.T) {
	for name, data := range samples() {
		for _, level := range []int{gzip.HuffmanOnly, gzip.NoCompression, 1, 6, 9} {
			packed := zip(t, data, level)
			for how, src := range map[string]io.Reader{
				"whole": bytes.NewReader(packed), "halves": iotest.HalfReader(bytes.NewReader(packed)), "with its end": iotest.DataErrReader(bytes.NewReader(packed)),
			} {
				got, err := unzip(src)
				if err != nil || !bytes.Equal(got, data) {
					t.Errorf("%s, level %d, %s: %d bytes of %d, %v", name, level, how, len(got), len(data), err)
				}
			}
		}
	}
	small := samples()["log"][:5000]
	if got, err := unzip(iotest.OneByteReader(bytes.NewReader(zip(t, small, 6)))); err != nil || !bytes.Equal(got, small) {
		t.Errorf("byte by byte: %d bytes, %v", len(got), err)
	}
}

// Members follow one another, and a match does not reach into the member before.
func TestMembers(t *testing.T) {
	var packed, want []byte
	for i := range 30 {
		data := samples()["log"][i*1000 : i*1000+i*3000]
		packed, want = append(packed, zip(t, data, i%10)...), append(want, data...)
	}
	if got, err := unzip(bytes.NewReader(packed)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes of %d, %v", len(got), len(want), err)
	}
	got, err := unzip(bytes.NewReader(append(packed, "behind it"...)))
	if !errors.Is(err, gzip.ErrHeader) || !bytes.Equal(got, want) {
		t.Errorf("data behind it: %d bytes of %d, %v", len(got), len(want), err)
	}
}

// Data that was cut gives what comes before the cut, as far as whole symbols reach, and says that it was cut.
func TestCut(t *testing.T) {
	for _, level := range []int{0, 1, 9, gzip.HuffmanOnly} {
		data := samples()["log"][:30_000]
		packed := zip(t, data, level)
		before := 0
		for n := 0; n < len(packed); n += 1 + n/60 {
			got, err := unzip(bytes.NewReader(packed[:n]))
			if !errors.Is(err, io.ErrUnexpectedEOF) || !bytes.HasPrefix(data, got) || len(got) < before {
				t.Fatalf("level %d, cut at %d of %d: %d bytes, %v", level, n, len(packed), len(got), err)
			}
			before = len(got)
		}
		if before < len(data)*9/10 {
			t.Errorf("level %d: only %d bytes of %d before the last cut", level, before, len(data))
		}
	}
	broken := errors.New("disk on fire")
	packed := zip(t, samples()["log"], 6)
	if _, err := unzip(io.MultiReader(bytes.NewReader(packed[:50_000]), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("a read error gives %v", err)
	}
}

// No changed byte goes unnoticed.
func TestChanged(t *testing.T) {
	data := samples()["log"][:20_000]
	packed := zip(t, data, 6)
	for i := 0; i < len(packed); i += 1 + i/100 {
		changed := bytes.Clone(packed)
		changed[i] ^= 1 << (i % 8)
		if got, err := unzip(bytes.NewReader(changed)); err == nil && !bytes.Equal(got, data) {
			t.Errorf("byte %d of %d changed: other data", i, len(packed))
		}
	}
}

// FuzzAgainstStandard holds the reader to the standard library's: the same data, and an error for the same input.
func FuzzAgainstStandard(f *testing.F) {
	for _, data := range samples() {
		for _, level := range []int{gzip.HuffmanOnly, 0, 1, 9} {
			f.Add(zip(f, data[:min(len(data), 400)], level), true)
		}
	}
	f.Add([]byte("\x05\xe0\x81\x08\x00\x00\x00\x00\x20\x7f\xeb\x0b\x00\x00"), false)
	head := []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff")
	f.Fuzz(func(t *testing.T, packed []byte, whole bool) {
		if !whole { // compressed data alone, so that the fuzzer need not find a header
			packed = append(bytes.Clone(head), packed...)
		}
		got, err := unzip(bytes.NewReader(packed))
		r, wantErr := gzip.NewReader(bytes.NewReader(packed))
		var want []byte
		if wantErr == nil {
			want, wantErr = io.ReadAll(r)
		}
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("error %v, the standard library's %v", err, wantErr)
		}
		if !bytes.Equal(got, want) && (err == nil || !bytes.HasPrefix(got, want) && !bytes.HasPrefix(want, got)) {
			t.Fatalf("%d bytes, the standard library has %d: %v, %v", len(got), len(want), err, wantErr)
		}
	})
}

// BenchmarkReader decompresses a log; RLBENCH_GZIP names another file.
func BenchmarkReader(b *testing.B) {
	packed := zip(b, bytes.Repeat(samples()["log"], 10), 6)
	if name := os.Getenv("RLBENCH_GZIP"); name != "" {
		var err error
		if packed, err = os.ReadFile(name); err != nil {
			b.Fatal(err)
		}
	}
	buf := make([]byte, 256<<10)
	for b.Loop() {
		r, err := NewReader(bytes.NewReader(packed))
		n := int64(0)
		for err == nil {
			var k int
			k, err = r.Read(buf)
			n += int64(k)
		}
		if err != io.EOF {
			b.Fatal(err)
		}
		b.SetBytes(n)
	}
}
