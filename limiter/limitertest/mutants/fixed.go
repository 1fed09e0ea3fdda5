package mutants

import (
	"math"

	"github.com/rlbench/rlbench/limiter"
)

const (
	clock = iota
	first
	restart
)

// A fixedRule is a fixed window with its slips; the zero value is right.
type fixedRule struct {
	align    int
	room     func(n, cost, limit int64) bool
	charge   func(n, cost int64) int64
	begins   int64                      // what a window that follows another begins with
	extends  bool                       // each request moves the end of the window (restart)
	endIn    bool                       // the end belongs to the window, the count then stays
	never    bool                       // the first window never ends once it has been full
	window   func(w int64) int64        // what it takes for the window
	skips    bool                       // does not renew when the window ended at most a tick ago
	rewinds  bool                       // another window than the last, even an older one, starts anew
	refused  bool                       // refused requests count
	stuck    bool                       // once the clock went back, no window begins any more
	clock    func(t int64) int64        // what it takes for the time
	zeroNone bool                       // a window that began at 0 is taken for none
	wraps    func(n int64) int64        // the count's size
	bucketed func(limit, w int64) int64 // what it takes for the limit
}

func (r fixedRule) start(l limiter.Limit) client {
	w, limit := l.Window, l.Max
	if r.window != nil {
		w = r.window(w)
	}
	if r.bucketed != nil {
		limit = r.bucketed(limit, w)
	}
	var n, begin int64
	var begun, stuck, full bool
	last := int64(math.MinInt64)
	origin := int64(0)
	return func(now, cost int64) bool {
		if r.clock != nil {
			now = r.clock(now)
		}
		if now < last && r.stuck {
			stuck = true
		}
		if !r.rewinds {
			now = max(now, last)
		}
		last = now
		if w <= 0 {
			return false
		}
		if !begun {
			if r.align != clock {
				origin = now
			}
			begin, begun = origin+floor(now-origin, w)*w, true
		}
		start := origin + floor(now-origin, w)*w
		if r.align == restart {
			start = begin
			if now-begin >= w {
				start = now
			}
		}
		renew := start != begin
		if r.zeroNone && begin == 0 {
			n = 0
		}
		if r.endIn && renew && now == begin+w {
			renew = false
			if r.align == restart {
				begin = now
			}
		}
		if r.skips && renew && now == begin+w {
			renew = false
		}
		if stuck || r.never && full {
			renew = false
		}
		if renew {
			n, begin = r.begins, start
		}
		if r.extends {
			begin = now
		}
		ok := cost <= limit && n <= limit-cost
		if r.room != nil {
			ok = r.room(n, cost, limit)
		}
		if ok || r.refused {
			if r.charge != nil {
				n = r.charge(n, cost)
			} else {
				n += min(cost, math.MaxInt64-n)
			}
			if r.wraps != nil {
				n = r.wraps(n)
			}
		} else {
			full = true
		}
		return ok
	}
}

// lifelong numbers a client's requests in 12 bits and gives up when they are used.
func lifelong(l limiter.Limit) client {
	inner, served := fixedRule{}.start(l), 0
	return func(now, cost int64) bool {
		served++
		return inner(now, cost) && served < 1<<12
	}
}

