package report

import (
	"fmt"
	"io"
	"math/big"

	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

// explained writes a client of a log: every decision with its reason in numbers.
func explained(w io.Writer, r *results.Run) error {
	first := r.Decisions[0]
	if err := paragraph(w, fmt.Sprintf("Client %s of %s (%s): %s in %s, limit %s", human.Shorten(human.Escape(first.Key), 60), human.Escape(files(r.Input)),
		human.Escape(r.Input.Format), human.Plural(int64(len(r.Decisions)), "request"), human.Duration(r.SpanNS), limitPer(r.Limit, r.WindowNS)), "  "); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	rows := instants(r)
	if err := sideBySide(w, r.Algorithms, func(some []results.Algorithm) *grid { return explainedGrid(rows, some) }); err != nil {
		return err
	}
	if err := legend(w, "a*b+c+cost <= limit: the share a of the last window that is still in reach, times its count b, plus this window's count c, plus "+
		"the request; where nothing is weighted, what was counted plus the request. Requests of one instant share a row where all are answered alike: the reason is that of the first."); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return paragraph(w, tally(r), "")
}

func explainedGrid(rows []instant, algorithms []results.Algorithm) *grid {
	t := &grid{columns: []column{{head: "time", left: true}, {head: "requests"}}}
	costs := false
	for _, row := range rows {
		costs = costs || row.first.Cost != 1
	}
	if costs {
		t.columns = append(t.columns, column{head: "cost"})
	}
	for _, a := range algorithms {
		t.columns = append(t.columns, column{head: human.Escape(a.Name), left: true})
	}
	for _, row := range rows {
		d := row.first
		cells := []cell{text(human.Instant(d.TNS, true)), text(human.Count(row.n))}
		if costs {
			cells = append(cells, text(human.Count(d.Cost)))
		}
		for _, a := range algorithms {
			v, ok := d.By[a.Name]
			if !ok {
				cells = append(cells, text("-"))
				continue
			}
			cells = append(cells, text(reason(v, a, d.Cost)))
		}
		t.add(cells...)
	}
	return t
}

// reason is a decision with the arithmetic behind it: "refused: 0.36*70+40+1 > 65".
func reason(v results.Verdict, a results.Algorithm, cost int64) string {
	said := "refused"
	if v.Admitted {
		said = "admitted"
	}
	if v.Count == nil {
		return said
	}
	counted := human.Commas(v.Whole)
	exact := new(big.Rat).SetInt64(v.Whole)
	if v.Part != 0 && v.Num != 0 && a.WindowNS != 0 {
		weight := big.NewRat(v.Num, a.WindowNS)
		part := new(big.Rat).SetInt64(v.Part)
		exact.Add(exact, new(big.Rat).Mul(weight, part))
		counted = fmt.Sprintf("%s*%s+%s", shownWeight(weight, part, exact, a.Limit-cost), human.Commas(v.Part), counted)
	}
	sign := "<="
	if exact.Add(exact, new(big.Rat).SetInt64(cost)).Cmp(new(big.Rat).SetInt64(a.Limit)) > 0 {
		sign = ">"
	}
	return fmt.Sprintf("%s: %s+%s %s %s", said, counted, human.Commas(cost), sign, human.Commas(a.Limit))
}

// shownWeight writes a weight with two decimals, or as many more (up to twelve) as it takes for the arithmetic as shown to come out on
// the side of room that the exact count is on.
func shownWeight(weight, part, exact *big.Rat, room int64) string {
	limit := new(big.Rat).SetInt64(room)
	above := exact.Cmp(limit) > 0
	rest := new(big.Rat).Sub(exact, new(big.Rat).Mul(weight, part))
	for places := 2; ; places++ {
		s := decimal(weight, places)
		shown, _ := new(big.Rat).SetString(s)
		shown.Add(shown.Mul(shown, part), rest)
		if places == 12 || shown.Cmp(limit) > 0 == above {
			return s
		}
	}
}
