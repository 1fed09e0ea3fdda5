package limiter_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/rlbench/rlbench/limiter"
)

// examples are all specs that the table shows, and some more.
func examples() []string {
	var texts []string
	for _, a := range limiter.Table {
		texts = append(texts, a.Examples...)
	}
	return append(texts, "buckets:2:align=first", "buckets:1000", "fixed:count=all:align=first",
		"multi:counter:count=all+log@2/5ns", "multi:fixed:count=all:align=restart@2/5ns+buckets:3@4/17ns+gcra:burst=3", "multi:log@2/17ns+deny-all",
		"multi:log@2/5ns+counter:align=first:count=all@4/17ns", "multi:log@2/5ns+fixed:align=restart@3/17ns")
}

// An arrival is a request before anything decided it.
type arrival struct{ time, cost int64 }

// drawLimit draws limits that people use, small ones where every edge is near, and the extremes.
func drawLimit(t *rapid.T) limiter.Limit {
	most := rapid.OneOf(
		rapid.Int64Range(1, 8),
		rapid.SampledFrom([]int64{5, 10, 60, 100, 1000, 1e12, math.MaxInt64 - 1, math.MaxInt64}),
	)
	window := rapid.OneOf(
		rapid.Int64Range(1, 20),
		rapid.SampledFrom([]int64{1, 2, 1000, 1001, 1e9, 30e9, 60e9, 30 * 86400e9, math.MaxInt64 / 2, math.MaxInt64 - 1, math.MaxInt64}),
	)
	return limiter.Limit{Max: most.Draw(t, "limit"), Window: window.Draw(t, "window")}
}

// drawArrivals draws times that stand still, go back, and step by nanoseconds, shares and multiples of the window,
// anywhere in int64. The costs add up to less than 2^63.
func drawArrivals(t *rapid.T, l limiter.Limit, unit bool) []arrival {
	w := l.Window
	now := rapid.OneOf(
		rapid.SampledFrom([]int64{0, -1, 1, w, -w, math.MinInt64, math.MinInt64 + 1, math.MaxInt64 - 1, math.MaxInt64}),
		rapid.Int64(), rapid.Int64Range(-100, 100),
	).Draw(t, "start")
	step := rapid.OneOf(
		rapid.SampledFrom([]int64{0, 0, 0, 1, 1, -1, -w, w / 2, w - 1, w, w, plus(w, 1), plus(w, w), plus(plus(w, w), -1), times(w, 3), times(w, 1e6), math.MaxInt64}),
		rapid.Int64Range(0, w), rapid.Int64Range(0, max(1, w/max(1, min(l.Max, w)))),
	)
	cost := rapid.OneOf(
		rapid.SampledFrom([]int64{1, 1, 1, 1, 1, 0, 2, l.Max, l.Max/2 + 1, plus(l.Max, 1)}),
		rapid.Int64Range(1, max(1, l.Max/3)),
	)
	if unit {
		cost = rapid.Just(int64(1))
	}
	steps := rapid.SliceOfN(step, 1, 40).Draw(t, "steps")
	var arrivals []arrival
	left := int64(math.MaxInt64)
	for _, d := range steps {
		now = plus(now, d)
		if d == math.MaxInt64 {
			now = plus(now, d) // from one end of int64 to the other
		}
		c := cost.Draw(t, "cost")
		if c > left {
			c = 0
		}
		left -= c
		arrivals = append(arrivals, arrival{now, c})
	}
	return arrivals
}

