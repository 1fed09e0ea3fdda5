package plot

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

// A curve is one distribution over clients: counts in the bins of results.ErrorBins, the last one beyond.
type curve struct {
	name string
	bins []int64
}

func (c curve) total() (n int64) {
	for _, k := range c.bins {
		n += k
	}
	return n
}

// errorCurves draws how the estimate's mean error is spread over clients: a plot for each contestant with a curve for each
// setting, or one plot with a curve for each contestant when there is a single setting.
func errorCurves(runs []*results.Run) []drawing {
	if runs[0].Scenario == "cloudflare" {
		runs = runs[:1] // the full run: the others are a table
	}
	const title = "Error of the estimate, by client"
	runs = nearFull(runs)
	if len(runs) == 1 {
		var curves []curve
		for _, a := range runs[0].Algorithms {
			if c := (curve{a.Name, binsOf(&a)}); c.total() > 0 {
				curves = append(curves, c)
			}
		}
		return ecdfs("estimate", title, curves)
	}
	s := layOut(runs)
	var drawings []drawing
	for _, name := range s.contestants(func(a *results.Algorithm) bool { return curve{"", binsOf(a)}.total() > 0 }) {
		var curves []curve
		for _, p := range s.panels {
			for i, r := range p.runs {
				a := of(r, name)
				if a == nil {
					continue
				}
				setting := p.name
				if len(s.steps) > 1 || setting == "" {
					setting = joinNonEmpty(p.name, s.variable+" "+s.steps[i])
					if s.variable == "" {
						setting = joinNonEmpty(p.name, s.steps[i])
					}
				}
				if c := (curve{setting, binsOf(a)}); c.total() > 0 {
					curves = append(curves, c)
				}
			}
		}
		drawings = append(drawings, ecdfs("estimate-"+slug(name), title+": "+human.Escape(name), curves)...)
	}
	return drawings
}

func joinNonEmpty(a, b string) string {
	if a == "" {
		return b
	}
	return a + ", " + b
}

// nearFull keeps, of runs that differ in their load alone, the one nearest to load 1: the curves of a pattern hardly move with it.
func nearFull(runs []*results.Run) []*results.Run {
	if !loadIsFree(runs) {
		return runs
	}
	best := runs[0]
	far := func(r *results.Run) float64 {
		if r.Load == nil || *r.Load <= 0 {
			return math.Inf(1)
		}
		return math.Abs(math.Log(*r.Load))
	}
	for _, r := range runs {
		if far(r) < far(best) {
			best = r
		}
	}
	return slices.DeleteFunc(slices.Clone(runs), func(r *results.Run) bool { return loadOf(r) != loadOf(best) })
}

// binsOf returns the counts of clients by mean error; nil where there is nothing to draw, as for the log, which makes none.
func binsOf(a *results.Algorithm) []int64 {
	if a.Estimate == nil || a.Estimate.MeanError == nil || *a.Estimate.MeanError == 0 || len(a.Estimate.ErrorByClient) != len(results.ErrorBins())+1 {
		return nil
	}
	return a.Estimate.ErrorByClient
}

// ecdfs draws curves, at most maxSeries a plot.
func ecdfs(name, title string, curves []curve) []drawing {
	var drawings []drawing
	part := 0
	for some := range slices.Chunk(curves, maxSeries) {
		part++
		at := name
		if part > 1 {
			at = fmt.Sprintf("%s-part%d", name, part)
		}
		e := ecdf{title, some}
		drawings = append(drawings, drawing{at, title, e.height(), e.paint})
	}
	return drawings
}

// An ecdf is the share of clients whose mean error is at most what the horizontal axis says.
type ecdf struct {
	title  string
	curves []curve
}

const ecdfSubtitle = "share of clients (vertical) whose mean |estimate − exact| ÷ exact is at most this"

func (e ecdf) entries(p *page) []entry {
	var entries []entry
	for i, c := range e.curves {
		l := looks[i]
		entries = append(entries, entry{func(at vg.Point) {
			p.line(l.color, 2, l.dashes, vg.Point{X: at.X - 10, Y: at.Y}, vg.Point{X: at.X + 10, Y: at.Y})
		}, clean(label, c.name, 170)})
	}
	return entries
}

func (e ecdf) height() vg.Length {
	legend := vg.Length(len(legendRows(e.entries(nil), sheetWidth-axisRoom-16))) * legendRow
	return headingHeight(ecdfSubtitle) + 200 + 36 + legend + 12
}

// reach is the range of errors that the curves rise in, leaving out a thousandth at either end.
func (e ecdf) reach() (float64, float64) {
	edges := results.ErrorBins()
	low, high := len(edges)-1, 0
	for _, c := range e.curves {
		var below int64
		for k, n := range c.bins {
			below += n
			if share := float64(below) / float64(c.total()); share > 0.001 && share-float64(n)/float64(c.total()) < 0.999 {
				low, high = min(low, max(k-1, 0)), max(high, min(k, len(edges)-1))
			}
		}
	}
	return logRange(edges[low], edges[high])
}

func (e ecdf) paint(p *page) {
	top := p.heading(e.title, ecdfSubtitle) - 4
	f := frame{axisRoom, top - 200, p.width - 16, top}
	low, high := e.reach()
	x := scale{low, high, f.left, f.right, true}
	y := scale{0, 1, f.bottom, f.top, false}
	p.leftAxis(f, y, evenTicks(0, 1, 4, func(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }), true)
	p.bottomAxis(f, x, logTicks(low, high, percentName))
	p.write(label.below(), (f.left+f.right)/2, f.bottom-5-labelSize-5, "a client's mean error, log scale")
	edges := results.ErrorBins()
	for i, c := range e.curves {
		total := float64(c.total())
		var below int64
		var points []vg.Point
		for k, edge := range edges {
			below += c.bins[k]
			share := float64(below) / total
			if edge < low*(1-1e-9) || edge > high*(1+1e-9) {
				continue
			}
			if n := len(points); n > 1 && points[n-1].Y == y.at(share) && points[n-2].Y == y.at(share) {
				points[n-1].X = x.at(edge) // one stroke for a level stretch
				continue
			}
			points = append(points, vg.Point{X: x.at(edge), Y: y.at(share)})
		}
		p.line(looks[i].color, 2, looks[i].dashes, points...)
	}
	p.legend(e.entries(p), f.left, f.bottom-36-legendRow/2, f.right-f.left)
}
