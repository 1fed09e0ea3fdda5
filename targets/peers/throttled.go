package peers

import (
	"context"
	"time"

	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/memstore"

	"github.com/rlbench/rlbench/limiter"
)

var throttledGCRA = Peer{
	Name:      "throttled",
	Module:    "github.com/throttled/throttled/v2",
	License:   "BSD-3-Clause",
	Algorithm: "GCRA, the interval between two requests cut to whole nanoseconds; its map never forgets a client; an error after ten lost races counts as refused",
	Promise:   "B+L with a burst of B (more where L doesn't divide W)",
	Clock:     Told,
	Like:      "gcra",
	But:       "faster by up to a nanosecond a request where L doesn't divide W",
	Burst:     true,
	Costs:     true,
	Check:     interval,
	Make: func(s Setting) (Library, error) {
		store, err := memstore.New(0)
		if err != nil {
			return nil, err
		}
		if s.Now != nil {
			store.SetTimeNow(s.Now)
		}
		l, err := throttled.NewGCRARateLimiterCtx(throttled.WrapStoreWithContext(store), throttled.RateQuota{
			MaxRate:  throttled.PerDuration(int(s.Limit.Max), time.Duration(s.Limit.Window)),
			MaxBurst: int(s.Burst - 1),
		})
		if err != nil {
			return nil, err
		}
		return throttledLimiter{l}, nil
	},
}

type throttledLimiter struct{ gcra *throttled.GCRARateLimiterCtx }

func (t throttledLimiter) Allow(key string) bool {
	limited, _, err := t.gcra.RateLimitCtx(context.Background(), key, 1)
	return !limited && err == nil
}

func (t throttledLimiter) Decide(key string, _ time.Time, cost int64) limiter.Answer {
	limited, said, err := t.gcra.RateLimitCtx(context.Background(), key, int(cost))
	if err != nil {
		return Answer(false)
	}
	return limiter.Answer{Admitted: !limited, RetryAfter: int64(said.RetryAfter), Remaining: int64(said.Remaining)}
}
