package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

// A group is what one table shows: consecutive runs of one scenario, or of the same logs.
type group struct {
	runs []*results.Run

	// what differs between the runs
	patterns, limits, rates, loads, placements bool

	loadColumn bool // the load differs between runs that are alike in all else
}

// groups cuts a file into its tables.
func groups(f *results.File) []group {
	var all []group
	for i := range f.Runs {
		r := &f.Runs[i]
		if n := len(all); n > 0 && together(all[n-1].runs[0], r) {
			all[n-1].runs = append(all[n-1].runs, r)
			continue
		}
		all = append(all, group{runs: []*results.Run{r}})
	}
	for i := range all {
		all[i].compare()
	}
	return all
}

func together(a, b *results.Run) bool {
	if a.Scenario != b.Scenario || (a.Input == nil) != (b.Input == nil) || len(a.Decisions)+len(b.Decisions) > 0 {
		return false
	}
	return a.Input == nil || slices.Equal(a.Input.Files, b.Input.Files)
}

func (g *group) compare() {
	first := g.runs[0]
	for _, r := range g.runs {
		g.patterns = g.patterns || r.Pattern != first.Pattern
		g.limits = g.limits || r.Limit != first.Limit || r.WindowNS != first.WindowNS
		g.rates = g.rates || r.Rates != first.Rates
		g.loads = g.loads || load(r) != load(first)
		g.placements = g.placements || r.Placement != first.Placement
	}
	seen := map[string]string{}
	for _, r := range g.runs {
		name := g.section(r)
		if before, ok := seen[name]; ok && before != load(r) {
			g.loadColumn = true
			return
		}
		seen[name] = load(r)
	}
}

// section names what sets a run apart from the others of its group, but for the load.
func (g *group) section(r *results.Run) string {
	var parts []string
	if g.limits {
		parts = append(parts, "limit "+limitPer(r.Limit, r.WindowNS))
	}
	if g.patterns {
		parts = append(parts, human.Escape(r.Pattern))
	}
	if g.rates && r.Rates != "" {
		parts = append(parts, human.Escape(r.Rates))
	}
	if g.placements && r.Placement != "" {
		parts = append(parts, "placement "+human.Escape(r.Placement))
	}
	return strings.Join(parts, ", ")
}

// title is the section with the load where no column shows it.
func (g *group) title(r *results.Run) string {
	title := g.section(r)
	if g.loads && !g.loadColumn && load(r) != "" {
		title = strings.TrimPrefix(title+", load "+load(r), ", ")
	}
	return title
}

// label names a run within its group in a sentence: "back, load 1.5"; "" when it is the only one.
func (g *group) label(r *results.Run) string {
	if !g.loads || load(r) == "" {
		return g.section(r)
	}
	return strings.TrimPrefix(g.section(r)+", load "+load(r), ", ")
}

func load(r *results.Run) string {
	if r.Load == nil {
		return ""
	}
	return strconv.FormatFloat(*r.Load, 'g', 3, 64)
}

func limitPer(limit, window int64) string {
	return human.Count(limit) + " per " + human.Duration(window)
}

// rows calls add for each contestant of each run, with a rule before each new section. firstOfRun tells where the load is
// to be shown.
func (g *group) rows(t *grid, add func(r *results.Run, a *results.Algorithm, firstOfRun bool)) {
	before := ""
	for _, r := range g.runs {
		if title := g.title(r); title != before {
			t.section(title)
			before = title
		}
		for i := range r.Algorithms {
			add(r, &r.Algorithms[i], i == 0)
		}
	}
}
