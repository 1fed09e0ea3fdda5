package limitertest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rlbench/rlbench/limiter"
)

// A shrinker makes a failing sequence smaller: fewer requests, then rounder times, each step played again.
type shrinker struct {
	c         *check
	direction Direction
	plays     int
	requests  int
	best      trial
}

// shrink returns the smallest sequence it finds that breaks the promise in the same direction, and false if not even the
// given one does so again.
func (c *check) shrink(t trial, direction Direction) (trial, bool) {
	s := &shrinker{c: c, direction: direction, plays: 1500, requests: 400_000}
	if c.quick {
		s.plays, s.requests = 500, 100_000
	}
	s.best = trial{t.limit, slices.Clone(t.requests), t.note}
	if !s.try(s.best) {
		return t, s.c.late()
	}
	s.smallerLimit()
	s.closer()
	for range 3 {
		before := len(s.best.requests)
		s.fewer()
		if len(s.best.requests) == before {
			break
		}
	}
	s.closer()
	s.earlier()
	s.rounder()
	s.cheaper()
	s.simplerKeys()
	s.fewer()
	return s.best, true
}

// try plays a candidate and keeps it if it fails as well.
func (s *shrinker) try(t trial) bool {
	if s.plays <= 0 || s.requests <= 0 || len(t.requests) == 0 || s.c.late() {
		return false
	}
	s.plays--
	s.requests -= len(t.requests)
	answers, err := s.c.play(t.limit, t.requests)
	if err != nil {
		return false
	}
	t.requests = t.requests[:len(answers)]
	_, at := s.c.judge(&t, answers, nil)
	if at < 0 || directionOf(answers[at].Admitted) != s.direction {
		return false
	}
	t.requests = t.requests[:at+1]
	s.best = t
	return true
}

func directionOf(admitted bool) Direction {
	if admitted {
		return TooMuch
	}
	return TooLittle
}

func (s *shrinker) smallerLimit() {
	if s.c.only || s.c.promise.fixed {
		return
	}
	for _, most := range []int64{1, 2, 3, 5, 10, 100} {
		if most >= s.best.limit.Max {
			return
		}
		if s.try(trial{limiter.Limit{Max: most, Window: s.best.limit.Window}, s.best.requests, s.best.note}) {
			return
		}
	}
}

// fewer leaves out ever smaller pieces.
func (s *shrinker) fewer() {
	for size := (len(s.best.requests) + 1) / 2; size >= 1; size /= 2 {
		for from := len(s.best.requests) - 1 - size; ; from -= size {
			from = min(from, len(s.best.requests)-size)
			if from < 0 {
				break
			}
			rest := slices.Delete(slices.Clone(s.best.requests), from, from+size)
			s.try(trial{s.best.limit, rest, s.best.note})
		}
		if first := min(size, len(s.best.requests)-1); first > 0 {
			s.try(trial{s.best.limit, slices.Clone(s.best.requests[first:]), s.best.note})
		}
	}
}

// closer moves ever smaller pieces to one instant each.
func (s *shrinker) closer() {
	for size := len(s.best.requests); size >= 2; size = (size + 1) / 2 {
		for from := 0; from+1 < len(s.best.requests) && s.plays > 0; from += size {
			to := min(from+size, len(s.best.requests))
			first, differs := s.best.requests[from].Time, false
			moved := slices.Clone(s.best.requests)
			for i := from; i < to; i++ {
				differs = differs || moved[i].Time != first
				moved[i].Time = first
			}
			if differs && ascend(moved) == ascend(s.best.requests) {
				s.try(trial{s.best.limit, moved, s.best.note})
			}
		}
		if size == 2 {
			return
		}
	}
}

// mapped tries the sequence with other times, costs or keys.
func (s *shrinker) mapped(change func(limiter.Request) limiter.Request) bool {
	changed := slices.Clone(s.best.requests)
	differs := false
	for i, r := range changed {
		changed[i] = change(r)
		if changed[i].Time < 0 {
			return false
		}
		differs = differs || changed[i] != r
	}
	if ascend(s.best.requests) && !ascend(changed) {
		return false
	}
	return differs && s.try(trial{s.best.limit, changed, s.best.note})
}

// earlier moves the whole sequence towards time 0.
func (s *shrinker) earlier() {
	first := s.best.requests[0].Time
	for _, r := range s.best.requests {
		first = min(first, r.Time)
	}
	window := s.best.limit.Window
	for _, by := range []int64{first, first - first%window} {
		if by > 0 && s.mapped(func(r limiter.Request) limiter.Request { r.Time -= by; return r }) {
			return
		}
	}
}

