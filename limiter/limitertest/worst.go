package limitertest

import (
	"cmp"
	"context"
	"errors"
	"math/bits"
	"slices"

	"github.com/rlbench/rlbench/limiter"
)

// A Worst is the worst that was found, for one client and requests of cost 1, under the main limit.
type Worst struct {
	// Peak is the most that was admitted in a closed window of the limit's length; Arrivals got it, all of them admitted.
	Peak     int64
	Arrivals Counterexample
	// Unbounded says that the limiter admitted everything it was asked at once, so that Peak is only as much as that.
	Unbounded bool

	// Refused is the most that was refused in a closed window to a client that never asked for more than the limit in
	// any such window; Innocent is what it asked.
	Refused  int64
	Innocent Counterexample

	Plays int    // sequences played
	Note  string // why nothing was searched, or not all
}

// largestSearched bounds the limits and bursts for which the worst case is searched.
const largestSearched = 20_000

// FindWorst searches the arrivals that get most out of a limiter, and those of a well-behaved client that is refused most. It
// knows of the limiter nothing but its answers. Errors are those of Verify.
func FindWorst(ctx context.Context, open func(context.Context) (limiter.Target, error), o Options) (*Worst, error) {
	v, err := begin(ctx, open, Promise{}, o)
	if err != nil {
		return nil, err
	}
	defer v.close()
	return v.worst()
}

func (v *verification) worst() (*Worst, error) {
	s := &search{verification: v, limit: v.options.Limit, worst: &Worst{}, grain: max(1, v.promise.resolution)}
	if scales := v.promise.scales; scales != nil {
		s.limit = scales(v.options.Limit)[0]
	}
	if s.limit.Max > largestSearched || !fits(s.limit.Window, 40) {
		s.worst.Note = "the limit or the window is too large to search"
		return s.worst, nil
	}
	defer v.allow(10 * v.options.Budget)()
	err := s.capacity()
	if err == nil && !s.worst.Unbounded {
		err = s.attack()
	}
	if err == nil {
		err = s.innocent()
	}
	var f *failure
	if errors.Is(err, errLate) || errors.As(err, &f) || errors.Is(err, errGone) || errors.Is(err, limiter.ErrUnsupported) {
		s.worst.Note, err = err.Error(), nil
	}
	return s.worst, err
}

// errLate ends a search.
var errLate = errors.New("the search was ended early, the limiter is slow")

type search struct {
	*verification
	limit limiter.Limit // whose window counts
	grain int64
	burst int64 // what a new client gets at once
	worst *Worst
}

// play1 plays one client's requests at those times and returns which were admitted.
func (s *search) play1(times []int64) ([]limiter.Answer, []limiter.Request, error) {
	requests := make([]limiter.Request, len(times))
	for i, t := range times {
		requests[i] = limiter.Request{Key: "a", Time: t - t%s.grain, Cost: 1}
	}
	answers, err := s.asked(requests)
	return answers, requests, err
}

// asked is play, but for the time allowed.
func (s *search) asked(requests []limiter.Request) ([]limiter.Answer, error) {
	if s.late() {
		return nil, errLate
	}
	s.worst.Plays++
	return s.whole(s.options.Limit, requests)
}

// capacity finds out what a new client gets at once.
func (s *search) capacity() error {
	for n := s.limit.Max + 2; ; n *= 4 {
		times := repeated(nil, 10*s.limit.Window, n)
		answers, requests, err := s.play1(times)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(answers, func(a limiter.Answer) bool { return !a.Admitted }); i >= 0 {
			s.burst = int64(i)
			return nil
		}
		if n > 4*largestSearched {
			s.worst.Unbounded, s.worst.Peak = true, n
			s.worst.Arrivals = s.shown(requests, answers)
			return nil
		}
	}
}

func repeated(times []int64, t, n int64) []int64 {
	for range n {
		times = append(times, t)
	}
	return times
}

// A plan is one attack: a request ahead of it or none, a burst at a time, and what is tried in the window that ends a window
// later.
type plan struct {
	ahead  int64 // 0: no request ahead
	start  int64
	tail   func(s *search, start int64) []int64
	spare  bool // the burst asks for more than it can get
	peak   int64
	anchor bool // starts at a time that is special
}

