package limiter_test

import (
	"testing"

	"github.com/rlbench/rlbench/limiter"
)

// Nanoseconds a decision of one client, for every row of the table: quiet is a client at half its limit, busy one at
// three times it.
func BenchmarkAllow(b *testing.B) {
	l := limiter.Limit{Max: 100, Window: 60 * second}
	for _, a := range limiter.Table {
		for _, load := range []struct {
			name string
			gap  int64
		}{{"quiet", 2 * l.Window / l.Max}, {"busy", l.Window / l.Max / 3}} {
			b.Run(a.Examples[0]+"/"+load.name, func(b *testing.B) {
				made := must(must(limiter.Parse(a.Examples[0])).New(l))
				now := int64(0)
				for range 10_000 { // the log's ring has its size then
					now += load.gap
					made.Allow(now, 1)
				}
				b.ReportAllocs()
				refused := 0
				for b.Loop() {
					now += load.gap
					if !made.Allow(now, 1) {
						refused++
					}
				}
				b.ReportMetric(float64(refused)/float64(b.N), "refused/op")
			})
		}
	}
}

// Nanoseconds a request of the open-loop estimate, in blocks of 512, at 27 a minute.
func BenchmarkObserve(b *testing.B) {
	l := limiter.Limit{Max: 100, Window: 60 * second}
	for _, text := range []string{"log", "counter", "counter:align=first", "buckets:8", "fixed"} {
		b.Run(text, func(b *testing.B) {
			made := must(must(limiter.Parse(text)).New(l)).(limiter.Estimator)
			times, after := make([]int64, 512), make([]limiter.Count, 512)
			now := int64(0)
			b.ReportAllocs()
			for b.Loop() {
				for i := range times {
					now += l.Window/27 + int64(i)*1e6
					times[i] = now
				}
				made.Observe(times, nil, after)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(times)), "ns/request")
		})
	}
}
