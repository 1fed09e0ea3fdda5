package plot

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

// growth draws the memory of a client that uses all of its limit against the limit: a log's rises with it, a counter's does
// not. It takes the first run that has two limits or more.
func growth(runs []*results.Run) []drawing {
	for _, r := range runs {
		var g rises
		for i := range r.Algorithms {
			a := &r.Algorithms[i]
			if line := fullMemory(a); len(line.points) > 1 && len(g) < maxSeries {
				g = append(g, line)
			}
		}
		if len(g) > 0 {
			return []drawing{{"memory-limit", "Memory per client against the limit", g.height(), g.paint}}
		}
	}
	return nil
}

// A rise is one contestant's bytes by limit, limits ascending.
type rise struct {
	name   string
	points [][2]float64
}

type rises []rise

func fullMemory(a *results.Algorithm) rise {
	c := rise{name: a.Name}
	if a.Cost == nil {
		return c
	}
	for _, m := range a.Cost.Memory {
		if m.State == "full" && !m.ByAccount && m.HeapBytes > 0 {
			c.points = append(c.points, [2]float64{float64(m.Limit), m.HeapBytes})
		}
	}
	slices.SortFunc(c.points, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	return c
}

const growthSubtitle = "bytes of live heap a client (vertical) when each uses all of the limit · both scales logarithmic"

func (g rises) height() vg.Length { return headingHeight(growthSubtitle) + 220 + 44 }

func (g rises) paint(p *page) {
	top := p.heading("Memory against the limit", growthSubtitle) - 4
	f := frame{axisRoom, top - 220, p.width - 110, top}
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{}
	for _, c := range g {
		for _, at := range c.points {
			for k, v := range at {
				low[k], high[k] = min(low[k], v), max(high[k], v)
			}
		}
	}
	low[0], high[0] = logRange(low[0], high[0])
	low[1], high[1] = decadeRange(low[1], high[1])
	x := scale{low[0], high[0], f.left, f.right, true}
	y := scale{low[1], high[1], f.bottom, f.top, true}
	p.leftAxis(f, y, decades(low[1], high[1], bytesName), true)
	p.bottomAxis(f, x, logTicks(low[0], high[0], func(v float64) string { return human.Count(int64(v)) }))
	p.write(label.below(), (f.left+f.right)/2, f.bottom-5-labelSize-5, "limit, requests per window")
	ends := make([]vg.Length, len(g))
	for i, c := range g {
		l := looks[i]
		var line []vg.Point
		for _, at := range c.points {
			line = append(line, vg.Point{X: x.at(at[0]), Y: y.at(at[1])})
		}
		p.line(l.color, 1.4, l.dashes, line...)
		for _, at := range line {
			l.mark(p, at, 3, l.color)
		}
		ends[i] = line[len(line)-1].Y
	}
	for i, at := range apart(ends, 11) {
		p.write(label.left().in(looks[i].color), f.right+8, at, clean(label, g[i].name, 100))
	}
}

// apart moves labels so far up and down that none is nearer to the next than gap, keeping their order.
func apart(at []vg.Length, gap vg.Length) []vg.Length {
	order := make([]int, len(at))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(at[i], at[j]) })
	moved := slices.Clone(at)
	for range 50 {
		for k := 1; k < len(order); k++ {
			below, above := order[k-1], order[k]
			if short := gap - (moved[above] - moved[below]); short > 0.01 {
				moved[below] -= short / 2
				moved[above] += short / 2
			}
		}
	}
	return moved
}
