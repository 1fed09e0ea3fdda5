package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

// verdicts prints how often each contestant was wrong and how wrong it was at worst, side by side.
func verdicts(w io.Writer, g *group) error {
	t := &grid{columns: []column{
		{head: "algorithm", left: true}, {head: "refused", broken: "re-\nfused"}, {head: "over-\nadmitted"}, {head: "over-\nrefused"},
		{head: "looser"}, {head: "stricter", broken: "stric-\nter"}, {head: "peak/\nbound"}, {head: "of\nlimit"}, {head: "over\nlimit"},
	}}
	if g.loadColumn {
		t.columns = append([]column{{head: "load", left: true}}, t.columns...)
	}
	g.rows(t, func(r *results.Run, a *results.Algorithm, firstOfRun bool) {
		cells := []cell{
			text(human.Escape(a.Name)), text("failed"), text("-"), text("-"), text("-"), text("-"), text("-"), text("-"), text("-"),
		}
		if a.Errors < a.Requests || a.Errors == 0 {
			cells = []cell{
				text(human.Escape(a.Name)), share(a.Refused, a.Requests, nil),
				share(a.OverAdmitted, a.Requests, a.OverAdmittedCI), share(a.OverRefused, a.Requests, a.OverRefusedCI),
				share(a.Looser, a.Requests, nil), share(a.Stricter, a.Requests, nil),
				text(human.Count(a.PeakWindow) + "/" + bound(a.Bound)), text(human.Ratio(a.PeakRatio)),
				text(human.Count(a.ClientsOverLimit)),
			}
		}
		if b := a.AlgorithmBands; b != nil {
			placedShare := func(band *results.Band, otherwise cell) cell { return banded(band, otherwise, ofTotal(a.Requests)) }
			for i, c := range []cell{
				placedShare(b.Refused, cells[1]), placedShare(b.OverAdmitted, cells[2]), placedShare(b.OverRefused, cells[3]),
				placedShare(b.Looser, cells[4]), placedShare(b.Stricter, cells[5]), banded(b.PeakWindow, cells[6], count),
				banded(b.PeakRatio, cells[7], human.Ratio), banded(b.ClientsOverLimit, cells[8], count),
			} {
				cells[1+i] = c
			}
			if c := &cells[6]; c.more == "" {
				c.text += "/" + bound(a.Bound)
			} else {
				c.more += "/" + bound(a.Bound)
			}
		}
		if g.loadColumn {
			shown := text("")
			if firstOfRun {
				shown = text(load(r))
			}
			cells = append([]cell{shown}, cells...)
		}
		t.add(cells...)
	})
	if err := t.write(w); err != nil {
		return err
	}
	if g.runs[0].Placement == "band" {
		if err := legend(w, bandLegend); err != nil {
			return err
		}
	}
	return legend(w,
		"Refused to stricter: % of requests; ±, ≤: 95 % interval over clients. Over-admitted, over-refused: wrong by its own "+
			"history. Looser, stricter: than the exact log. Peak/bound: the most that one client got in any window, and the "+
			"most that the rule can give. Over limit: clients that got more than the limit.")
}

// share is a part of all requests in percent, with its interval if there is one.
func share(n, total int64, ci *results.CI) cell {
	if total == 0 {
		return text("-")
	}
	x := float64(n) / float64(total)
	if ci == nil {
		return text(human.Percent(x))
	}
	return uncertain(x, ci[0], ci[1])
}

// mean is a mean in percent; "-" when no request stood behind it.
func mean(x *float64, ci *results.CI) cell {
	if x == nil {
		return text("-")
	}
	if ci == nil {
		return text(human.Percent(*x))
	}
	return uncertain(*x, ci[0], ci[1])
}

func bound(b *int64) string {
	if b == nil {
		return "none"
	}
	return human.Count(*b)
}

func legend(w io.Writer, s string) error {
	for _, line := range human.Wrap(s, lineWidth-2) {
		if _, err := fmt.Fprintf(w, "  %s\n", line); err != nil {
			return err
		}
	}
	return nil
}

// maxWitnesses is how many worst windows are told one by one.
const maxWitnesses = 4

// witnesses names the clients behind the worst windows of a single run.
func witnesses(w io.Writer, g *group) error {
	if len(g.runs) != 1 {
		return nil
	}
	r := g.runs[0]
	var worst []string
	for i := range r.Algorithms {
		a := &r.Algorithms[i]
		name := human.Shorten(human.Escape(a.Name), 40)
		for _, l := range a.Limits {
			worst = append(worst, fmt.Sprintf("%s %s of %s", name, human.Count(l.PeakWindow), limitPer(l.Limit, l.WindowNS)))
		}
		if a.PeakRatio > 1 && a.PeakWitness != nil {
			worst = append(worst, fmt.Sprintf("%s %s to client %s up to %s", name, human.Count(a.PeakWindow),
				human.Shorten(human.Escape(a.PeakWitness.Key), 48), human.Instant(a.PeakWitness.TNS, r.Input != nil)))
		}
	}
	if len(worst) > maxWitnesses {
		worst = append(worst[:maxWitnesses], fmt.Sprintf("%d more in the result file", len(worst)-maxWitnesses))
	}
	if len(worst) == 0 {
		return nil
	}
	return legend(w, "Worst windows: "+strings.Join(worst, "; ")+".")
}

// failures says which contestants did not answer, and why.
func failures(w io.Writer, g *group) error {
	for _, r := range g.runs {
		for i := range r.Algorithms {
			a := &r.Algorithms[i]
			if a.Errors == 0 {
				continue
			}
			s := "ERRORS: "
			if label := g.label(r); label != "" {
				s += label + ": "
			}
			s += fmt.Sprintf("%s gave no answer to %s of %s requests", human.Shorten(human.Escape(a.Name), 40), human.Count(a.Errors), human.Count(a.Requests))
			if a.Failure != "" {
				s += ": " + human.Escape(a.Failure)
			}
			if err := legend(w, s+"."); err != nil {
				return err
			}
		}
	}
	return nil
}
