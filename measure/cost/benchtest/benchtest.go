// Package benchtest runs Go benchmarks of a limiter: the time of a decision by number of clients and by the order in which they
// ask, the memory of a client, and how often it decides wrongly, as standard benchmark lines for benchstat.
//
//	func BenchmarkMine(b *testing.B) {
//		benchtest.Run(b, benchtest.Candidate{
//			Name: "mine",
//			New:  func(l limiter.Limit) (limiter.Keyed, error) { return mine.New(l.Max, l.Window), nil },
//			Told: func(l limiter.Limit) (benchtest.Told, error) { return mine.New(l.Max, l.Window), nil },
//		})
//	}
package benchtest

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rlbench/rlbench/generators"
	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/measure"
	"github.com/rlbench/rlbench/measure/cost"
	"github.com/rlbench/rlbench/results"
)

// A Candidate is a limiter to measure. Either function may be nil; then what needs it is left out.
type Candidate struct {
	Name string

	// New makes it for use: it reads its own clock and is safe for concurrent use. Time and memory are measured on it.
	New func(limiter.Limit) (limiter.Keyed, error)

	// Told makes it so that it is told the time. Its decisions are judged on it.
	Told func(limiter.Limit) (Told, error)

	spec *limiter.Spec // in place of Told
}

// Told is a limiter that is told the time, in ns. It need not be safe for concurrent use.
type Told interface {
	AllowAt(key string, now, cost int64) bool
}

// Spec returns the candidate of a spec, ours or somebody else's, and false if it can't be called in this process.
func Spec(spec limiter.Spec) (Candidate, bool) {
	c := Candidate{Name: spec.String(), spec: &spec}
	contestant, err := cost.NewContestant(spec, Limit)
	if err != nil {
		return c, false
	}
	c.New = contestant.New
	if foreign, ok := spec.Foreign(); ok && foreign.RealTime != "" {
		c.spec = nil
	}
	return c, true
}

// Limit is what candidates are measured under: 100 per minute.
var Limit = limiter.Limit{Max: 100, Window: int64(time.Minute)}

// Keys are the numbers of clients that time is measured with.
var Keys = []int64{1, 1000, 1_000_000}

// Patterns are the traffic that decisions are judged on, at nine tenths of the limit.
var Patterns = []string{"uniform", "poisson", "front", "back", "end"}

// Units tells benchstat how the metrics compare; print it once before the benchmarks.
const Units = `Unit B/client better=lower
Unit over-admitted-% better=lower assume=exact
Unit over-refused-% better=lower assume=exact
Unit peak/limit better=lower assume=exact
`

// Run measures candidates as sub-benchmarks NAME/time/keys=K/order=O[/parallel], NAME/memory/clients=N and NAME/accuracy/PATTERN.
func Run(b *testing.B, candidates ...Candidate) {
	for _, c := range candidates {
		b.Run(strings.ReplaceAll(c.Name, "/", "_"), func(b *testing.B) {
			if c.New != nil {
				c.times(b)
				b.Run("memory/clients=100000", c.memory)
			}
			if c.Told != nil || c.spec != nil {
				for _, p := range Patterns {
					b.Run("accuracy/pattern="+p, func(b *testing.B) { c.accuracy(b, p) })
				}
			}
		})
	}
}

func (c *Candidate) times(b *testing.B) {
	for _, keys := range Keys {
		for _, order := range cost.Orders {
			if keys == 1 && order != cost.Orders[0] {
				continue
			}
			load := cost.Load{Keys: keys, Order: order, Refused: "asis", Clock: "own"}
			var d *cost.Decider // made once, for all that follow
			name := fmt.Sprintf("time/keys=%d/order=%s", keys, order)
			b.Run(name, func(b *testing.B) { c.time(b, &d, load, 1) })
			b.Run(name+"/parallel", func(b *testing.B) { c.time(b, &d, load, runtime.GOMAXPROCS(0)) })
		}
	}
}

// streams are shared by all candidates.
var streams = map[cost.Load]*cost.Stream{}

// time has every client known before the clock runs, and says what share was refused.
func (c *Candidate) time(b *testing.B, d **cost.Decider, load cost.Load, goroutines int) {
	if streams[load] == nil {
		streams[load] = cost.NewStream(load.Keys, load.Order, 1)
	}
	if *d == nil {
		var err error
		if *d, err = cost.NewDecider(cost.Contestant{Name: c.Name, Limit: Limit, New: c.New}, load, streams[load]); err != nil {
			b.Fatal(err)
		}
		runtime.GC()
	}
	b.ReportAllocs()
	b.ResetTimer()
	admitted := (*d).Decide(goroutines, int64(b.N))
	b.ReportMetric(100*(1-float64(admitted)/float64(b.N)), "refused-%")
}

func (c *Candidate) memory(b *testing.B) {
	const clients = 100_000
	var m cost.Held
	for range b.N {
		var err error
		if m, err = cost.Hold(cost.Contestant{Name: c.Name, Limit: Limit, New: c.New}, clients); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(m.BytesPerClient, "B/client")
	b.ReportMetric(float64(m.Collection)/1e6, "GC-ms")
}

// accuracy judges the decisions on a pattern; the time is that of a judged request.
func (c *Candidate) accuracy(b *testing.B, pattern string) {
	w := generators.Workload{
		Pattern: pattern, Clients: 50, PerWindow: 0.9 * float64(Limit.Max), Window: Limit.Window, Span: 20 * Limit.Window, Max: Limit.Max, Seed: 1,
	}
	traffic, err := w.Compile()
	if err != nil {
		b.Fatal(err)
	}
	plan := measure.Plan{Contestants: []limiter.Spec{c.judged()}, Limits: []limiter.Limit{Limit}}
	var run results.Run
	for range b.N {
		tallies, err := measure.Run(context.Background(), traffic, plan, measure.Options{})
		if err != nil {
			b.Fatal(err)
		}
		tallies[0].Fill(&run)
	}
	a := run.Algorithms[0]
	if a.Failure != "" {
		b.Fatal(a.Failure)
	}
	share := func(n int64) float64 { return 100 * float64(n) / float64(a.Requests) }
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(a.Requests), "ns/request")
	b.ReportMetric(share(a.OverAdmitted), "over-admitted-%")
	b.ReportMetric(share(a.OverRefused), "over-refused-%")
	b.ReportMetric(a.PeakRatio, "peak/limit")
}

// judged is the candidate as measure knows it.
func (c *Candidate) judged() limiter.Spec {
	if c.spec != nil {
		return *c.spec
	}
	return limiter.Foreign{Text: c.Name, Open: func(context.Context) (limiter.Target, error) { return &target{make: c.Told}, nil }}.Spec()
}

// A target asks a told candidate.
type target struct {
	make func(limiter.Limit) (Told, error)
	made Told
}

func (t *target) Configure(_ context.Context, l limiter.Limit) (err error) {
	t.made, err = t.make(l)
	return err
}

func (t *target) Decide(_ context.Context, requests []limiter.Request, answers []limiter.Answer) error {
	for i, r := range requests {
		answers[i] = limiter.Answer{Admitted: t.made.AllowAt(r.Key, r.Time, r.Cost), RetryAfter: limiter.Unknown, Remaining: limiter.Unknown}
	}
	return nil
}

func (t *target) Close() error { return nil }
