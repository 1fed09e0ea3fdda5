package plot

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"regexp"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/rlbench/rlbench/report/human"
)

// sheetWidth is the width of every plot; heights follow from what is drawn.
const sheetWidth vg.Length = 560

// dpi is the resolution of the PNG files: at half size text is as tall as on an ordinary screen.
const dpi = 192

// The colours of Okabe and Ito, told apart by every kind of colour vision, and the greys of the furniture.
var (
	white      = color.RGBA{0xff, 0xff, 0xff, 0xff}
	ink        = color.RGBA{0x1c, 0x1f, 0x26, 0xff}
	muted      = color.RGBA{0x5b, 0x63, 0x70, 0xff}
	axisGrey   = color.RGBA{0x9a, 0xa1, 0xad, 0xff}
	gridGrey   = color.RGBA{0xe2, 0xe5, 0xea, 0xff}
	shade      = color.RGBA{0xee, 0xf0, 0xf3, 0xff}
	blue       = color.RGBA{0x00, 0x72, 0xb2, 0xff}
	vermillion = color.RGBA{0xd5, 0x5e, 0x00, 0xff}
	green      = color.RGBA{0x00, 0x9e, 0x73, 0xff}
	orange     = color.RGBA{0xe6, 0x9f, 0x00, 0xff}
	purple     = color.RGBA{0xcc, 0x79, 0xa7, 0xff}
	sky        = color.RGBA{0x56, 0xb4, 0xe9, 0xff}
)

// maxSeries is the most that one panel shows: a reader can't tell more apart.
const maxSeries = 6

// A look is a series' colour, and its second code for those who don't see the colour: a mark for points, dashes for lines.
type look struct {
	color  color.RGBA
	mark   func(p *page, at vg.Point, r vg.Length, c color.RGBA)
	dashes []vg.Length
}

var looks = [maxSeries]look{
	{blue, (*page).disc, nil},
	{vermillion, (*page).box, []vg.Length{6, 2.5}},
	{green, (*page).pyramid, []vg.Length{1.5, 2}},
	{orange, (*page).diamond, []vg.Length{6, 2, 1.5, 2}},
	{purple, (*page).cross, []vg.Length{3, 1.5}},
	{sky, (*page).ring, []vg.Length{9, 2, 1.5, 2, 1.5, 2}},
}

// Sizes of type.
const (
	titleSize    vg.Length = 13
	subtitleSize vg.Length = 9.5
	labelSize    vg.Length = 9
	smallSize    vg.Length = 8
)

var handler = text.Plain{Fonts: font.NewCache(liberation.Collection())}

// A page is a sheet being drawn. Its y runs upwards from the bottom, as in all of vg.
type page struct {
	draw.Canvas
	width, height vg.Length
}

// A style of text: size, colour, and where the given point lies in it.
type style struct {
	size  vg.Length
	color color.RGBA
	bold  bool
	x     draw.XAlignment
	y     draw.YAlignment
}

func (s style) text() draw.TextStyle {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: s.size}
	if s.bold {
		f.Weight = xfont.WeightBold
	}
	return draw.TextStyle{Color: s.color, Font: f, XAlign: s.x, YAlign: s.y, Handler: handler}
}

// label is the common style, centred on its point.
var label = style{labelSize, muted, false, draw.XCenter, draw.YCenter}

func (s style) left() style                { s.x = draw.XLeft; return s }
func (s style) right() style               { s.x = draw.XRight; return s }
func (s style) above() style               { s.y = draw.YBottom; return s }
func (s style) below() style               { s.y = draw.YTop; return s }
func (s style) in(c color.RGBA) style      { s.color = c; return s }
func (s style) sized(size vg.Length) style { s.size = size; return s }

// write puts text at a point. Text from outside must have gone through clean.
func (p *page) write(s style, x, y vg.Length, txt string) {
	if txt != "" {
		if s.y == draw.YCenter { // centre on the small letters, not on the line
			y += s.size * 0.1
		}
		p.FillText(s.text(), vg.Point{X: x, Y: y}, txt)
	}
}

func widthOf(s style, txt string) vg.Length {
	if txt == "" {
		return 0
	}
	return s.text().Width(txt)
}

// clean makes a name from outside fit for a plot: escaped, and shortened in the middle to a width.
func clean(s style, name string, width vg.Length) string {
	name = human.Escape(name)
	for n := human.Width(name); n > 1 && widthOf(s, name) > width; n-- {
		name = human.Shorten(name, n-1)
	}
	return name
}

// heading writes title and subtitle at the top left and returns the height that is left below them.
func (p *page) heading(title, subtitle string) vg.Length {
	room := p.width - 24
	big := style{titleSize, ink, true, draw.XLeft, draw.YTop}
	p.write(big, 12, p.height-9, clean(big, title, room))
	y := p.height - 9 - titleSize - 6
	small := style{subtitleSize, muted, false, draw.XLeft, draw.YTop}
	for _, line := range wrap(small, subtitle, room) {
		p.write(small, 12, y, line)
		y -= subtitleSize + 3
	}
	return y - 4
}

