package plot

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

// A sweep lays runs out for small multiples: a panel for each setting, and within it the runs along one variable.
type sweep struct {
	variable string   // what runs along the panel: "load", "limit", or "" for one run a panel
	axis     string   // its name with the unit
	steps    []string // its values, in the order of their first appearance, loads and limits ascending
	panels   []panel
}

// A panel is a setting and its runs; runs[i] belongs to steps[i] and is nil where there is none.
type panel struct {
	name string
	runs []*results.Run
}

// layOut finds what the runs differ in. Load runs along a panel if anything does with all else equal, else the limit.
func layOut(runs []*results.Run) sweep {
	differ := func(value func(r *results.Run) string) bool {
		return slices.ContainsFunc(runs, func(r *results.Run) bool { return value(r) != value(runs[0]) })
	}
	fields := []struct {
		name  string
		value func(r *results.Run) string
	}{
		{"limit", limitOf}, {"pattern", func(r *results.Run) string { return r.Pattern }},
		{"rates", func(r *results.Run) string { return r.Rates }}, {"load", loadOf}, {"placement", func(r *results.Run) string { return r.Placement }},
	}
	varies := map[string]bool{}
	for _, f := range fields {
		varies[f.name] = differ(f.value)
	}
	s := sweep{}
	switch {
	case varies["load"] && loadIsFree(runs):
		s.variable = "load"
	case varies["limit"]:
		s.variable = "limit"
	case varies["load"]:
		s.variable = "load"
	}
	step := loadOf
	s.axis = s.variable
	if s.variable == "limit" {
		step = limitOf
		if !differ(func(r *results.Run) string { return human.Duration(r.WindowNS) }) {
			step = func(r *results.Run) string { return human.Count(r.Limit) }
			s.axis = "limit per " + human.Duration(runs[0].WindowNS)
		}
	}
	var ordered []*results.Run
	ordered = append(ordered, runs...)
	slices.SortStableFunc(ordered, func(a, b *results.Run) int {
		switch s.variable {
		case "load":
			return compareFloats(a.Load, b.Load)
		case "limit":
			if a.WindowNS != b.WindowNS {
				return compareInts(a.WindowNS, b.WindowNS)
			}
			return compareInts(a.Limit, b.Limit)
		}
		return 0
	})
	for _, r := range ordered {
		if !slices.Contains(s.steps, step(r)) {
			s.steps = append(s.steps, step(r))
		}
	}
	for _, r := range runs {
		var parts []string
		for _, f := range fields {
			implied := f.name == "load" && s.variable == "limit"
			if varies[f.name] && f.name != s.variable && !implied && f.value(r) != "" {
				parts = append(parts, human.Escape(f.value(r)))
			}
		}
		name := strings.Join(parts, ", ")
		at := slices.IndexFunc(s.panels, func(p panel) bool { return p.name == name })
		if at < 0 {
			s.panels = append(s.panels, panel{name, make([]*results.Run, len(s.steps))})
			at = len(s.panels) - 1
		}
		s.panels[at].runs[slices.Index(s.steps, step(r))] = r
	}
	s.turn()
	return s
}

// loadIsFree tells whether two runs differ in their load alone: else it only follows from the limit.
func loadIsFree(runs []*results.Run) bool {
	seen := map[string]string{}
	for _, r := range runs {
		rest := strings.Join([]string{limitOf(r), r.Pattern, r.Rates, r.Placement}, "\n")
		if before, ok := seen[rest]; ok && before != loadOf(r) {
			return true
		}
		seen[rest] = loadOf(r)
	}
	return false
}

// turn makes one panel of many that hold a single run each.
func (s *sweep) turn() {
	if s.variable != "" || len(s.panels) < 2 {
		return
	}
	one := panel{}
	s.steps = nil
	for _, p := range s.panels {
		s.steps = append(s.steps, p.name)
		one.runs = append(one.runs, p.runs[0])
	}
	s.panels = []panel{one}
}

// contestants are the names of those in any run that keep accepts, in the order of their first appearance.
func (s sweep) contestants(keep func(a *results.Algorithm) bool) []string {
	var names []string
	for _, p := range s.panels {
		for _, r := range p.runs {
			if r == nil {
				continue
			}
			for i := range r.Algorithms {
				if a := &r.Algorithms[i]; keep(a) && !slices.Contains(names, a.Name) {
					names = append(names, a.Name)
				}
			}
		}
	}
	return names
}

// of is a run's contestant of that name, nil if it has none.
func of(r *results.Run, name string) *results.Algorithm {
	if r == nil {
		return nil
	}
	for i := range r.Algorithms {
		if r.Algorithms[i].Name == name {
			return &r.Algorithms[i]
		}
	}
	return nil
}

func isReference(name string) bool { return name == "allow-all" || name == "deny-all" }

func loadOf(r *results.Run) string {
	if r.Load == nil {
		return ""
	}
	return strconv.FormatFloat(*r.Load, 'g', 3, 64)
}

func limitOf(r *results.Run) string {
	return human.Count(r.Limit) + "/" + human.Duration(r.WindowNS)
}

func compareInts(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func compareFloats(a, b *float64) int {
	switch {
	case a == nil || b == nil || *a == *b:
		return 0
	case *a < *b:
		return -1
	}
	return 1
}

// chunks cuts names into parts of at most n.
func chunks(names []string, n int) [][]string {
	return slices.Collect(slices.Chunk(names, n))
}

// slug makes a file name of a spec.
func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.':
			b.WriteRune(r)
		case !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	s := strings.Trim(b.String(), "-.")
	return s[:min(len(s), 40)]
}
