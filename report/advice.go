package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/rlbench/rlbench/report/choose"
	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

// advice prints a recommendation: the sentences first, then the candidates, then what is an average and what a worst case.
func advice(w io.Writer, r *results.Run) error {
	c := r.Choice
	about := fmt.Sprintf("generated traffic, %s", human.Plural(c.Clients, "client"))
	if r.Input != nil {
		about = fmt.Sprintf("%s (%s), %s, %s", human.Escape(files(r.Input)), human.Escape(r.Input.Format), human.Plural(r.Clients, "client"), human.Plural(*r.Requests, "request"))
		if c.Clients != r.Clients {
			about += ", memory for " + human.Plural(c.Clients, "client")
		}
	}
	if err := paragraph(w, about+".", "  "); err != nil {
		return err
	}
	if r.Input == nil {
		if err := paragraph(w, human.Escape(r.Model), ""); err != nil {
			return err
		}
	} else if err := accounting(w, r.Input); err != nil {
		return err
	}
	limit := "Limit " + limitPer(c.Limit, c.WindowNS)
	if c.Proposed != "" {
		limit += ", proposed since " + c.Proposed
	}
	var bounds []string
	for _, k := range c.Constraints {
		given := ""
		if k.Given {
			given = " (yours)"
		}
		bounds = append(bounds, fmt.Sprintf("%s at most %s%s", choose.Name(k.Figure), choose.Shown(k.Figure, k.Most), given))
	}
	if err := paragraph(w, fmt.Sprintf("%s. Priority %s: %s.", limit, c.Priority, human.List(bounds)), ""); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	if err := paragraph(w, human.Escape(strings.Join(c.Because, " ")), ""); err != nil {
		return err
	}
	if len(c.WouldChange) > 0 {
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
		if err := paragraph(w, "What would change the choice: "+human.Escape(strings.Join(c.WouldChange, " ")), ""); err != nil {
			return err
		}
	}
	return ranking(w, c)
}

// ranking is a line for each candidate, of its decisions and then of its cost.
func ranking(w io.Writer, c *results.Choice) error {
	decides := &grid{columns: []column{
		{head: "", left: true}, {head: "limiter", left: true}, {head: "over-\nadmitted"}, {head: "over-\nrefused"}, {head: "refused"}, {head: "clients\nhit"},
		{head: "peak"}, {head: "attacked"}, {head: "bound"},
	}}
	costs := &grid{columns: []column{
		{head: "", left: true}, {head: "limiter", left: true}, {head: "bytes\na client"}, {head: "all clients,\nat most"}, {head: "ns a\ndecision"},
	}}
	for i := range c.Candidates {
		k := &c.Candidates[i]
		figure := func(name, shown string) cell {
			for _, m := range k.Misses {
				if m == name {
					return text(shown + "!")
				}
			}
			return text(shown)
		}
		mark, bound := " ", "none"
		if k.Name == c.Recommended {
			mark = "→"
		}
		if k.BoundRatio != nil {
			bound = digits3(*k.BoundRatio)
		}
		name := text(human.Escape(k.Name))
		decides.add(text(mark), name, figure("over_admitted", human.Percent(k.OverAdmitted)), figure("over_refused", human.Percent(k.OverRefused)),
			text(human.Percent(k.Refused)), figure("clients_refused", human.Percent(k.ClientsRefused)), figure("peak_ratio", digits3(k.PeakRatio)),
			text(digits3(k.AttackedRatio)), text(bound))
		costs.add(text(mark), name, text(digits3(k.BytesPerClient)), figure("memory_bytes", choose.Shown("memory_bytes", k.MemoryBytes)), text(digits3(k.NsPerOp)))
	}
	for _, part := range []struct {
		*grid
		legend string
	}{
		{decides, "Best first; → recommended; ! misses a bound. Averages: % of requests, and of clients with a request refused. Worst cases, in limits: " +
			"peak, the worst window of any client here; attacked, what one who knows the rule got; bound, the most that the rule can ever give."},
		{costs, "Bytes a client: as clients behave here, an average; all clients, at most: if every one uses all of its limit. Measured here and now: " +
			"live heap, and the median time of a decision; rlbench bench does it with more care."},
	} {
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
		if err := part.write(w); err != nil {
			return err
		}
		if err := legend(w, part.legend); err != nil {
			return err
		}
	}
	return nil
}
