package measure

import (
	"slices"

	"github.com/rlbench/rlbench/generators"
	"github.com/rlbench/rlbench/results"
)

// A feed appends up to a block of requests of a client to the history and reports whether there may be more.
type feed func(h *history) (more bool, err error)

// openLoop judges a client whose requests depend on nobody's decisions: all contestants see the same ones. On an error
// (the context's, or the feed's) nothing of the client is counted.
func (c *court) openLoop(key string, costs bool, next feed) error {
	h := c.history
	h.reset(key, costs)
	c.reset()
	deciding := false
	for more := true; more; {
		from := len(h.times)
		var err error
		if more, err = next(h); err != nil {
			return err
		}
		h.added(from)
		for _, v := range c.views {
			v.advance(h)
		}
		for _, e := range c.estimates {
			e.advance(h, from)
		}
		for _, s := range c.seats {
			s.misjudge(h)
		}
		switch {
		case deciding:
			c.decide(h, from)
			c.trim(h)
		case more && len(h.times) >= keepWhole:
			deciding = true
			c.decide(h, 0)
			c.trim(h)
		}
		if err := c.tell(len(h.times) - from); err != nil {
			return err
		}
	}
	if !deciding {
		c.decideWhole(h)
	}
	if err := c.cut(); err != nil {
		return err
	}
	for _, s := range c.seats {
		s.settle(h)
	}
	c.close()
	return nil
}

func (c *court) reset() {
	for _, v := range c.views {
		v.reset()
	}
	for _, e := range c.estimates {
		e.reset()
	}
	for _, r := range c.runners {
		r.reset(c.history.key)
	}
	for _, counts := range c.refusedBy {
		clear(counts)
	}
	for _, s := range c.seats {
		s.reset()
	}
}

// decide asks every limiter about the requests from index from on.
func (c *court) decide(h *history, from int) {
	for _, r := range c.runners {
		r.advance(h, false)
	}
	for _, s := range c.seats {
		s.judge(h, from)
	}
	c.compare(len(h.times), from)
}

// compare counts the requests from index from on by who refused them; a seat that was never asked has admitted all.
func (c *court) compare(to, from int) {
	for k := range c.plan.Limits {
		seats := c.seats[k*len(c.plan.Contestants) : (k+1)*len(c.plan.Contestants)]
		counts := c.refusedBy[k]
		if counts == nil {
			continue
		}
		sets := grownSets(c.sets, to-from)
		c.sets = sets
		for i, s := range seats {
			if len(s.own.admitted) < to || s.own.failure() != nil {
				continue
			}
			for j, a := range s.own.admitted[from:to] {
				sets[j] |= (a ^ 1) << i
			}
		}
		for _, set := range sets {
			counts[set]++
		}
	}
}

// grownSets returns n empty sets.
func grownSets(s []uint8, n int) []uint8 {
	if cap(s) < n {
		return make([]uint8, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// decideWhole decides a client whose requests are all in the history.
func (c *court) decideWhole(h *history) {
	for _, s := range c.seats {
		if s.unseen() {
			s.admitAll(h)
			continue
		}
		s.own.advance(h, true)
		s.twin.advance(h, true)
		s.judge(h, 0) // at most keepWhole requests and a block more
	}
	if refused := slices.ContainsFunc(c.seats, func(s *seat) bool { return s.counts[results.Admitted] < s.counts[results.Requests] }); refused {
		c.compare(len(h.times), 0)
	}
}

// closedLoop judges one contestant on a client that answers its decisions. It leaves the figures with the seat.
func (c *court) closedLoop(s *seat, key string, src generators.Source) error {
	h := c.history
	h.reset(key, false)
	for _, v := range c.views {
		v.reset()
	}
	s.own.reset(key)
	s.twin.reset(key)
	if s.estimate != nil {
		s.estimate.reset()
	}
	s.reset()
	last := false
	for more := true; more; {
		from := len(h.times)
		for len(h.times) < from+block {
			t, ok := src.Next(last)
			if !ok {
				more = false
				break
			}
			h.times = append(h.times, t)
			last = s.own.one(t) == 1
			if s.twin != s.own {
				s.twin.one(t)
			}
		}
		h.added(from)
		for _, v := range c.views {
			v.advance(h)
		}
		if s.estimate != nil {
			s.estimate.advance(h, from)
			s.misjudge(h)
		}
		s.judge(h, from)
		c.trim(h)
		if err := c.tell(len(h.times) - from); err != nil {
			return err
		}
	}
	if err := c.cut(); err != nil {
		return err
	}
	s.settle(h)
	return nil
}

// cut returns the context's error if a target has failed because of it: that is no failure of the target's.
func (c *court) cut() error {
	for _, r := range c.runners {
		if r.failure() != nil && c.ctx.Err() != nil {
			return c.ctx.Err()
		}
	}
	return nil
}

// trim drops what no window reaches back to, once that is most of the history.
func (c *court) trim(h *history) {
	n := len(h.times)
	if n < keepWhole {
		return
	}
	for _, v := range c.views {
		n = min(n, v.next)
	}
	if n < len(h.times)/2 {
		return
	}
	h.drop(n)
	for _, v := range c.views {
		v.drop(n)
	}
	for _, r := range c.runners {
		r.drop(n)
	}
	for _, s := range c.seats {
		s.drop(n)
	}
}

// close adds the client at hand to the tallies: its requests once, and what every seat has settled.
func (c *court) close() {
	h := c.history
	requests := h.count + h.free
	digest := h.sum()
	for _, t := range c.tallies {
		t.Clients++
	}
	if requests == 0 {
		return
	}
	for _, s := range c.seats {
		s.addTo(s.tally, h.key)
	}
	for i, t := range c.tallies {
		for set, n := range c.refusedBy[i] {
			t.RefusedBy[set] += n
		}
		t.Active[results.GroupOf(h.key)]++
		t.Requests += requests
		t.Digest += digest
		for b, n := range c.view(c.plan.Limits[i].Window).phase {
			t.Phase[b] += n
		}
	}
}

// tell reports progress and notices an interruption, every so many requests.
func (c *court) tell(requests int) error {
	c.done += int64(requests)
	if c.done < 1<<14 {
		return nil
	}
	if c.progress != nil {
		c.progress(c.done)
	}
	c.done = 0
	return c.ctx.Err()
}

// leave ends the targets and reports the rest of the progress.
func (c *court) leave() {
	for _, r := range c.runners {
		if r.asked != nil {
			r.asked.close()
		}
	}
	if c.progress != nil && c.done > 0 {
		c.progress(c.done)
	}
	c.done = 0
}
