package limitertest_test

import (
	"context"
	"testing"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/limitertest"
)

// A changing target is a fixed window whose limit can be changed, rightly or not.
type changing struct {
	set   limiter.Limit
	used  map[string]int64
	begun map[string]int64
	how   func(c *changing, l limiter.Limit)
}

func (c *changing) Configure(_ context.Context, l limiter.Limit) error {
	c.set, c.used, c.begun = l, map[string]int64{}, map[string]int64{}
	return nil
}

func (c *changing) Change(_ context.Context, l limiter.Limit) error {
	c.how(c, l)
	return nil
}

func (c *changing) Decide(_ context.Context, requests []limiter.Request, answers []limiter.Answer) error {
	for i, r := range requests {
		now := max(c.begun[r.Key], r.Time-r.Time%c.set.Window)
		if now > c.begun[r.Key] {
			c.begun[r.Key], c.used[r.Key] = now, 0
		}
		answers[i] = limiter.Answer{RetryAfter: limiter.Unknown, Remaining: limiter.Unknown}
		if r.Cost == 0 || r.Cost <= c.set.Max-c.used[r.Key] {
			c.used[r.Key] += r.Cost
			answers[i].Admitted = true
		}
	}
	return nil
}

func (c *changing) Close() error { return nil }

func TestLimitChange(t *testing.T) {
	for name, how := range map[string]func(*changing, limiter.Limit){
		"":                         func(c *changing, l limiter.Limit) { c.set = l },
		"the new limit is ignored": func(*changing, limiter.Limit) {},
		"what was used is forgotten": func(c *changing, l limiter.Limit) {
			c.set = l
			clear(c.used)
		},
		"a lower limit is ignored": func(c *changing, l limiter.Limit) { c.set.Max = max(c.set.Max, l.Max) },
	} {
		open := func(context.Context) (limiter.Target, error) { return &changing{how: how}, nil }
		promise, err := limitertest.ParsePromise("fixed")
		if err != nil {
			t.Fatal(err)
		}
		report, err := limitertest.Verify(t.Context(), open, promise, limitertest.Options{Quick: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range report.Probes {
			want := limitertest.Passed
			switch {
			case r.Probe == "retry-after" || r.Probe == "remaining":
				want = limitertest.Skipped
			case r.Probe == "limit-change" && name != "":
				want = limitertest.Failed
			}
			if r.Verdict != want {
				t.Errorf("%q: %s is %s, want %s: %+v", name, r.Probe, r.Verdict, want, r.Fault)
			}
		}
	}
}
