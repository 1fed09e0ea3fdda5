package keyed

import (
	"fmt"
	"hash/maphash"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/rlbench/rlbench/internal/units"
	"github.com/rlbench/rlbench/limiter"
)

// A Policy says what happens to a client that is not known yet when there are MaxClients already and none of them is idle.
type Policy uint8

const (
	Refuse Policy = iota // it is refused: every client keeps the algorithm's promise, and newcomers wait
	Admit                // its requests are admitted and not remembered: nobody is kept out, newcomers are not limited
	Evict                // those of its part of the table that have not asked for longest are forgotten, an eighth of a segment or one: they may begin anew
)

// DefaultClients is the bound on clients unless Options say otherwise: 400 MB of counters.
const DefaultClients = 1 << 24

// Options vary a Limiter. The zero value is what most want.
type Options struct {
	// MaxClients bounds the clients that are remembered; 0 means DefaultClients, a negative number no bound.
	MaxClients int64

	// Full is what happens when there are as many.
	Full Policy

	// Idle is how long a client must not have asked before it is forgotten, by the latest time that anybody has told. 0 means
	// three windows; the least is two, when the past has no say any more (a token bucket or GCRA with a burst above the limit
	// is kept until it is full again besides). A time told may lie behind the latest by Idle less two windows without any
	// effect on what it finds. The most is 2^62 ns.
	Idle time.Duration

	// Clock returns the time in nanoseconds for the calls that take none. nil means Unix time that never goes back: the
	// wall clock at the start, and from there on the monotonic one.
	Clock func() int64
}

// A Key is what clients are told apart by.
type Key interface{ string | uint64 }

// A Limiter decides the requests of any number of clients, each by its own state of one algorithm of package limiter. It
// is safe for concurrent use. A request of cost 0 is admitted and a negative cost is refused; neither changes anything.
type Limiter[K Key] struct {
	table table
	hash  func(K) uint64
	clock func() int64 // nil: own
	begun time.Time
	unix  int64 // at begun
}

// A table holds the clients by hash, which is never 0. Costs are at least 1.
type table interface {
	decide(hash uint64, now, cost int64) bool
	touch(hashes []uint64) // brings them into the cache
	remaining(hash uint64, now int64) int64
	wait(hash uint64, now, cost int64) (int64, bool)
	setLimit(limit, now int64) error
	sweepStep(now int64) (roundEnded bool)
	count() int64
	size() int64
}

func (p *population) count() int64 { return p.clients.Load() }

// New makes a limiter of the algorithm that spec names, with the limit run unless the spec has one of its own. It fails
// where spec.New does.
func New[K Key](spec limiter.Spec, run limiter.Limit, o Options) (*Limiter[K], error) {
	if _, err := spec.New(run); err != nil {
		return nil, err
	}
	if o.Idle < 0 || o.Idle > 1<<62 {
		return nil, fmt.Errorf("clients idle for %s: take a time from 0, which means three windows, to 146 years", units.FormatDuration(int64(o.Idle)))
	}
	if o.Full > Evict {
		return nil, fmt.Errorf("no policy %d: take Refuse, Admit or Evict", o.Full)
	}
	l := &Limiter[K]{table: newTable(spec, run, o), hash: newHash[K](), clock: o.Clock, begun: time.Now()}
	l.unix = l.begun.UnixNano()
	return l, nil
}

// newTable chooses by algorithm, options, limit and window.
func newTable(spec limiter.Spec, run limiter.Limit, o Options) table {
	limits := spec.Limits(run)
	longest := int64(0)
	for _, l := range limits {
		longest = max(longest, l.Window)
	}
	idle := max(uint64(o.Idle), 2*uint64(longest))
	if o.Idle == 0 {
		idle = 3 * min(uint64(longest), math.MaxUint64/3)
	}
	p := plan{most: o.MaxClients, policy: o.Full, period: int64(min(idle, math.MaxInt64))}
	switch {
	case p.most == 0:
		p.most = DefaultClients
	case p.most < 0:
		p.most = math.MaxInt64
	}
	limit := limits[0]
	p.keep = int64((idle-1)/uint64(limit.Window)) + 2
	if t := newPacked(spec, run, limit, p); t != nil {
		return t
	}
	return newGeneral(spec, run, p, idle)
}

// leastWindow is what the packed tables are made for: shorter windows would keep them busy with moving.
const leastWindow = int64(time.Millisecond)

// newPacked returns a table for the algorithms that have a compact form, nil if limit and window are beyond its range.
func newPacked(spec limiter.Spec, run, l limiter.Limit, p plan) table {
	body, _, _ := strings.Cut(spec.String(), "@")
	name, options, _ := strings.Cut(body, ":")
	if l.Window < leastWindow || l.Window > mostWait {
		return nil
	}
	var r rule
	var ok bool
	switch name {
	case "log":
		if !strings.Contains(options, "count=all") {
			if t, ok := newLogs(l.Max, l.Window, spec.EstimateID() == "exact:open", p); ok {
				return t
			}
		}
	case "counter":
		if options == "" {
			r, ok = newCounterRule(uint64(l.Max), 0, uint64(l.Window))
		}
	case "fixed":
		if options == "" || options == "count=all" {
			r, ok = newFixedRule(uint64(l.Max), 0, uint64(l.Window), options != "")
		}
	case "gcra", "token-bucket", "leaky-bucket":
		burst := mostOf(must(spec.New(run)))
		r, ok = newGCRARule(uint64(l.Max), uint64(l.Window), uint64(burst), options != "", 0)
	}
	if !ok || r.reach() < leastReach || r.reach() < 4*p.keep {
		return nil
	}
	return newWords(r, l.Window, p)
}

