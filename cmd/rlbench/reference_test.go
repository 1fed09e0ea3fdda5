package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/rlbench/rlbench/results"
)

// TestReference remakes the small reference results and demands the same runs, byte for byte: on any machine, for ever.
func TestReference(t *testing.T) {
	for _, name := range []string{"boundary", "two-limits", "worst-case"} {
		f, err := os.Open("../../results/reference/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		kept, err := results.Decode(f)
		if err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		if code := run(context.Background(), []string{"rlbench", "run", "--scenario", name, "--json"}, strings.NewReader(""), &stdout, &stderr); code != 0 {
			t.Fatalf("exit status %d: %s", code, stderr.String())
		}
		remade, err := results.Decode(&stdout)
		if err != nil {
			t.Fatal(err)
		}
		want, got := encoded(t, kept.Runs), encoded(t, remade.Runs)
		if want != got {
			t.Errorf("%s comes out otherwise than kept in results/reference:\n%s\nwant\n%s", name, got, want)
		}
	}
}

func encoded(t *testing.T, runs []results.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := results.Encode(&b, &results.File{Runs: runs}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
