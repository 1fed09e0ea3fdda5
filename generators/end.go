package generators

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/rlbench/rlbench/internal/units"
)

// end[:misalign=D]: the adversary who knows the limit L, the window W and its alignment. In one window of every cycle it sends L
// requests at random times of the last 1 %. In the next it takes what it can get: it goes on at the same instant as long as
// it is admitted, but no further than L requests, and after a refusal, or those L, it comes back W/L later (1 ns at least);
// it stops with that window, or once it has been given 2L in it, which no algorithm of a window gives. Then it is silent.
//
// A cycle has max(3, round(2L/rate)) windows, the rate being requests per window, so that the mean rate is roughly the client's as long as that is below 2L/3; the
// phase of the cycle is random. With misalign=D the adversary takes windows to begin D later than they do.
var endPattern = Pattern{
	Name: "end",
	Args: "[:misalign=D]",
	Doc:  "as an adversary would: the limit in the last 1 % of a window, then as much as is let through in the next; its windows begin D late",
	say: func(args string) string {
		said := "as an adversary would: the limit in the last 1 % of a window, then as much as is let through in the next, then none for a while"
		if args != "" {
			said += ", windows taken to begin later than they do by " + strings.TrimPrefix(args, "misalign=")
		}
		return said
	},
	Closed:   true,
	Examples: []string{"end", "end:misalign=2s"},
	New: func(args string) (func() Source, error) {
		misalign := int64(0)
		if args != "" {
			value, ok := strings.CutPrefix(args, "misalign=")
			if !ok {
				return nil, fmt.Errorf("%q is not known: only misalign=D can follow, for example end:misalign=2s", args)
			}
			var err error
			if misalign, err = units.ParseDuration(value); err != nil {
				return nil, fmt.Errorf("misalign: %w", err)
			}
		}
		return func() Source { return &end{misalign: misalign} }, nil
	},
}

type end struct {
	misalign int64
	rand     *rand.PCG
	limit    int64
	window   int64
	span     int64
	shift    int64 // where windows begin, as it thinks, in [0, window)
	cycle    int64 // in windows

	k     int64   // number of the burst's window
	last  int64   // number of the last window that begins within the span
	burst int64   // requests left of the burst
	rest  float64 // of the last 1 %, after the burst's last request, as a share

	into    int64 // offset in the second window
	instant int64 // requests that may still be admitted at that instant
	gain    int64 // and in that window
	asking  bool  // the last request was one of the second window
}

func (e *end) Start(c Client) {
	*e = end{misalign: e.misalign, rand: c.Rand, limit: c.Max, window: c.Window, span: c.Span}
	e.shift = e.misalign % e.window
	if e.shift < 0 {
		e.shift += e.window
	}
	e.last = -1
	if e.shift < e.span {
		e.last = (e.span - 1 - e.shift) / e.window
	}
	windows := math.Floor(max(2*float64(e.limit)/c.Rate, 3) + 0.5)
	first := float64(uniform01(c.Rand.Uint64()) * windows)
	if first >= float64(e.last)+1 {
		e.k = e.last + 1
		return
	}
	e.k = int64(first)
	e.cycle = e.last + 1 // at most one cycle begins within the span
	if windows <= float64(e.last) {
		e.cycle = int64(windows)
	}
	e.burst, e.rest = e.limit, 1
}

func (e *end) Next(admitted bool) (int64, bool) {
	if e.asking {
		e.asking = false
		e.heed(admitted)
	}
	for e.k <= e.last {
		start := e.k*e.window + e.shift
		if e.burst > 0 {
			width := max(e.window/100, 1)
			e.rest = float64(e.rest * exp(-exponential(e.rand)/float64(e.burst))) // the next of uniform times in order
			e.burst--
			into := e.window - width + min(int64(float64((1-e.rest)*float64(width))), width-1)
			if into >= e.span-start {
				break
			}
			if e.burst == 0 {
				e.into, e.instant, e.gain = 0, e.limit, 2*min(e.limit, math.MaxInt64/2)
			}
			return start + into, true
		}
		if e.gain > 0 && e.k < e.last && e.into < e.span-start-e.window {
			e.asking = true
			return start + e.window + e.into, true
		}
		if e.k > e.last-e.cycle {
			break
		}
		e.k += e.cycle
		e.burst, e.rest = e.limit, 1
	}
	e.k = e.last + 1
	return 0, false
}

// heed learns from the answer to a request of the second window.
func (e *end) heed(admitted bool) {
	if admitted {
		e.gain--
		if e.instant--; e.instant > 0 {
			return
		}
	}
	step := max(e.window/e.limit, 1)
	if step > e.window-1-e.into {
		e.gain = 0
		return
	}
	e.into += step
	e.instant = e.limit
}