func errLimitBeyond(limit int64) error {
	return fmt.Errorf("a limit of %d is beyond what this limiter's clients can be carried over to: make a new one", limit)
}

func newHash[K Key]() func(K) uint64 {
	var k K
	if _, ok := any(k).(string); ok {
		seed := maphash.MakeSeed()
		return any(func(key string) uint64 { return max(1, maphash.String(seed, key)) }).(func(K) uint64)
	}
	a, b := rand.Uint64(), rand.Uint64()
	return any(func(key uint64) uint64 { return max(1, mix(key, a, b)) }).(func(K) uint64)
}

// mix is one to one for every a and b.
func mix(key, a, b uint64) uint64 {
	key = (key ^ a) * 0x9e3779b97f4a7c15
	key = (key ^ key>>32 ^ b) * 0xd6e8feb86659fd93
	return key ^ key>>32
}

// Now returns the time that the calls without one take.
func (l *Limiter[K]) Now() int64 {
	if l.clock != nil {
		return l.clock()
	}
	return l.unix + int64(time.Since(l.begun))
}

// Allow decides a request of cost 1 now.
func (l *Limiter[K]) Allow(key K) bool { return l.table.decide(l.hash(key), l.Now(), 1) }

// AllowN decides a request of that cost now.
func (l *Limiter[K]) AllowN(key K, cost int64) bool { return l.AllowAt(key, l.Now(), cost) }

// AllowAt decides a request at a told time. A time before the last one told for that client counts as the last one; see
// Options.Idle for how far the times of different clients may lie apart. Calls that tell the time and calls that don't
// should not be mixed, unless Options.Clock is told the same.
func (l *Limiter[K]) AllowAt(key K, now, cost int64) bool {
	if cost <= 0 {
		return cost == 0
	}
	return l.table.decide(l.hash(key), now, cost)
}

// chunk is how many requests of a batch are under way at once.
const chunk = 64

// AllowBatch decides many requests in their order and writes into admitted[i] what becomes of request i. Times may be nil,
// which means now for all, and costs, which means 1. It decides as single calls would, and is faster where the table is larger
// than the processor's caches, whose misses it lets overlap. The slices must be of one length.
func (l *Limiter[K]) AllowBatch(keys []K, times, costs []int64, admitted []bool) {
	var hashes [chunk]uint64
	now := int64(0)
	if times == nil {
		now = l.Now()
	}
	admitted = admitted[:len(keys)]
	for from := 0; from < len(keys); from += chunk {
		part := keys[from:min(from+chunk, len(keys))]
		for i, key := range part {
			hashes[i] = l.hash(key)
		}
		l.table.touch(hashes[:len(part)])
		for i := range part {
			at, cost := now, int64(1)
			if times != nil {
				at = times[from+i]
			}
			if costs != nil {
				cost = costs[from+i]
			}
			admitted[from+i] = cost == 0 || cost > 0 && l.table.decide(hashes[i], at, cost)
		}
	}
}

// Remaining returns the largest cost that a request of this client would be admitted with now.
func (l *Limiter[K]) Remaining(key K) int64 { return l.RemainingAt(key, l.Now()) }

// RemainingAt is Remaining for a told time: AllowAt with that cost is admitted, with any more refused, if
// nobody else asks for this client in between.
func (l *Limiter[K]) RemainingAt(key K, now int64) int64 { return l.table.remaining(l.hash(key), now) }

// RetryAfter returns how long this client has to wait until a request of that cost is admitted; false means that it
// will never be, because the cost is more than is ever admitted at once, or because MaxClients are reached.
func (l *Limiter[K]) RetryAfter(key K, cost int64) (time.Duration, bool) {
	d, ever := l.RetryAfterAt(key, l.Now(), cost)
	return time.Duration(d), ever
}

// RetryAfterAt is RetryAfter for a told time, in nanoseconds: AllowAt that much later, and at any time after that, is
// admitted, and at any time before it refused, if nobody asks for this client in between.
func (l *Limiter[K]) RetryAfterAt(key K, now, cost int64) (int64, bool) {
	if cost <= 0 {
		return 0, cost == 0
	}
	return l.table.wait(l.hash(key), now, cost)
}

// SetLimit changes the limit for all clients from now on; the window stays. See SetLimitAt.
func (l *Limiter[K]) SetLimit(limit int64) error { return l.SetLimitAt(limit, l.Now()) }

// SetLimitAt is SetLimit for a told time. What a client has used stays used: a log, counter or fixed window keeps its
// counts, and a client above the new limit waits until they have fallen below it; token-bucket, leaky-bucket
// and gcra keep what is used of the burst, up to the new one. Clients are carried over one segment at a time, by
// the requests that come. Any other algorithm, option or range (see the package comment) starts its clients afresh.
// An error means that nothing has changed.
func (l *Limiter[K]) SetLimitAt(limit, now int64) error {
	if limit < 1 {
		return fmt.Errorf("a limit of %d: it must be at least 1", limit)
	}
	return l.table.setLimit(limit, now)
}

// Reclaim looks at a small part of the clients and forgets those that are idle by then. Every call that decides does
// that when it is due; Reclaim is for those who want the memory back though no requests come. It reports
// whether it has come to the end of a round, so that a loop until then has looked at all.
func (l *Limiter[K]) Reclaim(now int64) (roundEnded bool) { return l.table.sweepStep(now) }

// Clients returns how many clients are remembered.
func (l *Limiter[K]) Clients() int64 { return l.table.count() }

// Bytes returns the memory of the clients and their table by account, without what the allocator adds. For the general
// table, which does not see into its limiters, it is their table's alone.
func (l *Limiter[K]) Bytes() int64 { return l.table.size() }
