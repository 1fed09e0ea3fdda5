package limitertest_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/limitertest"
)

// locked is a limiter of this module behind a mutex. If forgets, clients leave two windows after their last request.
func locked(t *testing.T, text string, forgets bool) func(limiter.Limit) limitertest.Allow {
	spec, err := limiter.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	type client struct {
		limiter.Limiter
		last int64
	}
	return func(l limiter.Limit) limitertest.Allow {
		var mu sync.Mutex
		clients, swept := map[string]*client{}, int64(0)
		return func(key string, now int64) bool {
			mu.Lock()
			defer mu.Unlock()
			if forgets && now-swept >= 2*l.Window {
				swept = now
				kept := map[string]*client{}
				for key, c := range clients {
					if now-c.last < 2*l.Window {
						kept[key] = c
					}
				}
				clients = kept
			}
			c := clients[key]
			if c == nil {
				made, err := spec.New(l)
				if err != nil {
					panic(err)
				}
				c = &client{Limiter: made}
				clients[key] = c
			}
			c.last = now
			return c.Allow(now, 1)
		}
	}
}

func TestRunConcurrentOnLockedLimiters(t *testing.T) {
	for _, text := range []string{"log", "counter", "fixed", "gcra"} {
		limitertest.RunConcurrent(t, locked(t, text, false))
	}
}

// careless counts in separate steps that are atomic each, so that no race detector says anything.
func careless(check func(n *atomic.Int64, limit int64) bool) func(limiter.Limit) limitertest.Allow {
	return func(l limiter.Limit) limitertest.Allow {
		var counts sync.Map
		return func(key string, _ int64) bool {
			n, _ := counts.LoadOrStore(key, &atomic.Int64{})
			return check(n.(*atomic.Int64), l.Max)
		}
	}
}

func TestRunConcurrentCatchesARace(t *testing.T) {
	for name, wrong := range map[string]func(limiter.Limit) limitertest.Allow{
		"read, compare, write": careless(func(n *atomic.Int64, limit int64) bool {
			seen := n.Load()
			runtime.Gosched()
			if seen >= limit {
				return false
			}
			n.Store(seen + 1)
			return true
		}),
		"compare, add": careless(func(n *atomic.Int64, limit int64) bool {
			if n.Load() >= limit {
				return false
			}
			runtime.Gosched()
			n.Add(1)
			return true
		}),
		"add, compare, take back": careless(func(n *atomic.Int64, limit int64) bool {
			if n.Add(2) > 2*limit {
				runtime.Gosched()
				n.Add(-2)
				return false
			}
			runtime.Gosched()
			n.Add(-1)
			runtime.Gosched()
			n.Add(1)
			return true
		}),
		"gives up when it loses a race": careless(func(n *atomic.Int64, limit int64) bool {
			seen := n.Load()
			runtime.Gosched()
			return seen < limit && n.CompareAndSwap(seen, seen+1)
		}),
		"a new client twice": func(l limiter.Limit) limitertest.Allow {
			var counts sync.Map
			return func(key string, _ int64) bool {
				n, ok := counts.Load(key)
				if !ok {
					runtime.Gosched()
					n = &atomic.Int64{}
					counts.Store(key, n)
				}
				return n.(*atomic.Int64).Add(1) <= l.Max
			}
		},
	} {
		if f := limitertest.Concurrent(wrong); f == nil || f.Kind != limitertest.KindRace {
			t.Errorf("%s passes: %v", name, f)
		}
	}
}

func TestForgets(t *testing.T) {
	if f := limitertest.Forgets(locked(t, "counter", true)); f != nil {
		t.Errorf("one that forgets: %+v", f)
	}
	if f := limitertest.Forgets(locked(t, "counter", false)); f == nil || f.Kind != limitertest.KindLeak {
		t.Errorf("one that never forgets: %+v", f)
	}
	// Forgets everybody each second.
	hasty := func(l limiter.Limit) limitertest.Allow {
		second := int64(-1)
		var inner limitertest.Allow
		return func(key string, now int64) bool {
			if now/1e9 != second {
				second, inner = now/1e9, locked(t, "counter", false)(l)
			}
			return inner(key, now)
		}
	}
	if f := limitertest.Forgets(hasty); f == nil || f.Kind != limitertest.KindDropped {
		t.Errorf("one that forgets busy clients: %+v", f)
	}
}
