package peers

import (
	"context"
	"time"

	ululelimiter "github.com/ulule/limiter/v3"
	"github.com/ulule/limiter/v3/drivers/store/memory"

	"github.com/rlbench/rlbench/limiter"
)

var ulule = Peer{
	Name:      "ulule",
	Module:    "github.com/ulule/limiter/v3",
	License:   "MIT",
	Algorithm: "fixed window that starts with a client's first request after the last one ended; a goroutine deletes expired clients every 30 s (left out in virtual time)",
	Promise:   "2L-1",
	Clock:     Bubble,
	Refused:   true,
	Like:      "fixed:count=all:align=restart",
	But:       "a request exactly W after the window began still belongs to it",
	Costs:     true,
	Make: func(s Setting) (Library, error) {
		options := ululelimiter.StoreOptions{Prefix: ululelimiter.DefaultPrefix, CleanUpInterval: ululelimiter.DefaultCleanUpInterval}
		if s.Virtual {
			options.CleanUpInterval = 0
		}
		store := memory.NewStoreWithOptions(options)
		return ululeLimiter{ululelimiter.New(store, ululelimiter.Rate{Period: time.Duration(s.Limit.Window), Limit: s.Limit.Max})}, nil
	},
}

type ululeLimiter struct{ *ululelimiter.Limiter }

func (u ululeLimiter) Allow(key string) bool {
	said, err := u.Get(context.Background(), key)
	return err == nil && !said.Reached
}

// When it says that the window ends is in whole seconds, which is no time to retry.
func (u ululeLimiter) Decide(key string, _ time.Time, cost int64) limiter.Answer {
	said, err := u.Increment(context.Background(), key, cost)
	if err != nil {
		return Answer(false)
	}
	return limiter.Answer{Admitted: !said.Reached, RetryAfter: limiter.Unknown, Remaining: said.Remaining}
}
