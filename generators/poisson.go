package generators

import "math/rand/v2"

// poisson: independent requests at random. The gaps are exponential with mean W/rate, so the number of requests in any
// stretch of length d has a Poisson distribution of mean rate*d/W.
var poissonPattern = Pattern{
	Name: "poisson",
	Doc:  "independently at random (exponential gaps)",
	New:  plain(func() Source { return &poisson{} }),
}

type poisson struct {
	rand  *rand.PCG
	gap   float64 // mean, ns
	clock clock
}

func (p *poisson) Start(c Client) {
	*p = poisson{rand: c.Rand, gap: c.meanGap(), clock: newClock(c.Span)}
}

func (p *poisson) Next(bool) (int64, bool) {
	if !p.clock.advance(float64(p.gap * exponential(p.rand))) {
		return 0, false
	}
	return p.clock.now(), true
}

func (p *poisson) Fill(buf []int64) int {
	c := p.clock // in registers, for the loop below is what a run's traffic costs
	for i := range buf {
		u := p.rand.Uint64()
		l := &layers[u&255]
		place := int64(u >> 11)
		e := float64(float64(place) * l.width)
		if place >= l.sure {
			e = exponentialEdge(p.rand, u)
		}
		if !c.advance(float64(p.gap * e)) {
			p.clock = c
			return i
		}
		buf[i] = c.now()
	}
	p.clock = c
	return len(buf)
}
