package keyed

import (
	"math"
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A logs is a table of exact logs: for each client a stream of the times that count (see nibbles.go) in a block of its
// own, the blocks of a segment side by side in one arena. A decision holds the segment's lock. What moves blocks moves
// those of one segment, at most mostArena bytes unless a single client needs more.
type logs struct {
	windows
	limit     atomic.Int64
	full      atomic.Int64 // bytes of the records that this limit allows
	due       atomic.Int64
	directory directory[logSegment]
	keep      int64
	reach     uint64 // the greatest age that counts
	wide      bool   // heads have 32 bytes instead of 16

	_ [64]byte // what is below changes often
	population
	sweeper
}

const (
	mostLogSlots = 1024
	mostArena    = 256 << 10
	// A log's words are looked at under a lock and one by one, so that they may stand closer.
	logFullPercent, logFreshPercent = 90, 82

	mostLogLimit = 1<<18 - 1
	// Heads of 16 bytes hold times within 2^48 ns of each other and blocks of up to 32 KiB.
	narrowWindow, narrowBlock = 1 << 44, 30 << 10
)

type logSegment struct {
	slots []logSlot
	place

	mu      sync.Mutex // for all below and the slots
	retired bool
	used    int
	start   int64  // what narrow heads count their clocks from
	most    int    // arena at which to try to split
	arena   []byte // 8 bytes more than blocks take, so that get and put may look beyond
	next    int    // where the next block goes
	live    int    // bytes of blocks in use
}

const logSegmentBytes = int64(unsafe.Sizeof(logSegment{}))

// A logSlot is a client: its hash, and where its block is.
type logSlot struct {
	hash uint64
	ref  ref // 0: the slot is free
}

// A ref says where a block begins and how long it is, both in words of 4 bytes, what its log holds in total, and
// whether the client's clock is past the last record.
//
//	bit 0 set | 1 late | 2.. size (20) | 22.. offset (22) | 44.. total (20)
type ref uint64

const wordBytes = 4

func newRef(offset, size int, total int64, late bool) ref {
	r := ref(1) | ref(size/wordBytes)<<2 | ref(offset/wordBytes)<<22 | ref(total)<<44
	if late {
		r |= 2
	}
	return r
}

func (r ref) late() bool   { return r&2 != 0 }
func (r ref) size() int    { return int(r>>2&(1<<20-1)) * wordBytes }
func (r ref) offset() int  { return int(r>>22&(1<<22-1)) * wordBytes }
func (r ref) total() int64 { return int64(r >> 44) }

func newLogs(limit, window int64, open bool, p plan) (*logs, bool) {
	if limit > mostLogLimit || uint64(window) > mostWait {
		return nil, false
	}
	t := &logs{keep: p.keep, reach: uint64(window)}
	t.most, t.policy, t.period = p.most, p.policy, p.period
	if open {
		t.reach--
	}
	t.wide = window >= narrowWindow || p.keep > narrowWindow/window || fullNibbles(uint64(limit), uint64(window))/2 > narrowBlock
	t.windows.init(window)
	t.limit.Store(limit)
	t.full.Store(fullBytes(limit, t.window))
	first := t.newSegment(place{}, 0, 0)
	t.bytes.Add(first.bytes())
	t.directory.init(first)
	return t, true
}

// newSegment returns one with room for so many clients and at least one more, and for blocks of so many bytes.
func (t *logs) newSegment(at place, clients, blocks int) *logSegment {
	n := max(4, (clients+1)*100/logFreshPercent+1)
	slots := append([]logSlot(nil), make([]logSlot, n)...)
	s := &logSegment{slots: slots[:cap(slots)], place: at, arena: newArena(blocks), start: t.narrowStart()}
	s.most = max(mostArena, s.room()+s.room()/4)
	return s
}

// narrowStart is a quarter of a narrow head's reach before the newest window.
func (t *logs) narrowStart() int64 {
	const behind = 1 << 46
	if newest := t.newest.Load(); newest > math.MinInt64/int64(t.window) {
		if at := t.windows.start(newest).now; at > math.MinInt64+behind {
			return at - behind
		}
	}
	return math.MinInt64
}

// arenaSlack is the free room that a new arena gets besides blocks of so many bytes: it pays for closing gaps, and is spent on
// small blocks, which are the ones that move often.
func arenaSlack(blocks int) int { return min(blocks/8, 3<<10) + 64 }

func newArena(blocks int) []byte {
	n := wholePages(blocks + arenaSlack(blocks))
	if n < blocks+arenaSlack(blocks)/2 {
		n += 8 << 10
	}
	b := append([]byte(nil), make([]byte, n)...)
	return b[:cap(b)]
}

func (s *logSegment) bytes() int64 {
	return int64(len(s.slots))*int64(unsafe.Sizeof(logSlot{})) + int64(len(s.arena)) + logSegmentBytes
}

func (s *logSegment) full() bool { return s.used >= len(s.slots)*logFullPercent/100 }

// room is what the arena holds.
func (s *logSegment) room() int { return len(s.arena) - 8 }

func (s *logSegment) index(hash uint64) uint64 {
	i, _ := bits.Mul64(hash<<s.depth, uint64(len(s.slots)))
	return i
}

// find returns the slot of a client, or the free one where it would go.
func (s *logSegment) find(hash uint64) *logSlot {
	for i := s.index(hash); ; i++ {
		if i == uint64(len(s.slots)) {
			i = 0
		}
		if c := &s.slots[i]; c.ref == 0 || c.hash == hash {
			return c
		}
	}
}

// touch brings the clients' slots into the cache.
func (t *logs) touch(hashes []uint64) {
	for _, hash := range hashes {
		s := t.directory.of(hash)
		atomic.LoadUint64(&s.slots[s.index(hash)].hash)
	}
}

// lock returns the segment of a hash, locked.
func (t *logs) lock(hash uint64) *logSegment {
	for {
		s := t.directory.of(hash)
		s.mu.Lock()
		if !s.retired {
			return s
		}
		s.mu.Unlock()
	}
}

func (t *logs) decide(hash uint64, now, cost int64) bool {
	t.at(now)
	if now >= t.due.Load() {
		t.sweepStep(now)
	}
	for {
		s := t.lock(hash)
		ok, done := t.try(s, hash, now, cost)
		s.mu.Unlock()
		if done {
			return ok
		}
	}
}

// try decides in a segment whose lock is held, or replaces it so that another try finds room.
func (t *logs) try(s *logSegment, hash uint64, now, cost int64) (ok, done bool) {
	if !t.wide && uint64(now)-uint64(s.start) >= 1<<48 {
		switch {
		case s.used == 0:
			s.start = t.narrowStart()
		case now > s.start:
			t.move(s.place, false, s)
			return false, false
		}
		now = max(now, s.start)
	}
	c := s.find(hash)
	if c.ref == 0 {
		if s.full() {
			t.move(s.place, false, s)
			return false, false
		}
		if !t.admit() {
			return t.turnAway(s, cost)
		}
		b := block{last: now}
		fresh := t.allocate(s, t.headBytes()+2*wordBytes)
		atomic.StoreUint64(&c.hash, hash)
		c.ref = newRef(fresh, t.headBytes()+2*wordBytes, 0, false)
		t.store(s, c, b)
		s.used++
	}
	ok = t.ask(s, c, now, cost)
	if s.room() > s.most && s.used > 1 {
		t.move(s.place, false, s)
	}
	return ok, true
}

func (t *logs) turnAway(s *logSegment, cost int64) (ok, done bool) {
	t.hurry(&t.due)
	switch t.policy {
	case Admit:
		return cost <= t.limit.Load(), true
	case Evict:
		if s.used > 0 {
			t.move(s.place, true, s)
			return false, false
		}
	}
	return false, true
}

// ask is the algorithm.
func (t *logs) ask(s *logSegment, c *logSlot, now, cost int64) bool {
	b := t.load(s, c)
	now = max(now, b.last)
	b.expire(s.arena, now, t.reach)
	limit := t.limit.Load()
	ok := cost <= limit && b.total <= limit-cost
	switch {
	case ok:
		if b.total == 0 {
			b.oldest, b.newest, b.head, b.tail = now, now, 0, 0
		}
		delta := uint64(now) - uint64(b.newest)
		t.reserve(s, c, &b, recordSize(delta, cost))
		writeRecord(s.arena[c.ref.offset()+t.headBytes():], b.tail, delta, cost)
		b.tail += recordSize(delta, cost)
		b.total += cost
		b.newest = now
	case b.total > 0 && now > b.newest:
		t.reserve(s, c, &b, 1+nibblesOf(uint64(now)-uint64(b.newest)))
	}
	b.last = now
	t.store(s, c, b)
	return ok
}

func (t *logs) remaining(hash uint64, now int64) int64 {
	limit := t.limit.Load()
	s := t.lock(hash)
	defer s.mu.Unlock()
	c := s.find(hash)
	if c.ref == 0 {
		return t.newcomer(limit)
	}
	b := t.load(s, c)
	b.expire(s.arena, max(now, b.last), t.reach)
	return max(0, limit-b.total)
}

func (t *logs) wait(hash uint64, now, cost int64) (int64, bool) {
	limit := t.limit.Load()
	if cost > limit {
		return 0, false
	}
	s := t.lock(hash)
	defer s.mu.Unlock()
	c := s.find(hash)
	if c.ref == 0 {
		return 0, t.newcomer(1) > 0
	}
	b := t.load(s, c)
	b.expire(s.arena, max(now, b.last), t.reach)
	leaves := now
	for b.total > limit-cost {
		// The earliest time that the oldest does not count at; it may lie beyond int64, the distance does not.
		leaves = int64(uint64(b.oldest) + t.reach + 1)
		b.pop(s.arena)
	}
	return int64(uint64(leaves) - uint64(now)), true
}

func (t *logs) setLimit(limit, _ int64) error {
	if limit > mostLogLimit || !t.wide && fullNibbles(uint64(limit), t.window)/2 > narrowBlock {
		return errLimitBeyond(limit)
	}
	t.limit.Store(limit)
	t.full.Store(fullBytes(limit, t.window))
	return nil
}

func (t *logs) size() int64 { return t.bytes.Load() + t.directory.bytes() }
