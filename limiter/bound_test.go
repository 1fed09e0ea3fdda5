package limiter_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/rlbench/rlbench/limiter"
)

func admitted(made limiter.Limiter, arrivals []arrival) []request {
	var past []request
	for _, a := range arrivals {
		if made.Allow(a.time, a.cost) {
			past = append(past, request{a.time, a.cost, true})
		}
	}
	return past
}

// No traffic gets more than Bound into a closed window.
func TestBoundHolds(t *testing.T) {
	for _, text := range examples() {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				l := limiter.Limit{Max: rapid.Int64Range(1, 6).Draw(t, "limit"), Window: rapid.Int64Range(1, 9).Draw(t, "window")}
				spec, made := create(t, text, &l)
				bound, ok := spec.Bound(l)
				if !ok {
					return
				}
				unit := max(1, l.Window/9) // a window is about nine steps, whatever its length
				step := rapid.Map(rapid.SampledFrom([]int64{0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 8, 9, 10, 18}), func(n int64) int64 { return n * unit })
				now := rapid.Int64Range(-20, 20).Draw(t, "start")
				var arrivals []arrival
				for _, d := range rapid.SliceOfN(step, 1, 80).Draw(t, "steps") {
					now += d
					arrivals = append(arrivals, arrival{now, 1})
				}
				if most := peak(admitted(made, arrivals), l.Window); most > bound {
					t.Fatalf("%s under %v: %d in a window, bound %d", text, l, most, bound)
				}
			})
		})
	}
}

// The worst sequence reaches the bound, and the bound is the promised one unless the limit exceeds the nanoseconds.
func TestWorstReachesBound(t *testing.T) {
	promised := map[string]func(l int64) int64{
		"log": func(l int64) int64 { return l }, "log:open": func(l int64) int64 { return 2 * l },
		"counter": func(l int64) int64 { return 2*l - 1 }, "counter:align=first": func(l int64) int64 { return 2*l - 1 },
		"counter:count=all": func(l int64) int64 { return 2*l - 1 }, "buckets:8": func(l int64) int64 { return 2*l - 1 },
		"fixed": func(l int64) int64 { return 2 * l }, "fixed:align=restart": func(l int64) int64 { return 2 * l },
		"gcra:burst=20": func(l int64) int64 { return 20 + l }, "token-bucket": func(l int64) int64 { return 2 * l },
	}
	for _, text := range examples() {
		for _, most := range []int64{1, 2, 3, 5, 10, 100, 1000} {
			for _, window := range []int64{1, 2, 3, 7, 60, 61, 999, 1000, 1009, 1_000_003, 1e9, 60e9, 61e9 + 1, 30 * 86400e9} {
				l := limiter.Limit{Max: most, Window: window}
				spec := must(limiter.Parse(text))
				made, err := spec.New(l)
				if err != nil {
					continue // more buckets than nanoseconds
				}
				bound, ok := spec.Bound(l)
				worst := spec.Worst(l)
				if !ok {
					if worst != nil {
						t.Errorf("%s has a worst sequence but no bound", text)
					}
					continue
				}
				if want := promised[text]; want != nil && window >= 60e9 && bound != want(most) {
					t.Errorf("%s under %v: bound %d, promised %d", text, l, bound, want(most))
				}
				if got := walkPeak(t, made, worst, window); got != bound {
					t.Errorf("%s under %v: the worst sequence reaches %d, bound %d", text, l, got, bound)
				}
			}
		}
	}
}

// walkPeak is peak for long ascending sequences.
func walkPeak(t *testing.T, made limiter.Limiter, worst []int64, window int64) int64 {
	var in []int64
	first, most := 0, 0
	for i, at := range worst {
		if at < 0 || i > 0 && at < worst[i-1] {
			t.Fatalf("time %d of a worst sequence is %d", i, at)
		}
		if made.Allow(at, 1) {
			in = append(in, at)
		} else if len(worst) > 1 {
			t.Fatalf("request %d of a worst sequence, at %d, is refused", i, at)
		}
		for len(in) > 0 && at-in[first] > window {
			first++
		}
		most = max(most, len(in)-first)
	}
	return int64(most)
}

