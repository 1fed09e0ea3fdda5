package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/rlbench/rlbench/internal/units"
	"github.com/rlbench/rlbench/limiter/limitertest"
	"github.com/rlbench/rlbench/report/human"
)

// mostShown is how many faults are shown with their counterexample; --json has all.
const mostShown = 3

// mostRows is how many rows of a counterexample are shown.
const mostRows = 40

const verifyWidth = 80

// writeVerified prints what was found out about one limiter.
func writeVerified(w io.Writer, v *verified) {
	fmt.Fprintf(w, "%s at %s per %s\n", human.Escape(v.spec.String()), human.Commas(v.limit.Max), units.FormatDuration(v.limit.Window))
	if v.err != nil {
		paragraph(w, "", "not judged: "+v.err.Error())
		return
	}
	r := &v.report
	writeNaming(w, r)
	fmt.Fprintln(w)
	fmt.Fprintf(w, "  %-13s %-8s %s\n", "probe", "verdict", "evidence")
	for _, p := range r.Probes {
		for i, line := range human.Wrap(evidence(p), verifyWidth-25) {
			if i == 0 {
				fmt.Fprintf(w, "  %-13s %-8s %s\n", p.Probe, verdictWord(p.Verdict), line)
			} else {
				fmt.Fprintf(w, "  %-13s %-8s %s\n", "", "", line)
			}
		}
	}
	writeFaults(w, r)
	if r.Worst != nil {
		fmt.Fprintln(w)
		writeWorst(w, r.Worst)
	}
	fmt.Fprintln(w)
	paragraph(w, "", conclusion(r))
}

func verdictWord(verdict string) string {
	if verdict == limitertest.Failed {
		return "FAILED"
	}
	return verdict
}

// paragraph prints text in lines that fit, each after the indent.
func paragraph(w io.Writer, indent, text string) {
	for _, line := range human.Wrap(human.Escape(text), verifyWidth-len(indent)) {
		fmt.Fprintln(w, indent+line)
	}
}

func writeNaming(w io.Writer, r *limitertest.Report) {
	n := r.Named
	if n == nil || n.Rule == "" {
		paragraph(w, "  ", "named: not at all, it did not answer the sequences that tell rules apart")
		return
	}
	text := "named: " + n.String()
	if n.Sure {
		text += fmt.Sprintf(". All %s decisions compared with %s rules agree", human.Commas(int64(n.Decisions)), human.Commas(int64(n.Rules)))
		if n.Rival != "" {
			text += fmt.Sprintf("; the last one ruled out is %s, by %q", n.Rival, n.Told.Note)
		}
	}
	paragraph(w, "  ", text)
	if n.Kind != "" {
		paragraph(w, "  ", "that rule is a known fault: "+n.Kind)
	}
	if n.Sure && len(n.Told.Steps) > 0 && len(n.Told.Steps) <= 12 {
		fmt.Fprintf(w, "  told apart by (promised: %s, answered: %s):\n", n.Rule, n.Rival)
		writeRows(w, n.Told.Table())
	}
}

// evidence is what a probe has to show, in a line or two.
func evidence(p limitertest.Result) string {
	switch {
	case p.Fault != nil:
		text := p.Fault.Kind
		if p.Fault.Direction != limitertest.Neither {
			text += ": " + string(p.Fault.Direction)
		}
		return text
	case p.Verdict == limitertest.Skipped:
		return human.Escape(p.Reason)
	}
	text := human.Plural(int64(p.Trials), "sequence")
	if p.Reason != "" {
		text += "; some left out: " + human.Escape(p.Reason)
	}
	return text
}