func (s *search) times(p plan) []int64 {
	var times []int64
	n := s.burst
	if p.ahead > 0 {
		times = append(times, p.ahead)
		if p.start-p.ahead <= s.limit.Window && n > 0 && !p.spare {
			n--
		}
	}
	if p.spare {
		n = max(n, s.limit.Max) + 1
	}
	times = repeated(times, p.start, n)
	tail := p.tail(s, p.start)
	slices.Sort(tail)
	return append(times, tail...)
}

// try plays a plan and keeps it if it is the best one.
func (s *search) try(p *plan) error {
	times := s.times(*p)
	answers, requests, err := s.play1(times)
	if err != nil {
		return err
	}
	var got []limiter.Request
	for i, a := range answers {
		if a.Admitted {
			got = append(got, requests[i])
		}
	}
	p.peak = peakOf(got, s.limit.Window)
	if p.peak <= s.worst.Peak {
		return nil
	}
	s.worst.Peak = p.peak
	s.worst.Arrivals = s.shown(requests, answers)
	// The same without what was refused, if that makes no difference.
	if len(got) < len(requests) {
		answers, err = s.asked(got)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(answers, func(a limiter.Answer) bool { return !a.Admitted }) {
			s.worst.Arrivals = s.shown(got, answers)
		}
	}
	return nil
}

func (s *search) shown(requests []limiter.Request, answers []limiter.Answer) Counterexample {
	return counterexample(&s.promise, trial{s.limit, requests, "the worst case found"}, answers, asAnswered(answers))
}

// peakOf is the most cost in any closed window of that length; times may go back.
func peakOf(requests []limiter.Request, window int64) int64 {
	sorted := slices.Clone(requests)
	slices.SortStableFunc(sorted, func(a, b limiter.Request) int { return cmp.Compare(a.Time, b.Time) })
	most, held, from := int64(0), int64(0), 0
	for _, r := range sorted {
		held += r.Cost
		for r.Time-sorted[from].Time > window {
			held -= sorted[from].Cost
			from++
		}
		most = max(most, held)
	}
	return most
}

// share is the smallest integer not below j*W/n.
func share(w, j, n int64) int64 {
	hi, lo := bits.Mul64(uint64(w), uint64(j))
	q, rest := bits.Div64(hi, lo, uint64(n))
	if rest > 0 {
		q++
	}
	return int64(q)
}

// The tails, each for a window that begins with the burst.
var tails = []func(s *search, start int64) []int64{
	func(s *search, start int64) []int64 { // all a window later
		return repeated(nil, start+s.limit.Window, max(s.burst, s.limit.Max)+1)
	},
	func(s *search, start int64) []int64 { // all right after
		return repeated(nil, start+s.grain, max(s.burst, s.limit.Max)+1)
	},
	func(s *search, start int64) []int64 { return s.even(start, 0) },
	func(s *search, start int64) []int64 { return s.even(start, s.grain) },
	func(s *search, start int64) []int64 { // at the permitted spacing, rounded up
		var times []int64
		step := max(s.grain, (s.limit.Window+s.limit.Max-1)/s.limit.Max)
		for t := step; t <= s.limit.Window; t += step {
			times = append(times, start+t)
		}
		return times
	},
	dense(0),
}

// even is one at each L-th of the window, off later.
func (s *search) even(start, off int64) []int64 {
	var times []int64
	for j := int64(1); j <= s.limit.Max; j++ {
		if t := off + share(s.limit.Window, j, s.limit.Max); t <= s.limit.Window {
			times = append(times, start+t)
		}
	}
	return times
}

// dense asks four times as often as the limit allows during the last 2^-halvings of the window, and for all at its end.
func dense(halvings int) func(*search, int64) []int64 {
	return func(s *search, start int64) []int64 {
		length := s.limit.Window >> halvings
		n := 4*s.limit.Max + 4
		times := repeated(nil, start+s.limit.Window, max(s.burst, s.limit.Max)+1)
		for j := int64(1); j < n; j++ {
			if t := length - share(length, j, n); t >= 0 {
				times = append(times, start+s.limit.Window-t)
			}
		}
		return times
	}
}

