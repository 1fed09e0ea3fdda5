package keyed

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A words is a table of clients whose state is one word (see rule): open addressing in segments of at most 64 KiB.
//
// A decision finds its client without a lock and changes the word by compare-and-swap. Everything else (a new client,
// growth, reclaiming, a change of the limit) takes the segment's lock; what changes more than one slot makes a new segment
// and freezes the words of the old one, so that nobody can change a word that has been copied. A slot is never given to
// another client, so a word that compares equal is the same client's.
type words struct {
	windows
	edition   atomic.Pointer[edition]
	due       atomic.Int64 // when the sweeper is
	directory directory[segment]
	keep      int64

	_ [64]byte // what is below changes often
	population
	sweeper
	changing sync.Mutex // one change of the limit at a time
}

// An edition is the rule between two changes of the limit.
type edition struct {
	rule
	later atomic.Pointer[edition]
}

type slot struct {
	hash uint64
	word uint64 // 0: the slot is free
}

const (
	slotBytes = 16
	// mostSlots is what a segment splits at: 64 KiB, some ten microseconds of copying.
	mostSlots = 4096
	// A segment is full at 84 % and has 70 % after that, which makes 19 to 23 bytes a client.
	fullPercent, freshPercent = 84, 70
)

type segment struct {
	rule
	slots []slot
	base  int64 // window that the words count from
	end   int64 // first window beyond their reach
	place
	edition *edition // that the rule is from

	_       [64]byte // what is below changes
	mu      sync.Mutex
	used    int
	retired bool // another segment has taken over
}

const segmentBytes = int64(unsafe.Sizeof(segment{}))

func newWords(r rule, window int64, p plan) *words {
	t := &words{keep: p.keep, population: population{most: p.most, policy: p.policy}, sweeper: sweeper{period: p.period}}
	t.windows.init(window)
	t.edition.Store(&edition{rule: r})
	first := newSegment(t.edition.Load(), place{}, 0, t.newest.Load())
	first.end = first.base // so that the first request gives it a base
	t.bytes.Add(first.bytes())
	t.directory.init(first)
	return t
}

// newSegment returns one with room for so many clients and at least one more.
func newSegment(e *edition, at place, clients int, base int64) *segment {
	n := max(4, (clients+1)*100/freshPercent)
	// The allocator rounds up: what it gives is used.
	slots := append([]slot(nil), make([]slot, n)...)
	slots = slots[:cap(slots)]
	return &segment{rule: e.rule, edition: e, slots: slots, base: base, end: base + e.reach(), place: at}
}

func (s *segment) bytes() int64 { return int64(len(s.slots))*slotBytes + segmentBytes }

func (s *segment) full() bool { return s.used >= len(s.slots)*fullPercent/100 }

func (t *words) decide(hash uint64, now, cost int64) bool {
	at := t.at(now)
	if now >= t.due.Load() {
		t.sweepStep(now)
	}
	for {
		s := t.directory.of(hash)
		if t.current(s, at) {
			if ok, done := s.decide(hash, t.clamp(s, at), cost); done {
				return ok
			}
		}
		if ok, done := t.enroll(s, hash, at, cost); done {
			return ok
		}
	}
}

// current reports whether the segment follows the rule in force and reaches the instant.
func (t *words) current(s *segment, at instant) bool {
	return s.edition == t.edition.Load() && at.index < s.end
}

// clamp moves an instant before the segment's base there: that is at least a quarter of what a word reaches behind
// the newest instant, beyond what anything can be remembered of.
func (t *words) clamp(s *segment, at instant) instant {
	if at.index < s.base {
		return t.start(s.base)
	}
	return at
}

// find returns the slot of a client, nil if there is none (yet).
func (s *segment) find(hash uint64) *slot {
	slots := s.slots
	i, _ := bits.Mul64(hash<<s.depth, uint64(len(slots)))
	for ; ; i++ {
		if i == uint64(len(slots)) {
			i = 0
		}
		c := &slots[i]
		switch atomic.LoadUint64(&c.hash) {
		case hash: // a free slot has hash 0, and one that is just being taken no word
			if atomic.LoadUint64(&c.word) == 0 {
				return nil
			}
			return c
		case 0:
			if atomic.LoadUint64(&c.word) == 0 {
				return nil
			}
		}
	}
}

