package limitertest

import (
	"context"
	"errors"

	"github.com/rlbench/rlbench/limiter"
)

// A Changer is a target whose limit can be changed while clients are active. It is an optional extra of a limiter.Target,
// found by assertion.
type Changer interface {
	// Change sets another limit for all clients and keeps what they have used. It fails as Configure does.
	Change(ctx context.Context, limit limiter.Limit) error
}

// limitChange lowers and raises the limit within a window: what was used still counts, up to the new limit.
func limitChange(c *check) {
	if err := c.start(); err != nil {
		c.failed(&trial{limit: c.main}, c.lost(err))
		return
	}
	if _, ok := c.target.(Changer); !ok {
		c.skip("its limit can't be changed")
		return
	}
	for _, s := range c.usual() {
		l, w := s.scale.Max, s.scale.Window
		if l < 2 || !fits(w, 40) {
			continue
		}
		for _, next := range []int64{1, l / 2, 2 * l} {
			if c.late() {
				c.skip(outOfTime)
				return
			}
			used := l / 2
			c.changed(s, used, next, max(0, next-used))
			if c.over() {
				return
			}
		}
	}
}

// changed spends used at once, changes the limit, and demands that about as much as is left is admitted then.
func (c *check) changed(s setting, used, next, left int64) {
	defer c.allow(0)()
	to := limiter.Limit{Max: next, Window: s.run.Window}
	note := "the limit changes after half of it is used"
	before := newScript().burst(10*s.scale.Window, used).requests
	after := newScript().burst(10*s.scale.Window+1, next+2).requests
	if _, err := c.play(s.run, before); err != nil {
		c.failed(&trial{limit: s.run, note: note}, err)
		return
	}
	changer, ok := c.target.(Changer)
	if !ok {
		return
	}
	err := c.lost(c.guard(func(ctx context.Context) error { return changer.Change(ctx, to) }))
	var answers []limiter.Answer
	if err == nil {
		answers, err = c.decide(after)
	}
	if errors.Is(err, limiter.ErrUnsupported) {
		c.skip(err.Error())
		return
	}
	if err != nil {
		c.failed(&trial{limit: s.run, note: note}, err)
		return
	}
	c.trials++
	want, broken := asAnswered(answers), false
	direction := Neither
	for i := range after {
		want[i] = expect(int64(i) < left)
		if want[i].broken(answers[i].Admitted) && !broken {
			broken, direction = true, directionOf(answers[i].Admitted)
		}
	}
	if broken {
		c.fault = &Fault{
			Kind: KindLimitChanged, Direction: direction, Why: "a new limit applies at once, to what was used as well",
			Counterexample: counterexample(c.promise, trial{to, after, note}, answers, want),
		}
	}
}
