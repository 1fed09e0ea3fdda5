package plot

import (
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"

	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

// timelines draws the decisions of each run that holds some: a row for each contestant, accepted requests above the line and
// refused ones below, over the aligned windows.
func timelines(runs []*results.Run) []drawing {
	var drawings []drawing
	for _, r := range runs {
		if len(r.Decisions) == 0 || r.WindowNS < 1 {
			continue
		}
		t := newTimeline(r)
		if len(t.rows) == 0 {
			continue
		}
		name := "timeline"
		if n := len(drawings); n > 0 {
			name += "-run" + strconv.Itoa(n+1)
		}
		drawings = append(drawings, drawing{name, t.title(), t.height(), t.paint})
	}
	return drawings
}

// A timeline is what is to be drawn of a run.
type timeline struct {
	run         *results.Run
	rows        []timelineRow
	first, last int64
}

// A timelineRow is one contestant's answers to one client.
type timelineRow struct {
	name  string
	key   string // "" when there is one client only
	marks []mark
}

// A mark is the requests of one instant that got one answer; unlike counts those that the exact log answered otherwise.
type mark struct {
	t         int64
	in        bool
	n, unlike int
}

func newTimeline(r *results.Run) *timeline {
	t := &timeline{run: r, first: r.Decisions[0].TNS, last: r.Decisions[0].TNS}
	var keys []string
	for _, d := range r.Decisions {
		t.first, t.last = min(t.first, d.TNS), max(t.last, d.TNS)
		if !slices.Contains(keys, d.Key) {
			keys = append(keys, d.Key)
		}
	}
	const maxKeys = 4
	for _, key := range keys[:min(len(keys), maxKeys)] {
		for _, a := range r.Algorithms {
			row := timelineRow{name: a.Name}
			if len(keys) > 1 {
				row.key = key
			}
			for _, d := range r.Decisions {
				if v, ok := d.By[a.Name]; ok && d.Key == key {
					exact, known := d.By["log"]
					row.add(d.TNS, v.Admitted, known && exact.Admitted != v.Admitted)
				}
			}
			if len(row.marks) > 0 {
				t.rows = append(t.rows, row)
			}
		}
	}
	return t
}

func (row *timelineRow) add(t int64, in, unlike bool) {
	at := slices.IndexFunc(row.marks, func(m mark) bool { return m.t == t && m.in == in })
	if at < 0 {
		row.marks = append(row.marks, mark{t: t, in: in})
		at = len(row.marks) - 1
	}
	row.marks[at].n++
	if unlike {
		row.marks[at].unlike++
	}
}

const (
	timelineLeft vg.Length = 92
	stackStep    vg.Length = 6.2
	maxStack               = 5 // marks on top of each other; beyond, one with a number
)

// extent is the room that a row takes above and below its line.
func (row timelineRow) extent() (up, down vg.Length) {
	up, down = 24, 24
	for _, m := range row.marks {
		room := 18 + stackStep*vg.Length(m.n)
		if m.n > maxStack {
			room = 30
		}
		if m.in {
			up = max(up, room)
		} else {
			down = max(down, room)
		}
	}
	return up, down
}

func (t *timeline) title() string {
	return fmt.Sprintf("Decisions at limit %s per %s", human.Count(t.run.Limit), human.Duration(t.run.WindowNS))
}

const timelineSubtitle = "every request: above the line accepted, below the line refused · shaded: every other aligned window"

func (t *timeline) height() vg.Length {
	height := headingHeight(timelineSubtitle) + 40 + legendRow + 12
	for _, row := range t.rows {
		up, down := row.extent()
		height += up + down
	}
	return height
}

// span is the time shown: whole windows where that is not much more than the requests take.
func (t *timeline) span() (from, to float64) {
	w := float64(t.run.WindowNS)
	first, last := float64(t.first), float64(t.last)
	pad := max((last-first)*0.04, w*0.02)
	from, to = first-pad, last+pad
	if start := floorTo(first, w); first-start < 0.7*w {
		from = start - pad/2
	}
	if to < floorTo(first, w)+w {
		to = floorTo(first, w) + w
	}
	return from, to
}

func floorTo(x, w float64) float64 {
	k := float64(int64(x / w))
	if k*w > x {
		k--
	}
	return k * w
}

func (t *timeline) paint(p *page) {
	top := p.heading(t.title(), timelineSubtitle)
	f := frame{timelineLeft, top - (t.height() - headingHeight(timelineSubtitle) - 40 - legendRow - 12), p.width - 20, top}
	from, to := t.span()
	x := scale{from, to, f.left, f.right, false}
	shaded := t.windows(p, f, x)
	unit, name := timeUnit(to - from)
	origin := 0.0
	if t.first > 1e18 { // Unix time: count from the first request
		origin = float64(t.first)
		name += " after the first request"
	}
	ticks := evenTicks((from-origin)/unit, (to-origin)/unit, 9, func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) })
	for i := range ticks {
		ticks[i].value = ticks[i].value*unit + origin
	}
	p.bottomAxis(frame{f.left, f.bottom, f.right, f.bottom}, x, ticks)
	p.write(label.below(), (f.left+f.right)/2, f.bottom-5-labelSize-4, name)
	unlike := false
	y := f.top
	for _, row := range t.rows {
		up, down := row.extent()
		y -= up
		p.line(axisGrey, 0.8, nil, vg.Point{X: f.left, Y: y}, vg.Point{X: f.right, Y: y})
		p.write(label.right().in(ink), f.left-8, y, clean(label, row.name, timelineLeft-14))
		small := label.right().sized(smallSize)
		p.write(small, f.left-8, y-labelSize-2, clean(small, row.key, timelineLeft-14))
		for _, m := range row.marks {
			t.mark(p, x.at(float64(m.t)), y, m)
			unlike = unlike || m.unlike > 0
		}
		y -= down
	}
	entries := []entry{
		{func(at vg.Point) { p.accepted(at) }, "accepted"}, {func(at vg.Point) { p.refused(at) }, "refused"},
	}
	if shaded {
		entries = append(entries, entry{func(at vg.Point) { p.fill(shade, at.X-9, at.Y-5, at.X+9, at.Y+5) }, "window"})
	}
	if unlike {
		entries = append(entries, entry{func(at vg.Point) { p.unlike(at, at) }, "unlike the exact log"})
	}
	p.legend(entries, f.left, f.bottom-40-legendRow/2, f.right-f.left)
}