// rounder moves each instant to a round one near it, the roundest first.
func (s *shrinker) rounder() {
	var done []int64
	for {
		i := slices.IndexFunc(s.best.requests, func(r limiter.Request) bool { return !slices.Contains(done, r.Time) })
		if i < 0 {
			return
		}
		from := s.best.requests[i].Time
		to := from
		for _, grain := range grains(s.best.limit.Window) {
			near := from - from%grain
			for _, t := range []int64{near, near + grain} {
				if to == from && t != from && t >= 0 && s.moved(from, t) {
					to = t
				}
			}
			if to != from || from%grain == 0 {
				break
			}
		}
		done = append(done, to)
		if s.plays <= 0 {
			return
		}
	}
}

// moved tries the sequence with all requests of one instant at another.
func (s *shrinker) moved(from, to int64) bool {
	return s.mapped(func(r limiter.Request) limiter.Request {
		if r.Time == from {
			r.Time = to
		}
		return r
	})
}

// grains are the distances between round times, the longest first.
func grains(window int64) []int64 {
	var all []int64
	for _, d := range []int64{1, 2, 4, 10, 20, 100, 1000, 10_000, 1_000_000} {
		if g := window / d; g > 0 {
			all = append(all, g)
		}
	}
	for _, g := range []int64{60e9, 1e9, 1e8, 1e6, 1e3} {
		if g < window {
			all = append(all, g)
		}
	}
	slices.Sort(all)
	slices.Reverse(all)
	return slices.Compact(all)
}

// ascend reports whether times never go back.
func ascend(requests []limiter.Request) bool {
	return slices.IsSortedFunc(requests, func(a, b limiter.Request) int { return cmp.Compare(a.Time, b.Time) })
}

func (s *shrinker) cheaper() {
	for _, cost := range []int64{1, 2, 10, 100, 1000} {
		s.mapped(func(r limiter.Request) limiter.Request { r.Cost = min(r.Cost, cost); return r })
	}
	for i := 0; i < len(s.best.requests) && s.plays > 0; i++ {
		if r := s.best.requests[i]; r.Cost > 1 {
			lesser := slices.Clone(s.best.requests)
			lesser[i].Cost = 1
			s.try(trial{s.best.limit, lesser, s.best.note})
		}
	}
}

// simplerKeys calls the clients a, b, c, ... if that makes no difference.
func (s *shrinker) simplerKeys() {
	names := map[string]string{}
	for _, r := range s.best.requests {
		if _, ok := names[r.Key]; !ok {
			names[r.Key] = keyName(len(names))
		}
	}
	if s.mapped(func(r limiter.Request) limiter.Request { r.Key = names[r.Key]; return r }) || len(names) < 2 {
		return
	}
	first := s.best.requests[0].Key
	s.mapped(func(r limiter.Request) limiter.Request { r.Key = first; return r })
}

func keyName(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return fmt.Sprintf("k%d", i)
}

// found turns a broken sequence into the probe's fault.
func (c *check) found(t *trial) {
	defer c.allow(0)() // a fault is worth being played to its end
	answers, err := c.play(t.limit, t.requests)
	if err != nil {
		c.failed(t, err)
		return
	}
	_, at := c.judge(t, answers, nil)
	if at < 0 {
		c.fault = &Fault{
			Kind: KindUnrepeatable, Why: "the same sequence was answered differently when it was played again",
			Counterexample: counterexample(c.promise, *t, answers, asAnswered(answers)),
		}
		return
	}
	direction := directionOf(answers[at].Admitted)
	done := c.allow(c.budgetLength)
	small, again := c.shrink(*t, direction)
	done()
	if answers, err = c.play(small.limit, small.requests); err != nil {
		c.failed(&small, err)
		return
	}
	want := make([]expectation, len(small.requests))
	if _, at = c.judge(&small, answers, want); at < 0 || !again {
		c.fault = &Fault{
			Kind: KindUnrepeatable, Why: "the same sequence was answered differently when it was played again",
			Counterexample: counterexample(c.promise, small, answers, asAnswered(answers)),
		}
		return
	}
	c.dossier.proof(&small, answers)
	c.fault = &Fault{
		Kind: c.promise.kindOf(small, direction), Direction: direction, Why: c.probe.Why,
		Counterexample: counterexample(c.promise, small, answers, want),
	}
}

func asAnswered(answers []limiter.Answer) []expectation { return make([]expectation, len(answers)) }
