package keyed_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/keyed"
)

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Memory for each client, by the heap after a collection and by the limiter's account, which must agree, at several numbers of
// clients, as tables grow in steps; and again after all have left.
func TestMemory(t *testing.T) {
	const window = 60 * second
	for _, c := range []struct {
		text        string
		limit, each int64 // requests of each client, evenly over the time
		over        int64
		clients     []int
		bytes       float64
	}{
		{"counter", 100, 2, 2 * window, []int{100_000, 120_000, 140_000, 160_000, 180_000, 1_000_000}, 24},
		{"gcra", 100, 2, 2 * window, []int{100_000, 150_000}, 24},
		{"log", 100, 100, window, []int{10_000, 13_000, 16_000}, 540},
		{"log", 129, 129, window, []int{10_000, 14_000}, 670},
		{"log", 1000, 1000, window, []int{3_000, 3_500}, 4400},
		{"log", 100, 10, window / 12, []int{50_000, 60_000, 70_000}, 96},
		{"log", 100, 10, window, []int{50_000, 60_000, 70_000}, 104},
	} {
		for _, clients := range c.clients {
			if clients /= keyed.Scale; clients < 3000 {
				continue // what does not grow with the clients would show
			}
			before := heap()
			made := create[uint64](t, c.text, limiter.Limit{Max: c.limit, Window: window}, keyed.Options{})
			now := int64(1e18)
			for range c.each {
				for k := range uint64(clients) {
					if !made.AllowAt(k, now+int64(k)%1000, 1) {
						t.Fatalf("client %d is refused", k)
					}
				}
				now += c.over / c.each
			}
			byHeap, byAccount := heap()-before, made.Bytes()
			name := fmt.Sprintf("%s, %d of %d used, %d clients", c.text, c.each, c.limit, clients)
			each := float64(byHeap) / float64(clients)
			if each > c.bytes {
				t.Errorf("%s: %.1f bytes, want at most %.0f", name, each, c.bytes)
			}
			if diff := byHeap - byAccount; diff > byHeap/25 || diff < -byHeap/25 {
				t.Errorf("%s: %d bytes by heap, %d by account", name, byHeap, byAccount)
			}
			now += 10 * window
			for range 15 {
				made.AllowAt(1, now, 1)
				for !made.Reclaim(now) {
				}
			}
			if left := heap() - before; left > 64<<10 {
				t.Errorf("%s: %d bytes are left after all have left", name, left)
			}
			t.Logf("%s: %.1f bytes each", name, each)
			runtime.KeepAlive(made)
		}
	}
}
