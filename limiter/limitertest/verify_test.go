package limitertest_test

import (
	"testing"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/limitertest"
)

// Every algorithm keeps the promise that its own spec is.
func TestAlgorithmsKeepTheirPromise(t *testing.T) {
	for _, a := range limiter.Table {
		for _, text := range a.Examples {
			t.Run(text, func(t *testing.T) {
				spec, err := limiter.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				promise, err := limitertest.ParsePromise(text)
				if err != nil {
					t.Fatal(err)
				}
				report, err := limitertest.Verify(t.Context(), spec.Open, promise, limitertest.Options{Quick: true})
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range report.Probes {
					if r.Fault != nil {
						t.Errorf("%s: %+v\n%s", r.Probe, r.Fault, r.Fault.Counterexample.Table())
					}
				}
				t.Log(report.Requests, report.Named, report.Named.Rival)
				if report.Verdict != limitertest.Keeps {
					t.Errorf("verdict %s", report.Verdict)
				}
			})
		}
	}
}
