package limiter

import "math"

// An alignment says where windows begin.
type alignment uint8

const (
	alignClock   alignment = iota // at multiples of the window since time 0
	alignFirst                    // at multiples of the window since the client's first request
	alignRestart                  // at the first request after the last window ended
)

// A grid follows one client's clock through windows of one length. The window at hand holds the times whose distance from
// start is below span. It is the state's hot part: a caller compares since(now, start) with span and calls turn only
// when the request lies outside.
type grid struct {
	window int64
	align  alignment

	begun  bool
	last   int64  // the client's clock
	start  int64  // of the window at hand
	span   uint64 // the window; 0 before the first request, and if start lies before the earliest int64
	index  uint64 // of the window at hand, modulo 2^64
	origin int64  // the first request
}

func newGrid(window int64, align alignment) grid {
	return grid{window: window, align: align, last: math.MinInt64}
}

// turn moves to the window of now, which must not be before the last time seen. It returns how many windows that is
// ahead (of no meaning on the first call) and the time since that window began.
func (g *grid) turn(now int64) (steps, elapsed uint64) {
	if !g.begun {
		g.begun, g.origin, g.start = true, now, now
	}
	window := uint64(g.window)
	index := g.index
	switch g.align {
	case alignFirst:
		index, elapsed = since(now, g.origin)/window, since(now, g.origin)%window
	case alignRestart:
		if elapsed = since(now, g.start); elapsed >= window {
			index, elapsed = index+1, 0
		}
	default:
		q, r := floorDiv(now, g.window)
		index, elapsed = uint64(q), uint64(r)
	}
	steps = index - g.index
	g.index, g.start, g.span = index, int64(uint64(now)-elapsed), window
	if elapsed > since(now, math.MinInt64) {
		g.span = 0
	}
	return steps, elapsed
}
