package peers

import (
	"context"
	"fmt"
	"time"

	"github.com/rlbench/rlbench/limiter"
)

// A told is a target of a library that is told the time.
type told struct {
	peer    *Peer
	burst   int64
	window  int64
	library library
	clock   dial
	axis    axis
	begun   bool // the axis is laid
}

func (d *told) Configure(_ context.Context, limit limiter.Limit) error {
	s, err := d.peer.set(limit, d.burst)
	if err != nil {
		return err
	}
	s.virtual, s.clock = true, &d.clock
	l, err := d.peer.make(s)
	if err != nil {
		return err
	}
	d.library, d.window, d.begun = l, limit.Window, false
	return nil
}

func (d *told) Decide(ctx context.Context, requests []limiter.Request, answers []limiter.Answer) error {
	if d.library == nil {
		return errNotConfigured
	}
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
		d.clock.now = time.Unix(0, instant).UTC()
		answers[i] = d.library.decide(r.Key, d.clock.now, r.Cost)
	}
	return ctx.Err()
}

func (d *told) Close() error { return nil }

// asks reports whether the library is to be asked: a cost of 0 is admitted without. Costs that the library doesn't know are
// an error.
func (p *Peer) asks(r limiter.Request, a *limiter.Answer) (bool, error) {
	if r.Cost == 0 {
		*a = answer(true)
		return false, nil
	}
	if r.Cost != 1 && !p.Costs {
		return false, fmt.Errorf("%w: peer:%s knows no costs but 1, and a request costs %d", limiter.ErrUnsupported, p.Name, r.Cost)
	}
	return true, nil
}
