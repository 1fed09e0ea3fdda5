package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

// Text writes a result file as tables for a terminal: at most 80 columns, no control byte but the line feed, and whatever
// came from a log or a client escaped.
func Text(w io.Writer, f *results.File) error {
	if err := marks(w, f); err != nil {
		return err
	}
	for i, g := range groups(f) {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := writeGroup(w, &g); err != nil {
			return err
		}
	}
	if len(f.Runs) == 0 {
		return paragraph(w, "No run in this file.", "")
	}
	return nil
}

func writeGroup(w io.Writer, g *group) error {
	switch first := g.runs[0]; {
	case len(first.Decisions) > 0:
		return Timeline(w, first)
	case first.Choice != nil:
		return advice(w, first)
	case first.Bench != nil:
		return bench(w, first)
	}
	if g.runs[0].Scenario == "cloudflare" && g.runs[0].Input == nil {
		return cloudflare(w, g)
	}
	if err := head(w, g); err != nil {
		return err
	}
	if g.runs[0].Input != nil && len(g.runs) >= fewestSwept {
		return swept(w, g)
	}
	if err := figures(w, g); err != nil {
		return err
	}
	return refused(w, g)
}

// figures is the body of a group: verdicts with their conclusion, then estimates.
func figures(w io.Writer, g *group) error {
	if err := verdicts(w, g); err != nil {
		return err
	}
	if err := witnesses(w, g); err != nil {
		return err
	}
	if err := failures(w, g); err != nil {
		return err
	}
	if s := conclude(g); s != "" {
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
		if err := paragraph(w, s, ""); err != nil {
			return err
		}
	}
	return estimates(w, g)
}

// marks says what a reader must know before any figure: that the result is not whole, and the warnings.
func marks(w io.Writer, f *results.File) error {
	var notes []string
	if f.Partial {
		notes = append(notes, "PARTIAL RESULT: the run was interrupted, or parts of it are missing. The figures hold for what was measured.")
	}
	if f.Part != nil && f.Part.Shard.Count > 0 {
		notes = append(notes, fmt.Sprintf("PART %d of %d, counted from 0: the figures hold for its clients only; rlbench merge puts all parts together.",
			f.Part.Shard.Index, f.Part.Shard.Count))
	}
	for _, warning := range f.Warnings {
		notes = append(notes, "warning: "+human.Escape(warning))
	}
	for _, note := range notes {
		if err := paragraph(w, note, "  "); err != nil {
			return err
		}
	}
	if len(notes) > 0 {
		_, err := fmt.Fprintln(w)
		return err
	}
	return nil
}

// head says what was run.
func head(w io.Writer, g *group) error {
	r := g.runs[0]
	if err := paragraph(w, headline(g), "  "); err != nil {
		return err
	}
	if r.Input != nil {
		if err := accounting(w, r.Input); err != nil {
			return err
		}
		if r.Input.Traffic != nil {
			if err := traffic(w, r.Input.Traffic); err != nil {
				return err
			}
		}
	}
	for _, other := range g.runs {
		if other.Model != r.Model {
			_, err := fmt.Fprintln(w)
			return err
		}
	}
	if r.Model != "" {
		if err := paragraph(w, human.Escape(r.Model), ""); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

func headline(g *group) string {
	r := g.runs[0]
	var parts []string
	if n := int64(len(g.runs)); n > 1 {
		parts = append(parts, human.Plural(n, "run"))
	}
	parts = append(parts, population(g))
	if !g.limits {
		parts = append(parts, "limit "+limitPer(r.Limit, r.WindowNS))
	}
	if !g.loads && r.Load != nil {
		parts = append(parts, "load "+load(r))
	}
	if !g.rates && r.Rates != "" {
		parts = append(parts, "rates "+human.Escape(r.Rates))
	}
	if r.Edge == "open" {
		parts = append(parts, "windows half-open")
	}
	if r.Input != nil && r.Placement != "" && !g.placements {
		parts = append(parts, "placement "+human.Escape(r.Placement))
	}
	if r.Seed != nil {
		parts = append(parts, fmt.Sprintf("seed %d", *r.Seed))
	}
	return subject(g) + ": " + strings.Join(parts, ", ")
}

func subject(g *group) string {
	r := g.runs[0]
	if r.Input != nil {
		return human.Escape(files(r.Input)) + " (" + human.Escape(r.Input.Format) + ")"
	}
	name := human.Escape(r.Scenario)
	if r.Pattern != "" && !g.patterns && r.Pattern != r.Scenario {
		if name != "" {
			name += ", "
		}
		name += human.Escape(r.Pattern)
	}
	if name == "" {
		name = "run"
	}
	return name
}

func files(in *results.Input) string {
	switch n := len(in.Files); n {
	case 0:
		return "input"
	case 1:
		return in.Files[0]
	default:
		return fmt.Sprintf("%s and %s", in.Files[0], human.Plural(int64(n-1), "more file"))
	}
}

// population says how many clients sent how many requests in how long; the smallest and the largest where runs differ.
func population(g *group) string {
	first := g.runs[0]
	least, most, clients := int64(-1), int64(-1), true
	own := false
	for _, r := range g.runs {
		clients = clients && r.Clients == first.Clients
		if r.Requests == nil {
			own = true
			continue
		}
		if least < 0 || *r.Requests < least {
			least = *r.Requests
		}
		most = max(most, *r.Requests)
	}
	var s string
	if clients {
		s = human.Plural(first.Clients, "client")
	} else {
		s = "clients by run"
	}
	switch {
	case most < 0:
		s += ", requests differ by contestant"
	case least == most:
		s += ", " + human.Plural(most, "request")
	default:
		s += ", " + human.Count(least) + " to " + human.Plural(most, "request")
	}
	if own && most >= 0 {
		s += " (where all see the same)"
	}
	return s + " in " + human.Duration(first.SpanNS)
}

// accounting says what became of every line that was read.
func accounting(w io.Writer, in *results.Input) error {
	s := fmt.Sprintf("%s lines = %s parsed + %s skipped + %s ignored", human.Commas(in.Lines), human.Commas(in.Parsed),
		human.Commas(in.Skipped), human.Commas(in.Ignored))
	if in.Late > 0 {
		s += fmt.Sprintf("; %s late, worst step back %s", human.Commas(in.Late), human.Duration(in.WorstStepBackNS))
	} else {
		s += "; in order"
	}
	s += "; first request " + human.Instant(in.FirstNS, true)
	return paragraph(w, s, "  ")
}

func heading(w io.Writer, s string) error {
	_, err := fmt.Fprintf(w, "\n%s\n\n", s)
	return err
}
