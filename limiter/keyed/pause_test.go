package keyed_test

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/keyed"
)

// BenchmarkLongestDecision has a million clients of whom ever new ones come and old ones leave, so that tables are cleaned,
// split and joined all the time, and reports the longest decision, the 99.99th percentile, and beside them (idle-) those of
// reading the clock alone in the same minute: what the machine itself does.
func BenchmarkLongestDecision(b *testing.B) {
	for _, algorithm := range []string{"counter", "log", "gcra", "buckets:4"} {
		b.Run(algorithm, func(b *testing.B) {
			const window = 60 * second
			clients := int64(1_000_000)
			if testing.Short() {
				clients = 10_000
			}
			made := create[uint64](b, algorithm, limiter.Limit{Max: 100, Window: window}, keyed.Options{MaxClients: -1})
			now, next := int64(0), uint64(0)
			rng := newRand(3)
			come := func() { // clients stay for about five windows
				now += 5 * window / clients
				next++
				made.AllowAt(next, now, 1)
			}
			for range clients {
				come()
			}
			took, idle := make([]time.Duration, b.N), make([]time.Duration, b.N)
			b.ResetTimer()
			for i := range b.N {
				old := next - rng.Uint64N(uint64(clients))
				begun := time.Now()
				if i%2 == 0 {
					come()
				} else {
					made.AllowAt(old, now, 1)
				}
				took[i] = time.Since(begun)
				begun = time.Now()
				idle[i] = time.Since(begun)
			}
			b.StopTimer()
			for name, times := range map[string][]time.Duration{"": took, "idle-": idle} {
				slices.Sort(times)
				b.ReportMetric(float64(times[len(times)-1])/1e3, name+"longest-us")
				b.ReportMetric(float64(times[len(times)-1-len(times)/10_000])/1e3, name+"p99.99-us")
			}
			b.ReportMetric(float64(made.Clients()), "clients")
		})
	}
}

// BenchmarkCollection is one garbage collection with a million clients.
func BenchmarkCollection(b *testing.B) {
	for _, algorithm := range []string{"none", "counter", "log", "gcra", "buckets:4"} {
		b.Run(algorithm, func(b *testing.B) {
			var made *keyed.Limiter[uint64]
			if algorithm != "none" {
				made = create[uint64](b, algorithm, limiter.Limit{Max: 100, Window: 60 * second}, keyed.Options{})
				clients := 1_000_000
				if testing.Short() {
					clients = 10_000
				}
				enrollAll(made, clients, 0)
			}
			runtime.GC()
			best := time.Hour
			for b.Loop() {
				begun := time.Now()
				runtime.GC()
				best = min(best, time.Since(begun))
			}
			b.ReportMetric(float64(best)/1e6, "quickest-ms")
			runtime.KeepAlive(made)
		})
	}
}
