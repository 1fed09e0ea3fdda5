package mutants

import (
	"math"
	"math/bits"

	"github.com/rlbench/rlbench/limiter"
)

// A counterRule is a sliding-window counter with its slips; the zero value is right, aligned to the clock.
type counterRule struct {
	align    int
	room     func(weighted, cur, cost, limit int64) bool // weighted is rounded up
	weigh    func(prev, left, w int64) int64             // the weighted count; exact and rounded up if nil
	noPrev   bool                                        // the last window is never found
	stale    bool                                        // the last window used is the last one, however long ago
	catchUp  bool                                        // windows follow one another step by step, however long the silence
	ttl      func(w int64) int64                         // counts are forgotten that long after their last change
	window   func(w int64) int64
	clock    func(t int64) int64
	refused  bool  // refused requests count
	piles    bool  // the last window's count is added to, not replaced
	drops    bool  // a request exactly at the edge is of the old window
	wipes    bool  // a request of an older window clears both
	unit     bool  // a request counts 1, whatever it cost
	shared32 bool  // counts are cut to 32 bits
	forgets  int64 // silence in windows after which the client is new; 0: never
}

func (r counterRule) start(l limiter.Limit) client {
	w := l.Window
	if r.window != nil {
		w = r.window(w)
	}
	weigh := r.weigh
	if weigh == nil {
		weigh = ceiling
	}
	var cur, prev, window, origin, seen int64
	var touched [2]int64 // last change of cur and prev
	begun := false
	last := int64(math.MinInt64)
	return func(now, cost int64) bool {
		if r.clock != nil {
			now = r.clock(now)
		}
		if w <= 0 {
			return false
		}
		if !r.wipes {
			now = max(now, last)
		}
		if begun && r.forgets > 0 && now-seen >= r.forgets*w {
			begun, cur, prev = false, 0, 0
		}
		last, seen = now, now
		if !begun {
			if r.align == first {
				origin = now
			}
			window, begun = floor(now-origin, w), true
		}
		at := floor(now-origin, w)
		if r.drops && now-origin == at*w && at == window+1 {
			at--
		}
		switch {
		case at < window:
			cur, prev, window = 0, 0, at
		case at == window+1 || at > window && r.stale:
			if r.piles {
				cur += prev / 2
			}
			prev, cur, window = cur, 0, at
			touched = [2]int64{now, touched[0]}
		case at > window && r.catchUp:
			prev, cur, window = cur, 0, window+1
		case at > window:
			prev, cur, window = 0, 0, at
		}
		left := w - (now - origin - window*w)
		p := prev
		if r.noPrev || r.ttl != nil && now-touched[1] >= r.ttl(w) {
			p = 0
		}
		weighted := weigh(p, left, w)
		ok := cost <= l.Max-cur && weighted <= l.Max-cur-cost
		if r.shared32 {
			ok = int32(weighted)+int32(cur)+int32(cost) <= int32(l.Max)
		}
		if r.room != nil {
			ok = r.room(weighted, cur, cost, l.Max)
		}
		if ok || r.refused {
			if r.unit {
				cost = 1
			}
			cur += min(cost, math.MaxInt64-cur)
			touched[0] = now
		}
		return ok
	}
}

// ceiling is prev*left/w, rounded up; left can be negative where windows lag behind.
func ceiling(prev, left, w int64) int64 {
	if left < 0 {
		return -(prev * (-left) / w)
	}
	hi, lo := bits.Mul64(uint64(prev), uint64(left))
	q, rest := bits.Div64(hi, lo, uint64(w))
	if rest > 0 {
		q++
	}
	return int64(q)
}

// down is prev*left/w, rounded down.
func down(prev, left, w int64) int64 {
	hi, lo := bits.Mul64(uint64(prev), uint64(left))
	q, _ := bits.Div64(hi, lo, uint64(w))
	return int64(q)
}

func nearest(prev, left, w int64) int64 {
	hi, lo := bits.Mul64(uint64(prev), uint64(left))
	q, rest := bits.Div64(hi, lo, uint64(w))
	if rest >= uint64(w)-rest {
		q++
	}
	return int64(q)
}