// plus and times stop at the ends of int64.
func plus(a, b int64) int64 {
	switch n := new(big.Int).Add(big.NewInt(a), big.NewInt(b)); {
	case n.IsInt64():
		return n.Int64()
	case n.Sign() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

func times(a, b int64) int64 {
	if n := new(big.Int).Mul(big.NewInt(a), big.NewInt(b)); n.IsInt64() {
		return n.Int64()
	}
	return math.MaxInt64
}

// create makes the limiter. Where it refuses because there are more buckets than nanoseconds, the window is widened.
func create(t rapid.TB, text string, l *limiter.Limit) (limiter.Spec, limiter.Limiter) {
	spec, err := limiter.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	made, err := spec.New(*l)
	if err != nil && l.Window < 1000 {
		l.Window *= 1000
		made, err = spec.New(*l)
	}
	if err != nil {
		t.Fatal(err)
	}
	return spec, made
}

// Every decision, and every count, is the rule's.
func TestRules(t *testing.T) {
	for _, text := range examples() {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				l := drawLimit(t)
				_, made := create(t, text, &l)
				judge := newOracle(text, l)
				viewer, views := made.(limiter.Viewer)
				for i, a := range drawArrivals(t, l, false) {
					if views {
						now := judge.clock(a.time)
						held := judge.parts[0].held(judge.past, now)
						if c := viewer.Count(a.time); !judge.parts[0].same(c, held) {
							t.Fatalf("%s under %v at request %d of %v: count %+v, want %s/%d", text, l, i, a, c, held, l.Window)
						}
					}
					if got, want := made.Allow(a.time, a.cost), judge.allow(a.time, a.cost); got != want {
						t.Fatalf("%s under %v at request %d of %v: admitted %v, want %v", text, l, i, a, got, want)
					}
				}
			})
		})
	}
}

// Every estimate is what the rule would hold if all were admitted, and its size is bounded as documented.
func TestObserve(t *testing.T) {
	for _, text := range examples() {
		spec, err := limiter.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		l := limiter.Limit{Max: 5, Window: 1000}
		made, err := spec.New(l)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := made.(limiter.Estimator); ok != (spec.EstimateID() != "") {
			t.Errorf("%s: is an Estimator: %v, but EstimateID is %q", text, ok, spec.EstimateID())
		} else if !ok {
			continue
		}
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				l := drawLimit(t)
				_, made := create(t, text, &l)
				unit := rapid.Bool().Draw(t, "unit")
				arrivals := drawArrivals(t, l, unit)
				split := rapid.IntRange(0, len(arrivals)).Draw(t, "split")
				checkObserve(t, text, l, made.(limiter.Estimator), arrivals, split, unit)
			})
		})
	}
}

func checkObserve(t *rapid.T, text string, l limiter.Limit, made limiter.Estimator, arrivals []arrival, split int, unit bool) {
	var at, costs []int64
	for _, a := range arrivals {
		at, costs = append(at, a.time), append(costs, a.cost)
	}
	after := make([]limiter.Count, len(at))
	if unit {
		made.Observe(at[:split], nil, after[:split])
		made.Observe(at[split:], nil, after[split:])
	} else {
		made.Observe(at[:split], costs[:split], after[:split])
		made.Observe(at[split:], costs[split:], after[split:])
	}
	judge := newOracle(text, l)
	for i, a := range arrivals {
		now := judge.clock(a.time)
		if a.cost > 0 {
			judge.past = append(judge.past, request{now, a.cost, true})
		}
		held := judge.parts[0].held(judge.past, now)
		if !judge.parts[0].same(after[i], held) {
			t.Fatalf("%s under %v after request %d: %+v, want %s/%d", text, l, i, after[i], held, l.Window)
		}
		if most := peak(judge.past, l.Window); after[i].Whole > most || after[i].Part > most {
			t.Fatalf("%s under %v after request %d: %+v exceeds the fullest window, %d", text, l, i, after[i], most)
		}
	}
}

// A limiter that was reset decides as a new one.
func TestReset(t *testing.T) {
	for _, text := range examples() {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				l := drawLimit(t)
				spec, used := create(t, text, &l)
				for _, a := range drawArrivals(t, l, false) {
					used.Allow(a.time, a.cost)
				}
				used.Reset()
				fresh := must(spec.New(l))
				for i, a := range drawArrivals(t, l, false) {
					if got, want := used.Allow(a.time, a.cost), fresh.Allow(a.time, a.cost); got != want {
						t.Fatalf("request %d: %v after a reset, %v anew", i, got, want)
					}
				}
			})
		})
	}
}

