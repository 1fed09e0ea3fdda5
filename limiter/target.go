package limiter

import (
	"context"
	"errors"
)

// A Target is a running limiter of many clients that is judged by its answers alone: another library, a program, a server.
// It can be slow and it can fail. One goroutine uses it at a time.
type Target interface {
	// Configure starts afresh under that limit: no client has asked before, and time may begin earlier than it
	// ended. It fails with ErrUnsupported (wrapped, with the reason) if the target can't have such a limit; it can be
	// configured again after that. After any other error it is of no more use.
	Configure(ctx context.Context, limit Limit) error

	// Decide decides requests in the order given and writes the answer to request i into answers[i]. Times are those of
	// the requests, not of any clock. After an error the target is of no more use.
	Decide(ctx context.Context, requests []Request, answers []Answer) error

	// Close ends the target and gives back what it holds.
	Close() error
}

// ErrUnsupported is why a target can't be configured for some limit though it may be for others.
var ErrUnsupported = errors.New("limit not supported")

// A Request is what a target is asked. Its cost is at least 0.
type Request struct {
	Key        string
	Time, Cost int64
}

// An Answer is what a target says to a request.
type Answer struct {
	Admitted   bool
	RetryAfter int64 // ns until a request of the same cost would be admitted; Unknown if it didn't say
	Remaining  int64 // cost that would be admitted after this request at its time; Unknown if it didn't say
}

// Unknown stands for a number that an answer doesn't hold.
const Unknown = -1

// A Foreign is a limiter that is not of Table, as a spec.
type Foreign struct {
	Text string                                    // the spec as it was written, its own limit included
	At   Limit                                     // its own limit; zero: the run's
	Doc  string                                    // what it is, in a line
	Open func(ctx context.Context) (Target, error) // starts it; it must be configured before it is asked

	// Forward says that its clock can't go back: a time before the last one told to any of its clients counts as that one.
	Forward bool

	// Keyed makes it for use on the real clock, to measure what it costs; nil if it is not a library of this process.
	Keyed func(limit Limit) (Keyed, error)

	// RealTime says that it reads a clock that nobody can set, so that it can't be judged in virtual time: why that is.
	RealTime string
}

// A Keyed decides requests of cost 1 of many clients by its own clock. It is safe for concurrent use.
type Keyed interface {
	Allow(key string) bool
}

// Spec returns the spec of a foreign limiter. It has no bound, estimate or worst case.
func (f Foreign) Spec() Spec { return Spec{text: f.Text, foreign: &f, limit: f.At} }

// Foreign returns what the spec stands for if it is not of Table.
func (s Spec) Foreign() (Foreign, bool) {
	if s.foreign == nil {
		return Foreign{}, false
	}
	return *s.foreign, true
}

// Open starts the limiter as a target, whatever it is; it must be configured before it is asked. An algorithm of Table
// becomes a target that keeps one limiter for each client.
func (s Spec) Open(ctx context.Context) (Target, error) {
	if s.foreign != nil {
		return s.foreign.Open(ctx)
	}
	if s.algorithm == nil {
		return nil, errEmptySpec
	}
	return &local{spec: s}, nil
}

// A local is a Target of an algorithm of Table.
type local struct {
	spec    Spec
	limit   Limit
	clients map[string]Limiter
}

func (l *local) Configure(_ context.Context, limit Limit) error {
	if err := l.spec.check(limit); err != nil {
		return errors.Join(ErrUnsupported, err)
	}
	l.limit, l.clients = limit, map[string]Limiter{}
	return nil
}

func (l *local) Decide(ctx context.Context, requests []Request, answers []Answer) error {
	for i, r := range requests {
		one := l.clients[r.Key]
		if one == nil {
			var err error
			if one, err = l.spec.New(l.limit); err != nil {
				return err
			}
			l.clients[r.Key] = one
		}
		answers[i] = Answer{Admitted: one.Allow(r.Time, r.Cost), RetryAfter: Unknown, Remaining: Unknown}
	}
	return ctx.Err()
}

func (l *local) Close() error { return nil }
