package peers

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/rlbench/rlbench/limiter"
)

// A told is a target of a library that is told the time.
type told struct {
	peer    *Peer
	burst   int64
	window  int64
	library Library
	now     time.Time
	axis    axis
	begun   bool // the axis is laid
}

func (d *told) Configure(_ context.Context, limit limiter.Limit) error {
	s, err := d.peer.set(limit, d.burst)
	if err != nil {
		return err
	}
	s.Virtual, s.Now = true, func() time.Time { return d.now }
	l, err := d.peer.Make(s)
	if err != nil {
		return err
	}
	d.library, d.window, d.begun = l, limit.Window, false
	return nil
}

func (d *told) Decide(ctx context.Context, requests []limiter.Request, answers []limiter.Answer) (err error) {
	if d.library == nil {
		return errNotConfigured
	}
	defer d.peer.recover(&err)
	for i, r := range requests {
		if asked, err := d.peer.asks(r, &answers[i]); err != nil {
			return err
		} else if !asked {
			continue
		}
		if !d.begun {
			d.axis, d.begun = layAxis(r.Time, d.window), true
		}
		instant, err := d.axis.at(r.Time)
		if err != nil {
			return err
		}
		d.now = time.Unix(0, instant).UTC()
		answers[i] = d.library.Decide(r.Key, d.now, r.Cost)
	}
	return ctx.Err()
}

func (d *told) Close() error { return nil }

// recover makes an error of a panic of the library. It is to be deferred.
func (p *Peer) recover(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("peer:%s panicked: %v\n%s", p.Name, r, debug.Stack())
	}
}

// asks reports whether the library is to be asked: a cost of 0 is admitted without. Costs that the library doesn't know are
// an error.
func (p *Peer) asks(r limiter.Request, a *limiter.Answer) (bool, error) {
	if r.Cost == 0 {
		*a = Answer(true)
		return false, nil
	}
	if r.Cost != 1 && !p.Costs {
		return false, fmt.Errorf("%w: peer:%s knows no costs but 1, and a request costs %d", limiter.ErrUnsupported, p.Name, r.Cost)
	}
	return true, nil
}
