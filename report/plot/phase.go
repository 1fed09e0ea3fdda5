package plot

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"

	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

// phase draws, for each contestant, where in the aligned window it lets through too much (left) and refuses too much (right):
// a row for each load, a block for each pattern.
func phase(runs []*results.Run) []drawing {
	s := layOut(settings(runs))
	var drawings []drawing
	for _, name := range s.contestants(func(a *results.Algorithm) bool {
		return a.Phase != nil && !isReference(a.Name) && a.OverAdmitted+a.OverRefused > 0
	}) {
		h := heat{name: name, sweep: s}
		if !h.measure() {
			continue
		}
		title := "Where in the window " + human.Escape(name) + " errs"
		drawings = append(drawings, drawing{"phase-" + slug(name), title, h.height(), func(p *page) { h.paint(p, title) }})
	}
	return drawings
}

// heat is a heat map of two columns of panels, over-admitted and over-refused, on one log scale of shares.
type heat struct {
	sweep
	name      string
	low, high float64
}

const (
	heatTitle vg.Length = 15
	heatRight vg.Length = 84 // room of the colour scale
	heatLeft  vg.Length = 64
)

func (h *heat) subtitle() string {
	s := "share of the requests at that place in the window; hatched: no request"
	if h.variable != "" {
		s = h.axis + " (vertical) · " + s
	}
	return s
}

// cells are the shares of a run's bins, NaN where no request fell; nil when the run has none.
func (h *heat) cells(r *results.Run, side func(p *results.Phase) []int64) []float64 {
	a := of(r, h.name)
	if a == nil || a.Phase == nil || len(side(a.Phase)) == 0 {
		return nil
	}
	bins := side(a.Phase)
	shares := make([]float64, len(bins))
	for i, n := range bins {
		all := float64(a.Requests) / float64(len(bins)) // contestants see different streams: as if they were even
		if len(r.RequestsByPhase) == len(bins) {
			all = float64(r.RequestsByPhase[i])
		}
		if all == 0 {
			shares[i] = math.NaN()
			continue
		}
		shares[i] = min(float64(n)/all, 1)
	}
	return shares
}

func overAdmitted(p *results.Phase) []int64 { return p.OverAdmitted }
func overRefused(p *results.Phase) []int64  { return p.OverRefused }

// measure finds the range of the colour scale; false when all is 0.
func (h *heat) measure() bool {
	low, high := math.Inf(1), 0.0
	for _, pan := range h.panels {
		for _, r := range pan.runs {
			for _, side := range []func(p *results.Phase) []int64{overAdmitted, overRefused} {
				for _, v := range h.cells(r, side) {
					if v > 0 {
						low, high = min(low, v), max(high, v)
					}
				}
			}
		}
	}
	if high == 0 {
		return false
	}
	h.low, h.high = decadeRange(low, high)
	h.low = max(h.low, h.high/1e4)
	return true
}

// rowHeight is taller where rows are few.
func (h *heat) rowHeight() vg.Length {
	rows := 0
	for _, pan := range h.panels {
		for _, r := range pan.runs {
			if r != nil {
				rows++
			}
		}
	}
	return min(max(104/vg.Length(max(rows, 1)), 13), 52)
}

// block is the height of a panel, which leaves out the steps that it has no run for.
func (h *heat) block(pan panel) vg.Length {
	n := 0
	for _, r := range pan.runs {
		if r != nil {
			n++
		}
	}
	return pan.titleRoom() + vg.Length(n)*h.rowHeight() + 8
}

func (pan panel) titleRoom() vg.Length {
	if pan.name == "" {
		return 0
	}
	return heatTitle
}

func (h *heat) blocks() (sum vg.Length) {
	for _, pan := range h.panels {
		sum += h.block(pan)
	}
	return sum
}

func (h *heat) height() vg.Length {
	return headingHeight(h.subtitle()) + 14 + max(h.blocks(), 110) + 42
}

func (h *heat) paint(p *page, title string) {
	top := p.heading(title, h.subtitle())
	gap, row := vg.Length(14), h.rowHeight()
	width := (p.width - heatLeft - heatRight - gap) / 2
	sides := []struct {
		name  string
		tint  color.RGBA
		of    func(p *results.Phase) []int64
		left  vg.Length
		label bool
	}{
		{"let in though over the limit", vermillion, overAdmitted, heatLeft, true},
		{"refused though there was room", blue, overRefused, heatLeft + width + gap, false},
	}
	bottom := top - 14 - h.blocks() + 8
	for _, side := range sides {
		heavy := style{labelSize, side.tint, true, label.x, label.y}.left()
		p.write(heavy, side.left, top-5, side.name)
		y := top - 14
		for _, pan := range h.panels {
			if side.label {
				p.write(label.left().in(ink), side.left, y-heatTitle/2, clean(label, pan.name, p.width-heatLeft-heatRight))
			}
			at := y - pan.titleRoom()
			for k := len(h.steps) - 1; k >= 0; k-- { // the greatest load on top
				if pan.runs[k] == nil {
					continue
				}
				h.row(p, pan.runs[k], side.of, side.tint, frame{side.left, at - row, side.left + width, at})
				if side.label && len(h.steps) > 1 {
					p.write(label.right(), side.left-5, at-row/2, clean(label, h.steps[k], heatLeft-8))
				}
				at -= row
			}
			y -= h.block(pan)
		}
		f := frame{side.left, bottom, side.left + width, bottom}
		h.windowAxis(p, f)
	}
	p.write(label.below(), heatLeft+width+gap/2, bottom-5-labelSize-4, "position in the aligned window")
	h.colours(p, frame{p.width - heatRight + 14, 0, p.width - heatRight + 36, top - 14 - h.panels[0].titleRoom()}, min(max(h.blocks(), 110), 150)-heatTitle)
}

