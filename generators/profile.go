package generators

import "math"

// A profile is how a rate changes over a period: pieces on which it is linear. All is relative: the period is 1 long and the
// mean rate over it is 1.
type profile []piece

type piece struct {
	begin, end float64 // in the period
	from, to   float64 // rate at both ends
}

// A profiled client sends Poisson requests whose rate follows a profile. Requests of constant rate are moved: the one at
// time s comes at the t for which the profile's integral up to t is s.
type profiled struct {
	poisson
	profile profile
	period  func(c Client) int64

	length int64 // of the period, ns
	span   int64
	start  int64   // of the current period
	piece  int     // the current one
	before float64 // integral of the profile up to the current piece
	last   int64   // time of the request before
}

func (p *profiled) Start(c Client) {
	p.poisson.Start(c)
	p.length, p.span = p.period(c), c.Span
	p.start, p.piece, p.before, p.last = 0, 0, 0, 0
}

func (p *profiled) Next(bool) (int64, bool) {
	var one [1]int64
	n := p.Fill(one[:])
	return one[0], n == 1
}

func (p *profiled) Fill(buf []int64) int {
	n := p.poisson.Fill(buf)
	length := float64(p.length)
	for i, t := range buf[:n] {
		if t-p.start >= p.length {
			p.start, p.piece, p.before = t-t%p.length, 0, 0
		}
		into := int64(float64(length * p.at(float64(t-p.start)/length)))
		if into >= p.span-p.start {
			p.clock.stop()
			return i
		}
		p.last = max(p.last, p.start+into) // rounding never turns time back
		buf[i] = p.last
	}
	return n
}

// at returns the place in the period up to which the profile's integral is s, 0 <= s <= 1. Within a period s must not fall.
func (p *profiled) at(s float64) float64 {
	for {
		c := &p.profile[p.piece]
		all := float64((c.end-c.begin)*(c.from+c.to)) / 2
		rest := s - p.before
		if rest > all && p.piece < len(p.profile)-1 {
			p.before += all
			p.piece++
			continue
		}
		// from*x + slope*x^2/2 = rest, solved without cancellation
		slope := (c.to - c.from) / (c.end - c.begin)
		root := math.Sqrt(max(float64(c.from*c.from)+float64(2*float64(slope*rest)), 0))
		return min(c.begin+2*rest/(c.from+root), c.end)
	}
}
