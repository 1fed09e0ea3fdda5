package measure

import (
	"context"
	"fmt"

	"github.com/rlbench/rlbench/limiter"
)

// An asked is a target that decides one client after another. It is opened for the first one. Once it has failed it answers
// nothing more, and all requests of the client at hand and of those that follow count as errors.
type asked struct {
	ctx     context.Context
	foreign limiter.Foreign
	limit   limiter.Limit
	target  limiter.Target
	failure error

	key      string
	begun    bool // it is configured for the client at hand
	requests [block]limiter.Request
	answers  [block]limiter.Answer
	once     [1]int64 // the time of a request that is asked alone
}

// begin makes key the client, of whom nothing is known.
func (a *asked) begin(key string) { a.key, a.begun = key, false }

// decide writes 1 into admitted[i] if request i is admitted and 0 if it is refused or not answered. There are at most as
// many as a block has. No costs mean that all are 1.
func (a *asked) decide(times, costs []int64, admitted []uint8) {
	if a.failure == nil {
		a.failure = a.ask(times, costs)
	}
	for i := range admitted {
		admitted[i] = bit(a.failure == nil && a.answers[i].Admitted)
	}
}

func (a *asked) ask(times, costs []int64) (err error) {
	if !a.begun {
		if a.target == nil {
			if a.target, err = a.foreign.Open(a.ctx); err != nil {
				return err
			}
		}
		if err := a.target.Configure(a.ctx, a.limit); err != nil {
			return err
		}
		a.begun = true
	}
	for i, t := range times {
		a.requests[i] = limiter.Request{Key: a.key, Time: t, Cost: 1}
		if len(costs) > 0 {
			a.requests[i].Cost = costs[i]
		}
	}
	return a.target.Decide(a.ctx, a.requests[:len(times)], a.answers[:len(times)])
}

func (a *asked) close() {
	if a.target == nil {
		return
	}
	if err := a.target.Close(); err != nil && a.failure == nil {
		a.failure = err
	}
	a.target = nil
}

// checkTargets refuses a plan with a foreign limiter that can't be judged, does not start, or does not take a limit.
func checkTargets(ctx context.Context, plan Plan) error {
	for _, spec := range plan.Contestants {
		foreign, ok := spec.Foreign()
		if !ok {
			continue
		}
		if foreign.RealTime != "" {
			return fmt.Errorf("%s can't be judged: %s", spec, foreign.RealTime)
		}
		if err := tryTarget(ctx, foreign, spec, plan.Limits); err != nil {
			return fmt.Errorf("%s: %w", spec, err)
		}
	}
	return nil
}

func tryTarget(ctx context.Context, foreign limiter.Foreign, spec limiter.Spec, limits []limiter.Limit) (err error) {
	target, err := foreign.Open(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if closing := target.Close(); err == nil {
			err = closing
		}
	}()
	for _, limit := range limits {
		if err := target.Configure(ctx, spec.Limits(limit)[0]); err != nil {
			return err
		}
	}
	return nil
}