var counters = []Mutant{
	{Name: "counter-no-last-window", Kind: "prev-window-index", Promise: "counter", Slip: "looks the last window up where it never is",
		client: counterRule{noPrev: true}.start},
	{Name: "counter-limit-minus-one", Kind: "off-by-one-low", Promise: "counter", Slip: "the last permit is refused, and counted",
		client: counterRule{refused: true, room: func(p, n, cost, l int64) bool { return l-p-n-cost > 0 }}.start},
	{Name: "counter-limit-plus-one", Kind: "off-by-one-high", Promise: "counter", Slip: "compares before it adds the request",
		client: counterRule{room: func(p, n, cost, l int64) bool { return p+n <= l && cost <= l }}.start},
	{Name: "counter-weight-down", Kind: "weighted-count-truncated", Promise: "counter", Slip: "the weighted count is cut to an integer",
		client: counterRule{weigh: down}.start},
	{Name: "counter-weight-nearest", Kind: "weighted-count-truncated", Promise: "counter", Slip: "the weighted count is rounded to the nearest integer",
		client: counterRule{weigh: nearest}.start},
	{Name: "counter-weight-percent", Kind: "weighted-count-truncated", Promise: "counter", Slip: "the weight is cut to whole percents",
		client: counterRule{weigh: func(p, left, w int64) int64 { return ceiling(p, down(left, 100, w), 100) }}.start},
	{Name: "counter-weight-one-more", Kind: "off-by-one-low", Promise: "counter", Slip: "the weighted count is cut and one is added, always",
		client: counterRule{weigh: func(p, left, w int64) int64 {
			if p == 0 {
				return 0
			}
			return down(p, left, w) + 1
		}}.start},
	{Name: "counter-weight-reversed", Kind: "wrong-refill-formula", Promise: "counter", Slip: "weighs by the elapsed share, not the remaining one",
		client: counterRule{weigh: func(p, left, w int64) int64 { return ceiling(p, w-left, w) }}.start},
	{Name: "counter-weight-whole", Kind: "wrong-refill-formula", Promise: "counter", Slip: "the last window counts whole",
		client: counterRule{weigh: func(p, _, _ int64) int64 { return p }}.start},
	{Name: "counter-weight-single-precision", Kind: "overflow", Promise: "counter", Slip: "the weighted count is a 32-bit float",
		client: counterRule{weigh: func(p, left, w int64) int64 {
			return int64(math.Ceil(float64(float32(p) * (float32(left) / float32(w)))))
		}}.start},
	{Name: "counter-weight-overflows", Kind: "overflow", Promise: "counter", Slip: "the product of count and nanoseconds wraps at 2^64",
		client: counterRule{weigh: func(p, left, w int64) int64 { return p * left / w }}.start},
	{Name: "counter-whole-seconds", Kind: "rounded-to-zero", Promise: "counter:align=first", Slip: "a window below a second is 0, and nothing passes",
		client: counterRule{align: first, window: seconds}.start},
	{Name: "counter-one-second-at-least", Kind: "rounded-to-zero", Promise: "counter:align=first", Slip: "a window below a second is one",
		client: counterRule{align: first, window: func(w int64) int64 { return max(w, 1e9) }}.start},
	{Name: "counter-catches-up", Kind: "prev-window-stale", Promise: "counter:align=first", Slip: "after silence windows follow step by step, with negative weights",
		client: counterRule{align: first, catchUp: true}.start},
	{Name: "counter-catches-up-cut", Kind: "prev-window-stale", Promise: "counter:align=first", Slip: "the same, with weights cut to integers",
		client: counterRule{align: first, catchUp: true, weigh: func(p, left, w int64) int64 {
			if left < 0 {
				return ceiling(p, left, w)
			}
			return down(p, left, w)
		}}.start},
	{Name: "counter-last-used-window", Kind: "prev-window-stale", Promise: "counter", Slip: "the last window is the last one used, however long ago",
		client: counterRule{stale: true}.start},
	{Name: "counter-forgets-two-thirds", Kind: "prev-window-ttl", Promise: "counter", Slip: "a count is gone two thirds of a window after its last change",
		client: counterRule{ttl: func(w int64) int64 { return w / 3 * 2 }}.start},
	{Name: "counter-forgets-one-window", Kind: "prev-window-ttl", Promise: "counter", Slip: "a count is gone a window after its last change",
		client: counterRule{ttl: func(w int64) int64 { return w }}.start},
	{Name: "counter-counts-refused", Kind: "rejected-counted", Promise: "counter:align=first", Slip: "refused requests count too",
		client: counterRule{align: first, refused: true}.start},
	{Name: "counter-leaves-refused-out", Kind: "rejected-counted", Promise: "counter:count=all", Slip: "refused requests do not count",
		client: counterRule{}.start},
	{Name: "counter-clock-of-seconds", Kind: "coarse-clock", Promise: "counter", Slip: "the clock shows whole seconds",
		client: counterRule{clock: func(t int64) int64 { return t / 1e9 * 1e9 }}.start},
	{Name: "counter-late-request-wipes", Kind: "time-rewound", Promise: "counter", Slip: "a request of an older window clears all counts",
		client: counterRule{wipes: true}.start},
	{Name: "counter-piles-up", Kind: "never-slides", Promise: "counter", Slip: "half of the window before the last still counts",
		client: counterRule{piles: true}.start},
	{Name: "counter-edge-in-old-window", Kind: "boundary-inclusive", Promise: "counter", Slip: "a request exactly at the edge belongs to the old window",
		client: counterRule{drops: true}.start},
	{Name: "counter-cost-ignored", Kind: "cost", Promise: "counter", Slip: "each request counts 1",
		client: counterRule{unit: true}.start},
	{Name: "counter-any-cost-when-empty", Kind: "cost", Promise: "counter", Slip: "the first request passes unchecked",
		client: counterRule{room: func(p, n, cost, l int64) bool { return p+n == 0 || cost <= l-n && p <= l-n-cost }}.start},
	{Name: "counter-of-32-bits", Kind: "overflow", Promise: "counter", Slip: "counts and limit are cut to 32 bits",
		client: counterRule{shared32: true}.start},
	{Name: "counter-from-first", Kind: "alignment", Promise: "counter", Slip: "windows begin at the client's first request",
		client: counterRule{align: first}.start},
	{Name: "counter-by-the-clock", Kind: "alignment", Promise: "counter:align=first", Slip: "windows begin at multiples of the window",
		client: counterRule{}.start},
	{Name: "counter-is-fixed", Kind: "fixed-instead-of-rolling", Promise: "counter", Slip: "a fixed window from the first request on",
		client: fixedRule{align: restart}.start},
	{Name: "counter-thousandfold", Kind: "unit-confusion", Promise: "counter", Slip: "milliseconds are taken for seconds",
		client: counterRule{window: func(w int64) int64 { return min(w, 1<<50) * 1000 }}.start},
}
