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
	Algorithm: "a pacer, which refuses nothing but makes each request wait until W/L after the one before, and lets a burst through at once " +
		"after idle time; admitted is a request that need not wait, and one that must has its place all the same; one for each client " +
		"in a concurrent map (puzpuzpuz/xsync)",
	Promise: "B+L with a burst of B",
	Clock:   Told,
	Refused: true,
	Burst:   true,
	Check:   interval,
	Make: func(s Setting) (Library, error) {
		clock := pacerClock{s.Now}
		if clock.now == nil {
			clock.now = time.Now
		}
		return pacers{NewPerKey(func() ratelimit.Limiter {
			return ratelimit.New(int(s.Limit.Max), ratelimit.Per(time.Duration(s.Limit.Window)),
				ratelimit.WithSlack(int(s.Burst-1)), ratelimit.WithClock(clock))
		}), clock}, nil
	},
}

// A pacerClock is a clock on which waiting takes no time.
type pacerClock struct{ now func() time.Time }

func (c pacerClock) Now() time.Time { return c.now() }

func (c pacerClock) Sleep(time.Duration) {}

type pacers struct {
	PerKey[ratelimit.Limiter]
	clock pacerClock
}

// Allow reads the clock once more than the library does: that is how it knows whether the request had to wait.
func (p pacers) Allow(key string) bool { return !p.Of(key).Take().After(p.clock.Now()) }

func (p pacers) Decide(key string, _ time.Time, _ int64) limiter.Answer { return Answer(p.Allow(key)) }
