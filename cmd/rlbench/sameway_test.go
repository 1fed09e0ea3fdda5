package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// decided is what a replay found, without what it says of the files.
func decided(t *testing.T, stdin []byte, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	args = append([]string{"rlbench", "replay", "-a", "log,counter,buckets:3,gcra", "--limit", "3,7", "--window", "10s,1m", "--json"}, args...)
	if status := run(t.Context(), args, bytes.NewReader(stdin), &stdout, &stderr); status != exitDone {
		t.Fatalf("exit status %d\n%s", status, stderr.String())
	}
	var file struct {
		Runs []struct {
			Clients    int64
			Requests   int64
			Digest     string `json:"workload_digest"`
			Algorithms json.RawMessage
			Input      struct {
				Digest  string
				Traffic json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(stdout.Bytes(), &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Runs) != 4 || file.Runs[0].Requests == 0 {
		t.Fatalf("want four runs: %s", stdout.String())
	}
	text, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// However a log comes in, and however much memory, shards of work and workers there are for it, the decisions are the same.
func TestSameDecisionsEveryWay(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	var lines []string
	for i := range 6000 { // all times differ, so that the order of lines is nothing but their order
		lines = append(lines, fmt.Sprintf("%d.%06d,client-%d\n", 1772438400+i/4, i, rng.IntN(1+rng.IntN(200))))
	}
	plain := []byte(strings.Join(lines, ""))
	dir := t.TempDir()
	file := func(name string, data []byte) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	zip := func(data []byte) []byte {
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
	log := file("x.csv", plain)
	binary := filepath.Join(dir, "x.rlt")
	if status := run(t.Context(), []string{"rlbench", "trace", "convert", log, "-o", binary}, nil, &bytes.Buffer{}, &bytes.Buffer{}); status != exitDone {
		t.Fatal("no binary trace")
	}
	shuffled := append([]string{}, lines...)
	rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	thirds := []string{strings.Join(lines[:1999], ""), strings.Join(lines[1999:4100], ""), strings.Join(lines[4100:], "")}
	a, b, c := file("a.csv", []byte(thirds[0])), file("b.csv.gz", zip([]byte(thirds[1]))), file("c.csv", []byte(thirds[2]))

	want := decided(t, nil, log)
	for what, got := range map[string]string{
		"gzip":                      decided(t, nil, file("x.csv.gz", zip(plain))),
		"three files":               decided(t, nil, a, b, c),
		"three files in any order":  decided(t, nil, c, a, b),
		"a pipe":                    decided(t, plain, "-"),
		"gzip through a pipe":       decided(t, zip(plain), "-"),
		"CRLF":                      decided(t, nil, file("crlf.csv", bytes.ReplaceAll(plain, []byte("\n"), []byte("\r\n")))),
		"shuffled":                  decided(t, nil, file("shuffled.csv", []byte(strings.Join(shuffled, "")))),
		"binary":                    decided(t, nil, binary),
		"one worker, little memory": decided(t, nil, log, "--workers", "1", "--memory", "1kB"),
		"nine workers":              decided(t, nil, log, "--workers", "9"),
		"nine workers, binary":      decided(t, nil, binary, "--workers", "9"),
		"even a pipe, no memory":    decided(t, plain, "-", "--workers", "3", "--memory", "1"),
	} {
		if got != want {
			t.Errorf("%s: other decisions:\n%s\n%s", what, got, want)
		}
	}
	placed := decided(t, nil, log, "--placement", "random")
	if again := decided(t, nil, binary, "--placement", "random", "--workers", "5"); again != placed {
		t.Error("random placement differs from one replay to the next")
	}
}
