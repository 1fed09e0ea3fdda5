package cost_test

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rlbench/rlbench/generators"
	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/measure"
	"github.com/rlbench/rlbench/measure/cost"
	"github.com/rlbench/rlbench/results"
)

var perMinute = limiter.Limit{Max: 100, Window: int64(time.Minute)}

func contestant(t testing.TB, spec string, limit limiter.Limit) cost.Contestant {
	t.Helper()
	parsed, err := limiter.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	c, err := cost.NewContestant(parsed, limit)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// made is a contestant with a limiter of the test's.
func made(name string, l limiter.Keyed) cost.Contestant {
	return cost.Contestant{Name: name, Limit: perMinute, New: func(limiter.Limit) (limiter.Keyed, error) { return l, nil }}
}

// A thirds refuses every third request.
type thirds struct{ asked atomic.Int64 }

func (l *thirds) Allow(string) bool { return l.asked.Add(1)%3 != 0 }

// A spender allocates once a decision.
type spender struct{ last atomic.Pointer[[40]byte] }

func (l *spender) Allow(string) bool { l.last.Store(new([40]byte)); return true }

func TestSpeedSaysWhatWasDone(t *testing.T) {
	var told atomic.Int64
	loads := []cost.Load{{Keys: 1, Order: "uniform", Refused: "asis", Clock: "own"}, {Keys: 2000, Order: "zipf", Refused: "asis", Clock: "own"}}
	contestants := []cost.Contestant{made("thirds", &thirds{}), made("spender", &spender{}), contestant(t, "counter", perMinute)}
	o := cost.Options{Rounds: 6, SampleNS: 100_000, Seed: 1, Progress: func(n int64) { told.Add(n) }}
	speeds, reference, err := cost.Speed(context.Background(), contestants, loads, o)
	if err != nil {
		t.Fatal(err)
	}
	if want := cost.Samples(contestants, loads, o); told.Load() != want || want != 36 {
		t.Errorf("%d measurements told of, %d announced", told.Load(), want)
	}
	if len(reference) != 12 || slices.Min(reference) <= 0 {
		t.Errorf("reference %v", reference)
	}
	for _, c := range contestants {
		lines := speeds[c.Name]
		if len(lines) == 0 {
			t.Fatalf("%s: no lines", c.Name)
		}
		for _, s := range lines {
			if len(s.Samples) != o.Rounds || s.NsPerOpCI == nil || s.NsPerOp < s.NsPerOpCI[0] || s.NsPerOp > s.NsPerOpCI[1] {
				t.Errorf("%s: %d samples, median %g in %v", c.Name, len(s.Samples), s.NsPerOp, s.NsPerOpCI)
			}
			if s.Distinct < 1 || s.Distinct > s.Keys || s.Requests < s.SampleRequests*6-6*int64(s.Goroutines) {
				t.Errorf("%s: %+v", c.Name, s)
			}
			if (s.Goroutines == 1) != (s.Latency != nil) {
				t.Errorf("%s: latency %v with %d goroutines", c.Name, s.Latency, s.Goroutines)
			}
			if q := s.Latency; q != nil && !(q.P50 <= q.P90 && q.P90 <= q.P99 && q.P99 <= q.P999 && q.Batch >= 1 && q.Decisions >= 100_000 && q.Max > 0) {
				t.Errorf("%s: %+v", c.Name, q)
			}
			wantShare, wantAllocs := 0.0, 0.0
			switch c.Name {
			case "thirds":
				wantShare = 1.0 / 3
			case "spender":
				wantAllocs = 1
			default:
				continue
			}
			if math.Abs(s.RefusedShare-wantShare) > 0.001 || math.Abs(s.AllocsPerOp-wantAllocs) > 0.2 {
				t.Errorf("%s: refused %g, want %g; %g allocations, want %g", c.Name, s.RefusedShare, wantShare, s.AllocsPerOp, wantAllocs)
			}
		}
	}
}

// The share refused is what was asked for where time is told, so that it does not depend on the machine.
func TestRefusals(t *testing.T) {
	for refused, want := range map[string][2]float64{"none": {0, 0}, "half": {0.4, 0.6}, "all": {0.999, 1}} {
		for _, clock := range []string{"told", "batch"} {
			loads := []cost.Load{{Keys: 1000, Order: "uniform", Refused: refused, Clock: clock}}
			c := contestant(t, "counter", perMinute)
			speeds, _, err := cost.Speed(context.Background(), []cost.Contestant{c, made("untold", &thirds{})}, loads, cost.Options{Rounds: 1, SampleNS: 20_000_000 * slower, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if len(speeds["untold"]) > 0 {
				t.Error("what can't be told the time was measured with it")
			}
			for _, s := range speeds["counter"] {
				if s.Goroutines == 1 && (s.RefusedShare < want[0] || s.RefusedShare > want[1]) {
					t.Errorf("refused %s, clock %s: %g, want within %v", refused, clock, s.RefusedShare, want)
				}
			}
		}
	}
}

func TestSpeedInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	loads := []cost.Load{{Keys: 10, Order: "uniform", Refused: "asis", Clock: "own"}}
	done := 0
	o := cost.Options{Rounds: 100, SampleNS: 1000, Progress: func(int64) {
		if done++; done == 3 {
			cancel()
		}
	}}
	speeds, _, err := cost.Speed(ctx, []cost.Contestant{made("thirds", &thirds{})}, loads, o)
	if err != context.Canceled || len(speeds["thirds"]) == 0 || len(speeds["thirds"][0].Samples) != 3 {
		t.Errorf("%v: %v", err, speeds)
	}
}

// The median's interval is that of order statistics: with six samples the smallest and the largest, with fewer none.
func TestMedian(t *testing.T) {
	m, ci := cost.Median([]float64{5, 1, 3, 9, 7, 2})
	if m != 4 || ci == nil || *ci != (results.CI{1, 9}) {
		t.Errorf("%g %v", m, ci)
	}
	if m, ci := cost.Median([]float64{3, 1, 2}); m != 2 || ci != nil {
		t.Errorf("%g %v", m, ci)
	}
}

// A hoarder keeps so many bytes for each client, in one piece each.
type hoarder struct {
	each int
	kept map[string][]byte
}

func (h *hoarder) Allow(key string) bool {
	if h.kept[key] == nil {
		h.kept[key] = make([]byte, h.each)
	}
	return true
}

func TestMemoryOfWaiting(t *testing.T) {
	const each, clients = 1024, 20_000 // so that the map's own part is small
	c := cost.Contestant{Name: "hoarder", Limit: perMinute, New: func(limiter.Limit) (limiter.Keyed, error) {
		return &hoarder{each, make(map[string][]byte, clients)}, nil
	}}
	found, err := cost.Memory(c, cost.MemoryPlan{Clients: clients, Used: 1})
	if err != nil {
		t.Fatal(err)
	}
	var states []string
	for _, m := range found {
		states = append(states, m.State)
		if m.HeapBytes < each || m.HeapBytes > each+150 || m.AccountBytes != nil || m.Remembered != nil {
			t.Errorf("%+v", m)
		}
	}
	if !slices.Equal(states, []string{cost.OneWindow, cost.BothWindows, cost.AllLeft}) {
		t.Errorf("states %v", states)
	}
}

// Live heap, the limiter's own account and the system's figure agree within a few per cent where there is enough of it.
func TestMemoryOfTold(t *testing.T) {
	for _, c := range []struct {
		spec  string
		limit int64
		plan  cost.MemoryPlan
	}{{"counter", 100, cost.MemoryPlan{Clients: 1_000_000, Used: 2}}, {"log", 100, cost.MemoryPlan{Clients: 60_000, Used: 100}}} {
		c.plan.Clients /= slower
		found, err := cost.Memory(contestant(t, c.spec, limiter.Limit{Max: c.limit, Window: 60e9}), c.plan)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range found {
			if m.AccountBytes == nil || m.RSSBytes == nil || m.Remembered == nil {
				t.Fatalf("%s: %+v", c.spec, m)
			}
			t.Logf("%s, %s: heap %.2f, account %.2f, resident %.2f", c.spec, m.State, m.HeapBytes, *m.AccountBytes, *m.RSSBytes)
			if m.State == cost.AllLeft {
				if *m.Remembered != 1 || m.HeapBytes > 1 {
					t.Errorf("%s: %d clients and %g bytes each stay when all have left", c.spec, *m.Remembered, m.HeapBytes)
				}
				continue
			}
			if off := m.HeapBytes / *m.AccountBytes; off < 0.99 || off > 1.03 {
				t.Errorf("%s, %s: heap %g, account %g", c.spec, m.State, m.HeapBytes, *m.AccountBytes)
			}
			if off := *m.RSSBytes / m.HeapBytes; slower == 1 && (off < 0.9 || off > 1.15) { // the race detector has memory of its own
				t.Errorf("%s, %s: resident %g, heap %g", c.spec, m.State, *m.RSSBytes, m.HeapBytes)
			}
			if *m.Remembered != c.plan.Clients {
				t.Errorf("%s: %d of %d clients", c.spec, *m.Remembered, c.plan.Clients)
			}
		}
	}
}

// Under a pattern the limiters refuse what they refuse client by client.
func TestPatternRefusesAsClientByClient(t *testing.T) {
	limit := limiter.Limit{Max: 5, Window: 1e9}
	specs := []string{"counter", "log", "gcra"}
	var contestants []cost.Contestant
	for _, s := range specs {
		contestants = append(contestants, contestant(t, s, limit))
	}
	plan := measure.Plan{Limits: []limiter.Limit{limit}}
	for _, s := range specs {
		spec, err := limiter.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		plan.Contestants = append(plan.Contestants, spec)
	}
	for _, pattern := range cost.Patterns {
		w := generators.Workload{Pattern: pattern, Clients: 3000, PerWindow: 4.5, Window: 1e9, Span: 4e9, Max: 5, Seed: 9}
		found, err := cost.Pattern(context.Background(), contestants, w, cost.Options{})
		if err != nil {
			t.Fatal(err)
		}
		traffic, err := w.Compile()
		if err != nil {
			t.Fatal(err)
		}
		tallies, err := measure.Run(context.Background(), traffic, plan, measure.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var run results.Run
		tallies[0].Fill(&run)
		for _, a := range run.Algorithms {
			p := found[a.Name]
			if p.Requests != a.Requests || math.Round(p.RefusedShare*float64(p.Requests)) != float64(a.Refused) {
				t.Errorf("%s, %s: %d requests, %g of them refused; client by client %d and %d", a.Name, pattern, p.Requests, p.RefusedShare, a.Requests, a.Refused)
			}
			if p.NsPerOp <= 0 || p.BytesPerClient == nil {
				t.Errorf("%s, %s: %+v", a.Name, pattern, p)
			}
		}
	}
}

func TestStall(t *testing.T) {
	s, err := cost.Stall(contestant(t, "counter", perMinute), 1000, 0.05)
	if err != nil || s.Decisions < 2048 || s.LongestNS <= 0 || s.MachineNS <= 0 || s.Clients != 1000 {
		t.Errorf("%+v, %v", s, err)
	}
}
