package limitertest

import (
	"context"
	"errors"

	"github.com/rlbench/rlbench/limiter"
)

// Decisions makes a target of a function: build starts afresh under a limit and returns what decides requests of all clients.
// Where it can't have that limit it returns ErrUnsupported, wrapped.
func Decisions(build func(limit limiter.Limit) (Model, error)) func(context.Context) (limiter.Target, error) {
	return func(context.Context) (limiter.Target, error) { return &decider{build: build}, nil }
}

type decider struct {
	build func(limiter.Limit) (Model, error)
	model Model
}

func (d *decider) Configure(_ context.Context, limit limiter.Limit) (err error) {
	d.model, err = d.build(limit)
	return err
}

func (d *decider) Decide(ctx context.Context, requests []limiter.Request, answers []limiter.Answer) error {
	if d.model == nil {
		return errors.New("asked before it was configured")
	}
	for i, r := range requests {
		answers[i] = limiter.Answer{Admitted: d.model(r), RetryAfter: limiter.Unknown, Remaining: limiter.Unknown}
	}
	return ctx.Err()
}

func (d *decider) Close() error { return nil }

// Judge compares decisions that were made somewhere else with a promise: admitted[i] is what was decided of requests[i], under
// that limit. It returns the first one that breaks the promise, and false if none does. The answer is about these requests
// alone, and not shrunk.
func Judge(p Promise, limit limiter.Limit, requests []limiter.Request, admitted []bool) (Counterexample, bool) {
	c := check{promise: &p}
	for i := range p.readings {
		c.alive = append(c.alive, i)
	}
	answers := make([]limiter.Answer, len(admitted))
	for i, a := range admitted {
		answers[i].Admitted = a
	}
	t := trial{limit: limit, requests: requests}
	want := make([]expectation, len(requests))
	_, at := c.judge(&t, answers, want)
	if at < 0 {
		return Counterexample{}, false
	}
	t.requests = requests[:at+1]
	return counterexample(&p, t, answers, want), true
}