// writeFaults prints what was found, each counterexample once, whatever number of probes came to it.
func writeFaults(w io.Writer, r *limitertest.Report) {
	var distinct []limitertest.Result
	found := map[string][]string{}
	for _, p := range r.Probes {
		if p.Fault == nil {
			continue
		}
		id := fmt.Sprint(p.Fault.Counterexample.Limit, p.Fault.Counterexample.Table())
		if found[id] == nil {
			distinct = append(distinct, p)
		}
		found[id] = append(found[id], p.Probe)
	}
	for i, p := range distinct {
		if i == mostShown {
			fmt.Fprintln(w)
			paragraph(w, "  ", fmt.Sprintf("%d more not shown here; --json has all", len(distinct)-mostShown))
			return
		}
		id := fmt.Sprint(p.Fault.Counterexample.Limit, p.Fault.Counterexample.Table())
		writeFault(w, p, found[id])
	}
}

func writeFault(w io.Writer, p limitertest.Result, probes []string) {
	fmt.Fprintln(w)
	text := fmt.Sprintf("%s (%s): %s", strings.Join(probes, ", "), p.Fault.Kind, p.Fault.Why)
	if p.Fault.Like != "" {
		text += "; " + p.Fault.Like
	}
	paragraph(w, "  ", text)
	example := p.Fault.Counterexample
	limit := fmt.Sprintf("%s per %s", human.Commas(example.Limit.Max), units.FormatDuration(example.Limit.Window))
	if len(example.Steps) == 0 {
		paragraph(w, "  ", fmt.Sprintf("at %s, while it was asked: %s", limit, example.Note))
		return
	}
	paragraph(w, "  ", fmt.Sprintf("%s; at %s:", example.Note, limit))
	writeRows(w, example.Table())
	if command := example.Command(); command != "" {
		fmt.Fprintf(w, "\n    %s\n", foldCommand(command))
	}
	if len(example.Steps) <= mostRows {
		fmt.Fprintf(w, "\n%s", indented(example.GoTest()))
	}
}

// writeRows prints a table, cut in the middle if it is long.
func writeRows(w io.Writer, table string) {
	lines := strings.Split(strings.TrimSuffix(table, "\n"), "\n")
	if n := len(lines); n > mostRows {
		cut := append([]string{}, lines[:mostRows/2]...)
		cut = append(cut, fmt.Sprintf("  ... %d rows ...", n-mostRows))
		lines = append(cut, lines[n-mostRows/2:]...)
	}
	for _, line := range lines {
		fmt.Fprintln(w, "  "+human.Escape(line))
	}
}

func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("    " + strings.ReplaceAll(line, "\t", "  "))
	}
	return b.String()
}

// foldCommand breaks a long command at blanks and commas as a shell takes it.
func foldCommand(command string) string {
	var b strings.Builder
	column := 4
	for _, piece := range strings.SplitAfter(strings.ReplaceAll(command, ",", ",\x00"), "\x00") {
		piece = strings.TrimSuffix(piece, "\x00")
		if column+len(piece) > verifyWidth-2 && column > 4 {
			b.WriteString("\\\n    ")
			column = 4
		}
		b.WriteString(piece)
		column += len(piece)
	}
	return b.String()
}

// conclusion is the verdict in a sentence.
func conclusion(r *limitertest.Report) string {
	failed := 0
	for _, p := range r.Probes {
		if p.Verdict == limitertest.Failed {
			failed++
		}
	}
	promise := fmt.Sprintf("its promise, %s", r.Promise)
	if !r.Stated {
		promise = fmt.Sprintf("the rule that was found, %s (none was stated)", r.Promise)
	}
	asked := fmt.Sprintf("%s requests", human.Commas(r.Requests))
	switch r.Verdict {
	case limitertest.Breaks:
		if failed == 0 {
			return fmt.Sprintf("BREAKS: it follows no right rule, but %s; %s", r.Promise, asked)
		}
		return fmt.Sprintf("BREAKS %s: %d of %d probes failed; %s", promise, failed, len(r.Probes), asked)
	case limitertest.Undecided:
		if r.Stated {
			return fmt.Sprintf("UNDECIDED: no probe could be played in the time it has; --budget gives more; %s", asked)
		}
		return fmt.Sprintf("UNDECIDED: it stated no promise and follows no rule known here; state one with --promise; %s", asked)
	}
	return fmt.Sprintf("keeps %s; %s", promise, asked)
}
