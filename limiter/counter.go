package limiter

// The counter (sliding-window counter) remembers two integers and takes the last window's requests as evenly spread.
//
// Rule: windows begin at multiples of W; e is the time into the current one, cur what was admitted in it, prev what was
// in the one before, 0 after a gap. Admit iff prev*(W-e) + (cur+cost)*W <= L*W. count=all: refused requests count as well,
// as at Cloudflare. align=first: windows begin at multiples of W from the client's first request.
//
// Memory: two counts and the window they belong to, whatever the limit.
//
// Promise: 2L-1 in every closed window, with any alignment and counting. Take one that ends with an admission, e into an
// aligned window; it begins e into the one before. Let that one have admitted p <= L and the current one c, the last
// included; then p*(W-e) + c*W <= L*W (prev is p or more), so they make at most p+c <= L + p*e/W < 2L. In whole
// nanoseconds e <= W-1, which makes it 2L - ceil(L/W), the same as 2L-1 unless L exceeds W. Worst case, which reaches it:
// L in the last nanosecond of a window, then one at each e = j*W/L, j = 1..L-1.
var counterAlgorithm = Algorithm{
	Name:     "counter",
	Doc:      "two integers; weighs the last window's count by its remaining share: prev*(1-e/W) + cur + cost <= L",
	Promise:  "2L-1",
	Memory:   "3 integers",
	Examples: []string{"counter", "counter:count=all", "counter:align=first", "counter:count=all:align=first"},
	accepts:  []option{optionCount, optionAlign},
	build: func(s settings, l Limit) member {
		return &counter{grid: newGrid(l.Window, s.align), limit: l.Max, all: s.all}
	},
	bound: func(s settings, l Limit) (int64, bool) { return bucketsBound(l, 1), true },
	// cur and prev lie in one closed window each: while those hold S = floor(L/2) in all, the weighted count, the request
	// at hand included, is at most 2S <= L.
	safe:     func(s settings, l Limit) int64 { return l.Max / 2 },
	worst:    func(s settings, l Limit) []int64 { return bucketsWorst(l, 1, s.align == alignFirst) },
	estimate: func(s settings) string { return "counter" + s.align.suffix() },
}

// suffix writes the alignment as the option that sets it.
func (a alignment) suffix() string {
	return [...]string{"", ":align=first", ":align=restart"}[a]
}

type counter struct {
	grid
	limit     int64
	cur, prev int64
	all       bool
}

func (c *counter) Reset() {
	c.grid = newGrid(c.window, c.align)
	c.cur, c.prev = 0, 0
}

func (c *counter) Allow(now, cost int64) bool {
	if cost <= 0 {
		return cost == 0
	}
	now = max(now, c.last) // advance, which the compiler does not inline
	c.last = now
	e := since(now, c.start)
	if e >= c.span {
		e = c.enter(now, e)
	}
	ok := c.admits(e, cost)
	if ok || c.all {
		c.count(cost)
	}
	return ok
}

func (c *counter) check(now, cost int64) bool { return c.admits(c.advance(now), cost) }

// admits is the rule, e into the current window.
func (c *counter) admits(e uint64, cost int64) bool {
	cur, window := c.cur, uint64(c.window)
	return cost <= c.limit-cur && fits(uint64(c.prev), window-e, uint64(c.limit-cur-cost), window)
}

// count stops at what int64 holds, which only refused requests can exceed.
func (c *counter) count(cost int64) { c.cur = sum(c.cur, cost) }

func (c *counter) countsRefused() bool { return c.all }

// advance moves the clock and returns the time into the current window.
func (c *counter) advance(now int64) uint64 {
	now = max(now, c.last)
	c.last = now
	e := since(now, c.start)
	if e >= c.span {
		e = c.enter(now, e)
	}
	return e
}

// enter is advance for a time outside the window at hand, e after its start.
func (c *counter) enter(now int64, e uint64) uint64 {
	steps := uint64(1)
	if e-c.span < c.span {
		e -= c.span
		c.index++
		c.start += c.window
	} else {
		steps, e = c.turn(now)
	}
	switch steps {
	case 0:
	case 1:
		c.cur, c.prev = 0, c.cur
	default:
		c.cur, c.prev = 0, 0
	}
	return e
}

func (c *counter) Count(now int64) Count {
	view := *c
	e := view.advance(now)
	return Count{Whole: view.cur, Part: view.prev, Num: c.window - int64(e)}
}

func (c *counter) Observe(times, costs []int64, after []Count) {
	if costs != nil {
		c.observeCosts(times, costs, after)
		return
	}
	after = after[:len(times)]
	window, last, start, span, cur, prev := c.window, c.last, c.start, c.span, c.cur, c.prev
	for i, t := range times {
		t = max(t, last)
		last = t
		e := since(t, start)
		if e >= span {
			c.cur, c.prev = cur, prev
			e = c.enter(t, e)
			start, span, cur, prev = c.start, c.span, c.cur, c.prev
		}
		cur++
		after[i] = Count{cur, prev, window - int64(e)}
	}
	c.last, c.cur, c.prev = last, cur, prev
}

func (c *counter) observeCosts(times, costs []int64, after []Count) {
	for i, t := range times {
		if costs[i] <= 0 {
			after[i] = c.Count(t)
			continue
		}
		e := c.advance(t)
		c.count(costs[i])
		after[i] = Count{c.cur, c.prev, c.window - int64(e)}
	}
}
