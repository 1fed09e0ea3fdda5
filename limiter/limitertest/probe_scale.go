package limitertest

import "github.com/rlbench/rlbench/limiter"

// shortcut tries one limit from several sides, with few requests.
func shortcut(c *check, s setting) bool {
	l, w := s.scale.Max, s.scale.Window
	if !fits(w, 30) {
		return c.try(s, "at once and a little later", newScript().over(0, l).over(w/3, l))
	}
	t := 10 * w
	c.try(s, "a burst in a first window", newScript().over(t, l))
	c.try(s, "bursts in this and the next windows", newScript().over(t+w/3, l).over(t+w, l).over(t+w+w/2, l).over(t+2*w+w/4, l).over(t+5*w, l))
	c.try(s, "half at once, then ten times more slowly", newScript().cost(t, (l+1)/2).every(t+1, max(1, w/l/10), 40))
	c.try(s, "one at the permitted spacing", newScript().over(t, l).every(t+w/l, max(1, w/l), 30))
	costs := newScript().cost(t, l).one(t+w/10).cost(t+w+w/4, max(1, l/4)).one(t+w+w/4).cost(t+w+w/2, max(1, l/4)).one(t + w + w/2)
	for i := range int64(12) {
		costs.cost(t+2*w+w/7*i, max(1, l/7)).one(t + 2*w + w/7*i)
	}
	c.try(s, "the whole limit in few requests", costs)
	weights := newScript().cost(t+w/3, l-l/3)
	for i := range int64(20) {
		weights.cost(t+w+w/20*i+i, max(1, l/20-1)).one(t + w + w/20*i + i)
	}
	c.try(s, "a window nearly full, then along the next", weights)
	return c.try(s, "one below the limit, one, one more", newScript().cost(t, max(1, l-1)).one(t+1).one(t+2).one(t+w/2).one(t+w+1).cost(t+2*w, l).one(t+2*w))
}

// limits sweeps the limit.
func limits(c *check) {
	windows := []int64{1e9, 60e9, 3600e9}
	if c.quick {
		windows = windows[1:2]
	}
	large := []int64{
		1, 2, 3, 4, 6, 8, 9, 15, 16, 31, 32, 33, 50, 63, 64, 65, 99, 100, 101, 127, 128, 129, 255, 256, 257, 500, 999, 1000, 1001, 1023, 1024, 1025, 2048,
		4095, 4097, 10_000, 32_767, 32_769, 65_535, 65_536, 65_537, 100_000, 1_000_000, 16_777_217, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 1, 1 << 32, 1<<32 + 1,
		1e12, 1<<53 + 1, 1 << 60,
	}
	for _, w := range windows {
		for _, l := range large {
			for _, s := range c.settings(limiter.Limit{Max: l, Window: w})[len(c.settings()):] {
				if l <= 10_000 || !c.quick && l <= 70_000 {
					c.try(s, "as many as the limit, one by one", oneByOne(l, s.scale.Window))
				}
				if !shortcut(c, s) {
					return
				}
			}
		}
	}
	for _, s := range c.settings() {
		shortcut(c, s)
	}
}

// oneByOne spends the limit in unit requests, spread over half a window, and asks on.
func oneByOne(l, w int64) *script {
	script := newScript()
	for i := range l + 3 {
		script.one(10*w + w/2/(l+3)*i)
	}
	return script.one(10*w+w/2).one(10*w+w-1).burst(11*w+w/4, 3).burst(11*w+w/2, min(l, 20))
}

// windows sweeps the window.
func windows(c *check) {
	const ms, second, minute, hour, day = int64(1e6), int64(1e9), int64(60e9), int64(3600e9), int64(86400e9)
	all := []int64{
		ms, 3 * ms, 7 * ms, 10 * ms, 100 * ms, 333 * ms, 500 * ms, 999 * ms, second, 1001 * ms, 1500 * ms, 1999 * ms, 2500 * ms, 10 * second, 59 * second,
		minute, 61 * second, 90 * second, 15 * minute, hour, 90 * minute, day, 7 * day, 25 * day, 30 * day,
	}
	for _, w := range all {
		for _, l := range []int64{1, 5, 30} {
			for _, s := range c.settings(limiter.Limit{Max: l, Window: w})[len(c.settings()):] {
				c.try(s, "half way and the whole way through a window", newScript().over(5*w+w/10, l).one(5*w+w/2).one(5*w+w-1).over(6*w+w/5, l).over(7*w+w/10*9, l))
				c.try(s, "a burst and one exactly a window later", newScript().burst(5*w, l).one(6*w-1).one(6*w).one(6*w+1))
				if !shortcut(c, s) {
					return
				}
			}
		}
	}
}

// oddRates has limits that don't divide their window, and rates far below and above one per second.
func oddRates(c *check) {
	all := []limiter.Limit{
		{Max: 7, Window: 61e9}, {Max: 17, Window: 30e9}, {Max: 3, Window: 1e9}, {Max: 7, Window: 1e9}, {Max: 13, Window: 999_999_937}, {Max: 11, Window: 1_000_003},
		{Max: 1, Window: 100e9}, {Max: 1, Window: 7e6}, {Max: 4, Window: 400e6}, {Max: 10, Window: 1e8}, {Max: 2, Window: 200e6}, {Max: 5, Window: 86400e9},
		{Max: 10_000, Window: 1e6}, {Max: 1_000_000, Window: 1e6}, {Max: 3_000_000, Window: 1e6}, {Max: 100_000, Window: 1e9}, {Max: 6, Window: 1e3},
	}
	for _, l := range all {
		for _, s := range c.settings(l)[len(c.settings()):] {
			n, w := s.scale.Max, s.scale.Window
			step := max(1, w/n)
			script := newScript().over(10*w, n)
			for i := int64(1); i <= min(2*n+10, 120); i++ {
				at := 10*w + i*step
				script.one(at - 1).one(at).one(at + 1)
			}
			c.try(s, "each place as it becomes free, and the ticks around it", script)
			c.try(s, "a quarter of the way", newScript().over(10*w, n).burst(10*w+w/4, max(1, n/4)).over(10*w+w/2, n).over(10*w+w+w/4, n))
			if !shortcut(c, s) {
				return
			}
		}
	}
}

// longIdle spends a large limit and comes back after ever longer silence.
func longIdle(c *check) {
	all := []limiter.Limit{
		{Max: 300_000, Window: 3600e9}, {Max: 1_000_000, Window: 1e9}, {Max: 10, Window: 1e9}, {Max: 100_000_000, Window: 60e9}, {Max: 1 << 40, Window: 86400e9},
	}
	if c.quick {
		all = all[:3]
	}
	for _, s := range c.settings(all...) {
		l, w := s.scale.Max, s.scale.Window
		for gap := int64(1); gap < 1<<40 && gap <= (1<<62)/w; gap = gap*2 + gap%3 {
			t := 10 * w
			if !fits(w, gap+20) {
				break
			}
			if !c.try(s, "all at once, long silence, and again", newScript().cost(t, l).one(t+gap*w).one(t+gap*w+1).cost(t+gap*w+2, max(1, l-2)).one(t+gap*w+3)) {
				return
			}
		}
	}
}
