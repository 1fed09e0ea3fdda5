package generators

import (
	"cmp"
	"fmt"
	"strconv"
)

// retry[:n]: Poisson requests, and after a refusal the client comes back: the k-th time after W/20 * 2^(k-1) * (1/2+u), u uniform
// in [0, 1), so after W/20 on average at first, up to n times (5 unless given) or until it is admitted. What it comes for
// freshly is the same whatever is decided; so is how long it would wait after each refusal.
var retryPattern = Pattern{
	Name: "retry",
	Args: "[:n]",
	Doc:  "at random, and after a refusal again, first after about W/20, then twice as long each time, up to n times, n = 5 unless given",
	say: func(args string) string {
		return "at random, and after a refusal again, first after about W/20, then twice as long each time, up to " + cmp.Or(args, "5") + " times"
	},
	Closed:   true,
	Examples: []string{"retry", "retry:2"},
	New: func(args string) (func() Source, error) {
		n := 5
		if args != "" {
			var err error
			if n, err = strconv.Atoi(args); err != nil || n < 1 || n > 20 {
				return nil, fmt.Errorf("%q is not a number of times between 1 and 20", args)
			}
		}
		return func() Source { return &retry{most: n} }, nil
	},
}

type retry struct {
	most    int
	fresh   poisson
	seed    uint64 // of the waits
	span    int64
	first   float64 // mean of the first wait, ns
	next    try     // the next fresh one
	more    bool    // there is a next fresh one
	waiting queue[try]
	last    try
	asked   bool
}

// A try is one request for something that the client came for.
type try struct {
	time   int64
	number int64 // of what it came for, from 0
	times  int   // it was refused before
}

func (r *retry) Start(c Client) {
	*r = retry{most: r.most, waiting: r.waiting[:0], span: c.Span, first: float64(c.Window) / 20, seed: c.Rand.Uint64()}
	r.fresh.Start(c)
	r.next.number = -1
	r.draw()
}

func (r *retry) draw() {
	r.next.number++
	r.next.time, r.more = r.fresh.Next(true)
}

func (r *retry) Next(admitted bool) (int64, bool) {
	if r.asked && !admitted {
		r.comeBack()
	}
	switch {
	case len(r.waiting) > 0 && (!r.more || r.waiting[0].time <= r.next.time):
		r.last = r.waiting.pop()
	case r.more:
		r.last = r.next
		r.draw()
	default:
		r.asked = false
		return 0, false
	}
	r.asked = true
	return r.last.time, true
}

// comeBack plans the next try after the last one's refusal.
func (r *retry) comeBack() {
	again := r.last
	if again.times == r.most {
		return
	}
	u := uniform01(mix(r.seed + uint64(again.number)*32 + uint64(again.times)))
	wait := max(float64(float64(r.first*float64(int64(1)<<again.times))*(0.5+u)), 1)
	if wait >= float64(r.span-again.time) {
		return
	}
	again.time += int64(wait)
	again.times++
	r.waiting.push(again)
}

// before puts the earlier try first, of equal ones that of what the client came for first.
func (t try) before(o try) bool {
	return t.time < o.time || t.time == o.time && t.number < o.number
}
