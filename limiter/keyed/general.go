package keyed

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/rlbench/rlbench/limiter"
)

// A general table holds any limiter.Limiter, in maps behind locks: what the packed tables can't hold.
type general struct {
	spec   limiter.Spec
	terms  atomic.Pointer[terms]
	own    bool // the spec has limits of its own
	keep   uint64
	due    atomic.Int64
	newest atomic.Int64
	shards []shard // a power of two of them
	shift  uint8   // hash>>1>>shift is a shard's number
	population
	sweeper
}

const (
	mostShards = 256
	// So many clients of the bound fall to each shard at least, so that Evict has a choice.
	leastPerShard = 64
	// mostForgotten bounds the clients that one call takes out of a map.
	mostForgotten = 64
	// What a map takes for each client: its slot of 16 bytes with a control byte, at 7/16 to 7/8 full, and the client itself.
	generalBytes = 28 + 64
)

type shard struct {
	mu      sync.Mutex
	clients map[uint64]*client
	peak    int // most clients since the map was made
	recent  client
	_       [64]byte
}

// A client is in its shard's ring, in order of the last request: recent.later is the one that has been idle longest.
type client struct {
	limiter.Limiter
	hash           uint64
	seen           int64 // latest time told
	terms          *terms
	earlier, later *client
}

func newGeneral(spec limiter.Spec, run limiter.Limit, p plan, keep uint64) *general {
	t := &general{spec: spec}
	t.most, t.policy, t.period = p.most, p.policy, p.period
	t.own = slices.Equal(spec.Limits(run), spec.Limits(limiter.Limit{}))
	t.terms.Store(newTerms(spec, run))
	t.keep = max(keep, t.terms.Load().saturated())
	t.newest.Store(math.MinInt64)
	t.shift = 63
	for n := int64(1); n < mostShards && p.most/(2*n) >= leastPerShard; n *= 2 {
		t.shift--
	}
	t.shards = make([]shard, 1<<(63-t.shift))
	for i := range t.shards {
		s := &t.shards[i]
		s.clients = map[uint64]*client{}
		s.recent.earlier, s.recent.later = &s.recent, &s.recent
	}
	return t
}

func (t *general) shard(hash uint64) *shard { return &t.shards[hash>>1>>t.shift] }

func (t *general) touch([]uint64) {}

