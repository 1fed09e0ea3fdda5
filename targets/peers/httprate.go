package peers

import (
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/go-chi/httprate"

	"github.com/rlbench/rlbench/limiter"
)

var httpRate = Peer{
	Name:      "httprate",
	Module:    "github.com/go-chi/httprate",
	License:   "MIT",
	Algorithm: "sliding window counter, the weighted count rounded to the nearest integer, windows from the limiter's start; asked by its OnLimit, without response headers",
	Promise:   "2L",
	Clock:     Bubble,
	Like:      "counter",
	But:       "half a request looser, as the weighted count is rounded",
	Costs:     true,
	Make: func(s Setting) (Library, error) {
		return httpRateLimiter{httprate.NewRateLimiter(int(s.Limit.Max), time.Duration(s.Limit.Window),
			httprate.WithResponseHeaders(httprate.ResponseHeaders{}))}, nil
	},
}

type httpRateLimiter struct{ *httprate.RateLimiter }

var httpRequest = new(http.Request)

func (h httpRateLimiter) Allow(key string) bool { return !h.OnLimit(nil, httpRequest, key) }

func (h httpRateLimiter) Decide(key string, _ time.Time, cost int64) limiter.Answer {
	r := httpRequest
	if cost > 1 {
		r = r.WithContext(httprate.WithIncrement(r.Context(), int(cost)))
	}
	return Answer(!h.OnLimit(nil, r, key))
}

var httpRateCore = Peer{
	Name:      "httprate-core",
	Module:    httpRate.Module,
	License:   httpRate.License,
	Algorithm: "httprate's counter, with the decision of its OnLimit around it but nothing of HTTP, windows aligned to the clock",
	Promise:   httpRate.Promise,
	Clock:     Told,
	Like:      httpRate.Like,
	But:       httpRate.But,
	Costs:     true,
	Make: func(s Setting) (Library, error) {
		window := time.Duration(s.Limit.Window)
		return &httpRateCounter{limit: int(s.Limit.Max), window: window, counter: httprate.NewLocalLimitCounter(window)}, nil
	},
}

type httpRateCounter struct {
	limit   int
	window  time.Duration
	mu      sync.Mutex
	counter httprate.LimitCounter
}

func (h *httpRateCounter) Allow(key string) bool { return h.allow(key, time.Now().UTC(), 1) }

func (h *httpRateCounter) Decide(key string, now time.Time, cost int64) limiter.Answer {
	return Answer(h.allow(key, now, int(cost)))
}

func (h *httpRateCounter) allow(key string, now time.Time, cost int) bool {
	current := now.Truncate(h.window)
	h.mu.Lock()
	defer h.mu.Unlock()
	count, previous, err := h.counter.Get(key, current, current.Add(-h.window))
	if err != nil {
		return false
	}
	weighted := float64(previous)*(float64(h.window)-float64(now.Sub(current)))/float64(h.window) + float64(count)
	if int(math.Round(weighted))+cost > h.limit {
		return false
	}
	return h.counter.IncrementBy(key, current, cost) == nil
}
