package limitertest

import (
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/rlbench/rlbench/limiter"
)

// A setting is what a sequence is made for: the limit that the target is configured for, and the one that shapes the
// sequence, which differs where the promise names limits of its own.
type setting struct{ run, scale limiter.Limit }

// A trial is a sequence with the limit it is played under.
type trial struct {
	limit    limiter.Limit
	requests []limiter.Request
	note     string
}

// A check is one probe at work.
type check struct {
	*session
	promise *Promise
	alive   []int // the readings that fit all that was seen, as indices
	main    limiter.Limit
	only    bool // no other limit than main
	quick   bool

	budgetLength time.Duration // for making a fault small, once more what the probe had

	random *rand.Rand

	probe   *Probe
	trials  int
	skipped int
	reason  string // why the first was skipped
	fault   *Fault
	err     error // the caller's end
	dossier *dossier
}

// seeded returns a generator that depends on the seed and a name alone.
func seeded(seed uint64, name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// outOfTime is why sequences are left out where the limiter is slow.
const outOfTime = "it is slow, the probe's time was over"

// over reports whether there is no more to do.
func (c *check) over() bool { return c.fault != nil || c.err != nil }

// settings returns the main limit and, where the target can have others, those given.
func (c *check) settings(others ...limiter.Limit) []setting {
	var all []setting
	seen := map[limiter.Limit]bool{}
	for _, scale := range c.promise.scales(c.main) {
		if !seen[scale] {
			seen[scale] = true
			all = append(all, setting{c.main, scale})
		}
	}
	if c.only || c.promise.fixed {
		return all
	}
	for _, l := range others {
		if !seen[l] && (c.promise.resolution < 2 || l.Window%c.promise.resolution == 0 && l.Window > 4*c.promise.resolution) {
			seen[l] = true
			all = append(all, setting{l, l})
		}
	}
	return all
}

// try plays a sequence and reports whether the probe goes on.
func (c *check) try(s setting, note string, script *script) bool {
	if c.over() || len(script.requests) == 0 {
		return !c.over()
	}
	if slices.ContainsFunc(script.requests, func(r limiter.Request) bool { return r.Time < 0 }) {
		return true // before time 0, or beyond its end
	}
	t := trial{s.run, script.requests, note}
	if r := c.promise.resolution; r > 1 {
		for i := range t.requests {
			t.requests[i].Time -= t.requests[i].Time % r
		}
	}
	c.play1(&t)
	return !c.over()
}

func (c *check) play1(t *trial) {
	if c.late() {
		c.skip(outOfTime)
		return
	}
	answers, err := c.play(t.limit, t.requests)
	if err != nil {
		c.failed(t, err)
		return
	}
	c.trials++
	t.requests = t.requests[:len(answers)]
	c.dossier.add(t, answers)
	left, at := c.judge(t, answers, nil)
	if at < 0 {
		c.alive = left
		return
	}
	t.requests = t.requests[:at+1]
	c.found(t)
}

// failed sorts out why there is no answer.
func (c *check) failed(t *trial, err error) {
	var f *failure
	switch {
	case errors.Is(err, limiter.ErrUnsupported):
		c.skip(err.Error())
	case errors.As(err, &f):
		c.fault = &Fault{Kind: f.kind, Why: f.err.Error(), Counterexample: Counterexample{Limit: t.limit, Note: t.note}}
	case errors.Is(err, errGone):
		c.skip(err.Error())
	default:
		c.err = err
	}
}

func (c *check) skip(reason string) {
	if c.skipped++; c.reason == "" {
		c.reason = reason
	}
}

// judge returns the readings that fit the answers, or where even the best of them doesn't; want, if not nil, gets what that
// reading expected up to there.
func (c *check) judge(t *trial, answers []limiter.Answer, want []expectation) (left []int, at int) {
	at = -1
	for _, i := range c.alive {
		fits, broken := c.promise.readings[i].judge(t, answers, nil)
		if fits {
			left = append(left, i)
			continue
		}
		if broken > at {
			at = broken
			if want != nil {
				c.promise.readings[i].judge(t, answers, want)
			}
		}
	}
	if len(left) > 0 {
		return left, -1
	}
	return nil, at
}

// judge reports whether a reading fits the answers, or else where its best judgement is broken.
func (r reading) judge(t *trial, answers []limiter.Answer, want []expectation) (fits bool, broken int) {
	all, err := r.build(t.limit)
	if err != nil {
		return true, -1 // it says nothing under that limit
	}
	broken = -1
	for k, judge := range all {
		at := -1
		for i, request := range t.requests {
			if judge(request, answers[i].Admitted).broken(answers[i].Admitted) {
				at = i
				break
			}
		}
		if at < 0 {
			return true, -1
		}
		if at > broken {
			broken = at
			if want != nil {
				again, _ := r.build(t.limit)
				for i := range t.requests[:at+1] {
					want[i] = again[k](t.requests[i], answers[i].Admitted)
				}
			}
		}
	}
	return false, broken
}
