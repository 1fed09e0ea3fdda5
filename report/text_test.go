package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/report/internal/fixture"
	"github.com/rlbench/rlbench/results"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var fixtures = []struct {
	name string
	file func() *results.File
}{
	{"patterns", fixture.Patterns}, {"cloudflare", fixture.Cloudflare}, {"replay", fixture.Replay}, {"single", fixture.Single},
	{"bench", fixture.Bench}, {"timeline", fixture.Decided}, {"nasty", fixture.Nasty}, {"nasty-single", nastySingle},
	{"empty", func() *results.File { return &results.File{} }}, {"bare", bare},
}

func nastySingle() *results.File {
	f := fixture.Nasty()
	f.Runs = f.Runs[:1]
	return f
}

// bare has runs with nothing in them, and a contestant that no request reached.
func bare() *results.File {
	return &results.File{Runs: []results.Run{
		{Scenario: "cloudflare", Limit: 1, WindowNS: 1}, {Scenario: "cloudflare", Limit: 2, WindowNS: 1},
		{Scenario: "patterns", Limit: 1, WindowNS: 1, Algorithms: []results.Algorithm{{Name: "counter", Estimate: &results.Estimate{}}}},
		{Scenario: "timeline", Limit: 1, WindowNS: 1, Decisions: []results.Decision{{Key: "a", Cost: 1}}, Algorithms: []results.Algorithm{{Name: "log"}}},
	}}
}

func written(t *testing.T, f *results.File) string {
	t.Helper()
	var b bytes.Buffer
	if err := Text(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextGolden(t *testing.T) {
	for _, fx := range fixtures {
		t.Run(fx.name, func(t *testing.T) {
			got := written(t, fx.file())
			path := filepath.Join("testdata", fx.name+".txt")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("differs from %s (-update rewrites it):\n%s", path, got)
			}
		})
	}
}

func TestTextFitsAndIsClean(t *testing.T) {
	for _, fx := range fixtures {
		t.Run(fx.name, func(t *testing.T) {
			got := written(t, fx.file())
			if !utf8.ValidString(got) {
				t.Error("not valid UTF-8")
			}
			for i, line := range strings.Split(got, "\n") {
				if w := human.Width(line); w > 80 {
					t.Errorf("line %d has %d columns: %s", i+1, w, line)
				}
				if strings.HasSuffix(line, " ") {
					t.Errorf("line %d ends in a blank", i+1)
				}
			}
			for _, r := range got {
				if r < 0x20 && r != '\n' || r >= 0x7f && r < 0xa0 || r == '\u202e' || r == '\u200b' {
					t.Fatalf("holds %q", r)
				}
			}
		})
	}
}
