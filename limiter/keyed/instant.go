package keyed

import (
	"math"
	"math/bits"
	"sync/atomic"
)

// An instant is a time with the window that it lies in: now = index*W + into.
type instant struct {
	now   int64
	index int64
	into  uint64
}

// windows cuts time into windows and keeps the newest that anybody has told, which idle clients are measured against. It
// changes once a window, so that all cores can share it.
type windows struct {
	window uint64
	newest atomic.Int64
}

func (w *windows) init(window int64) {
	w.window = uint64(window)
	w.newest.Store(-(math.MaxInt64 / window)) // the earliest window that begins within int64
}

// at places a time.
func (w *windows) at(now int64) instant {
	newest := w.newest.Load()
	if into := uint64(now) - uint64(newest)*w.window; into < w.window {
		return instant{now, newest, into}
	}
	return w.turn(now, newest)
}

func (w *windows) turn(now, newest int64) instant {
	index, into := w.floor(now)
	for index > newest && !w.newest.CompareAndSwap(newest, index) {
		newest = w.newest.Load()
	}
	return instant{now, index, into}
}

// look is at without a trace.
func (w *windows) look(now int64) instant {
	index, into := w.floor(now)
	return instant{now, index, into}
}

func (w *windows) floor(now int64) (index int64, into uint64) {
	d := int64(w.window)
	index, rest := now/d, now%d
	if rest < 0 {
		index, rest = index-1, rest+d
	}
	return index, uint64(rest)
}

// start returns the first instant of a window.
func (w *windows) start(index int64) instant {
	return instant{int64(uint64(index) * w.window), index, 0}
}

// A divider divides by a number that is known long before.
type divider struct{ by, inverse uint64 }

func newDivider(by uint64) divider { return divider{by, math.MaxUint64 / by} }

// up returns x/by, rounded up.
func (d divider) up(x uint64) uint64 {
	q, _ := bits.Mul64(x, d.inverse)
	rest := x - q*d.by
	for rest >= d.by {
		q++
		rest -= d.by
	}
	if rest > 0 {
		q++
	}
	return q
}

// scaleUp returns a*b/d, rounded up; it must fit 64 bits.
func scaleUp(a, b, d uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	q, rest := bits.Div64(hi, lo, d)
	if rest > 0 {
		q++
	}
	return q
}

// scaleDown returns a*b/d, rounded down; it must fit 64 bits.
func scaleDown(a, b, d uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	q, _ := bits.Div64(hi, lo, d)
	return q
}
