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
	Make: func(s Setting) (Library, error) {
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
	Check:     interval,
	Make: func(s Setting) (Library, error) {
		return newFailsafe(s, ratelimiter.NewSmooth[any]), nil
	},
}

func newFailsafe(s Setting, kind func(uint, time.Duration) ratelimiter.RateLimiter[any]) Library {
	return failsafeLimiters{NewPerKey(func() ratelimiter.RateLimiter[any] {
		return kind(uint(s.Limit.Max), time.Duration(s.Limit.Window))
	})}
}

type failsafeLimiters struct {
	PerKey[ratelimiter.RateLimiter[any]]
}

func (f failsafeLimiters) Allow(key string) bool { return f.Of(key).TryAcquirePermit() }

func (f failsafeLimiters) Decide(key string, _ time.Time, cost int64) limiter.Answer {
	return Answer(f.Of(key).TryAcquirePermits(uint(cost)))
}
