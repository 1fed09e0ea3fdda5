package limiter

import "math"

// GCRA (the generic cell rate algorithm) remembers one time: when a client that keeps to the rate would be back where
// it began, the theoretical arrival time TAT.
//
// Rule: the rate is L/W, so a cost takes cost*W/L of time. Admit iff max(TAT, now) + cost*W/L <= now + B*W/L, and that is the new
// TAT then. The burst B is L unless burst=B. It decides as token-bucket and leaky-bucket do.
//
// Memory: TAT, as nanoseconds and a fraction in 1/L ns, so that no rounding adds up.
//
// Promise: B+L in every closed window: in the time W the rate yields L, and at most B was there at its begin. Worst
// case, which reaches it: B at once, then one as soon as it is earned, the last of them W later. If B is 1, or if more
// than one request is earned per nanosecond, part of that can be lost for lack of room, and the exact bound is smaller: see
// rateBound.
var gcraAlgorithm = Algorithm{
	Name:     "gcra",
	Doc:      "remembers when the client will be back at rest; admits if that is at most B*W/L ahead; equals token-bucket",
	Promise:  "B+L, B the burst (L unless given)",
	Memory:   "2 integers",
	Examples: []string{"gcra", "gcra:burst=1", "gcra:burst=20"},
	accepts:  []option{optionBurst},
	build:    func(s settings, l Limit) member { return newGCRA(l, s.capacity(l)) },
	bound:    func(s settings, l Limit) (int64, bool) { return rateBound(l, s.capacity(l)), true },
	safe:     func(s settings, l Limit) int64 { return rateSafe(l, s.capacity(l)) },
	worst:    func(s settings, l Limit) []int64 { return rateWorst(l, s.capacity(l)) },
}

// A gcra keeps TAT as its distance ahead of the client's clock, which never exceeds what the burst takes, B*W/L. That can be beyond
// int64 where TAT itself would not be representable.
type gcra struct {
	limit, window, burst int64

	last  int64 // the client's clock
	ahead span
	most  span // B*W/L
	one   span // W/L
}

// A span is a time of at least 0: ns + frac/L nanoseconds, frac < L.
type span struct {
	ns   wide
	frac uint64
}

func newGCRA(l Limit, burst int64) *gcra {
	g := &gcra{limit: l.Max, window: l.Window, burst: burst, last: math.MinInt64}
	g.one, g.most = g.takes(1), g.takes(burst)
	return g
}

// takes returns cost*W/L.
func (g *gcra) takes(cost int64) span {
	ns, frac := product(uint64(cost), uint64(g.window)).over(uint64(g.limit))
	return span{ns, frac}
}

func (g *gcra) Reset() { g.last, g.ahead = math.MinInt64, span{} }

func (g *gcra) Allow(now, cost int64) bool {
	if cost <= 0 {
		return cost == 0
	}
	g.advance(now)
	next := g.after(cost)
	if g.most.less(next) {
		return false
	}
	g.ahead = next
	return true
}

func (g *gcra) check(now, cost int64) bool {
	g.advance(now)
	return !g.most.less(g.after(cost))
}

func (g *gcra) count(cost int64) { g.ahead = g.after(cost) }

func (g *gcra) countsRefused() bool { return false }

// advance moves the clock.
func (g *gcra) advance(now int64) {
	if now <= g.last {
		return
	}
	passed := wide{0, since(now, g.last)}
	g.last = now
	if g.ahead.ns.less(passed) {
		g.ahead = span{}
	} else {
		g.ahead.ns = g.ahead.ns.minus(passed)
	}
}

// after returns how far ahead TAT is once a request of that cost is admitted.
func (g *gcra) after(cost int64) span {
	add := g.one
	if cost != 1 {
		add = g.takes(cost)
	}
	next := span{g.ahead.ns.plus(add.ns), g.ahead.frac + add.frac}
	if limit := uint64(g.limit); next.frac >= limit {
		next.frac -= limit
		next.ns = next.ns.plus(wide{0, 1})
	}
	return next
}

func (s span) less(t span) bool {
	return s.ns.less(t.ns) || s.ns == t.ns && s.frac < t.frac
}

func (g *gcra) Count(now int64) Count {
	view := *g
	view.advance(now)
	// ahead*L/W = (ns*L + frac)/W; ns <= B*W/L, so that it stays below 2^126.
	used := product(view.ahead.ns.lo, uint64(g.limit))
	used.hi += view.ahead.ns.hi * uint64(g.limit)
	return usedCount(used.plus(wide{0, view.ahead.frac}), g.window)
}