// attack tries many beginnings with a few tails, then the best beginnings with finer tails, then moves the best plan.
func (s *search) attack() error {
	w := s.limit.Window
	var starts []plan
	add := func(ahead, start int64, anchor bool) {
		starts = append(starts, plan{ahead: ahead, start: start, anchor: anchor})
	}
	for i := range int64(16) {
		add(0, 10*w+w/16*i, i == 0)
	}
	add(0, 11*w-s.grain, true)
	add(0, 10*w+s.grain, false)
	first := 10*w + w/3
	for m := int64(1); m <= 3; m++ {
		add(first, first+m*w-s.grain, true)
		add(first, first+m*w, false)
	}
	for i := int64(1); i < 8; i++ {
		add(first, first+3*w+w/8*i, false)
	}
	var all []plan
	for _, begin := range starts {
		for _, tail := range tails {
			for _, spare := range []bool{false, true} {
				p := begin
				p.tail, p.spare = tail, spare
				if err := s.try(&p); err != nil {
					return err
				}
				all = append(all, p)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b plan) int { return cmp.Compare(b.peak, a.peak) })
	fine, err := s.finer(all)
	if err != nil {
		return err
	}
	all = append(all, fine...)
	slices.SortStableFunc(all, func(a, b plan) int { return cmp.Compare(b.peak, a.peak) })
	for _, p := range all[:3] {
		if err := s.move(p); err != nil {
			return err
		}
	}
	return nil
}

// finer tries the anchored and the best beginnings with polls that crowd ever closer to the window's end.
func (s *search) finer(sorted []plan) ([]plan, error) {
	seen := map[[2]int64]bool{}
	var fine []plan
	others := 0
	for _, begin := range sorted {
		id := [2]int64{begin.ahead, begin.start}
		if seen[id] || !begin.anchor && others >= 3 {
			continue
		}
		if seen[id] = true; !begin.anchor {
			others++
		}
		for halvings := 1; halvings <= 20 && s.limit.Window>>halvings > s.grain; halvings++ {
			p := begin
			p.tail, p.spare = dense(halvings), false
			if err := s.try(&p); err != nil {
				return nil, err
			}
			fine = append(fine, p)
		}
	}
	return fine, nil
}

// move shifts a plan by ever smaller steps, later or earlier, as long as it gets no worse.
func (s *search) move(p plan) error {
	for step := s.limit.Window / 16; step >= s.grain; step /= 2 {
		for _, by := range []int64{step, -step} {
			q := p
			q.start += by
			if q.start <= q.ahead || q.start < 0 {
				continue
			}
			if err := s.try(&q); err != nil {
				return err
			}
			if q.peak > p.peak || q.peak == p.peak && by > 0 {
				p = q
				break
			}
		}
	}
	return nil
}

// innocent searches the well-behaved client that is refused most.
func (s *search) innocent() error {
	l, w := s.limit.Max, s.limit.Window
	for _, begin := range []int64{0, s.grain, w / 4, w / 2, w - s.grain} {
		start := 10*w + begin
		for _, apart := range []int64{w + s.grain, w + w/4, w + w/2, 2 * w} {
			var bursts, halves []int64
			for i := range int64(4) {
				bursts = repeated(bursts, start+i*apart, l)
				halves = repeated(halves, start+i*apart/2, (l+1)/2)
			}
			var even []int64
			step := apart / l
			for i := range min(4*l, 4000) {
				even = append(even, start+i*max(step, s.grain))
			}
			for _, times := range [][]int64{bursts, halves, even} {
				if err := s.wronged(times); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// wronged plays a client's arrivals, if they are within the limit, and keeps them if more are refused than ever before.
func (s *search) wronged(times []int64) error {
	requests := make([]limiter.Request, len(times))
	for i, t := range times {
		requests[i] = limiter.Request{Key: "a", Time: t - t%s.grain, Cost: 1}
	}
	if peakOf(requests, s.limit.Window) > s.limit.Max {
		return nil
	}
	answers, err := s.asked(requests)
	if err != nil {
		return err
	}
	var refused []limiter.Request
	for i, a := range answers {
		if !a.Admitted {
			refused = append(refused, requests[i])
		}
	}
	if most := peakOf(refused, s.limit.Window); most > s.worst.Refused {
		s.worst.Refused = most
		s.worst.Innocent = s.shown(requests, answers)
	}
	return nil
}
