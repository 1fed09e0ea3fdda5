package report

import (
	"io"

	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

// estimates prints how far each contestant's count is from the exact one, for those that have one.
func estimates(w io.Writer, g *group) error {
	t := &grid{columns: []column{
		{head: "algorithm", left: true}, {head: "mean\nerror"}, {head: "by\nclient"}, {head: "bias"}, {head: "misjudged", broken: "mis-\njudged"},
		{head: "wrongly\nallowed"}, {head: "wrongly\nlimited"}, {head: "worst\nexcess"},
	}}
	if g.loadColumn {
		t.columns = append([]column{{head: "load", left: true}}, t.columns...)
	}
	some := false
	shown := (*results.Run)(nil)
	g.rows(t, func(r *results.Run, a *results.Algorithm, _ bool) {
		e := a.Estimate
		if e == nil {
			return
		}
		some = true
		cells := []cell{
			text(human.Escape(a.Name)), mean(e.MeanError, e.MeanErrorCI), mean(e.MeanErrorByClient, nil), mean(e.Bias, nil),
			share(e.MisjudgedRequests, a.Requests, e.MisjudgedRequestsCI),
			text(human.Count(e.ClientsWronglyAllowed)), text(human.Count(e.ClientsWronglyLimited)), text(excess(e.WorstExcess)),
		}
		if b := e.EstimateBands; b != nil {
			for i, c := range []cell{
				banded(b.MeanError, cells[1], human.Percent), banded(b.MeanErrorByClient, cells[2], human.Percent),
				banded(b.Bias, cells[3], human.Percent), banded(b.MisjudgedRequests, cells[4], ofTotal(a.Requests)),
				banded(b.ClientsWronglyAllowed, cells[5], count), banded(b.ClientsWronglyLimited, cells[6], count),
				banded(b.WorstExcess, cells[7], excess),
			} {
				cells[1+i] = c
			}
		}
		if g.loadColumn {
			at := text("")
			if shown != r {
				at, shown = text(load(r)), r
			}
			cells = append([]cell{at}, cells...)
		}
		t.add(cells...)
	})
	if !some {
		return nil
	}
	if err := heading(w, "The count against the exact one, whatever was decided"); err != nil {
		return err
	}
	if err := t.write(w); err != nil {
		return err
	}
	return legend(w, "Mean error, by client, bias: % of the exact count. Misjudged: % of requests on the other side of the limit. "+
		"Wrongly allowed, limited: clients. Worst excess: how far above the limit the worst of the wrongly allowed went.")
}

func excess(x float64) string {
	if x == 0 {
		return "0"
	}
	return "+" + human.Percent(x) + " %"
}
