package measure

import (
	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/results"
)

// A runner is a limiter under a limit together with its decisions on a history; seats share it.
type runner struct {
	name    string
	limiter limiter.Limiter
	asked   *asked // in place of the limiter: somebody else's
	safe    int64  // with no window fuller than this nothing is refused
	view    *view  // the window that safe speaks of

	admitted []uint8 // by request of the history; 1 or 0
}

func (r *runner) reset(key string) {
	if r.asked != nil {
		r.asked.begin(key)
	} else {
		r.limiter.Reset()
	}
	r.admitted = r.admitted[:0]
}

// quiet reports whether the limiter certainly admits all requests of the client so far.
func (r *runner) quiet() bool { return r.view.peak <= r.safe }

// advance decides the requests of the history that are not decided yet. If all of the client's requests lie in the
// history and the limiter is quiet, nothing need be asked.
func (r *runner) advance(h *history, whole bool) {
	from, to := len(r.admitted), len(h.times)
	if cap(r.admitted) < to {
		r.admitted = append(make([]uint8, 0, 2*to), r.admitted...)
	}
	r.admitted = r.admitted[:to]
	admitted := r.admitted
	if whole && from == 0 && r.quiet() {
		for i := range admitted {
			admitted[i] = 1
		}
		return
	}
	if r.asked != nil {
		r.ask(h, from)
		return
	}
	for i := from; i < to; i++ {
		admitted[i] = bit(r.limiter.Allow(h.times[i], h.cost(i)))
	}
}

// ask has the target decide the requests from index from on.
func (r *runner) ask(h *history, from int) {
	for to := len(h.times); from < to; from += block {
		end := min(from+block, to)
		var costs []int64
		if len(h.costs) > 0 {
			costs = h.costs[from:end]
		}
		r.asked.decide(h.times[from:end], costs, r.admitted[from:end])
	}
}

// one decides a request of cost 1 that is not in the history yet.
func (r *runner) one(t int64) uint8 {
	r.admitted = append(r.admitted, 0)
	last := r.admitted[len(r.admitted)-1:]
	if r.asked == nil {
		last[0] = bit(r.limiter.Allow(t, 1))
	} else {
		r.asked.once[0] = t
		r.asked.decide(r.asked.once[:], nil, last)
	}
	return last[0]
}

// failure returns why the runner's answers to the client at hand are not whole; nil if they are.
func (r *runner) failure() error {
	if r.asked == nil {
		return nil
	}
	return r.asked.failure
}

