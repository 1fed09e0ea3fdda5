package plot

import (
	"cmp"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"

	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

// peaks draws the worst window of each contestant beside the most that its rule can give, in limits.
func peaks(runs []*results.Run) []drawing {
	s := layOut(runs)
	names := s.contestants(func(a *results.Algorithm) bool { return a.Requests > 0 && !isReference(a.Name) && a.Limit > 0 })
	if len(names) == 0 {
		return nil
	}
	d := dots{sweep: s, names: names}
	for _, name := range names {
		d.rows = append(d.rows, d.gather(name))
	}
	return []drawing{{"peak", "Worst window of each algorithm beside its bound", d.height(), d.paint}}
}

type dots struct {
	sweep
	names []string
	rows  []dotRow
}

// A dotRow is one contestant: its peak in every run, and the run where it was highest.
type dotRow struct {
	peaks []float64
	worst float64
	where string
	bound float64 // 0: none
}

func (d *dots) gather(name string) dotRow {
	var row dotRow
	for _, pan := range d.panels {
		for i, r := range pan.runs {
			a := of(r, name)
			if a == nil || a.Requests == 0 {
				continue
			}
			row.peaks = append(row.peaks, a.PeakRatio)
			if a.Bound != nil && a.Limit > 0 {
				row.bound = max(row.bound, float64(*a.Bound)/float64(a.Limit))
			}
			if len(row.peaks) == 1 || a.PeakRatio > row.worst {
				row.worst, row.where = a.PeakRatio, pan.name
				if d.variable != "" {
					row.where = joinNonEmpty(pan.name, d.variable+" "+d.steps[i])
				} else if len(d.steps) > 1 {
					row.where = d.steps[i]
				}
			}
		}
	}
	slices.SortFunc(row.peaks, cmp.Compare)
	return row
}

const (
	dotRowHeight vg.Length = 26
	dotLeft      vg.Length = 120
)

const peakSubtitle = "the most that one client got in any window, in limits · bar: the most that the rule can give"

func (d *dots) height() vg.Length {
	return headingHeight(peakSubtitle) + vg.Length(len(d.rows))*dotRowHeight + 38 + legendRow + 12
}

// reach is where the axis ends: beyond four limits a note tells more than a dot.
func (d *dots) reach() float64 {
	high := 2.0
	for _, row := range d.rows {
		high = max(high, row.bound, row.worst)
	}
	return min(high, 4)
}

func (d *dots) paint(p *page) {
	top := p.heading("Worst window beside the bound", peakSubtitle)
	f := frame{dotLeft, top - vg.Length(len(d.rows))*dotRowHeight, p.width - 150, top}
	x := scale{0, d.reach(), f.left, f.right, false}
	p.bottomAxis(f, x, evenTicks(0, d.reach(), 8, func(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }))
	p.write(label.below(), (f.left+f.right)/2, f.bottom-5-labelSize-4, "limits")
	limit := x.at(1)
	p.line(muted, 1, []vg.Length{3, 2}, vg.Point{X: limit, Y: f.bottom}, vg.Point{X: limit, Y: f.top})
	for i, row := range d.rows {
		y := f.top - (vg.Length(i)+0.5)*dotRowHeight
		p.write(label.right().in(ink), f.left-8, y, clean(label, d.names[i], dotLeft-14))
		p.line(gridGrey, 0.6, nil, vg.Point{X: f.left, Y: y}, vg.Point{X: f.right, Y: y})
		if row.bound > 0 {
			b := x.inside(row.bound)
			p.fill(ink, b-1.2, y-8, b+1.2, y+8)
		}
		before := vg.Length(-10)
		for _, v := range row.peaks {
			if at := x.inside(v); at-before > 0.5 { // dots that fall together are drawn once
				p.disc(vg.Point{X: at, Y: y}, 2.4, mix(white, blue, 0.45))
				before = at
			}
		}
		tint := blue
		mark := (*page).disc
		if row.worst > 1 {
			tint, mark = vermillion, (*page).diamond
		}
		mark(p, vg.Point{X: x.inside(row.worst), Y: y}, 4.2, tint)
		note := human.Ratio(row.worst)
		if row.worst > d.reach() {
			note = "→ " + note
		}
		value := style{labelSize, ink, true, label.x, label.y}.left()
		p.write(value, f.right+10, y, note)
		offset := f.right + 10 + max(widthOf(value, note)+5, 34)
		p.write(label.left().sized(smallSize), offset, y, clean(label.sized(smallSize), row.where, p.width-offset-6))
	}
	entries := []entry{
		{func(at vg.Point) { p.diamond(at, 4.2, vermillion) }, "worst, above the limit"},
		{func(at vg.Point) { p.disc(at, 4.2, blue) }, "worst, within"},
		{func(at vg.Point) { p.fill(ink, at.X-1.2, at.Y-6, at.X+1.2, at.Y+6) }, "bound"},
	}
	if len(d.steps)*len(d.panels) > 1 {
		entries = append(entries, entry{func(at vg.Point) { p.disc(at, 2.4, mix(white, blue, 0.45)) }, "each run"})
	}
	p.legend(entries, 24, f.bottom-38-legendRow/2, p.width-36)
}
