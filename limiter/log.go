package limiter

import "math"

// The log (sliding-window log) remembers when it admitted.
//
// Rule: admit iff count + cost <= L, count being the cost admitted in [now-W, now]. The window is closed at both ends: a
// request exactly W old still counts. log:open is half-open, (now-W, now], as many libraries have it. count=all: refused
// requests count as well.
//
// Memory: 16 bytes for each distinct time in the window, in a ring that doubles as needed: up to 16 to 32 bytes x L. With
// count=all the refused ones need as much, so that no limit bounds it.
//
// Promise: L in every closed window; it is the rule itself, and the measure of all others. Worst case: L at one instant.
// log:open 2L: a closed window [x, x+W] is the instant x and the half-open window (x, x+W], each with at most L. It is
// reached by L at x and L at x+W.
var logAlgorithm = Algorithm{
	Name:     "log",
	Doc:      "keeps the time of every admitted request of the last window; admits if count + cost <= L",
	Promise:  "L (open: 2L)",
	Memory:   "16 bytes x L (count=all: x arrivals in a window)",
	Examples: []string{"log", "log:open", "log:closed", "log:count=all", "log:open:count=all"},
	accepts:  []option{optionEdge, optionCount},
	build:    func(s settings, l Limit) member { return newLog(l, s.edge, s.all) },
	bound: func(s settings, l Limit) (int64, bool) {
		if s.edge == Open {
			return sum(l.Max, l.Max), true
		}
		return l.Max, true
	},
	// What counts lies in one closed window together with the request at hand: at most L in all.
	safe: func(s settings, l Limit) int64 { return l.Max },
	worst: func(s settings, l Limit) []int64 {
		times := repeated(nil, 0, l.Max)
		if s.edge == Open {
			times = repeated(times, l.Window, l.Max)
		}
		return times
	},
	estimate: func(s settings) string { return "exact:" + s.edge.String() },
}

type slidingLog struct {
	limit  int64
	reach  uint64 // the greatest age that counts
	all    bool
	last   int64
	total  int64   // cost of what the ring holds
	ring   []entry // its length is a power of two
	oldest uint64  // counts on from entry to entry; its place in the ring is its value modulo the length
	next   uint64
}

// An entry is what was counted at one instant.
type entry struct{ time, cost int64 }

func newLog(l Limit, e Edge, all bool) *slidingLog {
	reach := uint64(l.Window)
	if e == Open {
		reach--
	}
	return &slidingLog{limit: l.Max, reach: reach, all: all, last: math.MinInt64, ring: make([]entry, 4)}
}

func (g *slidingLog) Reset() {
	g.last, g.total, g.oldest, g.next = math.MinInt64, 0, 0, 0
}

func (g *slidingLog) Allow(now, cost int64) bool {
	if cost <= 0 {
		return cost == 0
	}
	g.advance(now)
	ok := g.admits(cost)
	if ok || g.all {
		g.count(cost)
	}
	return ok
}

func (g *slidingLog) check(now, cost int64) bool {
	g.advance(now)
	return g.admits(cost)
}

func (g *slidingLog) admits(cost int64) bool { return cost <= g.limit && g.total <= g.limit-cost }

// advance moves the clock and forgets what is older than the window.
func (g *slidingLog) advance(now int64) {
	now = max(now, g.last)
	g.last = now
	mask := uint64(len(g.ring) - 1)
	oldest, total := g.oldest, g.total
	for oldest != g.next {
		e := &g.ring[oldest&mask]
		if since(now, e.time) <= g.reach {
			break
		}
		total -= e.cost
		oldest++
	}
	g.oldest, g.total = oldest, total
}

// count adds to the entry of the same time if there is one. What would bring the total beyond int64, which only refused
// requests can do, is cut.
func (g *slidingLog) count(cost int64) {
	cost = min(cost, math.MaxInt64-g.total)
	g.total += cost
	mask := uint64(len(g.ring) - 1)
	if g.next != g.oldest {
		if e := &g.ring[(g.next-1)&mask]; e.time == g.last {
			e.cost += cost
			return
		}
		if g.next-g.oldest > mask {
			g.grow()
			mask = uint64(len(g.ring) - 1)
		}
	}
	g.ring[g.next&mask] = entry{g.last, cost}
	g.next++
}

func (g *slidingLog) grow() {
	ring := make([]entry, 2*len(g.ring))
	n := copy(ring, g.ring[g.oldest&uint64(len(g.ring)-1):])
	copy(ring[n:], g.ring[:len(g.ring)-n])
	g.oldest, g.next = 0, uint64(len(g.ring))
	g.ring = ring
}

func (g *slidingLog) countsRefused() bool { return g.all }

func (g *slidingLog) Count(now int64) Count {
	view := *g
	view.advance(now)
	return Count{Whole: view.total}
}

func (g *slidingLog) Observe(times, costs []int64, after []Count) {
	for i, t := range times {
		cost := int64(1)
		if costs != nil {
			cost = costs[i]
		}
		if cost <= 0 {
			after[i] = g.Count(t)
			continue
		}
		g.advance(t)
		g.count(cost)
		after[i] = Count{Whole: g.total}
	}
}
