package keyed

import (
	"sync"
	"sync/atomic"
)

// allocate returns the offset of a new block.
func (t *logs) allocate(s *logSegment, size int) int {
	at, _ := t.allocateFor(s, nil, size)
	return at
}

// allocateFor returns the offset of a new block that is to replace c's, and whether all blocks have moved.
func (t *logs) allocateFor(s *logSegment, c *logSlot, size int) (at int, moved bool) {
	if s.next+size > s.room() {
		t.compact(s, size)
		moved = true
	}
	at = s.next
	s.next += size
	s.live += size
	return at, moved
}

// Arenas that compact copies through.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

// compact closes the gaps between blocks, in a bigger arena if little would be free.
func (t *logs) compact(s *logSegment, size int) {
	need := s.live + size
	from, into := s.arena, s.arena
	spare := scratch.Get().(*[]byte)
	defer scratch.Put(spare)
	if need+arenaSlack(need)/2 > s.room() {
		into = newArena(need)
		t.bytes.Add(int64(len(into) - len(from)))
	} else {
		*spare = append((*spare)[:0], from...)
		from = *spare
	}
	next := 0
	for i := range s.slots {
		if c := &s.slots[i]; c.ref != 0 {
			n := copy(into[next:], from[c.ref.offset():c.ref.offset()+c.ref.size()])
			c.ref = newRef(next, n, c.ref.total(), c.ref.late())
			next += n
		}
	}
	s.arena, s.next = into, next
}

// A keptLog is a client on its way to another segment.
type keptLog struct {
	hash uint64
	from *logSegment
	block
}

// move puts the clients of some segments, whose locks are held, where place says: without those that are idle and, with
// evict, an eighth that has not asked for longest. Blocks get the size that they need and a sixteenth more.
func (t *logs) move(to place, evict bool, from ...*logSegment) {
	newest := t.newest.Load()
	var kept []keptLog
	used := 0
	for _, s := range from {
		used += s.used
		for i := range s.slots {
			c := &s.slots[i]
			if c.ref == 0 {
				continue
			}
			if b := t.load(s, c); t.seen(b) > newest-t.keep {
				kept = append(kept, keptLog{c.hash, s, b})
			}
		}
	}
	if evict && len(kept) == used {
		kept = t.evict(kept)
	}
	upper, bytes := 0, 0
	for i := range kept {
		upper += int(kept[i].hash << to.depth >> 63)
		bytes += t.trimmed(&kept[i].block)
	}
	slots := (len(kept) + 1) * 100 / logFreshPercent
	if (slots > mostLogSlots || bytes > mostArena*7/8) && upper > 0 && upper < len(kept) {
		low, high := t.settle(to.half(0), kept), t.settle(to.half(1), kept)
		t.bytes.Add(low.bytes() + high.bytes())
		t.directory.split(to, low, high)
	} else {
		low := t.settle(to, kept)
		t.bytes.Add(low.bytes())
		if len(from) == 2 {
			t.directory.merge(to, low)
		} else {
			t.directory.replace(to, low)
		}
	}
	for _, s := range from {
		s.retired = true
		t.bytes.Add(-s.bytes())
		s.arena = nil
	}
	t.clients.Add(int64(len(kept) - used))
}

// evict drops some of those last seen in the oldest window, up to an eighth of all.
func (t *logs) evict(kept []keptLog) []keptLog {
	oldest := t.seen(kept[0].block)
	for i := range kept {
		oldest = min(oldest, t.seen(kept[i].block))
	}
	left := (len(kept) + 7) / 8
	stay := kept[:0]
	for _, k := range kept {
		if left > 0 && t.seen(k.block) == oldest {
			left--
			continue
		}
		stay = append(stay, k)
	}
	return stay
}

// seen returns the window of the client's clock.
func (t *logs) seen(b block) int64 { return t.look(b.last).index }

// trimmed returns what a block is given when it moves.
func (t *logs) trimmed(b *block) int {
	held := int(b.tail+1)/2 - int(b.head/2)
	if late := uint64(b.last) - uint64(b.newest); late > 0 {
		held += int(2+nibblesOf(late)) / 2
	}
	return t.headBytes() + (min(held+held/16, max(held, int(t.full.Load())))+wordBytes-1)&^(wordBytes-1)
}

// settle makes a segment of those of the kept that belong there.
func (t *logs) settle(at place, kept []keptLog) *logSegment {
	clients, bytes := 0, 0
	for i := range kept {
		if at.holds(kept[i].hash) {
			clients++
			bytes += t.trimmed(&kept[i].block)
		}
	}
	s := t.newSegment(at, clients, bytes)
	head := t.headBytes()
	for i := range kept {
		k := &kept[i]
		if !at.holds(k.hash) {
			continue
		}
		size := t.trimmed(&k.block)
		held := k.from.arena[k.data+int(k.head/2) : k.data+int(k.tail+1)/2]
		copy(s.arena[s.next+head:], held)
		c := s.find(k.hash)
		atomic.StoreUint64(&c.hash, k.hash)
		c.ref = newRef(s.next, size, k.total, false)
		b := k.block
		b.tail -= b.head &^ 1
		b.head &= 1
		b.data, b.size = s.next+head, size-head
		t.store(s, c, b)
		s.next += size
		s.live += size
		s.used++
	}
	return s
}

// sweepStep lets the sweeper make a step.
func (t *logs) sweepStep(now int64) (roundEnded bool) {
	return t.sweep(now, &t.due, t.directory.segments.Load(), t.step)
}

// step looks at one segment and returns the place behind it. A segment with many idle clients or much free room, or one that
// fits together with its other half, is replaced.
func (t *logs) step(hash uint64) uint64 {
	s := t.lock(hash)
	newest := t.newest.Load()
	idle, needed := 0, 0
	for i := range s.slots {
		c := &s.slots[i]
		if c.ref == 0 {
			continue
		}
		if b := t.load(s, c); t.seen(b) <= newest-t.keep {
			idle++
		} else {
			needed += t.trimmed(&b)
		}
	}
	behind := s.place.next()
	loose := needed+needed/4+1024 < s.room()
	small := s.depth > 0 && s.used-idle <= mostLogSlots/6 && needed <= mostArena/6
	if !(small && t.join(s)) && (idle*4 > s.used || loose) {
		t.move(s.place, false, s)
	}
	s.mu.Unlock()
	if behind == 0 {
		t.directory.halve()
	}
	return behind
}

// join puts a segment, whose lock is held, and its other half into one, if both are small.
func (t *logs) join(s *logSegment) bool {
	other, whole := s.buddy()
	b := t.directory.of(other.prefix)
	if b.place != other || !b.mu.TryLock() {
		return false
	}
	defer b.mu.Unlock()
	if b.retired || b.used > mostLogSlots/6 || b.room() > mostArena/4 {
		return false
	}
	t.move(whole, false, s, b)
	return true
}
