package plot

import (
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"

	"github.com/rlbench/rlbench/report/human"
)

// A frame is the rectangle that data is drawn in.
type frame struct{ left, bottom, right, top vg.Length }

// A scale places values between two edges.
type scale struct {
	low, high float64
	from, to  vg.Length
	log       bool
}

func (s scale) at(v float64) vg.Length {
	low, high := s.low, s.high
	if s.log {
		v, low, high = math.Log10(v), math.Log10(low), math.Log10(high)
	}
	if high == low {
		return (s.from + s.to) / 2
	}
	return s.from + vg.Length((v-low)/(high-low))*(s.to-s.from)
}

// inside is at, kept between the edges.
func (s scale) inside(v float64) vg.Length {
	if s.log && v <= 0 {
		return s.from
	}
	at := s.at(v)
	return min(max(at, min(s.from, s.to)), max(s.from, s.to))
}

// A tick is a value and its label.
type tick struct {
	value float64
	label string
}

// decades are the powers of ten from low to high, both powers of ten themselves.
func decades(low, high float64, name func(float64) string) []tick {
	var ticks []tick
	for e := int(math.Round(math.Log10(low))); e <= int(math.Round(math.Log10(high))); e++ {
		v := math.Pow10(e)
		ticks = append(ticks, tick{v, name(v)})
	}
	return ticks
}

// decadeRange widens [low, high] to powers of ten, at least one decade. Values must be above 0.
func decadeRange(low, high float64) (float64, float64) {
	from, to := math.Floor(math.Log10(low)+1e-9), math.Ceil(math.Log10(high)-1e-9)
	if from >= to {
		from, to = from-1, from
		if math.Pow(10, to) < high {
			from, to = from+1, to+1
		}
	}
	return math.Pow(10, from), math.Pow(10, to)
}

// percentName writes a share as a tick: "0.01 %".
func percentName(x float64) string {
	return strconv.FormatFloat(100*x, 'f', max(0, -int(math.Floor(math.Log10(100*x)+1e-9))), 64) + " %"
}

// evenTicks are at most n round steps from low to high.
func evenTicks(low, high float64, n int, name func(float64) string) []tick {
	if !(high > low) || n < 1 {
		return []tick{{low, name(low)}}
	}
	step := math.Pow10(int(math.Floor(math.Log10((high - low) / float64(n)))))
	for _, m := range []float64{1, 2, 5, 10} {
		if (high-low)/(m*step) <= float64(n)+1e-9 {
			step *= m
			break
		}
	}
	var ticks []tick
	for k := math.Ceil(low/step - 1e-9); k*step <= high+step*1e-9; k++ {
		v := k * step
		if v == 0 {
			v = 0 // not -0
		}
		ticks = append(ticks, tick{v, name(v)})
	}
	return ticks
}

// leftAxis draws a grid line and a label for each tick, and the small ticks of a log scale.
func (p *page) leftAxis(f frame, s scale, ticks []tick, labels bool) {
	for _, t := range ticks {
		y := s.at(t.value)
		p.line(gridGrey, 0.6, nil, vg.Point{X: f.left, Y: y}, vg.Point{X: f.right, Y: y})
		if labels {
			p.write(label.right(), f.left-6, y, t.label)
		}
	}
}

// bottomAxis draws a grid line and a label for each tick, leaving out labels that would touch the one before.
func (p *page) bottomAxis(f frame, s scale, ticks []tick) {
	p.line(axisGrey, 0.8, nil, vg.Point{X: f.left, Y: f.bottom}, vg.Point{X: f.right, Y: f.bottom})
	if s.log {
		p.smallTicks(f, s)
	}
	free := vg.Length(-1)
	for _, t := range ticks {
		x := s.at(t.value)
		p.line(gridGrey, 0.6, nil, vg.Point{X: x, Y: f.bottom}, vg.Point{X: x, Y: f.top})
		p.line(axisGrey, 0.8, nil, vg.Point{X: x, Y: f.bottom}, vg.Point{X: x, Y: f.bottom - 3})
		half := widthOf(label, t.label) / 2
		if x-half > free && x+half < p.width-2 {
			p.write(label.below(), x, f.bottom-5, t.label)
			free = x + half + 4
		}
	}
}

// smallTicks marks 2 to 9 times each power of ten.
func (p *page) smallTicks(f frame, s scale) {
	for e := math.Floor(math.Log10(s.low)); math.Pow(10, e) < s.high; e++ {
		for m := 2.0; m < 10; m++ {
			if v := m * math.Pow(10, e); v > s.low && v < s.high {
				p.line(axisGrey, 0.6, nil, vg.Point{X: s.at(v), Y: f.bottom}, vg.Point{X: s.at(v), Y: f.bottom - 2})
			}
		}
	}
}

// logRange widens [low, high] to the next of 1, 2 and 5 times a power of ten.
func logRange(low, high float64) (float64, float64) {
	step := func(x float64, up bool) float64 {
		base := math.Pow10(int(math.Floor(math.Log10(x) + 1e-9)))
		below, above := base, 10*base
		for _, m := range []float64{1, 2, 5, 10} {
			if m*base <= x*(1+1e-9) {
				below = m * base
			}
			if m*base >= x*(1-1e-9) {
				above = min(above, m*base)
			}
		}
		if up {
			return above
		}
		return below
	}
	low, high = step(low, false), step(high, true)
	if low >= high {
		high = 2 * low
	}
	return low, high
}

// logTicks are the powers of ten between two edges, and where that leaves fewer than two also 2 and 5 times them.
func logTicks(low, high float64, name func(float64) string) []tick {
	var ticks []tick
	for _, factors := range [][]float64{{1}, {1, 2, 5}} {
		ticks = nil
		for e := int(math.Floor(math.Log10(low) + 1e-9)); math.Pow10(e) <= high*(1+1e-9); e++ {
			for _, m := range factors {
				if v := m * math.Pow10(e); v >= low*(1-1e-9) && v <= high*(1+1e-9) {
					ticks = append(ticks, tick{v, name(v)})
				}
			}
		}
		if len(ticks) >= 2 {
			break
		}
	}
	return ticks
}

func bytesName(x float64) string { return human.Count(int64(x)) + " B" }