// windows shades every other aligned window, unless there are so many that one could not tell them apart.
func (t *timeline) windows(p *page, f frame, x scale) bool {
	w := float64(t.run.WindowNS)
	if (x.high-x.low)/w > 60 {
		return false
	}
	for start := floorTo(x.low, w); start < x.high; start += w {
		if int64(start/w)%2 != 0 {
			continue
		}
		p.fill(shade, x.inside(start), f.bottom, x.inside(start+w), f.top)
	}
	return true
}

func timeUnit(span float64) (float64, string) {
	switch {
	case span < 2e3:
		return 1, "nanoseconds"
	case span < 2e6:
		return 1e3, "microseconds"
	case span < 2e9:
		return 1e6, "milliseconds"
	case span < 600e9:
		return 1e9, "seconds"
	case span < 10*3600e9:
		return 60e9, "minutes"
	case span < 20*86400e9:
		return 3600e9, "hours"
	}
	return 86400e9, "days"
}

// mark draws the requests of one instant, one above the other, or one with a number.
func (t *timeline) mark(p *page, x, y vg.Length, m mark) {
	up := vg.Length(1)
	if !m.in {
		up = -1
	}
	n := min(m.n, maxStack)
	if m.n > maxStack {
		n = 1
	}
	end := y + up*(6+stackStep*vg.Length(n-1))
	tint := blue
	if !m.in {
		tint = vermillion
	}
	p.line(tint, 1.2, nil, vg.Point{X: x, Y: y}, vg.Point{X: x, Y: end})
	for k := range n {
		at := vg.Point{X: x, Y: y + up*(6+stackStep*vg.Length(k))}
		if m.in {
			p.accepted(at)
		} else {
			p.refused(at)
		}
	}
	if m.n > maxStack {
		p.write(label.sized(smallSize).in(tint), x, end+up*10, strconv.Itoa(m.n))
	}
	if m.unlike > 0 { // those that differ are the outermost: the first to be let in, or refused, are common to both
		from := vg.Point{X: x, Y: y + up*(6+stackStep*vg.Length(max(n-m.unlike, 0)))}
		if m.n > maxStack {
			from.Y = end
		}
		p.unlike(from, vg.Point{X: x, Y: end})
	}
}

func (p *page) accepted(at vg.Point) { p.disc(at, 2.9, blue) }
func (p *page) refused(at vg.Point)  { p.cross(at, 3.2, vermillion) }

// unlike draws a bracket around marks from one to another.
func (p *page) unlike(from, to vg.Point) {
	low, high := min(from.Y, to.Y)-4.6, max(from.Y, to.Y)+4.6
	l, r := from.X-5, from.X+5
	p.line(ink, 0.9, nil, vg.Point{X: l, Y: low}, vg.Point{X: r, Y: low}, vg.Point{X: r, Y: high}, vg.Point{X: l, Y: high}, vg.Point{X: l, Y: low})
}
