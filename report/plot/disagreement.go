package plot

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"

	"github.com/rlbench/rlbench/results"
)

// zeroBand is the strip below a log scale in which a share of 0 is drawn.
const zeroBand vg.Length = 22

const shareSubtitle = "share, log scale · bars: 95 % interval over clients · in the strip: none seen, and what that leaves possible"

// disagreement draws the share of requests that each contestant decides otherwise than the exact log, by pattern and load,
// with its interval. A 0 stands in a strip of its own, with a line up to what can't be ruled out.
func disagreement(runs []*results.Run) []drawing {
	return shares("disagreement", "Decided otherwise than the exact log", layOut(settings(runs)), measure{
		func(a *results.Algorithm) bool { return a.Requests > 0 && !isReference(a.Name) && a.Name != "log" },
		func(_ *results.Run, a *results.Algorithm) (int64, int64, *results.CI) {
			return a.Disagreements, a.Requests, a.DisagreementsCI
		},
	})
}

// refused draws the share of a log's requests that each contestant refuses, and clientsHit that of the clients, by limit.
func refused(runs []*results.Run) []drawing {
	return hits(runs, "refused", "Requests refused", func(_ *results.Run, a *results.Algorithm) (int64, int64, *results.CI) {
		return a.Refused, a.Requests, nil
	})
}

func clientsHit(runs []*results.Run) []drawing {
	return hits(runs, "clients-hit", "Clients with a request refused", func(r *results.Run, a *results.Algorithm) (int64, int64, *results.CI) {
		return a.ClientsRefused, r.Clients, nil
	})
}

func hits(runs []*results.Run, name, title string, count func(*results.Run, *results.Algorithm) (int64, int64, *results.CI)) []drawing {
	if runs[0].Input == nil || len(runs) < 2 {
		return nil
	}
	return shares(name, title, layOut(runs), measure{func(a *results.Algorithm) bool { return a.Requests > 0 && !isReference(a.Name) }, count})
}

// misjudged draws the share of requests that the estimate puts on the wrong side of the limit in the same way.
func misjudged(runs []*results.Run) []drawing {
	return shares("misjudged", "Estimate on the wrong side of the limit", layOut(settings(runs)), measure{
		func(a *results.Algorithm) bool { return a.Requests > 0 && a.Estimate != nil },
		func(_ *results.Run, a *results.Algorithm) (int64, int64, *results.CI) {
			return a.Estimate.MisjudgedRequests, a.Requests, a.Estimate.MisjudgedRequestsCI
		},
	})
}

// settings leaves out the full run of the scenario cloudflare where other settings stand beside it.
func settings(runs []*results.Run) []*results.Run {
	if runs[0].Scenario == "cloudflare" && len(runs) > 1 {
		return runs[1:]
	}
	return runs
}

// A measure is a count that a contestant may have, what it is a share of, and the interval of that share.
type measure struct {
	measured func(a *results.Algorithm) bool
	count    func(r *results.Run, a *results.Algorithm) (n, of int64, ci *results.CI)
}

// value is the share and its interval, all the same where there is none.
func (m measure) value(r *results.Run, a *results.Algorithm) (x, low, high float64) {
	n, of, ci := m.count(r, a)
	x = float64(n) / float64(of)
	if ci == nil {
		return x, x, x
	}
	return x, ci[0], ci[1]
}

// shares draws one measure in small multiples, at most maxSeries contestants a plot.
func shares(name, title string, s sweep, what measure) []drawing {
	var drawings []drawing
	for i, names := range chunks(s.contestants(what.measured), maxSeries) {
		low, high := what.reach(s, names)
		if high == 0 {
			continue
		}
		d := newMultiples(s, names, what, title)
		d.low, d.high = decadeRange(low, high)
		file := name
		if i > 0 {
			file = fmt.Sprintf("%s-part%d", name, i+1)
		}
		drawings = append(drawings, drawing{file, title + ", as a share", d.height(), d.paint})
	}
	return drawings
}

// reach is the least and the greatest share above 0, intervals included; high is 0 when there is none.
func (m measure) reach(s sweep, names []string) (low, high float64) {
	low = math.Inf(1)
	for _, p := range s.panels {
		for _, r := range p.runs {
			for _, name := range names {
				a := of(r, name)
				if a == nil || !m.measured(a) {
					continue
				}
				x, from, to := m.value(r, a)
				if x <= 0 {
					continue
				}
				low, high = min(low, x), max(high, x, min(to, 1))
				if from > 0 {
					low = min(low, max(from, x/10))
				}
			}
		}
	}
	return low, high
}

// multiples are panels side by side with one log scale of shares, a point with an interval for each contestant and step.
type multiples struct {
	sweep
	measure
	names     []string
	title     string
	low, high float64

	columns, rows int
}

const (
	panelHeight vg.Length = 150
	panelGap    vg.Length = 12
	panelTitle  vg.Length = 16
	panelFoot   vg.Length = 18
	axisRoom    vg.Length = 58
)

func newMultiples(s sweep, names []string, what measure, title string) *multiples {
	m := &multiples{sweep: s, measure: what, names: names, title: title}
	most := 4 // columns: each step of each contestant needs some room
	switch dots := len(s.steps) * len(names); {
	case dots > 30:
		most = 1
	case dots > 18:
		most = 2
	case dots > 12:
		most = 3
	}
	n := len(s.panels)
	m.columns = min(most, n)
	m.rows = (n + m.columns - 1) / m.columns
	m.columns = (n + m.rows - 1) / m.rows // the same number of rows, more even
	return m
}

