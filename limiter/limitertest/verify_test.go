package limitertest_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/limitertest"
	"github.com/rlbench/rlbench/limiter/limitertest/mutants"
)

// An algorithm's rule is named exactly, whatever it calls itself.
func TestNaming(t *testing.T) {
	for text, want := range map[string]string{
		"log": "log:closed", "log:open": "log:open", "log:count=all": "log:closed:count=all",
		"counter": "counter", "counter:align=first": "counter:align=first", "counter:count=all": "counter:count=all",
		"buckets:8": "buckets:8", "buckets:60": "buckets:60", "buckets:4:align=first": "buckets:4:align=first",
		"fixed": "fixed", "fixed:align=first": "fixed:align=first", "fixed:align=restart": "fixed:align=restart", "fixed:count=all": "fixed:count=all",
		"token-bucket": "gcra", "leaky-bucket:burst=20": "gcra:burst=20", "gcra:burst=1": "gcra:burst=1",
		"allow-all": "allow-all", "deny-all": "deny-all",
		// Limiters that were not written here.
		"mutant counter-weight-down": "counter, the weighted count rounded down", "mutant counter-weight-nearest": "counter, the weighted count rounded to the nearest",
		"mutant log-clock-of-seconds": "log:open:resolution=1s", "mutant gcra-burst-plus-one": "gcra:burst=L+1", "mutant fixed-from-first": "fixed:align=first",
		"mutant log-limit-plus-one": "log:open, the limit off by +1",
	} {
		open := opener(nil)
		if name, ok := strings.CutPrefix(text, "mutant "); ok {
			m, found := mutants.Find(name)
			if !found {
				t.Fatal(name)
			}
			open = m.Open
		} else {
			spec, err := limiter.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			open = spec.Open
		}
		n, err := limitertest.Name(t.Context(), open, limitertest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if n.Rule != want || !n.Sure {
			t.Errorf("%s is named %s (sure: %t), want %s", text, n.Rule, n.Sure, want)
		}
		if n.Rival == "" || len(n.Told.Steps) == 0 {
			t.Errorf("%s: no sequence tells it from the last rival %q", text, n.Rival)
		}
	}
}

// What tells two rules apart does so, with its last step and no other.
func TestToldApart(t *testing.T) {
	spec, err := limiter.Parse("log:open")
	if err != nil {
		t.Fatal(err)
	}
	n, err := limitertest.Name(t.Context(), spec.Open, limitertest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	told := n.Told
	limitertest.RunSteps(t, spec.Open, told.Limit, told.Steps)
	for i, s := range told.Steps {
		if last := i == len(told.Steps)-1; (s.Promised != s.Answered) != last {
			t.Errorf("step %d of %d: %+v", i+1, len(told.Steps), s)
		}
	}
}

// A counterexample is small, says the truth, and is reproduced by the test that it prints.
func TestCounterexample(t *testing.T) {
	for name, most := range map[string]int{
		"log-limit-plus-one": 2, "log-counts-then-trims": 4, "counter-no-last-window": 2, "counter-last-used-window": 2, "log-one-per-second": 2,
		"fixed-lifetime-renewed": 6, "bucket-time-rewound": 6, "gcra-burst-plus-one": 2, "fixed-count-of-8-bits": 4, "keys-folded": 2,
	} {
		m, ok := mutants.Find(name)
		if !ok {
			t.Fatal(name)
		}
		promise, err := limitertest.ParsePromise(m.Promise)
		if err != nil {
			t.Fatal(err)
		}
		report, err := limitertest.Verify(t.Context(), m.Open, promise, limitertest.Options{Quick: true, First: true})
		if err != nil {
			t.Fatal(err)
		}
		c := report.Probes[len(report.Probes)-1].Fault.Counterexample
		requests := 0
		var all []limiter.Request
		var answered []bool
		for _, s := range c.Steps {
			requests += s.Requests
			for range s.Requests {
				all = append(all, limiter.Request{Key: s.Key, Time: s.Time, Cost: s.Cost})
			}
		}
		if len(c.Steps) > most {
			t.Errorf("%s: %d steps, %d requests, could be %d steps\n%s", name, len(c.Steps), requests, most, c.Table())
		}
		answered = answersOf(t, m.Open, c.Limit, all)
		if _, broken := limitertest.Judge(promise, c.Limit, all, answered); !broken {
			t.Errorf("%s: the counterexample proves nothing\n%s", name, c.Table())
		}
		if all[0].Key == all[len(all)-1].Key && !strings.Contains(c.Table(), "client") && c.Command() == "" && name != "bucket-time-rewound" {
			t.Errorf("%s: no command shows it\n%s", name, c.Table())
		}
	}
}

// What can't be started is an error, and no verdict; what dies, hangs or talks nonsense later breaks its promise in good time.
func TestFailingTargets(t *testing.T) {
	promise, err := limitertest.ParsePromise("log")
	if err != nil {
		t.Fatal(err)
	}
	dead := errors.New("no such program")
	for name, open := range map[string]opener{
		"open":      func(context.Context) (limiter.Target, error) { return nil, dead },
		"configure": func(context.Context) (limiter.Target, error) { return &broken{configure: dead}, nil },
	} {
		if _, err := limitertest.Verify(t.Context(), open, promise, limitertest.Options{}); !errors.Is(err, dead) {
			t.Errorf("%s: %v", name, err)
		}
	}
	refuses := func(context.Context) (limiter.Target, error) { return &broken{configure: limiter.ErrUnsupported}, nil }
	if _, err := limitertest.Verify(t.Context(), refuses, promise, limitertest.Options{}); !errors.Is(err, limiter.ErrUnsupported) {
		t.Errorf("the main limit is not supported: %v", err)
	}
	for name, target := range map[string]struct {
		broken
		kind string
	}{
		"an error":         {broken{decide: func(context.Context) error { return dead }}, limitertest.KindCrash},
		"a panic":          {broken{decide: func(context.Context) error { panic("index out of range") }}, limitertest.KindCrash},
		"a polite hang":    {broken{decide: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}, limitertest.KindHang},
		"an unheeding one": {broken{decide: func(context.Context) error { <-make(chan int); return nil }}, limitertest.KindHang},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := 0
			open := func(context.Context) (limiter.Target, error) {
				began++
				one := target.broken
				return &one, nil
			}
			report, err := limitertest.Verify(t.Context(), open, promise, limitertest.Options{Quick: true, Timeout: 50 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			kinds := map[string]int{}
			for _, p := range report.Probes {
				if p.Fault != nil {
					kinds[p.Fault.Kind]++
				}
			}
			if report.Verdict != limitertest.Breaks || len(kinds) != 1 || kinds[target.kind] == 0 {
				t.Errorf("%s: %v", report.Verdict, kinds)
			}
			if began > 6 {
				t.Errorf("started %d times", began)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := limitertest.Verify(ctx, mutants.All[0].Open, promise, limitertest.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted run: %v", err)
	}
}

// A broken target can't be configured, or does not decide.
type broken struct {
	configure error
	decide    func(context.Context) error
}

func (b *broken) Configure(context.Context, limiter.Limit) error { return b.configure }
func (b *broken) Decide(ctx context.Context, _ []limiter.Request, _ []limiter.Answer) error {
	return b.decide(ctx)
}
func (b *broken) Close() error { return nil }

// A slow limiter breaks nothing: what there is no time for is left out, and said to be.
func TestBudget(t *testing.T) {
	promise, err := limitertest.ParsePromise("log")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := limiter.Parse("log")
	if err != nil {
		t.Fatal(err)
	}
	report, err := limitertest.Verify(t.Context(), spec.Open, promise, limitertest.Options{Quick: true, Budget: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range report.Probes {
		if p.Verdict != limitertest.Skipped || p.Reason == "" {
			t.Errorf("%s in no time: %s", p.Probe, p.Verdict)
		}
	}
	if report.Verdict != limitertest.Undecided || len(report.Probes) != len(limitertest.Probes) {
		t.Errorf("nothing was played: %s", report.Verdict)
	}
	slow := limitertest.Decisions(func(l limiter.Limit) (limitertest.Model, error) {
		one, err := spec.New(l)
		if err != nil {
			return nil, err
		}
		clients := map[string]limiter.Limiter{"a": one}
		work := 0
		return func(r limiter.Request) bool {
			for i := range 40_000 {
				work += i
			}
			if clients[r.Key] == nil {
				clients[r.Key], _ = spec.New(l)
			}
			return clients[r.Key].Allow(r.Time, r.Cost)
		}, nil
	})
	o := limitertest.Options{Quick: true, Budget: 20 * time.Millisecond, Probes: []string{"same-time", "limits"}}
	if report, err = limitertest.Verify(t.Context(), slow, promise, o); err != nil {
		t.Fatal(err)
	}
	if limits := report.Probes[1]; report.Verdict != limitertest.Keeps || limits.Reason == "" {
		t.Errorf("%s; %s: %s %q", report.Verdict, limits.Probe, limits.Verdict, limits.Reason)
	}
}

// An unrepeatable limiter is told so.
func TestUnrepeatable(t *testing.T) {
	n := 0
	open := limitertest.Decisions(func(limiter.Limit) (limitertest.Model, error) {
		return func(limiter.Request) bool { n++; return n%7 < 3 }, nil
	})
	promise, err := limitertest.ParsePromise("counter")
	if err != nil {
		t.Fatal(err)
	}
	report, err := limitertest.Verify(t.Context(), open, promise, limitertest.Options{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, p := range report.Probes {
		found = found || p.Fault != nil && p.Fault.Kind == limitertest.KindUnrepeatable
	}
	if report.Verdict != limitertest.Breaks || !found {
		t.Errorf("%s, unrepeatable: %t", report.Verdict, found)
	}
}

func TestParsePromise(t *testing.T) {
	for text, want := range map[string]string{
		"log:both": "promise \"log:both\"", "": "no algorithm", "counter:resolution=0s": "at least 1ns", "counter:resolution=x": "not a duration",
		"counter:tolerance=1us": "only gcra", "at-most:x": "whole number", "at-most:5@3": "no window", "peer:x": "can't be used here",
	} {
		if _, err := limitertest.ParsePromise(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{"log", "log:open@5/1s", "counter:align=clock:count=admitted", "gcra:resolution=1us:burst=5", "token-bucket:tolerance=1us@5/1s", "at-most:10", "at-most:10@5/1s", "multi:log@1/1s+log:open@5/1m"} {
		p, err := limitertest.ParsePromise(text)
		if err != nil || p.String() != text {
			t.Errorf("%s: %s, %v", text, p, err)
		}
	}
}