// decide fails for a client that is not there and one that is being moved.
func (s *segment) decide(hash uint64, at instant, cost int64) (ok, done bool) {
	c := s.find(hash)
	if c == nil {
		return false, false
	}
	for {
		word := atomic.LoadUint64(&c.word)
		if word&frozen != 0 {
			return false, false
		}
		next, ok := s.rule.decide(word, s.base, at, cost)
		if next == word || atomic.CompareAndSwapUint64(&c.word, word, next) {
			return ok, true
		}
	}
}

// enroll decides the first request of a client, or prepares its segment so that another try succeeds.
func (t *words) enroll(s *segment, hash uint64, at instant, cost int64) (ok, done bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.retired:
		return false, false
	case !t.current(s, at):
		t.rebuild(s, false)
		return false, false
	case s.find(hash) != nil:
		return false, false
	case s.full():
		t.rebuild(s, false)
		return false, false
	}
	if !t.admit() {
		t.hurry(&t.due)
		switch t.policy {
		case Admit:
			return cost <= s.most(), true
		case Evict:
			if s.used > 0 {
				t.rebuild(s, true)
				return false, false
			}
		}
		return false, true
	}
	at = t.clamp(s, at)
	word, ok := s.rule.decide(s.fresh(s.base, at), s.base, at, cost)
	s.insert(hash, word)
	return ok, true
}

// insert needs the lock, or a segment that nobody knows yet.
func (s *segment) insert(hash, word uint64) {
	i, _ := bits.Mul64(hash<<s.depth, uint64(len(s.slots)))
	for atomic.LoadUint64(&s.slots[i].word) != 0 {
		if i++; i == uint64(len(s.slots)) {
			i = 0
		}
	}
	atomic.StoreUint64(&s.slots[i].hash, hash)
	atomic.StoreUint64(&s.slots[i].word, word)
	s.used++
}

// A view is what a client's word holds, without a trace of the look.
type view struct {
	rule
	word uint64 // 0: there is no such client
	base int64
	at   instant
}

func (t *words) look(hash uint64, now int64) view {
	at := t.windows.look(now)
	for {
		s := t.directory.of(hash)
		if s.edition == t.edition.Load() {
			if c := s.find(hash); c != nil {
				if word := atomic.LoadUint64(&c.word); word&frozen == 0 {
					return t.view(s, word, at)
				}
			}
		}
		s.mu.Lock()
		switch {
		case s.retired:
		case s.edition != t.edition.Load():
			t.rebuild(s, false)
		case s.find(hash) == nil:
			s.mu.Unlock()
			return view{rule: s.rule}
		}
		s.mu.Unlock()
	}
}

// view brings the instant, which may lie anywhere, into the word's reach.
func (t *words) view(s *segment, word uint64, at instant) view {
	v := view{s.rule, word, s.base, t.clamp(s, at)}
	if at.index < s.end {
		return v
	}
	v.base = at.index - s.reach()/4
	if s.seen(word, s.base) < v.base { // long idle, though not forgotten yet
		v.word = s.fresh(v.base, at)
	} else {
		v.word = s.shift(word, v.base-s.base)
	}
	return v
}

func (t *words) remaining(hash uint64, now int64) int64 {
	v := t.look(hash, now)
	if v.word == 0 {
		return t.newcomer(v.most())
	}
	return v.remaining(v.word, v.base, v.at)
}

func (t *words) wait(hash uint64, now, cost int64) (int64, bool) {
	v := t.look(hash, now)
	switch {
	case cost > v.most():
		return 0, false
	case v.word == 0:
		return 0, t.newcomer(1) > 0
	}
	return v.wait(v.word, v.base, v.at, cost), true
}

func (t *words) setLimit(limit, now int64) error {
	t.changing.Lock()
	defer t.changing.Unlock()
	e := t.edition.Load()
	r, ok := e.withLimit(limit, now)
	if !ok || r.reach() < 4*t.keep {
		return errLimitBeyond(limit)
	}
	later := &edition{rule: r}
	e.later.Store(later)
	t.edition.Store(later)
	return nil
}

func (t *words) touch(hash uint64) uint64 {
	s := t.directory.of(hash)
	i, _ := bits.Mul64(hash<<s.depth, uint64(len(s.slots)))
	return atomic.LoadUint64(&s.slots[i].hash)
}

func (t *words) size() int64 { return t.bytes.Load() + t.directory.bytes() }