// drop forgets the first n requests, if it has decided them.
func (r *runner) drop(n int) {
	if len(r.admitted) >= n {
		r.admitted = r.admitted[:copy(r.admitted, r.admitted[n:])]
	}
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// A judged limit is one that a seat's own admitted requests are held against.
type judged struct {
	limiter.Limit
	view *view

	peak   int64 // of the client
	peakAt int64
}

// A seat judges one contestant under one limit of the plan.
type seat struct {
	tally    *results.AlgorithmTally
	run      limiter.Limit
	limits   []judged // one, or one per part of a multi
	own      *runner
	twin     *runner // the exact log, or the logs of all parts
	phased   *view   // the run's window
	estimate *estimate
	worst    func() []int64

	// Of the client at hand:
	counts      results.Counts
	phase       [len(outcomeCounts)][results.PhaseBins]int64
	mistakes    bool    // phase holds something
	admitted    []int64 // admitted[i]: cost admitted before request i
	realExceeds bool    // open loop: the exact count exceeded the limit at some request
	estExceeds  bool    // and the weighted count did
	maxReal     int64   // the largest exact count
	sums        results.ErrorSums
}

func (s *seat) reset() {
	s.counts = results.Counts{}
	if s.mistakes {
		clear(s.phase[:])
		s.mistakes = false
	}
	s.admitted = append(s.admitted[:0], 0)
	for i := range s.limits {
		s.limits[i].peak, s.limits[i].peakAt = 0, 0
	}
	s.realExceeds, s.estExceeds, s.maxReal = false, false, 0
}

// unseen reports whether the client, whose requests are all in, never came near: nothing was refused by the contestant
// or its twin and no limit was exceeded, so that all histories are one.
func (s *seat) unseen() bool {
	for i := range s.limits {
		if s.limits[i].view.peak > s.limits[i].Max {
			return false
		}
	}
	return s.own.quiet() && s.twin.quiet()
}

// admitAll counts a client that was unseen.
func (s *seat) admitAll(h *history) {
	s.counts[results.Requests] += h.count
	s.counts[results.Admitted] += h.count
	for i := range s.limits {
		l := &s.limits[i]
		l.peak, l.peakAt = l.view.peak, l.view.peakAt
	}
}

// judge compares the decisions on the requests from index from on, at most a 16-bit number of them, with what the
// contestant's own history and its twin allow.
func (s *seat) judge(h *history, from int) {
	to := len(h.times)
	if cap(s.admitted) < to+1 {
		s.admitted = append(make([]int64, 0, 2*(to+1)), s.admitted...)
	}
	s.admitted = s.admitted[:to+1]
	own, twin, phases := s.own.admitted[:to], s.twin.admitted[:to], s.phased.phases[:to]
	admitted := s.admitted
	sum := admitted[from]
	costs := h.costs
	var outcomes [results.PhaseBins]uint64 // four counts of 16 bits for each phase
	for i := from; i < to; i++ {
		cost := int64(1)
		if len(costs) > 0 {
			cost = costs[i]
		}
		exceeds, a := uint64(0), own[i]
		for k := range s.limits {
			l := &s.limits[k]
			held := sum - admitted[l.view.oldest[i]] + cost // if this request is admitted
			if held > l.Max {
				exceeds = 1
			}
			if held > l.peak && a == 1 {
				l.peak, l.peakAt = held, h.times[i]
			}
		}
		sum += int64(a) * cost
		admitted[i+1] = sum
		outcomes[phases[i]] += outcome(uint64(a), uint64(twin[i]), exceeds)
	}
	s.counts[results.Requests] += int64(to - from)
	for _, a := range own[from:] {
		s.counts[results.Admitted] += int64(a)
	}
	s.addOutcomes(&outcomes)
}

// outcome packs what a decision a (1: admitted) amounts to, given the twin's and whether admitting exceeds a limit, into
// 16 bits each: over-admitted, over-refused, looser, stricter.
func outcome(a, twin, exceeds uint64) uint64 {
	return a&exceeds | ((a|exceeds)^1)<<16 | (a&^twin)<<32 | (twin&^a)<<48
}

func (s *seat) addOutcomes(outcomes *[results.PhaseBins]uint64) {
	for bin, packed := range outcomes {
		if packed == 0 {
			continue
		}
		s.mistakes = true
		for k, count := range outcomeCounts {
			n := int64(packed >> (16 * k) & 0xffff)
			s.phase[k][bin] += n
			s.counts[count] += n
		}
	}
}

// outcomeCounts are the counts that outcome packs, in the order of the phases' counts too.
var outcomeCounts = [...]int{
	results.PhaseOverAdmitted: results.OverAdmitted,
	results.PhaseOverRefused:  results.OverRefused,
	results.PhaseLooser:       results.Looser,
	results.PhaseStricter:     results.Stricter,
}

// drop forgets the first n requests, if it has judged them.
func (s *seat) drop(n int) {
	if len(s.admitted) > n {
		s.admitted = s.admitted[:copy(s.admitted, s.admitted[n:])]
	}
}

// misjudge compares the weighted count and the exact one with the limit, for the block that the estimate just did.
func (s *seat) misjudge(h *history) {
	e := s.estimate
	if e == nil {
		return
	}
	limit := s.limits[0].Max
	held := e.view.held[e.from:len(h.times)]
	if e.exact {
		s.maxReal = e.view.peak
		s.realExceeds = s.maxReal > limit
		s.estExceeds = s.realExceeds
		return
	}
	if e.view.peak <= limit/2 { // then neither count exceeds the limit
		return
	}
	for i, real := range held {
		est := above(e.counts[i], limit, e.view.window)
		if (real > limit) != est {
			s.counts[results.Misjudged]++
		}
		s.estExceeds = s.estExceeds || est
	}
	s.maxReal = e.view.peak
	s.realExceeds = s.maxReal > limit
}

// settle completes the client's figures, once all of its requests are judged. If the contestant has failed, none of them
// counts as answered.
func (s *seat) settle(h *history) {
	c := &s.counts
	if err := s.own.failure(); err != nil {
		s.reset()
		c[results.Requests], c[results.Errors] = h.count+h.free, h.count+h.free
		s.tally.Failure = err.Error()
		return
	}
	c[results.Requests] += h.free
	c[results.Admitted] += h.free
	for i := range s.limits {
		if s.limits[i].peak > s.limits[i].Max {
			c[results.ClientsOverLimit] = 1
		}
	}
	if c[results.Admitted] < c[results.Requests] {
		c[results.ClientsRefused] = 1
	}
	e := s.estimate
	if e == nil {
		return
	}
	s.sums = results.ErrorSums{}
	if c[results.ErrorRequests] = e.requests; e.requests > 0 {
		c[results.ErrorClients] = 1
		s.sums = results.ErrorSums{
			results.AbsoluteError: e.absolute,
			results.SignedError:   e.signed,
			results.ClientError:   e.absolute.Mean(e.requests),
		}
	}
	if s.realExceeds && !s.estExceeds {
		c[results.WronglyAllowed] = 1
	}
	if s.estExceeds && !s.realExceeds {
		c[results.WronglyLimited] = 1
	}
}

// addTo adds the settled client to the tally.
func (s *seat) addTo(a *results.AlgorithmTally, key string) {
	group := results.GroupOf(key)
	if s.counts[results.ClientsRefused] == 1 {
		a.Hit(key, s.counts[results.Requests], s.counts[results.Requests]-s.counts[results.Admitted])
	}
	for k, n := range s.counts {
		a.Groups[group][k] += n
	}
	for i := range s.limits {
		a.Peaks[i].Offer(s.limits[i].peak, key, s.limits[i].peakAt)
	}
	if s.mistakes {
		for k := range s.phase {
			for b, n := range s.phase[k] {
				a.Phase[k][b] += n
			}
		}
	}
	if s.counts[results.ErrorClients] == 1 {
		for k := range s.sums {
			a.ErrorSums[group][k].AddSum(s.sums[k])
		}
		a.ErrorByClient[results.ErrorBin(s.sums[results.ClientError])]++
	}
	if s.counts[results.WronglyAllowed] == 1 {
		a.MaxWronglyAllowed = max(a.MaxWronglyAllowed, s.maxReal)
	}
}
