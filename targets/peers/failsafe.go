package peers

import (
	"time"

	"github.com/failsafe-go/failsafe-go/ratelimiter"

	"github.com/rlbench/rlbench/limiter"
)

var failsafeBursty = Peer{
	Name:      "failsafe-bursty",
	Module:    "github.com/failsafe-go/failsafe-go",
	License:   "MIT",
	Algorithm: "fixed window from the limiter's start, which is the client's first request; one for each client in a concurrent map (puzpuzpuz/xsync)",
	Promise:   "2L",
	Clock:     Bubble,
	Like:      "fixed:align=first",
	Costs:     true,
	make: func(s setting) (library, error) {
		return newFailsafe(s, ratelimiter.NewBursty[any]), nil
	},
}

var failsafeSmooth = Peer{
	Name:      "failsafe-smooth",
	Module:    failsafeBursty.Module,
	License:   failsafeBursty.License,
	Algorithm: "one request in each interval of W/L on a grid from the limiter's start, which is the client's first request; one for each client in a concurrent map (puzpuzpuz/xsync)",
	Promise:   "L+1 (more where L doesn't divide W), but two at once at an interval's end",
	Clock:     Bubble,
	Like:      "fixed:align=first with a limit of 1 in W/L",
	But:       "every cost above 1 is refused",
	Costs:     true,
	make: func(s setting) (library, error) {
		if s.limit.Max > s.limit.Window {
			return nil, unsupported("more requests than nanoseconds in the window leave no interval between two")
		}
		return newFailsafe(s, ratelimiter.NewSmooth[any]), nil
	},
}

func newFailsafe(s setting, kind func(uint, time.Duration) ratelimiter.RateLimiter[any]) library {
	return failsafeLimiters{newPerKey(func() ratelimiter.RateLimiter[any] {
		return kind(uint(s.limit.Max), time.Duration(s.limit.Window))
	})}
}

type failsafeLimiters struct {
	perKey[ratelimiter.RateLimiter[any]]
}

func (f failsafeLimiters) Allow(key string) bool { return f.of(key).TryAcquirePermit() }

func (f failsafeLimiters) decide(key string, _ time.Time, cost int64) limiter.Answer {
	return answer(f.of(key).TryAcquirePermits(uint(cost)))
}