// Different algorithms that are the same rule decide alike and hold the same.
func TestEquals(t *testing.T) {
	for _, pair := range [][2]string{
		{"buckets:1", "counter"},
		{"buckets:1:count=all", "counter:count=all"},
		{"buckets:1:align=first", "counter:align=first"},
		{"gcra", "token-bucket"},
		{"gcra", "leaky-bucket"},
		{"gcra:burst=1", "token-bucket:burst=1"},
		{"gcra:burst=7", "leaky-bucket:burst=7"},
		{"gcra:burst=9223372036854775807", "token-bucket:burst=9223372036854775807"},
	} {
		t.Run(pair[0]+"="+pair[1], func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				l := drawLimit(t)
				_, a := create(t, pair[0], &l)
				_, b := create(t, pair[1], &l)
				for i, r := range drawArrivals(t, l, false) {
					if x, y := a.(limiter.Viewer).Count(r.time), b.(limiter.Viewer).Count(r.time); x != y {
						t.Fatalf("request %d: %s holds %v, %s %v", i, pair[0], x, pair[1], y)
					}
					if x, y := a.Allow(r.time, r.cost), b.Allow(r.time, r.cost); x != y {
						t.Fatalf("request %d: %s %v, %s %v", i, pair[0], x, pair[1], y)
					}
				}
			})
		})
	}
}

// With a bucket a nanosecond the buckets are the log.
func TestFinestBucketsAreTheLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := limiter.Limit{Max: rapid.Int64Range(1, 9).Draw(t, "limit"), Window: 17}
		_, buckets := create(t, "buckets:17", &l)
		_, log := create(t, "log", &l)
		for i, a := range drawArrivals(t, l, false) {
			if x, y := buckets.Allow(a.time, a.cost), log.Allow(a.time, a.cost); x != y {
				t.Fatalf("request %d: buckets %v, log %v", i, x, y)
			}
		}
	})
}

// A negative cost is refused and changes nothing; one beyond the limit is refused.
func TestCosts(t *testing.T) {
	l := limiter.Limit{Max: 5, Window: 1000}
	for _, text := range examples() {
		_, made := create(t, text, &l)
		if made.Allow(10_000, -1) || made.Allow(10_000, math.MinInt64) {
			t.Errorf("%s admits a negative cost", text)
		}
		if !made.Allow(10_000, 0) {
			t.Errorf("%s refuses a cost of 0", text)
		}
		if want := newOracle(text, l).allow(0, 1); made.Allow(0, 1) != want {
			t.Errorf("%s: the first request gets %v", text, !want)
		}
		if made.Allow(0, math.MaxInt64) && text != "allow-all" {
			t.Errorf("%s admits the largest cost", text)
		}
	}
}

// Refused costs that add up to more than int64 holds never make room.
func TestRefusedBeyondInt64(t *testing.T) {
	l := limiter.Limit{Max: 5, Window: 1000}
	for _, text := range []string{"log:count=all", "counter:count=all", "buckets:4:count=all", "fixed:count=all"} {
		_, made := create(t, text, &l)
		for i := range int64(900) {
			if made.Allow(i, math.MaxInt64) || made.Allow(i, 1) {
				t.Fatalf("%s admits request %d", text, i)
			}
		}
		if !made.Allow(100_000, 1) {
			t.Errorf("%s refuses after a long pause", text)
		}
	}
}

// A window that begins before the earliest int64 does not look like one nearly 2^64 ns later.
func TestFromOneEndOfTimeToTheOther(t *testing.T) {
	for _, text := range []string{"counter", "fixed", "buckets:1", "buckets:3", "log", "gcra", "counter:align=first", "fixed:align=restart"} {
		_, made := create(t, text, &limiter.Limit{Max: 1, Window: math.MaxInt64})
		for _, c := range []struct {
			at   int64
			want bool
		}{{math.MinInt64, true}, {math.MinInt64, false}, {math.MaxInt64, true}, {math.MaxInt64, false}, {math.MinInt64, false}} {
			if got := made.Allow(c.at, 1); got != c.want {
				t.Errorf("%s at %d: %v, want %v", text, c.at, got, c.want)
			}
		}
	}
}