// headingHeight is the room that heading takes.
func headingHeight(subtitle string) vg.Length {
	lines := len(wrap(style{size: subtitleSize}, subtitle, sheetWidth-24))
	return 9 + titleSize + 6 + vg.Length(lines)*(subtitleSize+3) + 4
}

func wrap(s style, txt string, width vg.Length) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(txt) {
		if line != "" && widthOf(s, line+" "+word) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// An entry is one sign of a legend: what paints it into a space 20 wide around a point, and its name.
type entry struct {
	paint func(at vg.Point)
	name  string
}

// legendRows breaks entries into rows that fit between two edges.
func legendRows(entries []entry, width vg.Length) [][]entry {
	var rows [][]entry
	used := width + 1
	for _, e := range entries {
		w := 24 + widthOf(label, e.name) + 16
		if used+w > width+16 {
			rows = append(rows, nil)
			used = 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], e)
		used += w
	}
	return rows
}

const legendRow vg.Length = 15

// legend writes entries row by row, the first row's middle at y.
func (p *page) legend(entries []entry, left, y, width vg.Length) {
	for _, row := range legendRows(entries, width) {
		x := left
		for _, e := range row {
			e.paint(vg.Point{X: x + 10, Y: y})
			p.write(label.left().in(ink), x+24, y, e.name)
			x += 24 + widthOf(label, e.name) + 16
		}
		y -= legendRow
	}
}

func (p *page) line(c color.RGBA, width vg.Length, dashes []vg.Length, points ...vg.Point) {
	if len(points) > 1 {
		p.StrokeLines(draw.LineStyle{Color: c, Width: width, Dashes: dashes}, points)
	}
}

func (p *page) fill(c color.RGBA, left, bottom, right, top vg.Length) {
	p.FillPolygon(c, []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}})
}

func (p *page) disc(at vg.Point, r vg.Length, c color.RGBA) {
	p.DrawGlyphNoClip(draw.GlyphStyle{Color: c, Radius: r, Shape: draw.CircleGlyph{}}, at)
}

func (p *page) ring(at vg.Point, r vg.Length, c color.RGBA) {
	p.disc(at, r, c)
	p.disc(at, r*0.5, white)
}

func (p *page) box(at vg.Point, r vg.Length, c color.RGBA) {
	r *= 0.9
	p.fill(c, at.X-r, at.Y-r, at.X+r, at.Y+r)
}

func (p *page) pyramid(at vg.Point, r vg.Length, c color.RGBA) {
	r *= 1.15
	p.FillPolygon(c, []vg.Point{{X: at.X - r, Y: at.Y - r*0.75}, {X: at.X + r, Y: at.Y - r*0.75}, {X: at.X, Y: at.Y + r}})
}

func (p *page) diamond(at vg.Point, r vg.Length, c color.RGBA) {
	r *= 1.2
	p.FillPolygon(c, []vg.Point{{X: at.X - r, Y: at.Y}, {X: at.X, Y: at.Y - r}, {X: at.X + r, Y: at.Y}, {X: at.X, Y: at.Y + r}})
}

func (p *page) cross(at vg.Point, r vg.Length, c color.RGBA) {
	r *= 0.9
	p.line(c, r*0.7, nil, vg.Point{X: at.X - r, Y: at.Y - r}, vg.Point{X: at.X + r, Y: at.Y + r})
	p.line(c, r*0.7, nil, vg.Point{X: at.X - r, Y: at.Y + r}, vg.Point{X: at.X + r, Y: at.Y - r})
}

// A drawing is a plot that knows its height before it is drawn.
type drawing struct {
	name   string // of its files, without the ending
	title  string // for those who can't see it
	height vg.Length
	paint  func(p *page)
}

func (d drawing) png() ([]byte, error) {
	c := vgimg.NewWith(vgimg.UseWH(sheetWidth, d.height), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(white))
	d.paint(&page{draw.New(c), sheetWidth, d.height})
	var b bytes.Buffer
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(&b)
	return b.Bytes(), err
}

// fontFamily is how the SVG backend names its font; readers without Liberation get what has the same widths.
var fontFamily = regexp.MustCompile(`style="font-family:[^;"]*`)

func (d drawing) svg() ([]byte, error) {
	c := vgsvg.New(sheetWidth, d.height)
	p := &page{draw.NewCanvas(c, sheetWidth, d.height), sheetWidth, d.height}
	p.fill(white, 0, 0, p.width, p.height)
	d.paint(p)
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, err
	}
	// A quote in a text has been escaped, so what matches is an attribute of the backend's.
	svg := fontFamily.ReplaceAll(b.Bytes(), []byte(`style="font-family:Liberation Sans,Arial,Helvetica,sans-serif`))
	accessible := fmt.Sprintf(`<svg role="img" aria-label="%s" `, html.EscapeString(human.Escape(d.title)))
	return bytes.Replace(svg, []byte("<svg "), []byte(accessible), 1), nil
}
