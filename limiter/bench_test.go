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
	const block = 512
	times, after := make([]int64, 64*block), make([]limiter.Count, block)
	for i := range times[1:] {
		times[i+1] = times[i] + 2*l.Window/27*int64(i*i%101)/100
	}
	for _, text := range []string{"log", "counter", "counter:align=first", "buckets:8", "fixed"} {
		b.Run(text, func(b *testing.B) {
			made := must(must(limiter.Parse(text)).New(l))
			b.ReportAllocs()
			for b.Loop() {
				made.Reset()
				for from := 0; from < len(times); from += block {
					made.(limiter.Estimator).Observe(times[from:from+block], nil, after)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(times)), "ns/request")
		})
	}
}

// A client that has been at it for a while costs no allocation, nor does a reset.
func TestNoAllocation(t *testing.T) {
	l := limiter.Limit{Max: 100, Window: 60 * second}
	for _, text := range examples() {
		made := must(must(limiter.Parse(text)).New(l))
		client := func() {
			made.Reset()
			for i := range int64(1000) {
				made.Allow(i*l.Window/300, 1)
			}
		}
		if n := testing.AllocsPerRun(3, client); n != 0 {
			t.Errorf("%s: %v allocations for a thousand requests", text, n)
		}
	}
}
