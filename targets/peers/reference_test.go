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
	"slidingwindow":     weighted(floor),
	"ulule":             expiring,
	"failsafe-bursty":   algorithm("fixed:align=first"),
	"failsafe-smooth":   spaced,
	"uber-ratelimit":    paced,
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

// expiring counts everything, refused or not, until the window that the first request began has ended.
func expiring(_ *testing.T, limit limiter.Limit) reference {
	var count, ends int64
	begun := false
	return func(t, cost int64) bool {
		if cost == 0 {
			return true
		}
		if !begun || t > ends {
			begun, count, ends = true, 0, t+limit.Window
		}
		count += cost
		return count <= limit.Max
	}
}

// spaced admits the first request of each interval of those that begin with the client.
func spaced(_ *testing.T, limit limiter.Limit) reference {
	interval := limit.Window / limit.Max
	var start int64
	taken := map[int64]bool{}
	begun := false
	return func(t, cost int64) bool {
		if cost == 0 {
			return true
		}
		if !begun {
			begun, start = true, t
		}
		i := (t - start) / interval
		if cost > 1 || taken[i] {
			return false
		}
		taken[i] = true
		return true
	}
}

// paced gives each request a slot: an interval after the one before, or as much before now as the slack allows.
func paced(_ *testing.T, limit limiter.Limit) reference {
	interval := limit.Window / limit.Max
	slack := (limit.Max - 1) * interval
	var slots []int64
	return func(t, _ int64) bool {
		slot := t
		if n := len(slots); n > 0 {
			slot = max(slots[n-1]+interval, t-slack)
		}
		slots = append(slots, slot)
		return slot <= t
	}
}
