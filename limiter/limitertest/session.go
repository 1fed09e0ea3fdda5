package limitertest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rlbench/rlbench/limiter"
)

// largestBatch is how much a target must answer within the time limit: little enough that one that is merely slow does so.
const largestBatch = 512

// mostReopened is how often a target that crashed or hung is started again.
const mostReopened = 3

// A failure is a target that did not answer as a target must.
type failure struct {
	kind      string // KindCrash or KindHang
	err       error
	abandoned bool // a call is still running
}

func (f *failure) Error() string { return f.kind + ": " + f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// errGone is the state of a target that failed too often to be started again.
var errGone = errors.New("it failed too often to be asked again")

// A session is a target at work.
type session struct {
	ctx      context.Context
	open     func(context.Context) (limiter.Target, error)
	patience time.Duration
	target   limiter.Target
	failures int
	requests int64
	answers  []limiter.Answer
	budget   context.Context // ends when a probe has taken its time; nil: never
}

// allow gives what follows so much time, 0 for as much as it takes. The caller calls done when it is through.
func (s *session) allow(time time.Duration) (done func()) {
	before := s.budget
	if time == 0 {
		s.budget = nil
		return func() { s.budget = before }
	}
	budget, cancel := context.WithTimeout(s.ctx, time)
	s.budget = budget
	return func() {
		cancel()
		s.budget = before
	}
}

// late reports whether the time allowed is over.
func (s *session) late() bool { return s.budget != nil && s.budget.Err() != nil }

// guard calls into the target and comes back in time, whatever the target does.
func (s *session) guard(call func(context.Context) error) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(s.ctx, s.patience)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("panic: %v", p)
			}
		}()
		done <- call(ctx)
	}()
	var err error
	abandoned := false
	select {
	case err = <-done:
	case <-ctx.Done():
		// A target that heeds its context gets a moment to stop.
		grace := time.NewTimer(time.Second)
		defer grace.Stop()
		select {
		case err = <-done:
		case <-grace.C:
			err, abandoned = ctx.Err(), true
		}
	}
	switch {
	case err == nil || errors.Is(err, limiter.ErrUnsupported):
		return err
	case s.ctx.Err() != nil:
		return s.ctx.Err()
	case ctx.Err() != nil:
		return &failure{KindHang, fmt.Errorf("no answer within %s", s.patience), abandoned}
	}
	return &failure{KindCrash, err, false}
}

// start makes the target ready; an error that is no failure is the caller's end.
func (s *session) start() error {
	if s.target != nil {
		return nil
	}
	if s.failures > mostReopened {
		return errGone
	}
	return s.guard(func(ctx context.Context) error {
		target, err := s.open(ctx)
		s.target = target
		return err
	})
}

// play starts afresh under the limit and has the requests decided, or as many of them as there is time for. The answers are good
// until the next call.
func (s *session) play(limit limiter.Limit, requests []limiter.Request) ([]limiter.Answer, error) {
	if err := s.configure(limit); err != nil {
		return nil, err
	}
	return s.decide(requests)
}

// whole is play to the end, whatever time that takes.
func (s *session) whole(limit limiter.Limit, requests []limiter.Request) ([]limiter.Answer, error) {
	defer s.allow(0)()
	return s.play(limit, requests)
}

func (s *session) configure(limit limiter.Limit) error {
	if err := s.start(); err != nil {
		return s.lost(err)
	}
	target := s.target
	return s.lost(s.guard(func(ctx context.Context) error { return target.Configure(ctx, limit) }))
}

// decide goes on after configure or another decide.
func (s *session) decide(requests []limiter.Request) ([]limiter.Answer, error) {
	if cap(s.answers) < len(requests) {
		s.answers = make([]limiter.Answer, len(requests))
	}
	answers, target := s.answers[:len(requests)], s.target
	for from := 0; from < len(requests); from += largestBatch {
		to := min(from+largestBatch, len(requests))
		err := s.guard(func(ctx context.Context) error {
			return target.Decide(ctx, requests[from:to], answers[from:to])
		})
		s.requests += int64(to - from)
		if err != nil {
			return nil, s.lost(err)
		}
		if s.late() {
			return answers[:to], nil
		}
	}
	return answers, nil
}

// lost gives up a target after a failure; the next play starts another.
func (s *session) lost(err error) error {
	var f *failure
	if errors.As(err, &f) {
		s.failures++
		if !f.abandoned {
			s.close()
		}
		s.target, s.answers = nil, nil
	}
	return err
}

func (s *session) close() {
	if target := s.target; target != nil {
		s.target = nil
		_ = s.guard(func(context.Context) error { return target.Close() }) // what it answered is known already
	}
}
