package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/rlbench/rlbench/internal/units"
	"github.com/rlbench/rlbench/limiter/limitertest"
	"github.com/rlbench/rlbench/report/human"
)

// markdownHead begins the table whose rows markdownRow writes.
const markdownHead = "| limiter | held to | follows | verdict | what breaks |\n|---|---|---|---|---|\n"

// markdownRow writes the verdict on one limiter as a row: of each kind of fault the first counterexample.
func markdownRow(w io.Writer, v *verified) {
	if v.err != nil {
		fmt.Fprintf(w, "| `%s` | | | not judged | %s |\n", cell(v.spec.String()), cell(v.err.Error()))
		return
	}
	r := &v.report
	named := ""
	if n := r.Named; n != nil && n.Rule != "" {
		named = n.Rule
		if !n.Sure {
			named = fmt.Sprintf("nearest %s, %d of %d sequences", n.Rule, n.Fits, n.Of)
		}
	}
	var faults []string
	seen := map[string]bool{}
	for _, p := range r.Probes {
		if f := p.Fault; f != nil && !seen[f.Kind+string(f.Direction)] {
			seen[f.Kind+string(f.Direction)] = true
			faults = append(faults, fmt.Sprintf("%s: %s; %s", f.Kind, f.Direction, sentence(f.Counterexample)))
		}
	}
	fmt.Fprintf(w, "| `%s` | %s | %s | %s | %s |\n", cell(v.spec.String()), cell(r.Promise), cell(named), r.Verdict, cell(strings.Join(faults, "<br>")))
}

// cell is text that does not end a table's cell.
func cell(text string) string { return strings.ReplaceAll(human.Escape(text), "|", "\\|") }

// sentence is a counterexample in a line: what was admitted of what, and where that is wrong.
func sentence(c limitertest.Counterexample) string {
	text := fmt.Sprintf("%s per %s:", human.Commas(c.Limit.Max), units.FormatDuration(c.Limit.Window))
	for i, s := range c.Steps {
		if skipped := len(c.Steps) - 6; skipped > 0 && i >= 3 && i < len(c.Steps)-3 {
			if i == 3 {
				text += fmt.Sprintf(" ... (%d more)", skipped)
			}
			continue
		}
		text += fmt.Sprintf(" %s", units.FormatDuration(s.Time))
		if s.Requests > 1 {
			text += fmt.Sprintf("×%d", s.Requests)
		}
		if s.Cost != 1 {
			text += fmt.Sprintf(" (cost %s)", human.Commas(s.Cost))
		}
		text += fmt.Sprintf(" %s", verb(s.Answered, s.Requests))
		if s.Promised != s.Answered {
			text += fmt.Sprintf(", promised %s", verb(s.Promised, s.Requests))
		}
		text += ";"
	}
	return strings.TrimSuffix(text, ";")
}

func verb(admitted, of int) string {
	switch {
	case admitted == of:
		return "in"
	case admitted == 0:
		return "out"
	}
	return fmt.Sprintf("%d in", admitted)
}
