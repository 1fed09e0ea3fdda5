// Package mutants holds limiters that are wrong on purpose, one slip each, as a conformance suite must catch them all, and
// limiters that are right in a way of their own, which it must leave in peace. None shares code with package limiter's
// algorithms.
package mutants

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/rlbench/rlbench/limiter"
)

// A Mutant is one row of All or of Correct.
type Mutant struct {
	Name    string
	Kind    string        // of its fault; "" in Correct
	Promise string        // what it claims to be
	Slip    string        // what is wrong, or how it differs without being wrong
	Limit   limiter.Limit // where the fault shows if it is made for one limit; zero: anywhere

	client func(limiter.Limit) client                     // one for each client
	shared func(limiter.Limit) func(limiter.Request) bool // one for all, where the fault lies between them
	answer func(limiter.Limit) func(limiter.Request) limiter.Answer
	ending func(limiter.Limit, int) error // what becomes of the target after so many requests under that limit
}

// A client decides the requests of one client; its cost is at least 1.
type client func(now, cost int64) bool

// All lists the mutants.
var All = slices.Concat(logs, counters, bucketed, fixeds, rates, keyed, several, answering)

// Find returns the mutant of that name.
func Find(name string) (Mutant, bool) {
	for _, m := range All {
		if m.Name == name {
			return m, true
		}
	}
	return Mutant{}, false
}

// Open starts the mutant as a target.
func (m Mutant) Open(context.Context) (limiter.Target, error) { return &target{mutant: m}, nil }

// Decider returns the mutant's decisions alone, under that limit.
func (m Mutant) Decider(l limiter.Limit) func(limiter.Request) bool {
	answer := m.decider(l)
	return func(r limiter.Request) bool { return answer(r).Admitted }
}

func (m Mutant) decider(l limiter.Limit) func(limiter.Request) limiter.Answer {
	if m.answer != nil {
		return m.answer(l)
	}
	decide := m.shared
	if decide == nil {
		decide = perKey(m.client)
	}
	one := decide(l)
	return func(r limiter.Request) limiter.Answer {
		return limiter.Answer{Admitted: one(r), RetryAfter: limiter.Unknown, Remaining: limiter.Unknown}
	}
}

// perKey gives each key a client of its own and answers costs of 0 itself.
func perKey(start func(limiter.Limit) client) func(limiter.Limit) func(limiter.Request) bool {
	return func(l limiter.Limit) func(limiter.Request) bool {
		clients := map[string]client{}
		return func(r limiter.Request) bool {
			if r.Cost == 0 {
				return true
			}
			c := clients[r.Key]
			if c == nil {
				c = start(l)
				clients[r.Key] = c
			}
			return c(r.Time, r.Cost)
		}
	}
}

type target struct {
	mutant Mutant
	limit  limiter.Limit
	decide func(limiter.Request) limiter.Answer
	served int
}

func (t *target) Configure(_ context.Context, l limiter.Limit) error {
	t.limit, t.decide, t.served = l, t.mutant.decider(l), 0
	return nil
}

func (t *target) Decide(ctx context.Context, requests []limiter.Request, answers []limiter.Answer) error {
	if t.decide == nil {
		return errors.New("not configured")
	}
	for i, r := range requests {
		answers[i] = t.decide(r)
	}
	t.served += len(requests)
	if t.mutant.ending != nil {
		err := t.mutant.ending(t.limit, t.served)
		if errors.Is(err, errHangs) {
			<-ctx.Done()
			return ctx.Err()
		}
		return err
	}
	return nil
}

func (t *target) Close() error { return nil }

// ascending makes a clock that never goes back.
func ascending() func(int64) int64 {
	last := int64(math.MinInt64)
	return func(now int64) int64 {
		last = max(last, now)
		return last
	}
}

// Decisive reports whether the fault lies in the decisions, not in what is said besides or in whether it answers.
func (m Mutant) Decisive() bool { return m.answer == nil && m.ending == nil }
