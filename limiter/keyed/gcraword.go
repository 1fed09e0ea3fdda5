package keyed

import "math/bits"

// A gcraRule is limiter's gcra, which token-bucket and leaky-bucket equal decision by decision. Its word holds, from bit 1 on,
//
//	used | tat
//
// tat is the time when the client is back at rest, in units that make both a nanosecond and W/L whole. used is
// ceil((tat-clock)*L/W), what the client's clock finds used of the burst B; a cost fits if used + cost <= B. So the word need not hold
// the clock: a time that goes back finds too much used and takes the smaller number. (Where tat <= clock, tat is the clock.)
type gcraRule struct {
	limit, window uint64
	burst         uint64
	given         bool // the burst is its own and not the limit
	largest       uint64
	width         uint
	each          uint64 // W/L in units
	unit          uint64 // units a nanosecond
	cells         divider
	windows       int64
	changed       int64 // when this limit began
}

// leastReach is how many windows a word must tell apart at least.
const leastReach = 256

func newGCRARule(limit, window, burst uint64, given bool, largest uint64) (*gcraRule, bool) {
	if !given {
		burst = limit
	}
	largest = max(largest, burst)
	r := &gcraRule{limit: limit, window: window, burst: burst, given: given, largest: largest, width: uint(bits.Len64(largest))}
	common := gcd(limit, window)
	r.each, r.unit = window/common, limit/common
	if r.width > 32 || bits.Len64(window)+bits.Len64(r.unit) > wordBits || bits.Len64(burst)+bits.Len64(r.each) > wordBits {
		return nil, false
	}
	r.cells = newDivider(r.each)
	room := uint64(1) << (wordBits - r.width)
	if room <= burst*r.each {
		return nil, false
	}
	r.windows = int64((room-burst*r.each)/(window*r.unit)) - 1
	return r, r.windows >= leastReach
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (r *gcraRule) pack(used, tat uint64) uint64 { return (tat<<(r.width&63) | used) << 1 }

func (r *gcraRule) unpack(word uint64) (used, tat uint64) {
	return word >> 1 & (1<<(r.width&63) - 1), word >> 1 >> (r.width & 63)
}

// units returns the time of an instant in the word's terms.
func (r *gcraRule) units(base int64, at instant) uint64 {
	return (uint64(at.index-base)*r.window + at.into) * r.unit
}

// advance moves the client's clock. Afterwards used is 0 just if tat is the clock.
func (r *gcraRule) advance(word uint64, base int64, at instant) (used, tat uint64) {
	used, tat = r.unpack(word)
	now := r.units(base, at)
	switch {
	case now >= tat:
		return 0, now
	case used == 0: // now lies before the clock, which is tat
		return 0, tat
	}
	return min(used, r.cells.up(tat-now)), tat
}

func (r *gcraRule) fresh(base int64, at instant) uint64 { return r.pack(0, r.units(base, at)) }

func (r *gcraRule) decide(word uint64, base int64, at instant, cost int64) (uint64, bool) {
	used, tat := r.advance(word, base, at)
	ok := uint64(cost) <= r.burst-used
	if ok {
		used += uint64(cost)
		tat += uint64(cost) * r.each
	}
	return r.pack(used, tat), ok
}

func (r *gcraRule) remaining(word uint64, base int64, at instant) int64 {
	used, _ := r.advance(word, base, at)
	return int64(r.burst - used)
}

func (r *gcraRule) wait(word uint64, base int64, at instant, cost int64) int64 {
	used, tat := r.advance(word, base, at)
	room := r.burst - uint64(cost)
	if used <= room {
		return 0
	}
	ahead := tat - r.units(base, at) - room*r.each
	return int64((ahead + r.unit - 1) / r.unit)
}

func (r *gcraRule) seen(word uint64, base int64) int64 {
	_, tat := r.unpack(word)
	return base + int64(tat/(r.window*r.unit))
}

func (r *gcraRule) shift(word uint64, by int64) uint64 {
	used, tat := r.unpack(word)
	return r.pack(used, tat-uint64(by)*r.window*r.unit)
}

// adopt keeps what is used of the burst at the time of the change, at most the new burst.
func (r *gcraRule) adopt(word uint64, base int64, before rule) uint64 {
	b := before.(*gcraRule)
	_, tat := b.unpack(word)
	span := min(uint64(b.windows), uint64(r.windows)) * r.window
	change := uint64(0)
	if since := uint64(r.changed) - uint64(base)*r.window; int64(since) > 0 {
		change = min(since, span)
	}
	if tat <= change*b.unit {
		return r.pack(0, min(scaleUp(tat, r.unit, b.unit), change*r.unit))
	}
	ahead := tat - change*b.unit
	if ahead >= r.burst*b.each {
		ahead = r.burst * r.each
	} else {
		ahead = scaleUp(ahead, r.each, b.each)
	}
	return r.pack(r.burst, change*r.unit+ahead)
}

func (r *gcraRule) reach() int64 { return r.windows }

func (r *gcraRule) most() int64 { return int64(r.burst) }

func (r *gcraRule) withLimit(limit, now int64) (rule, bool) {
	n, ok := newGCRARule(uint64(limit), r.window, r.burst, r.given, r.largest)
	if ok {
		n.changed = now
	}
	return n, ok
}
