package report

import (
	"fmt"
	"io"
	"math/big"
	"strings"

	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

// Timeline writes the decision table of explicit arrivals as a textbook has it: when, how many, the window looked back on,
// and for each contestant what it had counted and what it answered. Requests of one client at one instant share a row as
// long as every contestant answers them alike; the count shown is what the first of them met.
func Timeline(w io.Writer, r *results.Run) error {
	if r.Input != nil {
		return explained(w, r)
	}
	g := group{runs: []*results.Run{r}}
	g.compare()
	if err := paragraph(w, fmt.Sprintf("Timeline: %s, limit %s", human.Plural(int64(len(r.Decisions)), "request"),
		limitPer(r.Limit, r.WindowNS)), "  "); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	rows := instants(r)
	err := sideBySide(w, r.Algorithms, func(some []results.Algorithm) *grid { return timelineGrid(r, rows, some) })
	if err != nil {
		return err
	}
	if err := timelineLegend(w, r); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return paragraph(w, tally(r), "")
}

// sideBySide writes one table of all algorithms if it fits, and one of each otherwise.
func sideBySide(w io.Writer, all []results.Algorithm, table func(some []results.Algorithm) *grid) error {
	if t := table(all); fits(t) {
		return t.write(w)
	}
	for i := range all {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := table(all[i : i+1]).write(w); err != nil {
			return err
		}
	}
	return nil
}

// fits tells whether the grid needs nothing shortened or stacked.
func fits(g *grid) bool { return layout{gap: 2, widths: g.natural(layout{})}.total() <= lineWidth }

// An instant is one row: consecutive requests of equal time, client, cost and answers.
type instant struct {
	first results.Decision
	n     int64
}

func instants(r *results.Run) []instant {
	var rows []instant
	for _, d := range r.Decisions {
		if n := len(rows); n > 0 && alike(rows[n-1].first, d) {
			rows[n-1].n++
			continue
		}
		rows = append(rows, instant{d, 1})
	}
	return rows
}

func alike(a, b results.Decision) bool {
	if a.TNS != b.TNS || a.Key != b.Key || a.Cost != b.Cost || len(a.By) != len(b.By) {
		return false
	}
	for name, v := range a.By {
		if b.By[name].Admitted != v.Admitted {
			return false
		}
	}
	return true
}

func timelineGrid(r *results.Run, rows []instant, algorithms []results.Algorithm) *grid {
	t := &grid{columns: []column{{head: "time"}, {head: "requests"}}}
	keys, costs := false, false
	for _, row := range rows {
		keys = keys || row.first.Key != rows[0].first.Key
		costs = costs || row.first.Cost != 1
	}
	if keys {
		t.columns = append(t.columns, column{head: "client", left: true})
	}
	if costs {
		t.columns = append(t.columns, column{head: "cost"})
	}
	t.columns = append(t.columns, column{head: "look-back"})
	for _, a := range algorithms {
		t.columns = append(t.columns, column{head: human.Escape(a.Name)})
	}
	for _, row := range rows {
		d := row.first
		cells := []cell{text(human.Duration(d.TNS)), text(human.Count(row.n))}
		if keys {
			cells = append(cells, text(human.Shorten(human.Escape(d.Key), 16)))
		}
		if costs {
			cells = append(cells, text(human.Count(d.Cost)))
		}
		cells = append(cells, text(lookBack(r, d.TNS)))
		for _, a := range algorithms {
			v, ok := d.By[a.Name]
			if !ok {
				cells = append(cells, text("-"))
				continue
			}
			cells = append(cells, text(strings.TrimSpace(counted(v, a, d.Cost)+answer(v))))
		}
		t.add(cells...)
	}
	return t
}

func answer(v results.Verdict) string {
	if v.Admitted {
		return "  in"
	}
	return " out"
}

// lookBack is the window that ends with a request, with the edges that count.
func lookBack(r *results.Run, t int64) string {
	left := "["
	if r.Edge == "open" {
		left = "("
	}
	return left + human.Duration(t-r.WindowNS) + ", " + human.Duration(t) + "]"
}

// counted shows what a contestant held against the client: the arithmetic of a weighted count, a plain number otherwise.
func counted(v results.Verdict, a results.Algorithm, cost int64) string {
	if v.Count == nil {
		return ""
	}
	if v.Part == 0 || v.Num == 0 || a.WindowNS == 0 {
		return human.Commas(v.Whole)
	}
	weight := big.NewRat(v.Num, a.WindowNS)
	exact := new(big.Rat).Mul(weight, new(big.Rat).SetInt64(v.Part))
	exact.Add(exact, new(big.Rat).SetInt64(v.Whole))
	return fmt.Sprintf("%s*%s+%s = %s", decimal(weight, 2), human.Commas(v.Part), human.Commas(v.Whole), faithful(exact, a.Limit-cost))
}

// faithful writes a count with two decimals, or as many more (up to nine) as it takes for the reader to see on which side of
// room it lies.
func faithful(x *big.Rat, room int64) string {
	side := x.Cmp(new(big.Rat).SetInt64(room))
	for places := 2; ; places++ {
		s := decimal(x, places)
		shown, _ := new(big.Rat).SetString(s)
		if places == 9 || shown.Cmp(new(big.Rat).SetInt64(room)) == side {
			return s
		}
	}
}

// decimal rounds to a number of places and drops the zeros at the end.
func decimal(x *big.Rat, places int) string {
	s := x.FloatString(places)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

func timelineLegend(w io.Writer, r *results.Run) error {
	weighted := false
	for _, d := range r.Decisions {
		for _, v := range d.By {
			weighted = weighted || v.Part != 0
		}
	}
	s := "Number: what was counted before the request; it is let in if its cost still fits under the limit."
	if weighted {
		s += " a*b+c: the share a of the last window that the look-back still covers, times its count b, plus this window's count c."
	}
	return legend(w, s)
}

// tally says how many each contestant let in, and who decided otherwise than the first one that is a log.
func tally(r *results.Run) string {
	var parts []string
	for _, a := range r.Algorithms {
		var in int
		for _, d := range r.Decisions {
			if d.By[a.Name].Admitted {
				in++
			}
		}
		parts = append(parts, fmt.Sprintf("%s %d", human.Shorten(human.Escape(a.Name), 40), in))
	}
	return fmt.Sprintf("Let in, of %d: %s.", len(r.Decisions), strings.Join(parts, ", "))
}
