package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"image/png"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rlbench/rlbench/report/internal/fixture"
	"github.com/rlbench/rlbench/results"
)

var out = flag.String("out", "", "a folder to write all plots into, to look at them")

// svgs draws every plot of a file; the same strokes as PNG take a hundred times longer.
func svgs(t *testing.T, name string, f *results.File) map[string][]byte {
	t.Helper()
	if *out != "" {
		if _, err := Write(filepath.Join(*out, name), f); err != nil {
			t.Fatal(err)
		}
	}
	files := map[string][]byte{}
	for _, d := range drawings(f) {
		if _, twice := files[d.name]; twice {
			t.Errorf("%s drawn twice", d.name)
		}
		data, err := d.svg()
		if err != nil {
			t.Fatal(err)
		}
		wellFormed(t, d.name, data)
		files[d.name] = data
	}
	return files
}

func TestDrawsWhatTheFileHas(t *testing.T) {
	for _, c := range []struct {
		name string
		file *results.File
		want []string
	}{
		{"patterns", fixture.Patterns(), []string{"disagreement", "estimate-counter", "estimate-fixed", "misjudged", "peak", "phase-counter", "phase-fixed", "phase-gcra"}},
		{"cloudflare", fixture.Cloudflare(), []string{"disagreement", "estimate", "misjudged", "peak", "phase-counter"}},
		{"bench", fixture.Bench(), []string{"disagreement", "estimate", "memory", "misjudged", "peak", "phase-buckets-4", "phase-buckets-60", "phase-counter", "phase-fixed", "phase-gcra"}},
		{"timeline", fixture.Decided(), []string{"timeline"}},
		{"empty", &results.File{}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := slices.Sorted(maps.Keys(svgs(t, c.name, c.file))); !slices.Equal(got, c.want) {
				t.Errorf("drew %q, want %q", got, c.want)
			}
		})
	}
}

// What is on disk are the named files, each plot as PNG at 192 dpi and as SVG.
func TestWrite(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "plots")
	names, err := Write(dir, fixture.Decided())
	if err != nil || !slices.Equal(names, []string{"timeline.png", "timeline.svg"}) {
		t.Fatalf("wrote %q, %v", names, err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "timeline.png"))
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if width := img.Bounds().Dx(); width != int(sheetWidth)*dpi/72 {
		t.Errorf("the PNG is %d pixels wide", width)
	}
	if data, err = os.ReadFile(filepath.Join(dir, "timeline.svg")); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, "timeline.svg", data)
	if _, err := Write(filepath.Join(dir, "timeline.png"), fixture.Decided()); err == nil {
		t.Error("wrote into a file as if it were a folder")
	}
}

func wellFormed(t *testing.T, name string, data []byte) {
	t.Helper()
	if len(data) > 300<<10 {
		t.Errorf("%s has %d bytes", name, len(data))
	}
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if e, ok := token.(xml.StartElement); ok {
			switch e.Name.Local {
			case "svg", "g", "text", "path", "rect", "circle":
			default:
				t.Errorf("%s holds an element <%s>", name, e.Name.Local)
			}
			for _, a := range e.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Errorf("%s: %s=%q", name, a.Name.Local, a.Value)
				}
			}
		}
	}
}

func TestSameFileSameBytes(t *testing.T) {
	t.Parallel()
	for _, file := range []func() *results.File{fixture.Bench, fixture.Patterns, fixture.Decided} {
		first, second := svgs(t, "first", file()), svgs(t, "second", file())
		for name, data := range first {
			if !bytes.Equal(data, second[name]) {
				t.Errorf("%s.svg differs from one time to the next", name)
			}
		}
	}
	for _, d := range drawings(fixture.Decided()) {
		first, err := d.png()
		if err != nil {
			t.Fatal(err)
		}
		if second, err := d.png(); err != nil || !bytes.Equal(first, second) {
			t.Errorf("%s.png differs from one time to the next (%v)", d.name, err)
		}
	}
}

// A name that is markup, an escape sequence or a font declaration stays text.
func TestForeignTextStaysText(t *testing.T) {
	t.Parallel()
	f := fixture.Decided()
	r := &f.Runs[0]
	const hostile = `<script>alert("1")</script>`
	for i := range r.Decisions {
		if i%2 == 0 {
			r.Decisions[i].Key = hostile
		} else {
			r.Decisions[i].Key = "\x1b[31m\u202e]]>&amp;"
		}
	}
	data := svgs(t, "hostile", f)["timeline"]
	for _, b := range data {
		if b < 0x20 && b != '\n' && b != '\t' {
			t.Fatalf("holds a byte %#x", b)
		}
	}
	if text := texts(t, data); !strings.Contains(text, "<script>") || !strings.Contains(text, "\\x1b") {
		t.Errorf("the keys are not among the texts: %q", text)
	}
	if bytes.Contains(data, []byte("<script")) {
		t.Error("the key became markup")
	}
	d := drawing{name: "x", title: `"><script>` + "\x07", height: 40, paint: func(p *page) { p.write(label, 10, 10, `a style="font-family:mine;"`) }}
	svg, err := d.svg()
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, "title", svg)
	if text := texts(t, svg); !strings.Contains(text, `style="font-family:mine;"`) {
		t.Errorf("a text that looks like a font declaration became %q", text)
	}
}

