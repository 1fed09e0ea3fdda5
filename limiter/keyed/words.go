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
	mostLines int // that a segment splits at

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

// A line is what the processor fetches at once: a client is nearly always in the line that its hash chooses, or else in
// one of the next.
type line [4]slot

type slot struct {
	hash uint64 // 0: the slot is free
	word uint64 // set before the hash
}

const (
	lineSlots = len(line{})
	lineBytes = 64
	// segmentLines is what a segment splits at: 128 KiB, some hundred microseconds of copying.
	segmentLines = 2048
	// A segment is full at 85 % and has 72 % after that, 4 % more or less, which makes 19 to 24 bytes a client.
	fullPercent, freshPercent = 85, 72
)

type segment struct {
	lines []line
	base  int64 // window that the words count from
	end   int64 // first window beyond their reach
	place
	edition *edition // that the words follow

	// The above is all that decisions look at and fills a line, the below changes.
	mu      sync.Mutex
	used    int
	retired bool // another segment has taken over
	_       [40]byte
}

const segmentBytes = int64(unsafe.Sizeof(segment{}))

func newWords(r rule, window int64, p plan) *words {
	t := &words{keep: p.keep, mostLines: segmentLines, population: population{most: p.most, policy: p.policy}, sweeper: sweeper{period: p.period}}
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
	n := wholePages(((clients+1)*100/freshPercent+lineSlots)/lineSlots*lineBytes) / lineBytes
	// The allocator rounds up: what it gives is used.
	lines := append([]line(nil), make([]line, n)...)
	return &segment{lines: lines[:cap(lines)], edition: e, base: base, end: base + e.reach(), place: at}
}

// wholePages rounds what the allocator gives out in pages of 8 KiB, everything above 32 KiB, to the nearest number of them.
func wholePages(bytes int) int {
	const page = 8 << 10
	if bytes <= 4*page {
		return bytes
	}
	return (bytes + page/2) &^ (page - 1)
}

func (s *segment) bytes() int64 { return int64(len(s.lines))*lineBytes + segmentBytes }

func (s *segment) full() bool { return s.used >= len(s.lines)*lineSlots*fullPercent/100 }

// slots returns all of them.
func (s *segment) slots() []slot {
	return unsafe.Slice(&s.lines[0][0], len(s.lines)*lineSlots)
}

// home returns the line that a hash chooses.
func (s *segment) home(hash uint64) int {
	i, _ := bits.Mul64(hash<<(s.depth&63), uint64(len(s.lines)))
	return int(i)
}

func (t *words) decide(hash uint64, now, cost int64) bool {
	at := t.at(now)
	if now >= t.due.Load() {
		t.sweepStep(now)
	}
	for {
		s := t.directory.of(hash)
		if e := t.edition.Load(); s.edition == e && at.index < s.end {
			if ok, done := s.decide(e, hash, t.clamp(s, at), cost); done {
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
	for i := s.home(hash); ; i++ {
		if i == len(s.lines) {
			i = 0
		}
		l := &s.lines[i]
		// No branch until all four are known.
		at := lineSlots
		if atomic.LoadUint64(&l[3].hash) == hash {
			at = 3
		}
		if atomic.LoadUint64(&l[2].hash) == hash {
			at = 2
		}
		if atomic.LoadUint64(&l[1].hash) == hash {
			at = 1
		}
		if atomic.LoadUint64(&l[0].hash) == hash {
			at = 0
		}
		if at < lineSlots {
			return &l[at]
		}
		if atomic.LoadUint64(&l[lineSlots-1].hash) == 0 { // a line fills from its begin
			return nil
		}
	}
}

// decide fails for a client that is not there and one that is being moved.
func (s *segment) decide(e *edition, hash uint64, at instant, cost int64) (ok, done bool) {
	c := s.find(hash)
	if c == nil {
		return false, false
	}
	for {
		word := atomic.LoadUint64(&c.word)
		if word&frozen != 0 {
			return false, false
		}
		next, ok := e.rule.decide(word, s.base, at, cost)
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
			return cost <= s.edition.most(), true
		case Evict:
			if s.used > 0 {
				t.rebuild(s, true)
				return false, false
			}
		}
		return false, true
	}
	at = t.clamp(s, at)
	e := s.edition
	word, ok := e.decide(e.fresh(s.base, at), s.base, at, cost)
	s.insert(hash, word)
	return ok, true
}

// insert needs the lock, or a segment that nobody knows yet, and a free slot.
func (s *segment) insert(hash, word uint64) {
	for i := s.home(hash); ; i++ {
		if i == len(s.lines) {
			i = 0
		}
		for j := range s.lines[i] {
			if c := &s.lines[i][j]; atomic.LoadUint64(&c.hash) == 0 {
				atomic.StoreUint64(&c.word, word)
				atomic.StoreUint64(&c.hash, hash)
				s.used++
				return
			}
		}
	}
}

// A view is what a client's word holds, without a trace of the look.
type view struct {
	rule
	known bool
	word  uint64
	base  int64
	at    instant
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
			return view{rule: s.edition.rule}
		}
		s.mu.Unlock()
	}
}

// view brings the instant, which may lie anywhere, into the word's reach.
func (t *words) view(s *segment, word uint64, at instant) view {
	v := view{s.edition.rule, true, word, s.base, t.clamp(s, at)}
	if at.index < s.end {
		return v
	}
	v.base = at.index - v.reach()/4
	if v.seen(word, s.base) < v.base { // long idle, though not forgotten yet
		v.word = v.fresh(v.base, at)
	} else {
		v.word = v.shift(word, v.base-s.base)
	}
	return v
}

func (t *words) remaining(hash uint64, now int64) int64 {
	v := t.look(hash, now)
	if !v.known {
		return t.newcomer(v.most())
	}
	return v.remaining(v.word, v.base, v.at)
}

func (t *words) wait(hash uint64, now, cost int64) (int64, bool) {
	v := t.look(hash, now)
	switch {
	case cost > v.most():
		return 0, false
	case !v.known:
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

func (t *words) touch(hashes []uint64) {
	for _, hash := range hashes {
		s := t.directory.of(hash)
		atomic.LoadUint64(&s.lines[s.home(hash)][0].hash)
	}
}

func (t *words) size() int64 { return t.bytes.Load() + t.directory.bytes() }
