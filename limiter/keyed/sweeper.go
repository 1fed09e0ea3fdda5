package keyed

import (
	"math"
	"sync/atomic"
)

// A plan is what every kind of table is told of its clients.
type plan struct {
	most   int64 // clients
	policy Policy
	keep   int64 // windows that must begin after a client's last one before it is forgotten
	period int64 // of a sweeper's round
}

// A population counts clients against their bound, and the bytes of their table.
type population struct {
	most    int64
	policy  Policy
	clients atomic.Int64
	bytes   atomic.Int64
	turned  atomic.Uint64 // newcomers that found it full
}

// admit counts one client more unless there are too many.
func (p *population) admit() bool {
	if p.clients.Add(1) > p.most {
		p.clients.Add(-1)
		return false
	}
	return true
}

// newcomer returns what a client that is not there may take of a full allowance.
func (p *population) newcomer(allowance int64) int64 {
	if p.policy == Refuse && p.clients.Load() >= p.most {
		return 0
	}
	return allowance
}

// A sweeper walks the hash space again and again, one segment a step and one step a call at the most: a round takes as long as
// clients are kept. It is due by the time that the callers tell.
type sweeper struct {
	period int64
	busy   atomic.Bool
	hand   uint64 // a hash; busy guards it
}

// leastPause keeps a big table with a short window from doing nothing else: 0.2 ms.
const leastPause = 200_000

// sweep makes a step unless somebody else is at it. It reports whether that ended a round.
func (s *sweeper) sweep(now int64, due *atomic.Int64, segments int64, step func(uint64) uint64) bool {
	if !s.busy.CompareAndSwap(false, true) {
		return false
	}
	defer s.busy.Store(false)
	s.hand = step(s.hand)
	pause := max(s.period/segments, leastPause)
	if now > math.MaxInt64-pause {
		pause = 0
	}
	due.Store(now + pause)
	return s.hand == 0
}

// hurry makes the sweeper due for every 64th newcomer that found no room, since idle clients may hold it.
func (p *population) hurry(due *atomic.Int64) {
	if p.turned.Add(1)%64 == 0 {
		due.Store(math.MinInt64)
	}
}
