package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

// A record is one contestant's figures over all runs of a group.
type record struct {
	name                           string
	requests                       int64
	refused, overAdmitted, overRef int64
	worst                          *results.Algorithm // where its peak was highest
	at                             *results.Run
}

func (r *record) wrong() float64      { return ratio(r.overAdmitted+r.overRef, r.requests) }
func (r *record) needless() float64   { return ratio(r.overRef, r.requests) }
func (r *record) exact() bool         { return r.overAdmitted+r.overRef == 0 && !r.exceeds() }
func (r *record) exceeds() bool       { return r.worst.PeakRatio > 1 }
func ratio(n int64, of int64) float64 { return float64(n) / math.Max(float64(of), 1) }
func isReference(name string) bool    { return name == "allow-all" || name == "deny-all" }
func (r *record) shortName() string   { return human.Shorten(human.Escape(r.name), 40) }
func (r *record) times() string {
	return strings.Replace(human.Ratio(r.worst.PeakRatio), "×", " ×", 1)
}
func (r *record) place(g *group) string { return parenthesis(g.label(r.at)) }

func parenthesis(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

// records gathers the contestants of a group in the order of their first appearance, without the reference rows.
func records(g *group) []*record {
	var all []*record
	byName := map[string]*record{}
	for _, run := range g.runs {
		for i := range run.Algorithms {
			a := &run.Algorithms[i]
			if isReference(a.Name) || a.Requests == a.Errors {
				continue
			}
			r := byName[a.Name]
			if r == nil {
				r = &record{name: a.Name, worst: a, at: run}
				byName[a.Name] = r
				all = append(all, r)
			}
			r.requests += a.Requests
			r.refused += a.Refused
			r.overAdmitted += a.OverAdmitted
			r.overRef += a.OverRefused
			if a.PeakRatio > r.worst.PeakRatio {
				r.worst, r.at = a, run
			}
		}
	}
	return all
}

// conclude says in one sentence what the verdicts of a group come to: the contestant that is wrong least often, average
// beside worst; the loosest; the one that refuses most without need; the exact ones. It is "" when there is nothing to say.
func conclude(g *group) string {
	all := records(g)
	if len(all) == 0 {
		return ""
	}
	var exact []string
	var others []*record
	idle := true
	for _, r := range all {
		idle = idle && r.refused+r.overAdmitted == 0
		if r.exact() {
			exact = append(exact, r.shortName())
		} else {
			others = append(others, r)
		}
	}
	if idle {
		return "Nothing was refused and nobody went over the limit: this traffic does not tell the algorithms apart."
	}
	var clauses []string
	if len(others) > 0 {
		best := others[0]
		for _, r := range others {
			if r.wrong() < best.wrong() {
				best = r
			}
		}
		clauses = append(clauses, bestClause(g, best))
		if c := loosestClause(g, others, best); c != "" {
			clauses = append(clauses, c)
		}
		if c := strictestClause(others, best); c != "" {
			clauses = append(clauses, c)
		}
	}
	switch len(exact) {
	case 0:
	case 1:
		clauses = append(clauses, exact[0]+" is exact")
	default:
		clauses = append(clauses, human.List(exact)+" are exact")
	}
	return strings.Join(clauses, "; ") + "."
}

func bestClause(g *group, r *record) string {
	wrong := human.Percent(r.wrong())
	if r.exceeds() {
		return fmt.Sprintf("%s lets through up to %s the limit%s while it is wrong on %s %% of requests on average",
			r.shortName(), r.times(), r.place(g), wrong)
	}
	return fmt.Sprintf("%s never exceeds the limit and is wrong on %s %% of requests on average", r.shortName(), wrong)
}

// loosestClause names those with the highest peak, unless that is the best one alone, of which it has been said.
func loosestClause(g *group, others []*record, best *record) string {
	var loosest []*record
	for _, r := range others {
		switch {
		case !r.exceeds():
		case len(loosest) == 0 || r.worst.PeakRatio > loosest[0].worst.PeakRatio:
			loosest = []*record{r}
		case r.worst.PeakRatio == loosest[0].worst.PeakRatio:
			loosest = append(loosest, r)
		}
	}
	if len(loosest) == 0 || len(others) == 1 {
		return ""
	}
	if len(loosest) == 1 {
		if loosest[0] == best {
			return "no other goes further"
		}
		return fmt.Sprintf("%s is the loosest at %s%s", loosest[0].shortName(), loosest[0].times(), loosest[0].place(g))
	}
	names := make([]string, len(loosest))
	for i, r := range loosest {
		names[i] = r.shortName()
	}
	return fmt.Sprintf("%s are the loosest at %s", human.List(names), loosest[0].times())
}

func strictestClause(others []*record, best *record) string {
	strictest := others[0]
	for _, r := range others {
		if r.needless() > strictest.needless() {
			strictest = r
		}
	}
	if strictest.overRef == 0 || strictest == best {
		return ""
	}
	return fmt.Sprintf("%s refuses most without need, %s %% of requests", strictest.shortName(), human.Percent(strictest.needless()))
}