// No schedule at all gets more than the bound of a rate that yields several permits a nanosecond, nor less at best.
func TestRateBoundIsExact(t *testing.T) {
	for window := int64(1); window <= 4; window++ {
		for most := int64(1); most <= 11; most++ {
			for _, burst := range []string{"1", "2", "3", "4"} {
				l := limiter.Limit{Max: most, Window: window}
				spec, made := create(t, "token-bucket:burst="+burst, &l)
				bound, _ := spec.Bound(l)
				if best := bestSchedule(made, window, burst[0]-'0'); best != bound {
					t.Errorf("burst %s under %v: bound %d, the best schedule gets %d", burst, l, bound, best)
				}
			}
		}
	}
}

// bestSchedule tries all numbers of requests, up to the burst, in each of the nanoseconds 0 to window.
func bestSchedule(made limiter.Limiter, window int64, burst byte) int64 {
	counts := make([]byte, window+1)
	best := int64(0)
	for {
		made.Reset()
		got := int64(0)
		for at, n := range counts {
			for range n {
				if made.Allow(int64(at), 1) {
					got++
				}
			}
		}
		best = max(best, got)
		i := 0
		for ; i < len(counts) && counts[i] == burst; i++ {
			counts[i] = 0
		}
		if i == len(counts) {
			return best
		}
		counts[i]++
	}
}

// While no closed window holds more than Safe, nothing is refused.
func TestSafe(t *testing.T) {
	for _, text := range append(examples(), "multi:log@9/17ns+log@4/5ns", "multi:log@4/5ns+counter@9/17ns", "multi:fixed@3/5ns+gcra:burst=5@9/17ns") {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				l := limiter.Limit{Max: rapid.Int64Range(1, 12).Draw(t, "limit"), Window: rapid.Int64Range(1, 20).Draw(t, "window")}
				unit := rapid.Bool().Draw(t, "unit")
				spec, made := create(t, text, &l)
				safe, window := spec.Safe(l), spec.Limits(l)[0].Window
				var kept []request
				clock := int64(math.MinInt64)
				for _, a := range drawArrivals(t, limiter.Limit{Max: l.Max, Window: window}, unit) {
					clock = max(clock, a.time)
					held := a.cost
					for _, p := range kept {
						if uint64(clock)-uint64(p.time) <= uint64(window) {
							held += p.cost
						}
					}
					if held > safe {
						continue
					}
					kept = append(kept, request{clock, a.cost, true})
					if !made.Allow(clock, a.cost) {
						t.Fatalf("%s under %v refuses %d at %d, though no window holds more than %d: %v", text, l, a.cost, clock, safe, kept)
					}
				}
			})
		})
	}
}

func TestSafeValues(t *testing.T) {
	l := limiter.Limit{Max: 9, Window: 1000}
	for text, want := range map[string]int64{
		"log": 9, "log:open": 9, "fixed": 9, "fixed:align=restart": 9, "counter": 4, "buckets:7": 4,
		"gcra": 9, "gcra:burst=3": 3, "token-bucket:burst=30": 9, "allow-all": math.MaxInt64, "deny-all": 0,
		"multi:log+counter": 4, "multi:log@8/100ns+log": 0, "multi:log@8/1us+log@6/100ns": 6, "multi:log@9/500ns+log@9/1us": 3,
	} {
		if got := must(limiter.Parse(text)).Safe(l); got != want {
			t.Errorf("Safe of %s is %d, want %d", text, got, want)
		}
	}
}

// What exceeds int64 is cut; what New refuses has neither bound nor worst case.
func TestBoundAtTheExtremes(t *testing.T) {
	huge := limiter.Limit{Max: math.MaxInt64, Window: math.MaxInt64}
	for _, text := range []string{"counter", "fixed", "gcra", "log:open"} {
		spec := must(limiter.Parse(text))
		if bound, ok := spec.Bound(huge); !ok || bound != math.MaxInt64 {
			t.Errorf("%s: bound %d, %v", text, bound, ok)
		}
		if worst := spec.Worst(huge); worst != nil {
			t.Errorf("%s: a worst sequence of %d requests", text, len(worst))
		}
	}
	spec := must(limiter.Parse("buckets:8"))
	narrow := limiter.Limit{Max: 5, Window: 7}
	if _, ok := spec.Bound(narrow); ok || spec.Safe(narrow) != 0 || spec.Worst(narrow) != nil {
		t.Error("eight buckets in 7 ns have a bound, a safe cost or a worst case")
	}
}
