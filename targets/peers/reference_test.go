package peers_test

import (
	"testing"

	"github.com/rlbench/rlbench/limiter"
)

// A reference is what one client of a library should be told, restated from the library's rule in exact arithmetic.
type reference func(t, cost int64) bool

// references says for each peer what it truly is. It shares nothing with the libraries.
var references = map[string]func(*testing.T, limiter.Limit) reference{
	"x-time-rate":       algorithm("token-bucket"),
	"x-time-rate-xsync": algorithm("token-bucket"),
	"throttled":         algorithm("gcra"),
	"httprate":          weighted(nearest),
	"httprate-core":     weighted(nearest),
}

// algorithm is a limiter of rlbench, which has an oracle of its own.
func algorithm(spec string) func(*testing.T, limiter.Limit) reference {
	return func(t *testing.T, limit limiter.Limit) reference {
		s, err := limiter.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		l, err := s.New(limit)
		if err != nil {
			t.Fatal(err)
		}
		return l.Allow
	}
}

// Roundings of the weighted count n/w, both positive, to an integer.
func floor(n, w int64) int64   { return n / w }
func nearest(n, w int64) int64 { return (2*n + w) / (2 * w) }

// weighted is the sliding window counter with an integer for its count: everything that was admitted is kept, and counted
// by the window it was in. It is good for small products of limit and window.
func weighted(round func(n, w int64) int64) func(*testing.T, limiter.Limit) reference {
	return func(_ *testing.T, limit limiter.Limit) reference {
		admitted := map[int64]int64{} // cost by window
		return func(t, cost int64) bool {
			w := limit.Window
			window, into := t/w, t%w
			if into < 0 {
				window, into = window-1, into+w
			}
			if round(admitted[window-1]*(w-into), w)+admitted[window]+cost > limit.Max {
				return false
			}
			admitted[window] += cost
			return true
		}
	}
}