// single tells whether there is one run only: then the contestants stand side by side with their names below.
func (m *multiples) single() bool { return len(m.panels) == 1 && len(m.steps) == 1 }

func (m *multiples) foot() vg.Length {
	foot := panelFoot
	if m.variable != "" {
		foot += 13
	}
	return foot
}

func (m *multiples) height() vg.Length {
	row := panelHeight + zeroBand + panelTitle + m.foot()
	legend := vg.Length(len(legendRows(m.entries(nil), sheetWidth-axisRoom-12))) * legendRow
	return headingHeight(shareSubtitle) + vg.Length(m.rows)*row + legend + 12
}

func (m *multiples) entries(p *page) []entry {
	if m.single() {
		return nil
	}
	var entries []entry
	for i, name := range m.names {
		l := looks[i]
		entries = append(entries, entry{func(at vg.Point) { l.mark(p, at, 3.4, l.color) }, clean(label, name, 150)})
	}
	return entries
}

func (m *multiples) paint(p *page) {
	top := p.heading(m.title, shareSubtitle)
	width := (p.width - axisRoom - 12 - panelGap*vg.Length(m.columns-1)) / vg.Length(m.columns)
	row := panelHeight + zeroBand + panelTitle + m.foot()
	for i, pan := range m.panels {
		left := axisRoom + vg.Length(i%m.columns)*(width+panelGap)
		y := top - vg.Length(i/m.columns)*row - panelTitle
		f := frame{left, y - panelHeight - zeroBand, left + width, y}
		m.panel(p, pan, f, i%m.columns == 0)
	}
	p.legend(m.entries(p), axisRoom, top-vg.Length(m.rows)*row-legendRow/2, p.width-axisRoom-12)
}

func (m *multiples) panel(p *page, pan panel, f frame, labels bool) {
	s := scale{m.low, m.high, f.bottom + zeroBand, f.top, true}
	zero := f.bottom + zeroBand/2
	p.fill(shade, f.left, f.bottom, f.right, f.bottom+zeroBand)
	p.leftAxis(f, s, decades(m.low, m.high, percentName), labels)
	if labels {
		p.write(label.right(), f.left-6, zero, "0")
	}
	heavy := label.left().above().in(ink)
	p.write(heavy, f.left, f.top+4, clean(heavy, pan.name, f.right-f.left))
	step := (f.right - f.left) / vg.Length(len(m.steps))
	free := vg.Length(-1)
	for i, name := range m.steps {
		center := f.left + (vg.Length(i)+0.5)*step
		if i > 0 {
			p.line(gridGrey, 0.6, nil, vg.Point{X: center - step/2, Y: f.bottom}, vg.Point{X: center - step/2, Y: f.top})
		}
		name = clean(label, name, max(step-3, 24))
		if m.single() {
			name = ""
		}
		if half := widthOf(label, name) / 2; center-half > free {
			p.write(label.below(), center, f.bottom-4, name)
			free = center + half + 3
		}
	}
	for j, contestant := range m.names {
		var trend []vg.Point
		spacing := min(step/vg.Length(len(m.names)+1), 14)
		if m.single() {
			spacing = step / vg.Length(len(m.names))
		}
		off := (vg.Length(j) - vg.Length(len(m.names)-1)/2) * spacing
		if m.single() {
			p.write(label.below().in(ink), f.left+step/2+off, f.bottom-4, clean(label, contestant, spacing-6))
		}
		for i := range m.steps {
			if a := of(pan.runs[i], contestant); a != nil && m.measured(a) {
				if v, _, _ := m.value(pan.runs[i], a); v > 0 {
					trend = append(trend, vg.Point{X: f.left + (vg.Length(i)+0.5)*step + off, Y: s.inside(v)})
				}
			}
		}
		if m.variable != "" {
			p.line(mix(white, looks[j].color, 0.45), 0.9, nil, trend...)
		}
		for i := range m.steps {
			if a := of(pan.runs[i], contestant); a != nil && m.measured(a) {
				m.point(p, pan.runs[i], a, f.left+(vg.Length(i)+0.5)*step+off, zero, s, looks[j])
			}
		}
	}
	if m.variable != "" {
		p.write(label.below(), (f.left+f.right)/2, f.bottom-4-labelSize-3, m.axis)
	}
}

// point draws one share and its interval.
func (m *multiples) point(p *page, r *results.Run, a *results.Algorithm, x, zero vg.Length, s scale, l look) {
	v, low, high := m.value(r, a)
	at := vg.Point{X: x, Y: zero}
	if v > 0 {
		at.Y = s.inside(v)
	}
	bottom, top := at.Y, at.Y
	if high > v {
		top = s.inside(high)
	}
	if v > 0 && low < v {
		bottom = s.inside(low)
	}
	if v == 0 && high > 0 { // nothing seen: up to what can't be ruled out
		faint := mix(white, l.color, 0.6)
		p.line(faint, 0.6, []vg.Length{1.5, 1.5}, at, vg.Point{X: x, Y: top})
		p.line(faint, 0.8, nil, vg.Point{X: x - 2.2, Y: top}, vg.Point{X: x + 2.2, Y: top})
	} else if top > bottom {
		p.line(l.color, 0.9, nil, vg.Point{X: x, Y: bottom}, vg.Point{X: x, Y: top})
		p.line(l.color, 0.9, nil, vg.Point{X: x - 2.2, Y: top}, vg.Point{X: x + 2.2, Y: top})
		p.line(l.color, 0.9, nil, vg.Point{X: x - 2.2, Y: bottom}, vg.Point{X: x + 2.2, Y: bottom})
	}
	l.mark(p, at, 2.7, l.color)
}
