// Package limiter is a rate limiter as anybody might write it, in a module of its own. Its test compares it with those of
// rlbench: `go test -bench .`
package limiter

import (
	"sync"
	"time"
)

// A Limiter lets at most max requests of each key through in any window, as far as two counts can tell.
type Limiter struct {
	max, window int64
	start       time.Time

	mu     sync.Mutex
	counts map[string]counts
}

type counts struct{ window, current, previous int64 }

// New makes one whose windows begin now.
func New(max int64, window time.Duration) *Limiter {
	return &Limiter{max: max, window: int64(window), start: time.Now(), counts: map[string]counts{}}
}

// Allow reports whether a request may pass now.
func (l *Limiter) Allow(key string) bool { return l.AllowAt(key, int64(time.Since(l.start)), 1) }

// AllowAt reports whether a request of that cost may pass at a time in nanoseconds.
func (l *Limiter) AllowAt(key string, now, cost int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.counts[key]
	switch w := now / l.window; {
	case w == c.window+1:
		c = counts{w, 0, c.current}
	case w > c.window:
		c = counts{w, 0, 0}
	}
	weight := 1 - float64(now%l.window)/float64(l.window)
	if int64(weight*float64(c.previous))+c.current+cost > l.max {
		return false
	}
	c.current += cost
	l.counts[key] = c
	return true
}
