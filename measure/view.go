package measure

import (
	"math"
	"math/bits"

	"github.com/rlbench/rlbench/results"
)

// A view knows, for every request of a history, where the window that ends at it begins and how much it holds. Only
// the arrivals matter here, not what anybody decided.
type view struct {
	window int64
	open   bool // half-open windows (t-W, t] instead of closed ones [t-W, t]

	oldest []int32 // oldest[i]: index of the oldest request in the window that ends at request i
	held   []int64 // held[i]: cost of the requests in that window up to and including request i
	next   int     // where the search for the next oldest one begins

	peak   int64 // the largest held of the client so far
	peakAt int64 // and the time where it was first reached

	phased bool    // a run has this window: the phases of requests are wanted
	phases []uint8 // phases[i]: the part of the aligned window, of PhaseBins equal ones, that request i lies in
	phase  [results.PhaseBins]int64
}

func (v *view) reset() {
	v.oldest, v.held, v.phases = v.oldest[:0], v.held[:0], v.phases[:0]
	v.next, v.peak, v.peakAt = 0, 0, 0
	clear(v.phase[:])
}

// advance extends the view to all requests of the history. Their times ascend.
func (v *view) advance(h *history) {
	from, to := len(v.oldest), len(h.times)
	if from == to {
		return
	}
	if cap(v.oldest) < to {
		v.oldest = append(make([]int32, 0, 2*to), v.oldest...)
		v.held = append(make([]int64, 0, 2*to), v.held...)
		v.phases = append(make([]uint8, 0, 2*to), v.phases...)
	}
	v.oldest, v.held, v.phases = v.oldest[:to], v.held[:to], v.phases[:to]
	held := v.held
	v.leave(h.times, from)
	if len(h.costs) > 0 {
		for i := from; i < to; i++ {
			held[i] = h.total[i+1] - h.total[v.oldest[i]]
		}
	}
	for i := from; i < to; i++ {
		if held[i] > v.peak {
			v.peak, v.peakAt = held[i], h.times[i]
		}
	}
	if v.phased {
		v.countPhases(h.times[from:], v.phases[from:])
	}
}

// leave finds the oldest request in the window of every request from index from on, and the number of requests there.
// Mostly few requests leave at a time: four comparisons are counted without a branch.
func (v *view) leave(times []int64, from int) {
	reach := v.window // a request is in the window unless it is older than this
	if v.open {
		reach--
	}
	oldest, held, low := v.oldest[:len(times)], v.held[:len(times)], v.next
	for i := from; i < len(times); i++ {
		start := times[i] - reach
		if start > times[i] {
			start = math.MinInt64 // the window reaches below the least int64
		}
		for left := 4; left == 4 && low <= len(times)-4; {
			next := (*[4]int64)(times[low:])
			left = (below(next[0], start) + below(next[1], start)) + (below(next[2], start) + below(next[3], start))
			low += left
		}
		for low > len(times)-4 && times[low] < start {
			low++
		}
		oldest[i] = int32(low)
		held[i] = int64(i - low + 1)
	}
	v.next = low
}

// countPhases finds and counts the phases of requests. Divisions are for the first request in each window only.
func (v *view) countPhases(times []int64, phases []uint8) {
	window, scale := uint64(v.window), phaseScale(v.window)
	start := times[0] - floorMod(times[0], v.window)
	phases = phases[:len(times)]
	for i, t := range times {
		e := uint64(t) - uint64(start)
		if e >= window {
			e = uint64(floorMod(t, v.window))
			start = t - int64(e)
		}
		bin := phaseBin(e, window, scale)
		phases[i] = uint8(bin)
		v.phase[bin]++
	}
}

// phaseScale returns about 2^64*PhaseBins/window, a little below, for phaseBin; 0 where phaseBin must divide.
func phaseScale(window int64) uint64 {
	if window < results.PhaseBins || window > 1<<57 {
		return 0
	}
	return math.MaxUint64 / uint64(window) * results.PhaseBins
}

// phaseBin returns floor(e*PhaseBins/window) for 0 <= e < window, exactly. The product with the scale is at most one
// too small, which the comparison mends.
func phaseBin(e, window, scale uint64) uint64 {
	if scale == 0 {
		high, low := bits.Mul64(e, results.PhaseBins)
		bin, _ := bits.Div64(high, low, window)
		return bin
	}
	bin, _ := bits.Mul64(e, scale)
	if (bin+1)*window <= e*results.PhaseBins {
		bin++
	}
	return bin
}

// floorMod returns t mod window, in [0, window) for negative times too.
func floorMod(t, window int64) int64 {
	m := t % window
	if m < 0 {
		m += window
	}
	return m
}

func below(a, b int64) int {
	if a < b {
		return 1
	}
	return 0
}

// drop forgets the first n requests, all of them older than any window still to come.
func (v *view) drop(n int) {
	kept := copy(v.oldest, v.oldest[n:])
	copy(v.held, v.held[n:])
	copy(v.phases, v.phases[n:])
	v.oldest, v.held, v.phases = v.oldest[:kept], v.held[:kept], v.phases[:kept]
	for i := range v.oldest {
		v.oldest[i] -= int32(n) // of requests already judged it may go negative; it is read no more
	}
	v.next -= n
}
