package peers

import (
	"time"

	"go.uber.org/ratelimit"

	"github.com/rlbench/rlbench/limiter"
)

var uberRatelimit = Peer{
	Name:    "uber-ratelimit",
	Module:  "go.uber.org/ratelimit",
	License: "MIT",
	Algorithm: "a pacer, which refuses nothing but makes each request wait until W/L after the one before, and lets a burst less one slip " +
		"after idle time; admitted is a request that need not wait, and one that must has its place all the same; one for each client " +
		"in a concurrent map (puzpuzpuz/xsync)",
	Promise: "B+L with a burst of B",
	Clock:   Told,
	Refused: true,
	Burst:   true,
	make: func(s setting) (library, error) {
		if s.limit.Max > s.limit.Window {
			return nil, unsupported("more requests than nanoseconds in the window leave no interval between two")
		}
		clock := pacerClock{s.clock}
		return pacers{newPerKey(func() ratelimit.Limiter {
			return ratelimit.New(int(s.limit.Max), ratelimit.Per(time.Duration(s.limit.Window)),
				ratelimit.WithSlack(int(s.burst-1)), ratelimit.WithClock(clock))
		}), clock}, nil
	},
}

// A pacerClock is a clock on which waiting takes no time.
type pacerClock struct{ dial *dial }

func (c pacerClock) Now() time.Time {
	if c.dial == nil {
		return time.Now()
	}
	return c.dial.now
}

func (c pacerClock) Sleep(time.Duration) {}

type pacers struct {
	perKey[ratelimit.Limiter]
	clock pacerClock
}

// Allow reads the clock once more than the library does: that is how it knows whether the request had to wait.
func (p pacers) Allow(key string) bool { return !p.of(key).Take().After(p.clock.Now()) }

func (p pacers) decide(key string, _ time.Time, _ int64) limiter.Answer { return answer(p.Allow(key)) }