func (t *general) decide(hash uint64, now, cost int64) bool {
	newest := t.newest.Load()
	for now > newest && !t.newest.CompareAndSwap(newest, now) {
		newest = t.newest.Load()
	}
	if now >= t.due.Load() {
		t.sweepStep(now)
	}
	terms := t.terms.Load()
	s := t.shard(hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.clients[hash]
	if c == nil {
		if !t.admit() {
			t.hurry(&t.due)
			switch {
			case t.policy == Admit:
				return must(t.spec.New(terms.run)).Allow(now, cost)
			case t.policy == Refuse || len(s.clients) == 0:
				return false
			}
			t.forget(s, s.recent.later)
			t.clients.Add(1)
		}
		c = &client{Limiter: must(t.spec.New(terms.run)), hash: hash, terms: terms, seen: now}
		s.clients[hash] = c
		s.peak = max(s.peak, len(s.clients))
		s.link(c)
	} else {
		if c.terms != terms {
			c.Limiter, c.terms = must(t.spec.New(terms.run)), terms
		}
		c.unlink()
		s.link(c)
		c.seen = max(c.seen, now)
	}
	return c.Allow(now, cost)
}

func must(l limiter.Limiter, err error) limiter.Limiter {
	if err != nil {
		panic(err) // New and setLimit have made one with the same limit
	}
	return l
}

// link makes c the most recent.
func (s *shard) link(c *client) {
	c.earlier, c.later = s.recent.earlier, &s.recent
	c.earlier.later, s.recent.earlier = c, c
}

func (c *client) unlink() { c.earlier.later, c.later.earlier = c.later, c.earlier }

func (t *general) forget(s *shard, c *client) {
	c.unlink()
	delete(s.clients, c.hash)
	t.clients.Add(-1)
}

func (t *general) sweepStep(now int64) (roundEnded bool) {
	return t.sweep(now, &t.due, int64(len(t.shards)), t.step)
}

// step forgets the idle clients of one shard, or as many as one call may; then the shard's turn is not over.
func (t *general) step(hash uint64) uint64 {
	s := t.shard(hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	newest := t.newest.Load()
	for range mostForgotten {
		c := s.recent.later
		if c == &s.recent || c.seen > newest || uint64(newest)-uint64(c.seen) < t.keep {
			s.shrink()
			return hash + 1<<(t.shift+1)
		}
		t.forget(s, c)
	}
	return hash
}

// shrink gives back what a map keeps of its largest size.
func (s *shard) shrink() {
	if s.peak < mostForgotten || len(s.clients) > s.peak/8 {
		return
	}
	smaller := make(map[uint64]*client, len(s.clients))
	for hash, c := range s.clients {
		smaller[hash] = c
	}
	s.clients, s.peak = smaller, len(smaller)
}

func (t *general) setLimit(max, _ int64) error {
	if t.own {
		return fmt.Errorf("the limit of %s can't change: it is written in the spec itself; make a new limiter", t.spec)
	}
	run := limiter.Limit{Max: max, Window: t.terms.Load().run.Window}
	if _, err := t.spec.New(run); err != nil {
		return err
	}
	t.terms.Store(newTerms(t.spec, run))
	return nil
}

func (t *general) size() int64 {
	return int64(len(t.shards))*int64(unsafe.Sizeof(shard{})) + t.clients.Load()*generalBytes
}

// peek calls see with the parts of a client's limiter under its lock; a client that is not there has fresh ones.
func (t *general) peek(hash uint64, see func(parts []part)) (known bool) {
	terms := t.terms.Load()
	s := t.shard(hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.clients[hash]
	if c == nil || c.terms != terms {
		see(terms.partsOf(must(t.spec.New(terms.run))))
		return c != nil
	}
	see(terms.partsOf(c.Limiter))
	return true
}

func (t *general) remaining(hash uint64, now int64) (least int64) {
	least = math.MaxInt64
	known := t.peek(hash, func(parts []part) {
		for _, p := range parts {
			least = min(least, p.remaining(now))
		}
	})
	if !known {
		return t.newcomer(least)
	}
	return least
}

func (t *general) wait(hash uint64, now, cost int64) (longest int64, ever bool) {
	ever = true
	known := t.peek(hash, func(parts []part) {
		for _, p := range parts {
			d, ok := p.wait(now, cost)
			longest, ever = max(longest, d), ever && ok
		}
	})
	if !ever || !known && t.newcomer(1) == 0 {
		return 0, false
	}
	return longest, true
}

// terms are the limits between two changes, and the most that each part of the limiter admits at once.
type terms struct {
	run    limiter.Limit
	limits []limiter.Limit
	most   []int64
}

func newTerms(spec limiter.Spec, run limiter.Limit) *terms {
	t := &terms{run: run, limits: spec.Limits(run)}
	for _, l := range joined(must(spec.New(run))) {
		t.most = append(t.most, mostOf(l))
	}
	return t
}

// joined returns what a request has to pass: all that a multi joins, or the limiter itself.
func joined(l limiter.Limiter) []limiter.Limiter {
	if multi, ok := l.(interface{ Parts() []limiter.Limiter }); ok {
		return multi.Parts()
	}
	return []limiter.Limiter{l}
}

func (t *terms) partsOf(l limiter.Limiter) []part {
	var parts []part
	for i, l := range joined(l) {
		parts = append(parts, part{l, t.most[i], t.limits[i].Window})
	}
	return parts
}

// saturated is how long a part may take to earn all that it admits at once, and a window, if that is more than its limit.
func (t *terms) saturated() (longest uint64) {
	for i, most := range t.most {
		l := t.limits[i]
		if most == math.MaxInt64 || most <= l.Max {
			continue
		}
		hi, lo := bits.Mul64(uint64(most), uint64(l.Window))
		if hi >= uint64(l.Max)/2 {
			return 1 << 63
		}
		q, _ := bits.Div64(hi, lo, uint64(l.Max))
		longest = max(longest, q+uint64(l.Window))
	}
	return longest
}

// mostOf returns the largest cost that a fresh limiter admits.
func mostOf(fresh limiter.Limiter) int64 {
	most, beyond := int64(0), uint64(1<<63)
	for beyond-uint64(most) > 1 {
		cost := int64((uint64(most) + beyond) / 2)
		fresh.Reset()
		if fresh.Allow(0, cost) {
			most = cost
		} else {
			beyond = uint64(cost)
		}
	}
	return most
}

// A part is a limiter with what it admits at most at once.
type part struct {
	limiter.Limiter
	most   int64
	window int64
}

func (p part) remaining(now int64) int64 {
	v, ok := p.Limiter.(limiter.Viewer)
	if !ok {
		return p.most
	}
	c := v.Count(now)
	left := p.most - c.Whole
	if left <= 0 || c.Part == 0 || c.Num == 0 {
		return max(0, left)
	}
	hi := scaleUp(uint64(c.Part), uint64(c.Num), uint64(p.window))
	if hi >= uint64(left) {
		return 0
	}
	return left - int64(hi)
}

// wait searches for the first time when enough remains: while nothing is asked, what counts only shrinks.
func (p part) wait(now, cost int64) (int64, bool) {
	if cost > p.most {
		return 0, false
	}
	fits := func(d int64) bool { return p.remaining(now+d) >= cost }
	far := int64(1)
	for !fits(min(far, math.MaxInt64-max(now, 0))) {
		if far >= math.MaxInt64-max(now, 0) {
			return 0, false
		}
		if far *= 2; far < 0 {
			far = math.MaxInt64
		}
	}
	far = min(far, math.MaxInt64-max(now, 0))
	if fits(0) {
		return 0, true
	}
	lo, hi := int64(0), far // not yet at lo, fits at hi
	for hi-lo > 1 {
		if mid := lo + (hi-lo)/2; fits(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi, true
}
