package limitertest

// sameTime asks for more than the limit at one instant, and again a tick later and in the next windows.
func sameTime(c *check) {
	for _, s := range c.usual() {
		l, w := s.scale.Max, s.scale.Window
		for _, t := range c.starts(w) {
			c.try(s, "more than the limit at one instant", newScript().over(t, l))
			c.try(s, "one by one, a tick apart", newScript().every(t, 1, int(min(l+2, 300))))
			c.try(s, "the limit in two bursts, a tick apart", newScript().burst(t, (l+1)/2).over(t+1, l/2))
			c.try(s, "the limit in two bursts within a millisecond", newScript().burst(t, (l+1)/2).over(t+300_000, l/2))
			if !c.try(s, "as many at several instants", newScript().over(t, l).over(t+w/10, l).over(t+w/5, l).one(t+w/4).one(t+w/3)) {
				return
			}
		}
	}
}

// everyWindow fills window after window.
func everyWindow(c *check) {
	for _, s := range c.usual() {
		l, w := s.scale.Max, s.scale.Window
		if !fits(w, 20) {
			c.skip("windows too long to have many")
			continue
		}
		for _, t := range c.starts(w) {
			for _, step := range []int64{w, w + 1, 2 * w, 2*w + 1, w + w/2, 3 * w} {
				script := newScript()
				for i := range int64(5) {
					script.over(t+i*step, l)
				}
				if !c.try(s, "more than the limit in each of five windows", script) {
					return
				}
			}
		}
	}
}

// idleGap fills a window, waits, and asks for much.
func idleGap(c *check) {
	gaps := []int64{100, 110, 120, 150, 199, 200, 201, 250, 300, 350, 500, 700, 800, 1000, 1600, 6000, 12000, 144_000}
	for _, s := range c.usual() {
		l, w := s.scale.Max, s.scale.Window
		for _, t := range c.starts(w) {
			for _, g := range gaps {
				if !fits(w, g/100+12) {
					continue
				}
				after := t + w/100*g
				script := newScript().over(t, l).burst(after, min(l, 300)).burst(after, min(2*l, 600)).burst(after+min(w/60, 1e9), min(l, 5)).one(after + w/2).one(after + w).one(after + w + w/2)
				if !c.try(s, "a burst, silence, a burst", script) {
					return
				}
			}
			script := newScript().one(t)
			for _, g := range gaps[:13] {
				t += w / 100 * g
				script.over(t, l)
			}
			if fits(w, 100) && !c.try(s, "bursts after ever longer silence", script) {
				return
			}
		}
	}
}

// fits reports whether that many windows fit the range of times, with room to spare.
func fits(window, windows int64) bool { return window <= (1<<62)/windows }

// twoBursts sends two bursts with their distance and phase swept, anchored to the clock and to the client's first request.
func twoBursts(c *check) {
	parts := int64(12)
	if c.quick {
		parts = 6
	}
	for _, s := range c.usual() {
		l, w := s.scale.Max, s.scale.Window
		if !fits(w, 20) {
			continue
		}
		for phase := range parts {
			for apart := int64(1); apart <= 2*parts; apart++ {
				t := 10*w + w*phase/parts
				if !c.try(s, "two bursts", newScript().over(t, l).over(t+w*apart/parts, l)) {
					return
				}
			}
		}
		for _, apart := range []int64{1, w / 1000, w / 100, w / 10, w / 2} {
			for _, first := range []int64{0, 5 * w, 5*w + w/7} {
				script := newScript().one(first).burst(first+w-apart, l-1).over(first+w, l)
				c.try(s, "one, the rest at the end of its window, more right after", script)
				script = newScript().one(first).over(first+3*w-apart, l).over(first+3*w, l).over(first+4*w-1, l)
				c.try(s, "one, and bursts around the third window after it", script)
			}
			for _, edge := range []int64{1, 10, 1000} {
				script := newScript().over(edge*w-apart, l).over(edge*w, l).over((edge+1)*w-apart, l)
				if fits(w, 1003) && !c.try(s, "bursts around an edge of the clock", script) {
					return
				}
			}
		}
	}
}

// boundary asks exactly at the edges.
func boundary(c *check) {
	for _, s := range c.usual() {
		l, w := s.scale.Max, s.scale.Window
		if !fits(w, 20) {
			continue
		}
		for _, t := range c.starts(w) {
			for _, off := range []int64{-1, 0, 1, -1e6, 1e6} {
				if t+w+off <= t {
					continue
				}
				c.try(s, "a burst and one a window later", newScript().burst(t, l).one(t+w+off).one(t+w+off+1).one(t+w+w/2).one(t+2*w+1e6))
				c.try(s, "requests a window apart", newScript().every(t, w+off, 8))
				c.try(s, "bursts a window apart, twice in between", newScript().over(t, l).over(t+w/2, 1).over(t+w+off, l).over(t+w+w/2, 1).over(t+2*w+2*off, l))
				script := newScript().burst(t, max(1, l-1)).burst(t+w/10*9, 1).one(t + w + off).one(t + w + off + 1).one(t + w + off + 2).one(t + w + w/10*9 + off)
				if !c.try(s, "two bursts that leave the window one after the other", script) {
					return
				}
			}
			script := newScript()
			for i := range min(l, 100) {
				script.one(t + w*i/min(l, 100))
			}
			for i := range min(l, 100) {
				at := t + w + w*i/min(l, 100)
				script.one(at - 1).one(at).one(at + 1)
			}
			if !c.try(s, "a full window, then each place as it becomes free", script) {
				return
			}
		}
	}
}

// refused asks for too much and then at the pace at which places become free.
func refused(c *check) {
	for _, s := range c.usual() {
		l, w := s.scale.Max, s.scale.Window
		if !fits(w, 20) {
			continue
		}
		for _, t := range c.starts(w) {
			script := newScript().over(t, l)
			for i := range int64(40) {
				script.one(t + w/10*(i+1) + i)
			}
			c.try(s, "a burst, then one at each tenth of a window", script)
			c.try(s, "far too many at once, one two windows later", newScript().burst(t, min(3*l, 900)).one(t+w+1).one(t+w+w/2).one(t+2*w).one(t+2*w+1))
			if l > 1 && !c.try(s, "too costly, then affordable", newScript().cost(t, l-1).cost(t+1, 2).cost(t+2, l).cost(t+3, 1).cost(t+4, 1)) {
				return
			}
		}
	}
}
