package peers

import (
	"context"
	"runtime"
	"time"

	golimiter "github.com/sethvargo/go-limiter"
	"github.com/sethvargo/go-limiter/memorystore"

	"github.com/rlbench/rlbench/limiter"
)

var goLimiter = Peer{
	Name:      "go-limiter",
	Module:    "github.com/sethvargo/go-limiter",
	License:   "Apache-2.0",
	Algorithm: "fixed window from each client's first request, though it says token bucket; purges idle clients every 6 hours under the lock of its map",
	Promise:   "2L",
	Clock:     Real,
	Like:      "fixed:align=first",
	But:       "only W/L in ns, not L, after the first window where that is less (100,000 a second become 10,000)",
	RealTime:  "it reads the runtime's own clock by name, which can't be set",
	Make: func(s Setting) (Library, error) {
		store, err := memorystore.New(&memorystore.Config{
			Tokens:   uint64(s.Limit.Max),
			Interval: time.Duration(s.Limit.Window),
		})
		if err != nil {
			return nil, err
		}
		g := &goLimiterStore{store}
		runtime.AddCleanup(g, func(s golimiter.Store) { s.Close(context.Background()) }, store)
		return g, nil
	},
}

// A goLimiterStore closes its store, which has a goroutine that purges, when nobody holds it any more.
type goLimiterStore struct{ golimiter.Store }

func (g *goLimiterStore) Allow(key string) bool {
	_, _, _, ok, err := g.Take(context.Background(), key)
	return ok && err == nil
}

func (g *goLimiterStore) Decide(key string, _ time.Time, _ int64) limiter.Answer {
	return Answer(g.Allow(key))
}
