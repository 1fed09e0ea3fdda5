package keyed

import "sync/atomic"

// rebuild replaces a segment, whose lock is held, by one or two that hold the clients that are not idle: with room for
// more, relative to a base that reaches further, under the rule in force. With evict, clients that have not asked for
// longest go too, up to an eighth of them.
func (t *words) rebuild(s *segment, evict bool) {
	t.move(s.place, evict, s)
}

// move puts the clients of some segments, whose locks are held, where place says.
func (t *words) move(to place, evict bool, from ...*segment) {
	m := mover{t: t, newest: t.newest.Load(), to: t.edition.Load()}
	if s := from[0]; len(from) == 1 && s.edition == m.to && m.newest < s.end {
		m.base = s.base
	} else {
		m.base = m.newest - m.leastReach(from)/4
	}
	for _, s := range from {
		s.freeze()
	}
	if evict {
		m.pickOldest(from)
	}
	alive, upper, used := 0, 0, 0
	for _, s := range from {
		used += s.used
		slots := s.slots()
		for i := range slots {
			if c := &slots[i]; m.stays(s, c) {
				alive++
				upper += int(c.hash << to.depth >> 63)
			}
		}
	}
	m.evictable = m.evictLimit // count anew
	low := newSegment(m.to, to, alive, m.base)
	var high *segment
	if len(low.lines) > t.mostLines && upper > 0 && upper < alive {
		low = newSegment(m.to, to.half(0), alive-upper, m.base)
		high = newSegment(m.to, to.half(1), upper, m.base)
	}
	for _, s := range from {
		slots := s.slots()
		for i := range slots {
			c := &slots[i]
			if !m.stays(s, c) {
				continue
			}
			into := low
			if high != nil && c.hash<<to.depth>>63 == 1 {
				into = high
			}
			into.insert(c.hash, m.word(s, c))
		}
	}
	t.publish(to, low, high, from)
	t.clients.Add(int64(alive - used))
}

func (t *words) publish(to place, low, high *segment, from []*segment) {
	t.bytes.Add(low.bytes())
	switch {
	case high != nil:
		t.bytes.Add(high.bytes())
		t.directory.split(to, low, high)
	case len(from) == 2:
		t.directory.merge(to, low)
	default:
		t.directory.replace(to, low)
	}
	for _, s := range from {
		s.retired = true
		t.bytes.Add(-s.bytes())
	}
}

// freeze stops all changes of words.
func (s *segment) freeze() {
	slots := s.slots()
	for i := range slots {
		atomic.OrUint64(&slots[i].word, frozen)
	}
}

type mover struct {
	t      *words
	newest int64
	base   int64 // of the new segments
	to     *edition

	// Clients last seen in the window oldest go, as many as evictable says.
	evictLimit, evictable int
	oldest                int64
}

// leastReach is that of all rules that a word passes through on its way.
func (m *mover) leastReach(from []*segment) int64 {
	least := m.to.reach()
	for _, s := range from {
		for e := s.edition; e != m.to; e = e.later.Load() {
			least = min(least, e.reach())
		}
	}
	return least
}

// pickOldest finds the window of those who have not asked for longest.
func (m *mover) pickOldest(from []*segment) {
	for _, s := range from {
		slots := s.slots()
		for i := range slots {
			if c := &slots[i]; m.stays(s, c) {
				if seen := s.edition.seen(atomic.LoadUint64(&c.word), s.base); m.evictLimit == 0 || seen < m.oldest {
					m.oldest = seen
				}
				m.evictLimit++
			}
		}
	}
	m.evictLimit = (m.evictLimit + 7) / 8
	m.evictable = m.evictLimit
}

// stays reports whether the slot holds a client that is to be kept.
func (m *mover) stays(s *segment, c *slot) bool {
	if c.hash == 0 {
		return false
	}
	seen := s.edition.seen(atomic.LoadUint64(&c.word), s.base)
	if seen <= m.newest-m.t.keep {
		return false
	}
	if m.evictable > 0 && seen == m.oldest {
		m.evictable--
		return false
	}
	return true
}

// word translates a word for the new segments.
func (m *mover) word(s *segment, c *slot) uint64 {
	word := atomic.LoadUint64(&c.word) &^ frozen
	if m.base != s.base {
		word = s.edition.shift(word, m.base-s.base)
	}
	for e := s.edition; e != m.to; {
		later := e.later.Load()
		word = later.adopt(word, m.base, e.rule)
		e = later
	}
	return word
}

// sweepStep lets the sweeper make a step.
func (t *words) sweepStep(now int64) (roundEnded bool) {
	return t.sweep(now, &t.due, t.directory.segments.Load(), t.step)
}

// step is the sweeper's: it looks at one segment and returns the place behind it. A segment with many idle clients, or one
// that fits together with its other half, is replaced.
func (t *words) step(hash uint64) (next uint64) {
	s := t.directory.of(hash)
	newest := t.newest.Load()
	idle, used := 0, 0
	slots := s.slots()
	for i := range slots {
		if atomic.LoadUint64(&slots[i].hash) == 0 {
			continue
		}
		used++
		if s.edition.seen(atomic.LoadUint64(&slots[i].word), s.base) <= newest-t.keep {
			idle++
		}
	}
	next = s.next()
	small := s.depth > 0 && used-idle <= t.mostLines*lineSlots/6
	if idle*4 > used || small {
		s.mu.Lock()
		if !s.retired && !(small && t.join(s)) && idle*4 > used {
			t.rebuild(s, false)
		}
		s.mu.Unlock()
	}
	if next == 0 {
		t.directory.halve()
	}
	return next
}

// join puts a segment, whose lock is held, and its other half into one, if both are small.
func (t *words) join(s *segment) bool {
	if s.depth == 0 {
		return false
	}
	other, whole := s.buddy()
	b := t.directory.of(other.prefix)
	if b.place != other || !b.mu.TryLock() {
		return false
	}
	defer b.mu.Unlock()
	if b.retired || b.used > t.mostLines*lineSlots/6 {
		return false
	}
	e := t.edition.Load()
	if s.edition != e || b.edition != e {
		return false
	}
	t.move(whole, false, s, b)
	return true
}
