package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

// Input writes what a log is like: what became of its lines, who sent how much, and how it comes.
func Input(w io.Writer, in *results.Input) error {
	t := in.Traffic
	if err := paragraph(w, fmt.Sprintf("%s (%s): %s, %s in %s", human.Escape(files(in)), human.Escape(in.Format), human.Plural(t.Clients, "client"),
		human.Plural(t.Requests, "request"), human.Duration(t.SpanNS)), "  "); err != nil {
		return err
	}
	if err := accounting(w, in); err != nil {
		return err
	}
	if err := traffic(w, t); err != nil {
		return err
	}
	busiest := &grid{columns: []column{{head: "busiest clients", left: true}, {head: "requests"}, {head: "% of all"}}}
	for _, c := range t.Top {
		busiest.add(text(human.Shorten(human.Escape(c.Key), 48)), text(human.Commas(c.Requests)), text(human.Percent(float64(c.Requests)/float64(t.Requests))))
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return busiest.write(w)
}

// traffic says what the requests of a log are like, and how they come in windows of several lengths.
func traffic(w io.Writer, t *results.Traffic) error {
	var parts []string
	if t.SpanNS > 0 {
		parts = append(parts, significant(t.PerSecond)+" requests/s")
	}
	parts = append(parts, significant(t.PerClient)+" a client", human.Percent(t.TopShare)+" % by the busiest", human.Percent(t.Top10Share)+" % by the busiest ten")
	if t.ZipfSlope != nil {
		parts = append(parts, "Zipf slope "+strconv.FormatFloat(*t.ZipfSlope, 'f', 2, 64))
	}
	parts = append(parts, "times in steps of "+human.Duration(t.ResolutionNS))
	if err := paragraph(w, strings.Join(parts, "; "), "  "); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	g := &grid{columns: []column{{head: "window"}, {head: "burstiness"}, {head: "peak"}, {head: "by client", left: true}, {head: "up to", left: true}}}
	for _, x := range t.Windows {
		dispersion, by, at := "-", "-", "-"
		if x.Dispersion != nil {
			dispersion = significant(*x.Dispersion)
		}
		if p := x.PeakWitness; p != nil {
			by, at = human.Shorten(human.Escape(p.Key), 30), human.Instant(p.TNS, true)
		}
		g.add(text(human.Duration(x.WindowNS)), text(dispersion), text(human.Count(x.Peak)), text(by), text(at))
	}
	if err := g.write(w); err != nil {
		return err
	}
	return legend(w, "Burstiness: variance over mean of a client's requests by window (1: Poisson, 0: even). Peak: the most requests of one client in any (t-W, t].")
}

// significant writes a number of at least 0 with three digits that count, or whole.
func significant(x float64) string {
	if x >= 100 {
		return human.Count(int64(x + 0.5))
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}
