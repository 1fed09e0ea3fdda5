package generators

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// poisson: independent requests at random. The gaps are exponential with mean W/rate, so the number of requests in any
// stretch of length d has a Poisson distribution of mean rate*d/W.
var poissonPattern = Pattern{
	Name:     "poisson",
	Doc:      "independently at random (exponential gaps)",
	Examples: []string{"poisson"},
	New:      plain(func() Source { return &poisson{} }),
}

type poisson struct {
	state pcg
	gap   float64 // mean, ns
	clock clock
}

func (p *poisson) Start(c Client) {
	*p = poisson{state: pcgOf(c.Rand), gap: c.meanGap(), clock: newClock(c.Span)}
}

func (p *poisson) Next(bool) (int64, bool) {
	var one [1]int64
	n := p.Fill(one[:])
	return one[0], n == 1
}

// Fill is what the traffic of a run costs: the random bits, the fast path of the exponential and the clock in one loop
// whose state stays in registers.
func (p *poisson) Fill(buf []int64) int {
	high, low, gap := p.state.high, p.state.low, p.gap
	base, past, left := p.clock.base, p.clock.past, p.clock.left
	n := 0
	for n < len(buf) {
		h, l := bits.Mul64(low, pcgMultiplierLow)
		h += high*pcgMultiplierLow + low*pcgMultiplierHigh
		var carry uint64
		low, carry = bits.Add64(l, pcgIncrementLow, 0)
		high, _ = bits.Add64(h, pcgIncrementHigh, carry)
		u := pcg{high, low}.output()

		layer := &layers[u&255]
		place := int64(u >> 11)
		e := float64(float64(place) * layer.width)
		if place >= layer.sure {
			high, low, e = exponentialEdgeOf(high, low, u)
		}
		past += float64(gap * e)
		if past >= rebase {
			c := clock{base, past, left}
			c.carry()
			base, past, left = c.base, c.past, c.left
		}
		t := int64(past)
		if t >= left {
			break
		}
		buf[n] = base + t
		n++
	}
	p.state, p.clock = pcg{high, low}, clock{base, past, left}
	return n
}

// A pcg is the state of a rand.PCG, whose arithmetic it repeats bit by bit so that it can stand inside of a loop.
type pcg struct{ high, low uint64 }

const (
	pcgMultiplierHigh = 2549297995355413924
	pcgMultiplierLow  = 4865540595714422341
	pcgIncrementHigh  = 6364136223846793005
	pcgIncrementLow   = 1442695040888963407
	pcgOutput         = 0xda942042e4dd58b5
)

// pcgOf returns the generator's state as it is now; the generator keeps its own.
func pcgOf(r *rand.PCG) pcg {
	var text [20]byte
	state, _ := r.AppendBinary(text[:0]) // "pcg:", high, low; it does not fail
	return pcg{binary.BigEndian.Uint64(state[4:]), binary.BigEndian.Uint64(state[12:])}
}

// output makes the 64 random bits of a state that has just been stepped.
func (p pcg) output() uint64 {
	x := p.high
	x ^= x >> 32
	x *= pcgOutput
	x ^= x >> 48
	return x * (p.low | 1)
}

// exponentialEdgeOf is exponentialEdge on a bare state.
func exponentialEdgeOf(high, low, u uint64) (uint64, uint64, float64) {
	r := rand.NewPCG(high, low)
	e := exponentialEdge(r, u)
	after := pcgOf(r)
	return after.high, after.low, e
}
