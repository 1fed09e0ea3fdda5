package limitertest_test

import (
	"testing"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/limitertest"
)

// What the suite costs for a limiter in memory.
func BenchmarkVerify(b *testing.B) {
	spec, err := limiter.Parse("counter")
	if err != nil {
		b.Fatal(err)
	}
	promise, err := limitertest.ParsePromise("counter")
	if err != nil {
		b.Fatal(err)
	}
	for name, o := range map[string]limitertest.Options{"quick": {Quick: true}, "whole": {}} {
		b.Run(name, func(b *testing.B) {
			requests := int64(0)
			for b.Loop() {
				report, err := limitertest.Verify(b.Context(), spec.Open, promise, o)
				if err != nil || report.Verdict != limitertest.Keeps {
					b.Fatal(report.Verdict, err)
				}
				requests = report.Requests
			}
			b.ReportMetric(float64(requests), "requests")
		})
	}
}
