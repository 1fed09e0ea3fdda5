package limitertest_test

import (
	"testing"
	"time"

	"github.com/rlbench/rlbench/limiter/limitertest"
	"github.com/rlbench/rlbench/limiter/limitertest/mutants"
)

// The suite catches every mutant.
func TestCatchesEveryMutant(t *testing.T) {
	caught := 0
	for _, m := range mutants.All {
		t.Run(m.Name, func(t *testing.T) {
			promise, err := limitertest.ParsePromise(m.Promise)
			if err != nil {
				t.Fatal(err)
			}
			report, err := limitertest.Verify(t.Context(), m.Open, promise, limitertest.Options{
				Limit: m.Limit, Quick: true, First: true, Timeout: 100 * time.Millisecond,
			})
			if err != nil {
				t.Fatal(err)
			}
			if report.Verdict != limitertest.Breaks {
				t.Fatalf("%s passes for %s, though %s; named %s", m.Name, m.Promise, m.Slip, report.Named)
			}
			caught++
			for _, r := range report.Probes {
				if r.Fault != nil {
					t.Logf("%s: %s (is %s) %s\n%s", r.Probe, r.Fault.Kind, m.Kind, r.Fault.Direction, r.Fault.Counterexample.Table())
				}
			}
		})
	}
	t.Logf("%d of %d mutants caught", caught, len(mutants.All))
}

// It has nothing to say against limiters that are right.
func TestLeavesTheRightAlone(t *testing.T) {
	for _, m := range mutants.Correct {
		t.Run(m.Name, func(t *testing.T) {
			promise, err := limitertest.ParsePromise(m.Promise)
			if err != nil {
				t.Fatal(err)
			}
			report, err := limitertest.Verify(t.Context(), m.Open, promise, limitertest.Options{Limit: m.Limit, Quick: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range report.Probes {
				if r.Fault != nil {
					t.Errorf("%s: %s %s\n%s", r.Probe, r.Fault.Kind, r.Fault.Why, r.Fault.Counterexample.Table())
				}
			}
			if report.Verdict != limitertest.Keeps {
				t.Errorf("verdict %s on %s, which is right: %s", report.Verdict, m.Name, m.Slip)
			}
		})
	}
}
