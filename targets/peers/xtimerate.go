package peers

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/rlbench/rlbench/limiter"
)

var xTimeRate = Peer{
	Name:      "x-time-rate",
	Module:    "golang.org/x/time",
	License:   "BSD-3-Clause",
	Algorithm: "token bucket in floating point, one for each client in a map under one mutex",
	Promise:   "B+L with a burst of B",
	Clock:     Told,
	Like:      "token-bucket",
	But:       "rounded in the last place, and an older time rewinds it, so that the time since is earned twice",
	Burst:     true,
	Costs:     true,
	Make: func(s Setting) (Library, error) {
		return &rateMap{Setting: s, clients: map[string]*rate.Limiter{}}, nil
	},
}

var xTimeRateXsync = func() Peer {
	p := xTimeRate
	p.Name = "x-time-rate-xsync"
	p.Algorithm = "token bucket in floating point, one for each client in a concurrent map (puzpuzpuz/xsync)"
	p.Make = func(s Setting) (Library, error) {
		return rateXsync{NewPerKey(func() *rate.Limiter { return newRate(s) })}, nil
	}
	return p
}()

func newRate(s Setting) *rate.Limiter {
	return rate.NewLimiter(rate.Limit(float64(s.Limit.Max)/time.Duration(s.Limit.Window).Seconds()), int(s.Burst))
}

type rateMap struct {
	Setting
	mu      sync.Mutex
	clients map[string]*rate.Limiter
}

func (m *rateMap) of(key string) *rate.Limiter {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.clients[key]
	if l == nil {
		l = newRate(m.Setting)
		m.clients[key] = l
	}
	return l
}

func (m *rateMap) Allow(key string) bool { return m.of(key).Allow() }

func (m *rateMap) Decide(key string, now time.Time, cost int64) limiter.Answer {
	return Answer(m.of(key).AllowN(now, int(cost)))
}

type rateXsync struct{ PerKey[*rate.Limiter] }

func (x rateXsync) Allow(key string) bool { return x.Of(key).Allow() }

func (x rateXsync) Decide(key string, now time.Time, cost int64) limiter.Answer {
	return Answer(x.Of(key).AllowN(now, int(cost)))
}
