package limitertest

// costs asks for nothing, for all, and for more than all.
func costs(c *check) {
	for _, s := range c.usual() {
		l, w := s.scale.Max, s.scale.Window
		if !fits(w, 20) {
			continue
		}
		for _, t := range c.starts(w) {
			for _, much := range []int64{l, l + 1, l + 3, 2 * l, 10 * l, 20 * l, 1 << 31, 1<<32 + 1, 1 << 53, 1<<62 + 5} {
				c.try(s, "a large cost from a new client", newScript().cost(t, much).cost(t+1, 1).cost(t+2, l).cost(t+w+w/2, 1))
				c.try(s, "a large cost after a small one", newScript().cost(t, (l+1)/2).cost(t+1, much).cost(t+2, l/2+1).cost(t+3, max(1, l/2)))
				if !c.try(s, "a large cost when nothing is left", newScript().burst(t, l).cost(t+1, much).one(t+2).one(t+w+1).one(t+2*w)) {
					return
				}
			}
			c.try(s, "a cost of 0 first and when nothing is left",
				newScript().cost(t, 0).cost(t, l).cost(t+1, 0).one(t+1).cost(t+2, 0).cost(t+w+1, 0).one(t+w+1).one(t+2*w).cost(t+2*w, 0))
			c.try(s, "many costs of 0, then the limit", zeros(t, w, 30).over(t+w/50, l))
			script := newScript()
			for i := range int64(24) {
				script.cost(t+w/6*i, 1+(i*7)%max(1, l))
			}
			if !c.try(s, "costs up to the limit", script) {
				return
			}
		}
	}
	for _, s := range c.settings() {
		mixedCosts(c, s)
	}
	for _, s := range c.settings(few...) {
		mixedCosts(c, s)
	}
}

func zeros(t, w int64, n int64) *script {
	script := newScript()
	for i := range n {
		script.cost(t+w/2000*i, 0)
	}
	return script
}

func mixedCosts(c *check, s setting) {
	l, w := s.scale.Max, s.scale.Window
	if !fits(w, 100) {
		return
	}
	for range 6 {
		script, t := newScript(), 10*w+c.random.Int64N(w)
		for range 60 {
			t += c.random.Int64N(w/4 + 1)
			script.cost(t, c.random.Int64N(min(l, 1<<40)/2+2))
		}
		c.try(s, "random costs", script)
	}
}