func texts(t *testing.T, svg []byte) string {
	t.Helper()
	var all strings.Builder
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := token.(xml.CharData); ok {
			all.Write(c)
		}
	}
}

// Runs without figures, without requests, with nulls everywhere or with zeros only must not stop the others from being drawn.
func TestOddFiles(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]*results.File{
		"nasty": fixture.Nasty(), "replay": fixture.Replay(), "bare": bare(), "zeros": zeros(), "times": times(), "many": many(),
	} {
		t.Run(name, func(t *testing.T) { svgs(t, name, f) })
	}
}

func bare() *results.File {
	zero, estimate := 0.0, &results.Estimate{ErrorByClient: make([]int64, len(results.ErrorBins())+1)}
	return &results.File{Runs: []results.Run{
		{},
		{Scenario: "a", Algorithms: []results.Algorithm{{}, {Name: "counter", Estimate: estimate, Phase: &results.Phase{}}}},
		{Scenario: "a", Load: &zero, Algorithms: []results.Algorithm{{Name: "counter", Estimate: &results.Estimate{}, Cost: &results.Cost{BytesPerClient: &zero}}}},
		{Scenario: "timeline", Decisions: []results.Decision{{}}},
		{Scenario: "timeline2", WindowNS: 1, Decisions: []results.Decision{{}}, Algorithms: []results.Algorithm{{Name: "log"}}},
	}}
}

// zeros is a sweep in which nothing was ever decided otherwise.
func zeros() *results.File {
	f := fixture.Patterns()
	f.Runs = f.Runs[:4]
	for i := range f.Runs {
		for j := range f.Runs[i].Algorithms {
			a := &f.Runs[i].Algorithms[j]
			a.OverAdmitted, a.OverRefused, a.Looser, a.Stricter, a.Disagreements, a.PeakWindow, a.PeakRatio = 0, 0, 0, 0, 0, 0, 0
			a.DisagreementsCI = nil
			if a.Estimate != nil {
				a.Estimate.MisjudgedRequests = 0
			}
		}
	}
	return f
}

// times are decisions at the edges of what a time can be: one instant, a hundred at once, before 0, years apart, Unix time.
func times() *results.File {
	f := &results.File{}
	for i, at := range [][]int64{{0}, {-61e9, -1, 0, 60e9}, {0, 1, 2}, {1760000000e9, 1760000030e9}, {0, 1 << 62}, {-1 << 63, 1<<63 - 1}} {
		r := results.Run{Scenario: "timeline" + string(rune('a'+i)), Limit: 5, WindowNS: 60e9, Algorithms: []results.Algorithm{{Name: "log"}, {Name: "fixed"}}}
		for _, t := range at {
			for k := range 7 {
				r.Decisions = append(r.Decisions, results.Decision{TNS: t, Key: "a", Cost: 1, By: map[string]results.Verdict{
					"log": {Admitted: k < 5}, "fixed": {Admitted: k < 6},
				}})
			}
		}
		f.Runs = append(f.Runs, r)
	}
	return f
}

// many has more contestants than a panel takes.
func many() *results.File {
	f := fixture.Bench()
	r := &f.Runs[0]
	for i := range 9 {
		a := r.Algorithms[1]
		a.Name = "peer:" + strings.Repeat("long-", 8) + string(rune('a'+i))
		r.Algorithms = append(r.Algorithms, a)
	}
	return f
}

func TestTimelineFile(t *testing.T) {
	t.Parallel()
	f := fixture.Decided()
	dir := t.TempDir()
	for _, name := range []string{"a.png", "a.svg"} {
		path := filepath.Join(dir, name)
		if err := Timeline(path, &f.Runs[0]); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Timeline(filepath.Join(dir, "a.gif"), &f.Runs[0]); err == nil || !strings.Contains(err.Error(), ".png or .svg") {
		t.Errorf("a.gif: %v", err)
	}
	if err := Timeline(filepath.Join(dir, "b.png"), &results.Run{}); err == nil {
		t.Error("a run without decisions was drawn")
	}
}
