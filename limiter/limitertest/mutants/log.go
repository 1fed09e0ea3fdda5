package mutants

import (
	"math"
	"math/bits"
	"slices"

	"github.com/rlbench/rlbench/limiter"
)

// A logRule is a sliding log with its slips; the zero value is right, with the half-open window.
type logRule struct {
	closed  bool
	window  func(w int64) int64                   // what it takes for the window
	room    func(count, cost, limit float64) bool // when it admits
	stamp   func(t int64) int64                   // entries of one stamp are one entry
	refused bool                                  // refused requests count
	late    bool                                  // trims after it decides
	one     bool                                  // trims one entry a call
	never   bool                                  // never trims; a pause of a window clears all
	whole   bool                                  // drops all when the oldest entry is too old
	unit    bool                                  // an entry counts 1, whatever it cost
	most    int                                   // so many entries at most are kept, the newest
	rewinds bool                                  // takes older times as they are, and drops what lies in their future
	expire  int64                                 // drops all that many ns after the first entry, and starts again
	clock   func(t int64) int64
}

func (r logRule) start(l limiter.Limit) client {
	type entry struct{ time, cost int64 }
	var entries []entry
	w, last, begun := l.Window, int64(math.MinInt64), int64(-1)
	if r.window != nil {
		w = r.window(w)
	}
	var count sum
	drop := func(i int) {
		count.less(entries[i].cost)
		if i == 0 {
			entries = entries[1:]
		} else {
			entries = slices.Delete(entries, i, i+1)
		}
	}
	trim := func(now int64) {
		for len(entries) > 0 {
			age := now - entries[0].time
			if age < w || r.closed && age == w {
				return
			}
			if r.whole {
				entries, count = nil, sum{}
				return
			}
			drop(0)
			if r.one {
				return
			}
		}
	}
	return func(now, cost int64) bool {
		if r.clock != nil {
			now = r.clock(now)
		}
		if !r.rewinds {
			now = max(now, last)
		}
		for r.rewinds && len(entries) > 0 && entries[len(entries)-1].time > now {
			drop(len(entries) - 1)
		}
		if r.never && last != math.MinInt64 && now-last >= w {
			entries, count = nil, sum{}
		}
		last = now
		if r.expire > 0 && (begun < 0 || now-begun >= r.expire) {
			begun, entries, count = now, nil, sum{}
		}
		if !r.late && !r.never {
			trim(now)
		}
		ok := count.roomFor(cost, l.Max)
		if r.room != nil {
			ok = r.room(count.float(), float64(cost), float64(l.Max))
		}
		if r.late {
			trim(now)
		}
		if ok || r.refused {
			stored := cost
			if r.unit {
				stored = 1
			}
			stamp := now
			if r.stamp != nil {
				stamp = r.stamp(now)
				if slices.ContainsFunc(entries, func(e entry) bool { return e.time == stamp }) {
					return ok
				}
			}
			entries = append(entries, entry{stamp, stored})
			count.plus(stored)
			if r.most > 0 && len(entries) > r.most {
				drop(0)
			}
		}
		return ok
	}
}

// A sum of costs is exact, beyond 64 bits too.
type sum struct{ hi, lo uint64 }

func (s *sum) plus(cost int64) {
	lo, carry := bits.Add64(s.lo, uint64(cost), 0)
	s.lo, s.hi = lo, s.hi+carry
}

func (s *sum) less(cost int64) {
	lo, borrow := bits.Sub64(s.lo, uint64(cost), 0)
	s.lo, s.hi = lo, s.hi-borrow
}

func (s *sum) float() float64 { return float64(s.hi)*(1<<64) + float64(s.lo) }

func (s *sum) roomFor(cost, limit int64) bool {
	return s.hi == 0 && s.lo <= uint64(limit) && uint64(cost) <= uint64(limit)-s.lo
}

func seconds(w int64) int64 { return w / 1e9 * 1e9 }