func floor(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

var fixeds = []Mutant{
	{Name: "fixed-charges-new-window-twice", Kind: "off-by-one-low", Promise: "fixed:align=restart", Slip: "the request that begins a window is charged twice",
		client: fixedRule{align: restart, begins: 1}.start},
	{Name: "fixed-first-is-free", Kind: "off-by-one-high", Promise: "fixed", Slip: "the request that begins a window is not charged",
		client: fixedRule{begins: -1}.start},
	{Name: "fixed-renewal-missed", Kind: "refill-skipped", Promise: "fixed", Slip: "a window that ends at this very tick is not renewed",
		client: fixedRule{skips: true}.start},
	{Name: "fixed-lifetime-renewed", Kind: "ttl-refreshed", Promise: "fixed:align=restart", Slip: "each request renews the window's lifetime",
		client: fixedRule{align: restart, extends: true}.start},
	{Name: "fixed-expiry-at-zero", Kind: "boundary-expiry", Promise: "fixed:align=restart", Slip: "at the very end a new window keeps the old count",
		client: fixedRule{align: restart, endIn: true}.start},
	{Name: "fixed-lifetime-lost", Kind: "ttl-missing", Promise: "fixed:align=restart", Slip: "a window that was full never ends",
		client: fixedRule{align: restart, never: true}.start},
	{Name: "fixed-one-more-when-full", Kind: "off-by-one-high", Promise: "fixed:align=restart", Slip: "refuses only what is above the limit already",
		client: fixedRule{align: restart, room: func(n, cost, l int64) bool { return n <= l && cost <= l }}.start},
	{Name: "fixed-one-less", Kind: "off-by-one-low", Promise: "fixed", Slip: "the last permit is refused",
		client: fixedRule{room: func(n, cost, l int64) bool { return cost < l && n < l-cost }}.start},
	{Name: "fixed-thousandfold", Kind: "unit-confusion", Promise: "fixed:align=restart", Slip: "milliseconds are taken for seconds",
		client: fixedRule{align: restart, window: func(w int64) int64 { return min(w, 1<<50) * 1000 }}.start},
	{Name: "fixed-minute-for-hour", Kind: "unit-confusion", Promise: "fixed", Slip: "windows of an hour or more last a sixtieth",
		client: fixedRule{window: func(w int64) int64 {
			if w >= 3600e9 {
				return w / 60
			}
			return w
		}}.start},
	{Name: "fixed-whole-seconds", Kind: "rounded-to-zero", Promise: "fixed", Slip: "the window is cut to whole seconds; below one nothing passes",
		client: fixedRule{window: seconds}.start},
	{Name: "fixed-31-bit-milliseconds", Kind: "overflow", Promise: "fixed", Slip: "a window of 2^31 ms or more ends after a millisecond",
		client: fixedRule{window: func(w int64) int64 {
			if w/1e6 > 1<<31-1 {
				return 1e6
			}
			return w
		}}.start},
	{Name: "fixed-from-first", Kind: "alignment", Promise: "fixed", Slip: "windows begin at the client's first request",
		client: fixedRule{align: first}.start},
	{Name: "fixed-restart-for-first", Kind: "alignment", Promise: "fixed:align=first", Slip: "windows begin anew after silence",
		client: fixedRule{align: restart}.start},
	{Name: "fixed-by-the-clock", Kind: "alignment", Promise: "fixed:align=restart", Slip: "windows begin at multiples of the window",
		client: fixedRule{}.start},
	{Name: "fixed-older-time-renews", Kind: "time-rewound", Promise: "fixed", Slip: "an older time belongs to another window and starts it anew",
		client: fixedRule{rewinds: true}.start},
	{Name: "fixed-stuck-after-step-back", Kind: "clock-set-back", Promise: "fixed", Slip: "once an older time was told, no window begins any more",
		client: fixedRule{stuck: true}.start},
	{Name: "fixed-cost-ignored", Kind: "cost", Promise: "fixed", Slip: "each request is charged 1",
		client: fixedRule{charge: func(n, _ int64) int64 { return n + 1 }}.start},
	{Name: "fixed-count-of-8-bits", Kind: "overflow", Promise: "fixed", Slip: "the count wraps at 256",
		client: fixedRule{wraps: func(n int64) int64 { return n & 255 }}.start},
	{Name: "fixed-count-of-16-bits", Kind: "overflow", Promise: "fixed", Slip: "the count wraps at 65536",
		client: fixedRule{wraps: func(n int64) int64 { return n & 65535 }}.start},
	{Name: "fixed-count-of-31-bits", Kind: "overflow", Promise: "fixed", Slip: "the count wraps at 2^31",
		client: fixedRule{wraps: func(n int64) int64 { return int64(int32(n)) }}.start},
	{Name: "fixed-ends-after-4096", Kind: "overflow", Promise: "fixed", Slip: "refuses all after 4,096 requests of a client",
		client: lifelong},
	{Name: "fixed-zero-is-never", Kind: "boundary-expiry", Promise: "fixed", Slip: "a window that began at time 0 is taken for none",
		client: fixedRule{zeroNone: true}.start},
	{Name: "fixed-counts-refused-cost", Kind: "rejected-counted", Promise: "fixed", Slip: "what is refused for its cost is charged",
		client: fixedRule{refused: true}.start},
	{Name: "fixed-clock-of-seconds", Kind: "coarse-clock", Promise: "fixed:align=restart", Slip: "the clock shows whole seconds",
		client: fixedRule{align: restart, clock: func(t int64) int64 { return t / 1e9 * 1e9 }}.start},
	{Name: "fixed-limit-per-second", Kind: "rounded-to-zero", Promise: "fixed", Slip: "kept as an integer rate per second, so slow limits are 0",
		client: fixedRule{bucketed: func(l, w int64) int64 {
			if w < 1e9 {
				return l
			}
			return min(l, 1<<60/(w/1e9)) / (w / 1e9) * (w / 1e9)
		}}.start},
}
