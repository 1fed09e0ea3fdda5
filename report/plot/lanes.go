package plot

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"

	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

// speed draws the time of a decision with most clients, on each limiter's own clock, by the order in which clients ask.
func speed(runs []*results.Run) []drawing {
	return laid(runs, "speed", "Time of a decision", func(a *results.Algorithm) (found []timing, about string) {
		keys := int64(0)
		for _, s := range a.Cost.Speed {
			keys = max(keys, s.Keys)
		}
		for _, s := range a.Cost.Speed {
			if s.Keys == keys && s.Clock == "own" && s.Refused == "asis" {
				series := s.Order
				if s.Goroutines > 1 {
					series += fmt.Sprintf(", %d cores", s.Goroutines)
				}
				found = append(found, timing{series, s.NsPerOp, s.NsPerOpCI})
			}
		}
		return found, human.Commas(keys) + " clients, own clock"
	})
}

// patternSpeed draws the time of a decision under each traffic pattern.
func patternSpeed(runs []*results.Run) []drawing {
	return laid(runs, "speed-patterns", "Time of a decision by traffic pattern", func(a *results.Algorithm) (found []timing, about string) {
		for _, p := range a.Cost.Patterns {
			found = append(found, timing{p.Pattern, p.NsPerOp, p.NsPerOpCI})
			about = human.Commas(p.Clients) + " clients merged in time order, time told"
		}
		return found, about
	})
}

// A timing is one measured time in ns.
type timing struct {
	series string
	ns     float64
	ci     *results.CI
}

// lanes have a row for each contestant with a mark for each series.
type lanes struct {
	title, subtitle string
	names           []string
	rows            [][]timing
	series          []string
}

// laid draws what find has of each contestant, of the first run with anything.
func laid(runs []*results.Run, name, title string, find func(*results.Algorithm) ([]timing, string)) []drawing {
	for _, r := range runs {
		l := lanes{title: title}
		for i := range r.Algorithms {
			a := &r.Algorithms[i]
			if a.Cost == nil || a.Name == "allow-all" {
				continue
			}
			found, about := find(a)
			found = slices.DeleteFunc(found, func(t timing) bool { return !(t.ns > 0) }) // a log scale has no place for it
			if len(found) == 0 {
				continue
			}
			l.names, l.rows = append(l.names, a.Name), append(l.rows, found)
			l.subtitle = about + " · median ns, log scale · bars: 95 % interval"
			for _, t := range found {
				if !slices.Contains(l.series, t.series) {
					l.series = append(l.series, t.series)
				}
			}
		}
		if len(l.rows) > 0 && len(l.series) <= maxSeries {
			return []drawing{{name, title, l.height(), l.paint}}
		}
	}
	return nil
}

func (l *lanes) lane() vg.Length { return max(20, vg.Length(len(l.series))*6.5+6) }

func (l *lanes) height() vg.Length {
	legend := vg.Length(len(legendRows(l.legend(nil), sheetWidth-dotLeft-24))) * legendRow
	return headingHeight(l.subtitle) + vg.Length(len(l.rows))*l.lane() + 40 + legend + 10
}

func (l *lanes) legend(p *page) (entries []entry) {
	for i, s := range l.series {
		look := looks[i]
		entries = append(entries, entry{func(at vg.Point) { look.mark(p, at, 3.4, look.color) }, s})
	}
	return entries
}

func (l *lanes) paint(p *page) {
	top := p.heading(l.title, l.subtitle)
	f := frame{dotLeft, top - vg.Length(len(l.rows))*l.lane(), p.width - 24, top}
	low, high := math.Inf(1), 0.0
	for _, row := range l.rows {
		for _, t := range row {
			low, high = min(low, t.ns), max(high, t.ns)
			if t.ci != nil {
				high = max(high, t.ci[1])
			}
		}
	}
	low, high = logRange(low*0.9, high)
	x := scale{low, high, f.left, f.right, true}
	p.bottomAxis(f, x, logTicks(low, high, nsName))
	p.write(label.below(), (f.left+f.right)/2, f.bottom-5-labelSize-4, "ns")
	for i, row := range l.rows {
		y := f.top - vg.Length(i)*l.lane()
		p.line(gridGrey, 0.6, nil, vg.Point{X: f.left, Y: y}, vg.Point{X: f.right, Y: y})
		p.write(label.right().in(ink), f.left-8, y-l.lane()/2, clean(label, l.names[i], dotLeft-14))
		step := l.lane() / vg.Length(len(l.series)+1)
		for _, t := range row {
			k := slices.Index(l.series, t.series)
			look, at := looks[k], vg.Point{X: x.inside(t.ns), Y: y - vg.Length(k+1)*step}
			if t.ci != nil {
				p.line(look.color, 0.9, nil, vg.Point{X: x.inside(t.ci[0]), Y: at.Y}, vg.Point{X: x.inside(t.ci[1]), Y: at.Y})
			}
			look.mark(p, at, 2.8, look.color)
		}
	}
	p.legend(l.legend(p), dotLeft, f.bottom-40-legendRow/2+6, p.width-dotLeft-24)
}

func nsName(v float64) string {
	if v < 1 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return human.Commas(int64(v))
}