// row paints one run's bins from left to right, each a little into the next, so that no seam shows.
func (h *heat) row(p *page, r *results.Run, side func(p *results.Phase) []int64, tint color.RGBA, f frame) {
	f.bottom, f.top = f.bottom+0.5, f.top-0.5
	cells := h.cells(r, side)
	if cells == nil {
		p.hatch(f)
		return
	}
	bin := (f.right - f.left) / vg.Length(len(cells))
	p.fill(shade, f.left, f.bottom, f.right, f.top)
	for from := 0; from < len(cells); {
		to := from + 1
		for to < len(cells) && (h.tint(cells[to], tint) == h.tint(cells[from], tint) || math.IsNaN(cells[to]) && math.IsNaN(cells[from])) &&
			math.IsNaN(cells[to]) == math.IsNaN(cells[from]) {
			to++
		}
		left, right := f.left+vg.Length(from)*bin, f.left+vg.Length(to)*bin
		switch {
		case math.IsNaN(cells[from]):
			p.hatch(frame{left, f.bottom, right, f.top})
		case cells[from] > 0:
			if to < len(cells) && cells[to] > 0 {
				right += bin / 3
			}
			p.fill(h.tint(cells[from], tint), left, f.bottom, right, f.top)
		}
		from = to
	}
}

// hatch marks a place without a request.
func (p *page) hatch(f frame) {
	p.fill(white, f.left, f.bottom, f.right, f.top)
	height := f.top - f.bottom
	for x := f.left; x < f.right; x += 4 {
		end := min(x+height, f.right)
		p.line(gridGrey, 0.6, nil, vg.Point{X: x, Y: f.bottom}, vg.Point{X: end, Y: f.bottom + (end - x)})
	}
}

// tint is the colour of a share: grey-white for 0, then from pale to the full tint over the decades, then darker.
func (h *heat) tint(v float64, full color.RGBA) color.RGBA {
	if !(v > 0) {
		return shade
	}
	x := (math.Log10(v) - math.Log10(h.low)) / (math.Log10(h.high) - math.Log10(h.low))
	x = 0.12 + 0.88*min(max(x, 0), 1)
	dark := color.RGBA{full.R / 3, full.G / 3, full.B / 3, 0xff}
	if x < 0.7 {
		return mix(white, full, x/0.7)
	}
	return mix(full, dark, (x-0.7)/0.3)
}

func mix(a, b color.RGBA, x float64) color.RGBA {
	between := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + x*(float64(b)-float64(a)))) }
	return color.RGBA{between(a.R, b.R), between(a.G, b.G), between(a.B, b.B), 0xff}
}

func (h *heat) windowAxis(p *page, f frame) {
	x := scale{0, 1, f.left, f.right, false}
	for _, v := range []float64{0, 0.25, 0.5, 0.75, 1} {
		at := x.at(v)
		p.line(axisGrey, 0.8, nil, vg.Point{X: at, Y: f.bottom - 1}, vg.Point{X: at, Y: f.bottom - 4})
		name := map[float64]string{0: "start", 0.5: "half", 1: "end"}[v]
		s := label.below()
		switch v {
		case 0:
			s = s.left()
		case 1:
			s = s.right()
		}
		p.write(s, at, f.bottom-5, name)
	}
}

// colours draws the scale of both tints, side by side.
func (h *heat) colours(p *page, f frame, height vg.Length) {
	const steps = 60
	y := scale{h.low, h.high, f.top - height, f.top, true}
	middle := (f.left + f.right) / 2
	for i := range steps {
		v := math.Pow(10, math.Log10(h.low)+(float64(i)+0.5)/steps*(math.Log10(h.high)-math.Log10(h.low)))
		bottom := f.top - height + vg.Length(i)*height/steps
		p.fill(h.tint(v, vermillion), f.left, bottom, middle-1, f.top)
		p.fill(h.tint(v, blue), middle+1, bottom, f.right, f.top)
	}
	for _, t := range decades(h.low, h.high, percentName) {
		p.write(label.left().sized(smallSize), f.right+4, y.at(t.value), t.label)
	}
	zero := f.top - height - 14
	p.fill(shade, f.left, zero, f.right, zero+9)
	p.write(label.left().sized(smallSize), f.right+4, zero+4.5, "0")
}
