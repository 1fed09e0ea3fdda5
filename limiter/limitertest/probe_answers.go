package limitertest

import (
	"fmt"

	"github.com/rlbench/rlbench/limiter"
)

// retryAfter waits exactly as long as a refusal says and asks again.
func retryAfter(c *check) {
	said := false
	for _, s := range c.usual() {
		l, w := s.scale.Max, s.scale.Window
		if !fits(w, 40) {
			continue
		}
		for _, t := range c.starts(w) {
			for _, script := range []*script{
				newScript().over(t, l),
				newScript().burst(t, (l+1)/2).over(t+w/3, l),
				newScript().burst(t+w-1, l).over(t+w+w/10, l),
				newScript().burst(t, l).one(t + w - 1),
				newScript().cost(t, max(1, l-1)).cost(t+w/4, min(2, l)),
			} {
				last := len(script.requests) - 1
				if c.late() {
					c.skip(outOfTime)
					break
				}
				answers, err := c.whole(s.run, script.requests)
				if err != nil {
					c.failed(&trial{limit: s.run, note: "waiting as told"}, err)
					break
				}
				a, r := answers[last], script.requests[last]
				if a.Admitted || a.RetryAfter == limiter.Unknown || r.Cost > l {
					continue
				}
				said = true
				again := append(script.requests, limiter.Request{Key: r.Key, Time: r.Time + max(0, a.RetryAfter), Cost: r.Cost})
				c.word(s, again, a.RetryAfter)
				if c.over() {
					return
				}
			}
		}
	}
	if !said {
		c.trials = 0
		c.skip("it does not say when to come back")
	}
}

// word demands that the last request, at the time that the refusal before it named, is admitted.
func (c *check) word(s setting, requests []limiter.Request, wait int64) {
	answers, err := c.whole(s.run, requests)
	if err != nil {
		c.failed(&trial{limit: s.run, note: "waiting as told"}, err)
		return
	}
	c.trials++
	last := len(requests) - 1
	if answers[last].Admitted && wait >= 0 {
		return
	}
	want := asAnswered(answers)
	want[last] = admit
	c.fault = &Fault{
		Kind: KindRetryAfter, Direction: TooLittle,
		Why:            fmt.Sprintf("a refusal said to wait %d ns, and the request was refused again after that", wait),
		Counterexample: counterexample(c.promise, trial{s.run, requests, "waiting exactly as told"}, answers, want),
	}
}

// remaining asks for exactly as much as an answer said is left, and one more.
func remaining(c *check) {
	said := false
	for _, s := range c.usual() {
		l, w := s.scale.Max, s.scale.Window
		if !fits(w, 40) {
			continue
		}
		for _, t := range c.starts(w) {
			for _, script := range []*script{
				newScript().one(t),
				newScript().burst(t, (l+1)/2),
				newScript().burst(t, l),
				newScript().over(t, l),
				newScript().burst(t+w-1, l).one(t + w + w/2),
				newScript().cost(t, (l+1)/2).cost(t+w/3, (l+3)/4),
			} {
				last := len(script.requests) - 1
				if c.late() {
					c.skip(outOfTime)
					break
				}
				answers, err := c.whole(s.run, script.requests)
				if err != nil {
					c.failed(&trial{limit: s.run, note: "asking for what is left"}, err)
					break
				}
				left := answers[last].Remaining
				if left == limiter.Unknown {
					continue
				}
				said = true
				c.left(s, script.requests, left)
				if c.over() {
					return
				}
			}
		}
	}
	if !said {
		c.trials = 0
		c.skip("it does not say how much is left")
	}
}

// left demands that after the requests exactly that much is admitted.
func (c *check) left(s setting, requests []limiter.Request, left int64) {
	t := requests[len(requests)-1].Time
	script := &script{key: requests[0].Key, requests: requests}
	from := len(requests)
	if left > 0 {
		script.burst(t, left)
	}
	script.one(t)
	answers, err := c.whole(s.run, script.requests)
	if err != nil {
		c.failed(&trial{limit: s.run, note: "asking for what is left"}, err)
		return
	}
	c.trials++
	want := asAnswered(answers)
	last := len(script.requests) - 1
	wrong := Neither
	for i := from; i < last; i++ {
		if want[i] = admit; !answers[i].Admitted {
			wrong = TooLittle
		}
	}
	want[last] = refuse
	if answers[last].Admitted && wrong == Neither {
		wrong = TooMuch
	}
	if wrong == Neither && left >= 0 {
		return
	}
	c.fault = &Fault{
		Kind: KindRemaining, Direction: wrong, Why: fmt.Sprintf("an answer said that %d are left", left),
		Counterexample: counterexample(c.promise, trial{s.run, script.requests, "asking for all that is left, and one more"}, answers, want),
	}
}
