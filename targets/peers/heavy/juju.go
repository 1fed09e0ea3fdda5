package main

import (
	"time"

	"github.com/juju/ratelimit"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/targets/peers"
)

var juju = peers.Peer{
	Name:      "juju",
	Module:    "github.com/juju/ratelimit",
	License:   "LGPL-3.0-only WITH LGPL-3.0-linking-exception",
	Algorithm: "token bucket whose tokens come on a grid of W/L from the client's first request; one for each client in a concurrent map (puzpuzpuz/xsync)",
	Promise:   "B+L+1 with a burst of B",
	Clock:     peers.Told,
	Like:      "token-bucket",
	But:       "up to one request looser, as tokens come on a grid, and faster where L doesn't divide W",
	Burst:     true,
	Costs:     true,
	Check: func(l limiter.Limit) error {
		if l.Max > l.Window {
			return peers.Unsupported("more requests than nanoseconds in the window leave no interval between two")
		}
		return nil
	},
	Make: func(s peers.Setting) (peers.Library, error) {
		var clock ratelimit.Clock // nil: the time of day
		if s.Now != nil {
			clock = toldClock(s.Now)
		}
		interval := time.Duration(s.Limit.Window / s.Limit.Max)
		return jujuBuckets{peers.NewPerKey(func() *ratelimit.Bucket {
			return ratelimit.NewBucketWithClock(interval, s.Burst, clock)
		})}, nil
	},
}

type toldClock func() time.Time

func (c toldClock) Now() time.Time      { return c() }
func (c toldClock) Sleep(time.Duration) {}

type jujuBuckets struct {
	peers.PerKey[*ratelimit.Bucket]
}

func (j jujuBuckets) Allow(key string) bool { return j.Of(key).TakeAvailable(1) == 1 }

func (j jujuBuckets) Decide(key string, _ time.Time, cost int64) limiter.Answer {
	_, ok := j.Of(key).TakeMaxDuration(cost, 0)
	return peers.Answer(ok)
}
