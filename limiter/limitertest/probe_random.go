package limitertest

// randomSequences compares decision by decision on sequences that nobody designed: few instants, so that many fall together or
// exactly a window apart, or many.
func randomSequences(c *check) {
	rounds := 60
	if c.quick {
		rounds = 10
	}
	for round := range rounds {
		for _, s := range c.usual() {
			if !fits(s.scale.Window, 300) {
				continue
			}
			if !c.try(s, "random", c.randomScript(s, round)) {
				return
			}
		}
	}
}

func (c *check) randomScript(s setting, round int) *script {
	l, w := s.scale.Max, s.scale.Window
	grain := []int64{w, w/2 + 1, w / 4, w / 10, w / l, w/7 + 1, w / 97, 1}[c.random.IntN(8)]
	grain = max(1, grain)
	n := 30 + c.random.IntN(120)
	if l > 60 {
		n *= 3
	}
	t := 10 * w
	if round%3 == 1 {
		t = c.random.Int64N(20 * w)
	}
	script := newScript()
	for range n {
		switch c.random.IntN(10) {
		case 0:
			t += w / grain * grain
		case 1:
			t += (w/grain + 1) * grain
		case 2:
			t += c.random.Int64N(3*w/grain+1) * grain
		case 3, 4, 5:
			t += c.random.Int64N(4*w/l/grain+2) * grain
		case 6:
			t++
		}
		if round%4 == 3 {
			script.as(string(rune('a' + c.random.IntN(3))))
		}
		switch c.random.IntN(12) {
		case 0:
			script.cost(t, c.random.Int64N(l+2))
		case 1:
			script.burst(t, min(l, 40))
		default:
			script.one(t)
		}
	}
	return script
}