var logs = []Mutant{
	{Name: "log-limit-plus-one", Kind: "off-by-one-high", Promise: "log", Slip: "refuses only when more than the limit is there",
		client: logRule{room: func(n, cost, l float64) bool { return n <= l && cost <= l }}.start},
	{Name: "log-limit-minus-one", Kind: "off-by-one-low", Promise: "log", Slip: "the last permit is never given",
		client: logRule{room: func(n, cost, l float64) bool { return n+cost < l }}.start},
	{Name: "log-counts-refused", Kind: "rejected-counted", Promise: "log:open", Slip: "refused requests are added too",
		client: logRule{refused: true}.start},
	{Name: "log-one-per-second", Kind: "same-timestamp-collision", Promise: "log:open", Slip: "the second is the member of the set",
		client: logRule{stamp: func(t int64) int64 { return t / 1e9 * 1e9 }}.start},
	{Name: "log-one-per-millisecond", Kind: "same-timestamp-collision", Promise: "log", Slip: "the millisecond is the member of the set",
		client: logRule{stamp: func(t int64) int64 { return t / 1e6 * 1e6 }}.start},
	{Name: "log-one-per-nanosecond", Kind: "same-timestamp-collision", Promise: "log", Slip: "the exact time is the member of the set",
		client: logRule{stamp: func(t int64) int64 { return t }}.start},
	{Name: "log-counts-then-trims", Kind: "count-before-trim", Promise: "log:open", Slip: "decides before stale entries go",
		client: logRule{late: true}.start},
	{Name: "log-trims-one", Kind: "count-before-trim", Promise: "log", Slip: "one stale entry goes each call",
		client: logRule{one: true}.start},
	{Name: "log-never-trims", Kind: "never-slides", Promise: "log:open", Slip: "nothing goes before a pause of a window",
		client: logRule{never: true}.start},
	{Name: "log-closed-for-open", Kind: "boundary-inclusive", Promise: "log:open", Slip: "an entry exactly one window old counts",
		client: logRule{closed: true}.start},
	{Name: "log-open-for-closed", Kind: "boundary-inclusive", Promise: "log:closed", Slip: "an entry exactly one window old is gone",
		client: logRule{}.start},
	{Name: "log-any-cost-above", Kind: "cost", Promise: "log:open", Slip: "a cost above the limit finds nothing in its way",
		client: logRule{room: func(n, cost, l float64) bool { return cost > l || n+cost <= l }}.start},
	{Name: "log-cost-ignored-after", Kind: "cost", Promise: "log", Slip: "an entry counts 1, whatever it cost",
		client: logRule{unit: true}.start},
	{Name: "log-cost-ignored-before", Kind: "cost", Promise: "log", Slip: "asks for room for 1, whatever it costs",
		client: logRule{room: func(n, _, l float64) bool { return n+1 <= l }}.start},
	{Name: "log-whole-seconds", Kind: "rounded-to-zero", Promise: "log", Slip: "the window is cut to whole seconds",
		client: logRule{window: seconds}.start},
	{Name: "log-seconds-up", Kind: "rounded-to-zero", Promise: "log", Slip: "the window is rounded up to whole seconds",
		client: logRule{window: func(w int64) int64 { return seconds(w + 1e9 - 1) }}.start},
	{Name: "log-thousandfold", Kind: "unit-confusion", Promise: "log", Slip: "milliseconds are taken for seconds",
		client: logRule{window: func(w int64) int64 { return min(w, 1<<50) * 1000 }}.start},
	{Name: "log-thousandth", Kind: "unit-confusion", Promise: "log", Slip: "seconds are taken for milliseconds",
		client: logRule{window: func(w int64) int64 { return w / 1000 }}.start},
	{Name: "log-ring-of-1000", Kind: "overflow", Promise: "log", Slip: "keeps 1000 entries at most",
		client: logRule{most: 1000}.start},
	{Name: "log-count-of-16-bits", Kind: "overflow", Promise: "log", Slip: "the sum wraps at 65536",
		client: logRule{room: func(n, cost, l float64) bool { return float64(uint16(int64(n))+uint16(int64(min(cost, 1<<40)))) <= l }}.start},
	{Name: "log-count-of-32-bits", Kind: "overflow", Promise: "log", Slip: "costs and limit are cut to 32 bits",
		client: logRule{room: func(n, cost, l float64) bool { return int32(int64(n))+int32(int64(cost)) <= int32(int64(l)) }}.start},
	{Name: "log-time-rewound", Kind: "time-rewound", Promise: "log", Slip: "an older time drops the entries that lie in its future",
		client: logRule{rewinds: true}.start},
	{Name: "log-clock-of-seconds", Kind: "coarse-clock", Promise: "log", Slip: "the clock shows whole seconds",
		client: logRule{clock: func(t int64) int64 { return t / 1e9 * 1e9 }}.start},
	{Name: "log-clock-of-tenths", Kind: "coarse-clock", Promise: "log", Slip: "the clock shows whole tenths of a second",
		client: logRule{clock: func(t int64) int64 { return t / 1e8 * 1e8 }}.start},
	{Name: "log-clock-of-32-bits", Kind: "overflow", Promise: "log", Slip: "milliseconds are counted in 32 bits",
		client: logRule{rewinds: true, clock: func(t int64) int64 { return int64(uint32(t/1e6)) * 1e6 }}.start},
	{Name: "log-float32-seconds", Kind: "coarse-clock", Promise: "log", Slip: "times are seconds in single precision",
		client: logRule{clock: func(t int64) int64 { return int64(float64(float32(float64(t)/1e9)) * 1e9) }}.start},
	{Name: "log-one-lifetime", Kind: "prev-window-ttl", Promise: "log", Slip: "all entries go when the oldest is too old",
		client: logRule{whole: true}.start},
	{Name: "log-restarts", Kind: "state-dropped-early", Promise: "log", Slip: "all entries go an hour after the first",
		client: logRule{expire: 3600e9}.start},
	{Name: "log-is-fixed", Kind: "fixed-instead-of-rolling", Promise: "log:open", Slip: "a fixed window of the clock",
		client: fixedRule{}.start},
	{Name: "log-is-fixed-from-first", Kind: "fixed-instead-of-rolling", Promise: "log:open", Slip: "a fixed window from the first request on",
		client: fixedRule{align: restart}.start},
	{Name: "log-is-bucket", Kind: "another-algorithm", Promise: "log", Slip: "a token bucket with the limit as its burst",
		client: rateRule{}.start},
}
