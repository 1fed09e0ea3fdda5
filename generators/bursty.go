package generators

import "math/rand/v2"

// bursty: an interrupted Poisson process. The client is on for exponential times of mean W/4 and off for exponential times of
// mean 3W/4; while on it sends at 4 times its mean rate. It is on at time 0 with probability 1/4, which is how it is at
// any other time. These times are rounded down to whole nanoseconds, but not to 0, so W should be a microsecond or more.
var burstyPattern = Pattern{
	Name:     "bursty",
	Doc:      "at random in bursts: on for W/4 at 4 times the mean rate and off for 3W/4, both on average",
	Examples: []string{"bursty"},
	New:      plain(func() Source { return &bursty{} }),
}

// bursty is a Poisson process on the time that the client is on, moved by the time that it was off.
type bursty struct {
	poisson
	switches rand.PCG
	on, off  float64 // means, ns
	span     int64
	until    int64 // end of the current on-time, counted in time that the client is on
	moved    int64 // off-time so far
}

func (b *bursty) Start(c Client) {
	b.switches.Seed(c.Rand.Uint64(), c.Rand.Uint64())
	b.span, b.on, b.off = c.Span, float64(c.Window)/4, 0.75*float64(c.Window)
	b.until, b.moved = 0, 0
	isOn := b.switches.Uint64()>>62 == 0
	c.Rate = 4 * c.Rate
	b.poisson.Start(c)
	if !isOn {
		b.moved = b.draw(b.off)
	}
	b.until = b.draw(b.on)
}

// draw returns an exponential time, at most the span, which is as good as any beyond.
func (b *bursty) draw(mean float64) int64 {
	if x := float64(mean * exponential(&b.switches)); x < float64(b.span) {
		return max(int64(x), 1)
	}
	return b.span
}

func (b *bursty) Next(bool) (int64, bool) {
	var one [1]int64
	n := b.Fill(one[:])
	return one[0], n == 1
}

func (b *bursty) Fill(buf []int64) int {
	n := b.poisson.Fill(buf)
	for i, t := range buf[:n] {
		for t >= b.until {
			b.moved += min(b.draw(b.off), b.span-b.moved)
			b.until += min(b.draw(b.on), b.span-b.until)
			if b.moved == b.span || b.until == b.span {
				break
			}
		}
		if t >= b.span-b.moved {
			b.clock.stop()
			return i
		}
		buf[i] = t + b.moved
	}
	return n
}
