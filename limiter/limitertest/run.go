package limitertest

import (
	"context"
	"testing"

	"github.com/rlbench/rlbench/limiter"
)

// Run verifies a limiter within a test: each broken probe is an error with its counterexample. An empty promise, "", is found out
// first. Of o the Quick suite is usual in a test; -short asks for it too.
func Run(t *testing.T, open func(context.Context) (limiter.Target, error), promise string, o Options) {
	t.Helper()
	var p Promise
	if promise != "" {
		var err error
		if p, err = ParsePromise(promise); err != nil {
			t.Fatal(err)
		}
	}
	o.Quick = o.Quick || testing.Short()
	report, err := Verify(t.Context(), open, p, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Probes {
		if f := r.Fault; f != nil {
			t.Errorf("%s: %s: %s: %s\n%s: limit %d in %d ns\n%s%s\n%s", r.Probe, f.Kind, f.Direction, f.Why,
				f.Counterexample.Note, f.Counterexample.Limit.Max, f.Counterexample.Limit.Window,
				f.Counterexample.Table(), f.Counterexample.Command(), f.Counterexample.GoTest())
		}
	}
	if report.Verdict != Keeps && !t.Failed() {
		t.Errorf("%s: %s", report.Verdict, report.Named)
	}
}

// RunSteps plays the steps of a counterexample and demands that of each exactly the promised number is admitted.
func RunSteps(t *testing.T, open func(context.Context) (limiter.Target, error), limit limiter.Limit, steps []Step) {
	t.Helper()
	target, err := open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := target.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := target.Configure(t.Context(), limit); err != nil {
		t.Fatal(err)
	}
	for i, s := range steps {
		requests := make([]limiter.Request, s.Requests)
		for k := range requests {
			requests[k] = limiter.Request{Key: s.Key, Time: s.Time, Cost: s.Cost}
		}
		answers := make([]limiter.Answer, len(requests))
		if err := target.Decide(t.Context(), requests, answers); err != nil {
			t.Fatal(err)
		}
		admitted := 0
		for _, a := range answers {
			if a.Admitted {
				admitted++
			}
		}
		if admitted != s.Promised {
			t.Errorf("step %d: %d of %d requests at %d ns are admitted, promised are %d", i+1, admitted, s.Requests, s.Time, s.Promised)
		}
	}
}
