package limitertest

import "slices"

// backwards tells older times. A time before the client's last one counts as that one.
func backwards(c *check) {
	if !c.promise.backward {
		return
	}
	for _, s := range c.usual() {
		l, w := s.scale.Max, s.scale.Window
		if !fits(w, 40) {
			continue
		}
		t := 10 * w
		for _, back := range []int64{1, w / 10, w / 2, w - 1, w, w + 1, 2 * w, 3*w + w/2, 10 * w} {
			alternating := newScript().over(t, l)
			for i := range min(4*l, 200) + 6 {
				alternating.one(t + w/3 - i%2*back)
			}
			c.try(s, "alternating between now and earlier", alternating)
			c.try(s, "full, earlier, and now again", newScript().over(t+w/2, l).one(t+w/2-back).one(t+w/2).over(t+w/2+1, l))
			c.try(s, "new, earlier, and on from there", newScript().one(t+w/2).burst(t+w/2-back, l).over(t+w/2+1, l).over(t+w+w/2, l).over(t+3*w, l))
			if !c.try(s, "a burst, earlier ones, and windows after it", newScript().burst(t, l).one(t-back).one(t+w+1).one(t+w+1-back).one(t+2*w+1).over(t+3*w, l).over(t+5*w, l)) {
				return
			}
		}
		for range 6 {
			script, now := newScript(), t
			var times []int64
			for range 40 {
				now += c.random.Int64N(2*w/l + 2)
				times = append(times, now-c.random.Int64N(w/2+1))
			}
			for _, at := range times {
				script.one(at)
			}
			c.try(s, "times that jitter by half a window", script)
			shuffled := newScript()
			c.random.Shuffle(len(times), func(i, j int) { times[i], times[j] = times[j], times[i] })
			for _, at := range times {
				shuffled.one(at)
			}
			c.try(s, "shuffled times", shuffled)
			slices.SortFunc(times, func(a, b int64) int { return int(max(-1, min(1, b-a))) })
			descending := newScript()
			for _, at := range times {
				descending.one(at)
			}
			if !c.try(s, "times that descend", descending.over(now+3*w, l)) {
				return
			}
		}
	}
}

// lateStart begins at many instants between 0 and the end of time.
func lateStart(c *check) {
	const second = 1_000_000_000
	starts := []int64{
		0, 1, second, 1<<31 - 5e8, 1<<32 - 5e8, (1<<31 - 1) * 1_000_000, (1<<32 - 1) * 1_000_000, (1<<31 - 1) * 1_000, (1<<32 - 1) * 1_000,
		1<<53 - 1, 1_000_000_007 * second, 1_700_000_000*second + 123_456_789, (1<<31 - 1) * second, (1<<32 - 1) * second, 8_000_000_000 * second,
	}
	for _, s := range c.usual() {
		l, w := s.scale.Max, s.scale.Window
		if !fits(w, 40) {
			continue
		}
		for _, t := range starts {
			c.try(s, "a start at an odd time", newScript().over(t, l).over(t+1, 1).over(t+w/2, l).over(t+w+1, l).one(t+w+w/2).over(t+3*w, l))
			aligned := t - t%w
			c.try(s, "across an edge late in time", newScript().over(aligned+w-1, l).over(aligned+w, l).every(aligned+w+w/7, w/5+1, 12))
			if !c.try(s, "steady late in time", newScript().every(t-min(t, w), w/l+1, int(min(2*l+4, 100)))) {
				return
			}
		}
	}
}
