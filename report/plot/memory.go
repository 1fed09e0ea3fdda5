package plot

import (
	"math"

	"gonum.org/v1/plot/vg"

	"github.com/rlbench/rlbench/results"
)

// memory draws what each contestant holds per client against how often it decides otherwise than the exact log. It needs
// measured memory, and takes the first run that has it for two contestants or more.
func memory(runs []*results.Run) []drawing {
	for _, r := range runs {
		var m trade
		for i := range r.Algorithms {
			a := &r.Algorithms[i]
			if a.Cost == nil || a.Cost.BytesPerClient == nil || *a.Cost.BytesPerClient <= 0 || a.Requests == 0 || isReference(a.Name) {
				continue
			}
			m = append(m, a)
		}
		if len(m) > 1 {
			return []drawing{{"memory", "Memory per client against accuracy", m.height(), m.paint}}
		}
	}
	return nil
}

type trade []*results.Algorithm

const memorySubtitle = "share of requests decided otherwise than the exact log (vertical) with its 95 % interval · both scales logarithmic"

func (m trade) height() vg.Length { return headingHeight(memorySubtitle) + 210 + zeroBand + 44 }

func (m trade) reach() (lowBytes, highBytes, low, high float64) {
	lowBytes, low = math.Inf(1), math.Inf(1)
	for _, a := range m {
		b := *a.Cost.BytesPerClient
		lowBytes, highBytes = min(lowBytes, b), max(highBytes, b)
		if a.Disagreements > 0 {
			x := float64(a.Disagreements) / float64(a.Requests)
			low, high = min(low, x), max(high, x)
		}
	}
	if high == 0 {
		low, high = 1e-5, 1e-2
	}
	lowBytes, highBytes = decadeRange(lowBytes, highBytes)
	low, high = decadeRange(low, high)
	return
}

func (m trade) paint(p *page) {
	top := p.heading("Memory against accuracy", memorySubtitle) - 4
	f := frame{axisRoom, top - 210 - zeroBand, p.width - 24, top}
	lowBytes, highBytes, low, high := m.reach()
	x := scale{lowBytes, highBytes, f.left, f.right, true}
	y := scale{low, high, f.bottom + zeroBand, f.top, true}
	p.fill(shade, f.left, f.bottom, f.right, f.bottom+zeroBand)
	p.leftAxis(f, y, decades(low, high, percentName), true)
	p.write(label.right(), f.left-6, f.bottom+zeroBand/2, "0")
	p.bottomAxis(f, x, decades(lowBytes, highBytes, bytesName))
	p.write(label.below(), (f.left+f.right)/2, f.bottom-5-labelSize-5, "bytes per client")
	var taken []frame
	spots := make([]vg.Point, len(m))
	for i, a := range m {
		spots[i] = vg.Point{X: x.inside(*a.Cost.BytesPerClient), Y: f.bottom + zeroBand/2}
		if a.Disagreements > 0 {
			spots[i].Y = y.inside(float64(a.Disagreements) / float64(a.Requests))
		}
		taken = append(taken, around(spots[i], 5))
	}
	for i, a := range m {
		l := looks[i%maxSeries]
		if ci := a.DisagreementsCI; ci != nil && a.Disagreements > 0 {
			p.line(l.color, 0.9, nil, vg.Point{X: spots[i].X, Y: y.inside(ci[0])}, vg.Point{X: spots[i].X, Y: y.inside(ci[1])})
		}
		l.mark(p, spots[i], 4.2, l.color)
		name := clean(label, a.Name, 140)
		at := place(spots[i], widthOf(label, name), taken, f)
		taken = append(taken, at)
		y := (at.top + at.bottom) / 2
		if far := y - spots[i].Y; far > 12 || far < -12 { // say whose name it is
			x := at.left - 2
			if at.right < spots[i].X {
				x = at.right + 2
			}
			p.line(axisGrey, 0.6, nil, spots[i], vg.Point{X: x, Y: y})
		}
		p.write(label.left().in(ink), at.left, y, name)
	}
}

func around(at vg.Point, r vg.Length) frame { return frame{at.X - r, at.Y - r, at.X + r, at.Y + r} }

func (f frame) meets(o frame) bool {
	return f.left < o.right && o.left < f.right && f.bottom < o.top && o.bottom < f.top
}

// place finds room for a label beside its point, to the right or the left, and if there is none further and further above or
// below; where all is taken it stays beside.
func place(at vg.Point, width vg.Length, taken []frame, within frame) frame {
	beside := frame{at.X + 9, at.Y - 5, at.X + 9 + width, at.Y + 5}
	for step := range 40 {
		off := vg.Length((step+1)/2) * 11
		if step%2 == 0 {
			off = -off
		}
		for _, left := range []vg.Length{at.X + 9, at.X - 9 - width} {
			spot := frame{left, at.Y + off - 5, left + width, at.Y + off + 5}
			free := spot.left >= within.left && spot.right <= within.right+20 && spot.bottom >= within.bottom && spot.top <= within.top+6
			for _, t := range taken {
				free = free && !spot.meets(t)
			}
			if free {
				return spot
			}
		}
	}
	return beside
}
