package keyed_test

import (
	"testing"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/keyed"
)

// The very first window that is told has an index like any other. A start so far in the past that windows times their length
// wrapped around to 0 once passed for it, and logs then looked for room forever.
func TestFirstWindow(t *testing.T) {
	for _, text := range packed {
		for _, window := range []int64{second / 250, second, 60 * second, 86400 * second} {
			l := limiter.Limit{Max: 5, Window: window}
			made, judge := create[uint64](t, text, l, keyed.Options{}), newSingles[uint64](t, text, l)
			rng := newRand(1)
			for i := range int64(40_000) {
				k, now := rng.Uint64N(3000), i*(5*window/2)/40_000
				if got, want := made.AllowAt(k, now, 1), judge.allow(k, now, 1); got != want {
					t.Fatalf("%s, window %d: request %d of client %d at %d: admitted %v, the single limiter %v", text, window, i, k, now, got, want)
				}
			}
		}
	}
}
