package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rlbench/rlbench/generators"
	"github.com/rlbench/rlbench/generators/trace"
	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/limitertest"
	"github.com/rlbench/rlbench/report"
	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/targets"
)

// A catalogue is one of the tables that the program is built around, as `rlbench list` prints it.
type catalogue struct {
	name string
	doc  string
	rows func() []entry
}

type entry struct{ name, doc string }

var catalogues = []catalogue{
	{"specs", `limiters, for -a; "@L/W" after one gives it a limit of its own: counter@100/1m`, specEntries},
	{"targets", "limiters of other people, for -a and verify, judged by their answers", targetEntries},
	{"patterns", `how a client's requests come, for --pattern; mixes: "0.99 poisson + 0.01 end"`, patternEntries},
	{"rates", "how the clients' mean rates differ, for --rates", rateEntries},
	{"scenarios", "traffic ready to run, for --scenario", scenarioEntries},
	{"formats", "of logs, for rlbench replay --format; told by themselves as a rule", formatEntries},
	{"probes", "what rlbench verify tries", probeEntries},
	{"reporters", "forms of report, for rlbench report -o", reporterEntries},
}

func listCommand(c *console) *cobra.Command {
	var names []string
	for _, l := range catalogues {
		names = append(names, l.name)
	}
	return &cobra.Command{
		Use:   "list [TABLE]...",
		Short: "List limiters, patterns, rates, scenarios and formats",
		Long: `List prints what can be named on the command line: all of it, or only the tables
that are asked for:
` + strings.Join(names, ", ") + ".",
		Example: `  rlbench list
  rlbench list specs patterns`,
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			tables, err := chosen(args, names)
			if err != nil {
				return err
			}
			out := bufio.NewWriter(c.stdout)
			for i, l := range tables {
				if i > 0 {
					fmt.Fprintln(out)
				}
				l.write(out)
			}
			return out.Flush()
		},
	}
}

// chosen returns the catalogues that are asked for, all for none.
func chosen(args, names []string) ([]catalogue, error) {
	if len(args) == 0 {
		return catalogues, nil
	}
	var some []catalogue
next:
	for _, arg := range args {
		for _, l := range catalogues {
			if l.name == arg {
				some = append(some, l)
				continue next
			}
		}
		return nil, hint(fmt.Errorf("there is no list of %q", arg), "there are %s", strings.Join(names, ", "))
	}
	return some, nil
}

// The columns of a list.
const (
	listWidth  = 80
	nameIndent = 2
	docIndent  = 22
)

// write prints names and, beside or below them, what they are.
func (l catalogue) write(w io.Writer) {
	heading := strings.Join(human.Wrap(strings.ToUpper(l.name)+": "+l.doc, listWidth), "\n")
	fmt.Fprintln(w, heading)
	for _, row := range l.rows() {
		line := strings.Repeat(" ", nameIndent) + row.name
		if human.Width(line) >= docIndent {
			fmt.Fprintln(w, line)
			line = ""
		}
		for _, text := range human.Wrap(row.doc, listWidth-docIndent) {
			fmt.Fprintln(w, line+strings.Repeat(" ", docIndent-human.Width(line))+text)
			line = ""
		}
	}
}

func specEntries() (rows []entry) {
	for _, a := range limiter.Table {
		doc := a.Doc + "; promises " + a.Promise + "; memory " + a.Memory
		if a.Options != "" {
			doc += "; options " + a.Options
		}
		rows = append(rows, entry{a.Name, doc})
	}
	return rows
}

func targetEntries() (rows []entry) {
	for _, k := range targets.Kinds {
		rows = append(rows, entry{k.Form, k.Doc})
		if k.List == nil {
			continue
		}
		for _, e := range k.List() {
			rows = append(rows, entry{k.Prefix + ":" + e.Name, e.Doc})
		}
	}
	return rows
}

func patternEntries() (rows []entry) {
	for _, p := range generators.Patterns {
		rows = append(rows, entry{p.Name + p.Args, p.Doc})
	}
	return rows
}

func rateEntries() (rows []entry) {
	for _, s := range generators.Spreads {
		rows = append(rows, entry{s.Name + s.Args, s.Doc})
	}
	return rows
}

func scenarioEntries() (rows []entry) {
	for _, s := range generators.Scenarios {
		rows = append(rows, entry{s.Name, s.Doc})
	}
	return rows
}

func formatEntries() (rows []entry) {
	for _, f := range trace.Formats {
		name := f.Name
		if len(f.Aliases) > 0 {
			name += " (" + strings.Join(f.Aliases, ", ") + ")"
		}
		rows = append(rows, entry{name, f.Doc})
	}
	return rows
}

func probeEntries() (rows []entry) {
	for _, p := range limitertest.Probes {
		rows = append(rows, entry{p.Name, "catches " + p.Catches + ": " + p.Why})
	}
	return rows
}

func reporterEntries() (rows []entry) {
	for _, r := range report.Reporters {
		name := r.Name
		if r.Ext != "" {
			name += " (" + r.Ext + ")"
		}
		rows = append(rows, entry{name, r.Doc})
	}
	return rows
}
