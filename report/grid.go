package report

import (
	"io"
	"strings"

	"github.com/rlbench/rlbench/report/human"
)

// lineWidth is the widest line that a report prints.
const lineWidth = 80

// fewRows is how many rows a table may have for its intervals to get a line of their own rather than lose digits.
const fewRows = 16

// A grid is a table of text that always fits lineWidth: it first closes the gaps between its columns, then breaks heads and
// gives up digits, then moves intervals to a line of their own, then shortens names, then whatever is widest.
type grid struct {
	columns []column
	rows    []row
}

type column struct {
	head   string // lines separated by \n
	broken string // the head where room is short; "" is the same
	left   bool   // names and labels; figures stand on the right
}

// A row is one line of cells, or a rule across the table with a title in it.
type row struct {
	cells []cell
	rule  bool
	title string
}

// A cell is a figure and, after it or below it, its interval; short is both with fewer digits, "" if there is no shorter
// form. The text must be escaped already.
type cell struct{ text, more, short string }

func text(s string) cell { return cell{text: s} }

// uncertain is a cell of a share with its interval.
func uncertain(x, low, high float64) cell {
	value, interval := human.Uncertain(x, low, high, 7)
	short := join(human.Uncertain(x, low, high, 3))
	return cell{value, interval, short}
}

func join(text, more string) string {
	switch {
	case more == "":
		return text
	case strings.HasPrefix(more, "±"), strings.HasPrefix(more, ".."):
		return text + more
	}
	return text + " " + more
}

func (c cell) joined() string { return join(c.text, c.more) }

// in is the cell's one or two lines in a layout.
func (c cell) in(l layout) (line, below string) {
	switch {
	case l.stacked:
		return c.text, c.more
	case l.compact && c.short != "":
		return c.short, ""
	}
	return c.joined(), ""
}

func (c column) in(l layout) []string {
	if l.broken && c.broken != "" {
		return strings.Split(c.broken, "\n")
	}
	return strings.Split(c.head, "\n")
}

func (g *grid) add(cells ...cell)    { g.rows = append(g.rows, row{cells: cells}) }
func (g *grid) section(title string) { g.rows = append(g.rows, row{rule: true, title: title}) }

// A layout is one way to set the grid.
type layout struct {
	gap     int
	broken  bool // heads broken
	compact bool // digits given up
	stacked bool // intervals below; all digits
	widths  []int
}

func (l layout) total() int {
	total := l.gap * (len(l.widths) - 1)
	for _, w := range l.widths {
		total += w
	}
	return total
}

// fit finds the most generous layout that is no wider than the line.
func (g *grid) fit() layout {
	names := func(shortest int) func(int) int {
		return func(i int) int {
			if g.columns[i].left {
				return shortest
			}
			return lineWidth
		}
	}
	steps := []struct {
		layout
		shortest int // of names
	}{
		{layout{gap: 2}, lineWidth}, {layout{gap: 1}, lineWidth}, {layout{gap: 1, broken: true}, 12},
		{layout{gap: 1, broken: true, compact: true}, 12}, {layout{gap: 2, broken: true, stacked: true}, 12},
		{layout{gap: 1, broken: true, stacked: true}, 6},
	}
	var l layout
	for _, step := range steps {
		if step.compact && len(g.rows) <= fewRows {
			continue
		}
		l = step.layout
		l.widths = g.natural(l)
		l.shrink(names(step.shortest))
		if l.total() <= lineWidth && g.distinct(l) {
			return l
		}
	}
	l.shrink(func(int) int { return 1 })
	return l
}

// distinct tells whether names that differ still do when they are shortened.
func (g *grid) distinct(l layout) bool {
	for i, c := range g.columns {
		if !c.left {
			continue
		}
		whole := map[string]string{}
		for _, r := range g.rows {
			if r.rule {
				continue
			}
			name := r.cells[i].text
			short := human.Shorten(name, l.widths[i])
			if before, ok := whole[short]; ok && before != name {
				return false
			}
			whole[short] = name
		}
	}
	return true
}

// shrink takes columns from the widest one that is above its least width until the line is wide enough.
func (l layout) shrink(least func(column int) int) {
	for l.total() > lineWidth {
		widest := -1
		for i, w := range l.widths {
			if w > least(i) && (widest < 0 || w > l.widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		l.widths[widest]--
	}
}

// natural is the width of each column with nothing shortened.
func (g *grid) natural(l layout) []int {
	widths := make([]int, len(g.columns))
	for i, c := range g.columns {
		for _, line := range c.in(l) {
			widths[i] = max(widths[i], human.Width(line))
		}
	}
	for _, r := range g.rows {
		for i, c := range r.cells {
			line, below := c.in(l)
			widths[i] = max(widths[i], human.Width(line), human.Width(below))
		}
	}
	return widths
}

// write prints the heads, a rule, and the rows.
func (g *grid) write(w io.Writer) error {
	l := g.fit()
	var b strings.Builder
	heads := make([][]string, len(g.columns))
	depth := 0
	for i, c := range g.columns {
		heads[i] = c.in(l)
		depth = max(depth, len(heads[i]))
	}
	for line := range depth {
		cells := make([]string, len(heads))
		for i, h := range heads { // heads stand on the rule
			if at := line - (depth - len(h)); at >= 0 {
				cells[i] = h[at]
			}
		}
		g.line(&b, l, cells)
	}
	if len(g.rows) == 0 || !g.rows[0].rule {
		rule(&b, "", l.total())
	}
	for _, r := range g.rows {
		if r.rule {
			rule(&b, r.title, l.total())
			continue
		}
		cells, below, some := make([]string, len(r.cells)), make([]string, len(r.cells)), false
		for i, c := range r.cells {
			cells[i], below[i] = c.in(l)
			some = some || below[i] != ""
		}
		g.line(&b, l, cells)
		if some {
			g.line(&b, l, below)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (g *grid) line(b *strings.Builder, l layout, cells []string) {
	var line strings.Builder
	for i, c := range cells {
		if i > 0 {
			line.WriteString(strings.Repeat(" ", l.gap))
		}
		c = human.Shorten(c, l.widths[i])
		pad := strings.Repeat(" ", l.widths[i]-human.Width(c))
		if g.columns[i].left {
			line.WriteString(c + pad)
		} else {
			line.WriteString(pad + c)
		}
	}
	b.WriteString(strings.TrimRight(line.String(), " "))
	b.WriteByte('\n')
}

// rule draws a line across, with a title near its beginning.
func rule(b *strings.Builder, title string, width int) {
	if title == "" {
		b.WriteString(strings.Repeat("─", width) + "\n")
		return
	}
	title = "── " + human.Shorten(title, lineWidth-6) + " "
	b.WriteString(title + strings.Repeat("─", max(width-human.Width(title), 2)) + "\n")
}

// paragraph prints text wrapped to the line, each line but the first after the indent.
func paragraph(w io.Writer, s, indent string) error {
	lines := human.Wrap(s, lineWidth-len(indent))
	_, err := io.WriteString(w, strings.Join(lines, "\n"+indent)+"\n")
	return err
}
