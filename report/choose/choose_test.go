package choose_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rlbench/rlbench/report/choose"
	"github.com/rlbench/rlbench/results"
)

func candidates() []results.Candidate {
	two := 2.0
	one := 1.0
	return []results.Candidate{
		{Name: "fixed", OverAdmitted: 0.03, PeakRatio: 1.6, AttackedRatio: 2, BoundRatio: &two, BytesPerClient: 21, MemoryBytes: 21e6, NsPerOp: 80},
		{Name: "counter", OverAdmitted: 0.002, OverRefused: 0.001, PeakRatio: 1.1, AttackedRatio: 1.99, BoundRatio: &two, BytesPerClient: 21, MemoryBytes: 21e6, NsPerOp: 90},
		{Name: "log", PeakRatio: 1, AttackedRatio: 1, BoundRatio: &one, BytesPerClient: 105, MemoryBytes: 532e6, NsPerOp: 300},
		{Name: "strict", OverRefused: 0.0001, PeakRatio: 1, AttackedRatio: 1.2, BytesPerClient: 40, MemoryBytes: 600e6, NsPerOp: 100},
	}
}

func decide(t *testing.T, priority string, given ...results.Constraint) *results.Choice {
	t.Helper()
	p, err := choose.Find(priority)
	if err != nil {
		t.Fatal(err)
	}
	c := &results.Choice{Limit: 100, WindowNS: 60e9, Clients: 1_000_000, Candidates: candidates(), Constraints: p.Constraints(given)}
	p.Decide(c)
	return c
}

func TestDecide(t *testing.T) {
	for _, test := range []struct {
		priority string
		given    []results.Constraint
		want     string // "" if none keeps all
		nearest  string
	}{
		{"balanced", nil, "counter", ""}, // the log is too large
		{"balanced", []results.Constraint{{Figure: "memory_bytes", Most: 1e9}}, "log", ""}, // and exact where it fits
		{"protect", nil, "", "log"}, // 1.98 times the memory; the counter lets through twice what it may
		{"protect", []results.Constraint{{Figure: "over_admitted", Most: 0.01}}, "counter", ""}, // unless the user allows it
		{"balanced", []results.Constraint{{Figure: "peak_ratio", Most: 1}}, "", "counter"},      // 1.1 by 1, the log 2 by 1
		{"serve", nil, "fixed", ""}, // never refuses without need
		{"serve", []results.Constraint{{Figure: "memory_bytes", Most: 550e6}}, "log", ""},       // strict does not fit
		{"balanced", []results.Constraint{{Figure: "clients_refused", Most: 0}}, "counter", ""}, // none is hit
		{"balanced", []results.Constraint{{Figure: "memory_bytes", Most: 1}, {Figure: "peak_ratio", Most: 9}}, "", "counter"},
	} {
		c := decide(t, test.priority, test.given...)
		if c.Recommended != test.want || c.Nearest != test.nearest {
			t.Errorf("%s %v: %q, nearest %q; want %q, %q", test.priority, test.given, c.Recommended, c.Nearest, test.want, test.nearest)
		}
		if len(c.Because) != 4 || slices.Contains(c.Because, "") {
			t.Errorf("%s %v: %d sentences: %q", test.priority, test.given, len(c.Because), c.Because)
		}
	}
}

func TestReasons(t *testing.T) {
	c := decide(t, "balanced")
	text := strings.Join(append(c.Because, c.WouldChange...), "\n")
	for _, want := range []string{
		"Use counter with 100 per 1m: of 4 candidates",
		"lets through 0.20 % of requests that it should refuse and refuses 0.10 %",
		"at worst a client got 1.10× the limit in some window here, and an attacker 1.99×, which can never be more than 2.00×",
		"at most 20 MiB if all of them use all of the limit, and about 90 ns a decision",
		"log misses memory (507 MiB)", "strict misses memory", "fixed misses the worst window (1.60× the limit)",
		"With --memory 508MiB or more it would be log.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	c = decide(t, "balanced", results.Constraint{Figure: "memory_bytes", Most: 1e9})
	if text := strings.Join(c.WouldChange, " "); !strings.Contains(text, "From 1.88M clients on, log would need more than 954 MiB, and it would be counter.") {
		t.Errorf("%s", text)
	}
	c = decide(t, "balanced", results.Constraint{Figure: "peak_ratio", Most: 1})
	if !strings.Contains(c.Because[0], "No candidate keeps every bound with 100 per 1m; counter comes nearest and misses the worst window (1.10× the limit, at most 1.00× the limit asked for).") {
		t.Errorf("%s", c.Because[0])
	}
}

// Whatever the figures: who is recommended keeps every bound, and nobody else who does is wrong less often.
func TestRecommendedIsBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(choose.Priorities).Draw(t, "priority")
		share := rapid.SampledFrom([]float64{0, 0.0001, 0.001, 0.01, 0.1})
		c := &results.Choice{Limit: 5, WindowNS: 1e9, Clients: 10, Constraints: p.Constraints(nil)}
		for i := range rapid.IntRange(1, 6).Draw(t, "candidates") {
			c.Candidates = append(c.Candidates, results.Candidate{
				Name: string(rune('a' + i)), OverAdmitted: share.Draw(t, "over-admitted"), OverRefused: share.Draw(t, "over-refused"),
				PeakRatio: rapid.SampledFrom([]float64{1, 1.05, 1.3, 1.9, 2.5}).Draw(t, "peak"), MemoryBytes: rapid.SampledFrom([]float64{1, 1e6, 1e9}).Draw(t, "memory"), NsPerOp: 1,
			})
		}
		p.Decide(c)
		keeps := func(k results.Candidate) bool {
			for _, b := range c.Constraints {
				if k.Figure(b.Figure) > b.Most {
					return false
				}
			}
			return true
		}
		weights := map[string][2]float64{"balanced": {1, 1}, "protect": {10, 1}, "serve": {1, 10}}[p.Name]
		wrong := func(k results.Candidate) float64 { return weights[0]*k.OverAdmitted + weights[1]*k.OverRefused }
		some := slices.ContainsFunc(c.Candidates, keeps)
		if some == (c.Recommended == "") || some == (c.Nearest != "") {
			t.Fatalf("some keep the bounds: %v; recommended %q, nearest %q", some, c.Recommended, c.Nearest)
		}
		if !some {
			return
		}
		best := c.Candidates[slices.IndexFunc(c.Candidates, func(k results.Candidate) bool { return k.Name == c.Recommended })]
		if !keeps(best) {
			t.Fatalf("%+v misses a bound", best)
		}
		for _, k := range c.Candidates {
			if keeps(k) && wrong(k) < wrong(best)-1e-4 {
				t.Fatalf("%+v is wrong less often than %+v", k, best)
			}
		}
	})
}

func TestFind(t *testing.T) {
	if _, err := choose.Find("cheap"); err == nil || !strings.Contains(err.Error(), "balanced, protect, serve") {
		t.Error(err)
	}
}
