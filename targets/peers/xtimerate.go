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
	make: func(s setting) (library, error) {
		return &rateMap{setting: s, clients: map[string]*rate.Limiter{}}, nil
	},
}

var xTimeRateXsync = func() Peer {
	p := xTimeRate
	p.Name = "x-time-rate-xsync"
	p.Algorithm = "token bucket in floating point, one for each client in a concurrent map (puzpuzpuz/xsync)"
	p.make = func(s setting) (library, error) {
		return rateXsync{newPerKey(func() *rate.Limiter { return newRate(s) })}, nil
	}
	return p
}()

func newRate(s setting) *rate.Limiter {
	return rate.NewLimiter(rate.Limit(float64(s.limit.Max)/time.Duration(s.limit.Window).Seconds()), int(s.burst))
}

type rateMap struct {
	setting
	mu      sync.Mutex
	clients map[string]*rate.Limiter
}

func (m *rateMap) of(key string) *rate.Limiter {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.clients[key]
	if l == nil {
		l = newRate(m.setting)
		m.clients[key] = l
	}
	return l
}

func (m *rateMap) Allow(key string) bool { return m.of(key).Allow() }

func (m *rateMap) decide(key string, now time.Time, cost int64) limiter.Answer {
	return answer(m.of(key).AllowN(now, int(cost)))
}

type rateXsync struct{ perKey[*rate.Limiter] }

func (x rateXsync) Allow(key string) bool { return x.of(key).Allow() }

func (x rateXsync) decide(key string, now time.Time, cost int64) limiter.Answer {
	return answer(x.of(key).AllowN(now, int(cost)))
}
