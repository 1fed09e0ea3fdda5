package limiter

// The fixed window counts and forgets.
//
// Rule: windows begin at multiples of W; admit iff n + cost <= L, n being what was admitted in the current one. count=all:
// refused requests count as well. align=first: windows begin at multiples of W from the client's first request.
// align=restart: a window [s, s+W) begins with the first request, admitted or not, at or after the end of the one before, as
// with a key that expires.
//
// Memory: one count and the window it belongs to.
//
// Promise: 2L in every closed window, since it holds requests of two windows at most: between the last request of one and
// the first of the next but one lie more than W, all of the window between them. Worst case, which reaches it: L in
// the last nanosecond of a window, L in the first of the next. With align=restart the request that begins the window
// comes W before: one at s, L-1 at s+W-1, L at s+W, all in [s, s+W].
var fixedAlgorithm = Algorithm{
	Name:     "fixed",
	Doc:      "one integer per aligned window; admits if n + cost <= L",
	Promise:  "2L",
	Memory:   "2 integers",
	Examples: []string{"fixed", "fixed:count=all", "fixed:align=first", "fixed:align=restart", "fixed:count=all:align=restart"},
	accepts:  []option{optionCount, optionAlignFixed},
	build: func(s settings, l Limit) member {
		return &fixed{grid: newGrid(l.Window, s.align), limit: l.Max, all: s.all}
	},
	bound: func(s settings, l Limit) (int64, bool) { return sum(l.Max, l.Max), true },
	// The current window, of any alignment, up to the request at hand lies in one closed window.
	safe:     func(s settings, l Limit) int64 { return l.Max },
	worst:    fixedWorst,
	estimate: func(s settings) string { return "fixed" + s.align.suffix() },
}

func fixedWorst(s settings, l Limit) []int64 {
	switch s.align {
	case alignFirst:
		times := repeated([]int64{0}, 3*l.Window-1, l.Max)
		return repeated(times, 3*l.Window, l.Max)
	case alignRestart:
		times := repeated([]int64{0}, l.Window-1, l.Max-1)
		return repeated(times, l.Window, l.Max)
	}
	times := repeated(nil, l.Window-1, l.Max)
	return repeated(times, l.Window, l.Max)
}

type fixed struct {
	grid
	limit int64
	n     int64
	all   bool
}

func (f *fixed) Reset() {
	f.grid = newGrid(f.window, f.align)
	f.n = 0
}

func (f *fixed) Allow(now, cost int64) bool {
	if cost <= 0 {
		return cost == 0
	}
	ok := f.check(now, cost)
	if ok || f.all {
		f.count(cost)
	}
	return ok
}

func (f *fixed) check(now, cost int64) bool {
	f.advance(now)
	return cost <= f.limit-f.n
}

func (f *fixed) count(cost int64) { f.n = sum(f.n, cost) }

func (f *fixed) countsRefused() bool { return f.all }

// advance moves the clock.
func (f *fixed) advance(now int64) {
	now = max(now, f.last)
	f.last = now
	if since(now, f.start) >= f.span {
		if steps, _ := f.turn(now); steps > 0 {
			f.n = 0
		}
	}
}

func (f *fixed) Count(now int64) Count {
	view := *f
	view.advance(now)
	return Count{Whole: view.n}
}

func (f *fixed) Observe(times, costs []int64, after []Count) {
	for i, t := range times {
		cost := int64(1)
		if costs != nil {
			cost = costs[i]
		}
		if cost <= 0 {
			after[i] = f.Count(t)
			continue
		}
		f.advance(t)
		f.count(cost)
		after[i] = Count{Whole: f.n}
	}
}
