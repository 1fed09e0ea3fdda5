package limitertest

import "github.com/rlbench/rlbench/limiter"

// longestRun bounds the requests of one sequence of a steady client.
const longestRun = 1500

// steady stays below the limit, for 20 windows.
func steady(c *check) {
	shares := []int64{20, 34, 49, 50, 51, 60, 75, 90, 99}
	for _, s := range c.usual() {
		l, w := s.scale.Max, s.scale.Window
		if !fits(w, 200) {
			continue
		}
		for _, t := range c.starts(w) {
			for _, share := range shares {
				step := max(1, int64(float64(w)/float64(l)*100/float64(share)))
				n := int(min(20*l*share/100+3, longestRun))
				script := newScript().every(t, step, n)
				last := t + step*int64(n)
				script.one(last+w).one(last+3*w).over(last+3*w+w/2, l)
				if !c.try(s, "steady below the limit, then a pause", script) {
					return
				}
			}
			script := newScript()
			for i := range int64(25) {
				script.burst(t+w/4*i, max(1, l/10))
			}
			if !c.try(s, "a tenth of the limit each quarter of a window", script) {
				return
			}
		}
	}
}

// saturation always asks for more.
func saturation(c *check) {
	life := 70_000
	if c.quick {
		life = 5_000
	}
	for _, s := range c.settings(limiter.Limit{Max: 10, Window: 1e9}) {
		if l, w := s.scale.Max, s.scale.Window; l <= 20 && w/l > 1 && fits(w, 10_000) {
			c.try(s, "thousands of requests of one client", newScript().every(10*w, w/l*2/3+1, life))
		}
	}
	for _, s := range c.usual() {
		l, w := s.scale.Max, s.scale.Window
		if !fits(w, 100) {
			continue
		}
		for _, t := range c.starts(w) {
			for _, rate := range []float64{1, 1.1, 1.5, 2, 10.0 / 3, 10} {
				step := max(1, int64(float64(w)/float64(l)/rate))
				n := int(min(int64(8*float64(l)*rate)+5, longestRun))
				c.try(s, "a sustained rate at or above the limit", newScript().every(t, step, n))
				if !c.try(s, "a burst, then a sustained rate", newScript().over(t, l).every(t+step, step, n)) {
					return
				}
			}
			script := newScript()
			for i := range int64(36) {
				script.burst(t+w/12*i, min(l, 60))
			}
			if !c.try(s, "bursts each twelfth of a window", script) {
				return
			}
		}
	}
}

// spacing sweeps the period of a periodic client.
func spacing(c *check) {
	hundredths := []int64{5, 10, 15, 20, 25, 30, 34, 40, 50, 60, 70, 75, 80, 90, 99, 100, 101, 110, 125, 150, 175, 199, 200, 201, 250, 300, 500}
	for _, s := range c.usual() {
		l, w := s.scale.Max, s.scale.Window
		if !fits(w, 300) {
			continue
		}
		for _, t := range c.starts(w) {
			for _, h := range hundredths {
				step := w / 100 * h
				if h > 30 && c.quick && l > 20 {
					continue
				}
				if !c.try(s, "a strictly periodic client", newScript().every(t, max(1, step), 40)) {
					return
				}
				if h >= 20 && l < 100 && !c.try(s, "a periodic client that sends two or more at once", periodicBursts(t, step, max(2, l/4), 12)) {
					return
				}
			}
			for _, off := range []int64{0, 1, -1} {
				step := w/l + off
				if step > 0 && !c.try(s, "exactly the permitted spacing", newScript().every(t, step, int(min(4*l+10, 400)))) {
					return
				}
			}
		}
	}
}

func periodicBursts(t, step, burst int64, n int) *script {
	script := newScript()
	for i := range n {
		script.burst(t+int64(i)*step, burst)
	}
	return script
}

// nextWindow fills one window and asks at several points of the next.
func nextWindow(c *check) {
	fills := []int64{1, 500, 900, 994, 1000}
	asks := []int64{0, 10, 40, 60, 100, 250, 333, 500, 611, 672, 750, 900, 950, 990}
	for _, s := range c.usual() {
		l, w := s.scale.Max, s.scale.Window
		if !fits(w, 20) {
			continue
		}
		for _, start := range []int64{0, 10 * w} {
			for _, fill := range fills {
				full := start + max(0, thousandths(w, fill)-1)
				all := newScript().burst(full, l)
				for _, ask := range asks {
					at := start + w + thousandths(w, ask)
					if at <= full {
						continue
					}
					all.burst(at, min(l, 200))
					if c.quick && l > 20 && ask%250 != 0 {
						continue
					}
					c.try(s, "a full window, then one point of the next", newScript().burst(full, l).burst(at, min(l, 200)).one(at+w/2).one(at+w))
				}
				if !c.try(s, "a full window, then all along the next", all) {
					return
				}
			}
		}
		c.try(s, "half a window, then all along the next two", halfThenAlong(l, w))
	}
}

func halfThenAlong(l, w int64) *script {
	script := newScript().burst(10*w+w/3, (l+1)/2)
	for i := int64(0); i < 40; i++ {
		script.burst(11*w+w/20*i+i, max(1, min(l, 400)/20))
	}
	return script
}

// thousandths is n thousandths of a window.
func thousandths(w, n int64) int64 { return w/1000*n + w%1000*n/1000 }
