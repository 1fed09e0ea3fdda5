package limitertest_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/limitertest"
)

// A hidden target is a limiter whose windows lie elsewhere than the searcher would guess.
type hidden struct {
	limiter.Target
	shift func(window int64) int64
	by    int64
}

type opener = func(context.Context) (limiter.Target, error)

func (h *hidden) Configure(ctx context.Context, l limiter.Limit) error {
	h.by = h.shift(l.Window)
	return h.Target.Configure(ctx, l)
}

func (h *hidden) Decide(ctx context.Context, requests []limiter.Request, answers []limiter.Answer) error {
	shifted := make([]limiter.Request, len(requests))
	for i, r := range requests {
		r.Time += h.by
		shifted[i] = r
	}
	return h.Target.Decide(ctx, shifted, answers)
}

// The search finds the exact bound of every algorithm, which limiter_test proves and reaches, without being told which it is.
func TestWorstFindsTheBound(t *testing.T) {
	specs := []string{
		"log:closed", "log:open", "counter", "counter:align=first", "counter:count=all", "counter:count=all:align=first",
		"buckets:2", "buckets:8", "buckets:7", "buckets:60", "buckets:4:align=first", "buckets:1000",
		"fixed", "fixed:align=first", "fixed:align=restart", "fixed:count=all:align=restart",
		"gcra", "token-bucket:burst=1", "gcra:burst=2", "gcra:burst=20", "token-bucket:burst=1500", "leaky-bucket:burst=7",
	}
	limits := []limiter.Limit{{Max: 2, Window: 60e9}, {Max: 3, Window: 7e9 + 1}, {Max: 17, Window: 1e9}, {Max: 100, Window: 60e9}, {Max: 1000, Window: 3600e9}}
	if raceDetector {
		limits = limits[:2]
	}
	for _, text := range specs {
		spec, err := limiter.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range limits {
			for _, moved := range []bool{false, true} {
				if moved && l.Max > 20 {
					continue // as with fewer
				}
				t.Run(fmt.Sprintf("%s@%d/%d/moved=%t", text, l.Max, l.Window, moved), func(t *testing.T) {
					t.Parallel()
					open := spec.Open
					if moved {
						open = func(ctx context.Context) (limiter.Target, error) {
							inner, err := spec.Open(ctx)
							return &hidden{Target: inner, shift: func(w int64) int64 { return w/7*3 + 12345 }}, err
						}
					}
					worst, err := limitertest.FindWorst(t.Context(), open, limitertest.Options{Limit: l})
					if err != nil {
						t.Fatal(err)
					}
					bound, _ := spec.Bound(l)
					if worst.Peak != bound {
						t.Errorf("found %d, the bound is %d; %d sequences\n%.2000s", worst.Peak, bound, worst.Plays, worst.Arrivals.Table())
					}
				})
			}
		}
	}
}
