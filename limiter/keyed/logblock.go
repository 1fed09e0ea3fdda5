package keyed

import (
	"encoding/binary"
)

// A block is one client's log as a decision works on it. In the arena it is a head and the records of what counts,
// from nibble head to nibble tail; behind them, if the clock is past the newest record, how far, like a delta. The narrow
// head is two words:
//
//	last-start (48 bits) | head (16)
//	last-oldest (48)     | tail (16)
//
// The wide one has a word for each.
type block struct {
	last   int64 // the client's clock
	oldest int64 // record's time
	newest int64
	head   uint // nibbles
	tail   uint
	total  int64
	data   int // where the records' bytes begin in the arena
	size   int // bytes for records
}

const narrowHead, wideHead = 16, 32

func (t *logs) headBytes() int {
	if t.wide {
		return wideHead
	}
	return narrowHead
}

func (t *logs) load(s *logSegment, c *logSlot) block {
	at := c.ref.offset()
	h := s.arena[at:]
	var b block
	if t.wide {
		h = h[:wideHead]
		b.last, b.oldest = int64(binary.LittleEndian.Uint64(h)), int64(binary.LittleEndian.Uint64(h[8:]))
		b.head, b.tail = uint(binary.LittleEndian.Uint64(h[16:])), uint(binary.LittleEndian.Uint64(h[24:]))
		b.data = at + wideHead
	} else {
		h = h[:narrowHead]
		v, w := binary.LittleEndian.Uint64(h), binary.LittleEndian.Uint64(h[8:])
		b.last = int64(uint64(s.start) + v>>16)
		b.oldest = int64(uint64(b.last) - w>>16)
		b.head, b.tail = uint(v&0xffff), uint(w&0xffff)
		b.data = at + narrowHead
	}
	b.size = c.ref.size() - (b.data - at)
	b.total = c.ref.total()
	b.newest = b.last
	if c.ref.late() {
		v := get(s.arena[b.data:], b.tail)
		b.newest = int64(uint64(b.last) - v>>4&(1<<(4*(v&15))-1))
	}
	return b
}

// store writes back what load read; what lies behind the records must have been reserved.
func (t *logs) store(s *logSegment, c *logSlot, b block) {
	late := b.total > 0 && b.last > b.newest
	if late {
		writeRecord(s.arena[b.data:], b.tail, uint64(b.last)-uint64(b.newest), 1)
	}
	if b.total == 0 {
		b.oldest, b.head, b.tail = b.last, 0, 0
	}
	h := s.arena[c.ref.offset():]
	if t.wide {
		binary.LittleEndian.PutUint64(h, uint64(b.last))
		binary.LittleEndian.PutUint64(h[8:], uint64(b.oldest))
		binary.LittleEndian.PutUint64(h[16:], uint64(b.head))
		binary.LittleEndian.PutUint64(h[24:], uint64(b.tail))
	} else {
		binary.LittleEndian.PutUint64(h, (uint64(b.last)-uint64(s.start))<<16|uint64(b.head))
		binary.LittleEndian.PutUint64(h[8:], (uint64(b.last)-uint64(b.oldest))<<16|uint64(b.tail))
	}
	c.ref = newRef(c.ref.offset(), c.ref.size(), b.total, late)
}

// expire forgets what is older than the window.
func (b *block) expire(arena []byte, now int64, reach uint64) {
	for b.total > 0 && uint64(now)-uint64(b.oldest) > reach {
		b.pop(arena)
	}
}

// pop forgets the oldest record.
func (b *block) pop(arena []byte) {
	r := readRecord(arena[b.data:], b.head)
	b.head += r.size
	b.total -= r.cost
	if b.total > 0 {
		b.oldest = int64(uint64(b.oldest) + readRecord(arena[b.data:], b.head).delta)
	}
}

// reserve makes room for so many nibbles behind the records: in the block if moving them to its begin is worth it, or else
// in a bigger one.
func (t *logs) reserve(s *logSegment, c *logSlot, b *block, nibbles uint) {
	if int(b.tail+nibbles+1)/2 <= b.size {
		return
	}
	held := s.arena[b.data+int(b.head/2) : b.data+int(b.tail+1)/2]
	need := len(held) + int(nibbles+2)/2
	if gap := int(b.head / 2); need <= b.size && gap >= b.size/100 {
		copy(s.arena[b.data:], held)
		b.tail -= b.head &^ 1
		b.head &= 1
		return
	}
	size := t.grown(need)
	head := t.headBytes()
	at, moved := t.allocateFor(s, c, size+head)
	if moved { // with all the rest
		b.data = c.ref.offset() + head
		held = s.arena[b.data+int(b.head/2) : b.data+int(b.tail+1)/2]
	}
	copy(s.arena[at+head:], held)
	s.live -= c.ref.size()
	c.ref = newRef(at, size+head, b.total, false)
	b.tail -= b.head &^ 1
	b.head &= 1
	b.data, b.size = at+head, size
}

// grown returns the bytes to give to records that need so many: somewhat more, but no more than a client that keeps
// asking ever needs.
func (t *logs) grown(need int) int {
	size := need + need/16
	if need >= 64 {
		size = need + need/2
	}
	if full := int(t.full.Load()); size > full && full >= need {
		size = full
	} else if need > full {
		size = need + need/16
	}
	return (size + wordBytes - 1) &^ (wordBytes - 1)
}

// fullBytes is what limit records take, the stretch from the last to the clock, and some room for moving to pay.
func fullBytes(limit int64, window uint64) int64 {
	n := int64(fullNibbles(uint64(limit), window)+uint64(2+2*nibblesOf(window)))/2 + 1
	return n + n/100 + 2
}
