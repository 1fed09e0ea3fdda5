// Package choose recommends a limiter: among candidates whose figures have been measured, the one that decides wrongly
// least often of those that keep every constraint.
package choose

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rlbench/rlbench/internal/units"
	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

// A Priority says what is worse: to let too much through, or to refuse the innocent.
type Priority struct {
	Name string
	Doc  string

	// How much a request wrongly admitted and one wrongly refused weigh in the ranking.
	admitted, refused float64

	// Constraints where the user gives none.
	defaults []results.Constraint
}

const megabyte = 1 << 20

// Priorities are all there are; the first is taken where none is named.
var Priorities = []Priority{
	{"balanced", "a request too many and a request too few are equally bad", 1, 1, []results.Constraint{
		{Figure: "peak_ratio", Most: 1.5}, {Figure: "over_admitted", Most: 0.02}, {Figure: "over_refused", Most: 0.01}, {Figure: "memory_bytes", Most: 256 * megabyte}}},
	{"protect", "letting too much through is dangerous", 10, 1, []results.Constraint{
		{Figure: "peak_ratio", Most: 1.1}, {Figure: "over_admitted", Most: 0.001}, {Figure: "over_refused", Most: 0.05}, {Figure: "memory_bytes", Most: 256 * megabyte}}},
	{"serve", "refusing a good client is dear", 1, 10, []results.Constraint{
		{Figure: "peak_ratio", Most: 2}, {Figure: "over_admitted", Most: 0.05}, {Figure: "over_refused", Most: 0.0005}, {Figure: "memory_bytes", Most: 256 * megabyte}}},
}

// Find returns the priority of that name.
func Find(name string) (Priority, error) {
	var names []string
	for _, p := range Priorities {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Priority{}, fmt.Errorf("no priority %q; there are %s", name, strings.Join(names, ", "))
}

// Constraints puts what the user gave in place of the priority's own.
func (p Priority) Constraints(given []results.Constraint) []results.Constraint {
	all := slices.Clone(p.defaults)
	for _, g := range given {
		g.Given = true
		if i := slices.IndexFunc(all, func(c results.Constraint) bool { return c.Figure == g.Figure }); i >= 0 {
			all[i] = g
		} else {
			all = append(all, g)
		}
	}
	return all
}

// wrong is the weighted share of wrong decisions, in steps of a hundredth of a per cent: less is no difference.
func (p Priority) wrong(c *results.Candidate) float64 {
	return math.Round(1e4 * (p.admitted*c.OverAdmitted + p.refused*c.OverRefused))
}

// Decide ranks the candidates of a choice and says which to take and why. Everything else must be there already.
func (p Priority) Decide(c *results.Choice) {
	c.Priority = p.Name
	for i := range c.Candidates {
		k := &c.Candidates[i]
		k.Misses = []string{}
		for _, limit := range c.Constraints {
			if k.Figure(limit.Figure) > limit.Most {
				k.Misses = append(k.Misses, limit.Figure)
			}
		}
	}
	slices.SortStableFunc(c.Candidates, func(a, b results.Candidate) int {
		return cmp.Or(
			cmp.Compare(min(len(a.Misses), 1), min(len(b.Misses), 1)),
			cmp.Compare(excess(c, &a), excess(c, &b)),
			cmp.Compare(p.wrong(&a), p.wrong(&b)),
			cmp.Compare(a.MemoryBytes, b.MemoryBytes),
			cmp.Compare(a.NsPerOp, b.NsPerOp),
		)
	})
	c.Recommended, c.Nearest = "", ""
	if len(c.Candidates) == 0 {
		return
	}
	if best := &c.Candidates[0]; len(best.Misses) == 0 {
		c.Recommended = best.Name
	} else {
		c.Nearest = best.Name
	}
	p.explain(c)
}

// excess is how far a candidate misses the constraints, each in factors of two; 0 if it keeps them.
func excess(c *results.Choice, k *results.Candidate) (sum float64) {
	for _, limit := range c.Constraints {
		if v := k.Figure(limit.Figure); v > limit.Most {
			sum += math.Log2(v / math.Max(limit.Most, 1e-9))
		}
	}
	return sum
}

func (p Priority) explain(c *results.Choice) {
	best := &c.Candidates[0]
	limit := fmt.Sprintf("%s per %s", human.Commas(c.Limit), human.Duration(c.WindowNS))
	c.Because = []string{headline(c, limit), accuracy(best), price(c, best), others(c)}
	c.WouldChange = p.changes(c)
}

func headline(c *results.Choice, limit string) string {
	if c.Recommended != "" {
		return fmt.Sprintf("Use %s with %s: of %s it decides wrongly least often among those that keep every bound asked for.",
			c.Recommended, limit, human.Plural(int64(len(c.Candidates)), "candidate"))
	}
	best := &c.Candidates[0]
	var missed []string
	for _, figure := range best.Misses {
		missed = append(missed, fmt.Sprintf("%s (%s, at most %s asked for)", Name(figure), Shown(figure, best.Figure(figure)), Shown(figure, mostOf(c, figure))))
	}
	return fmt.Sprintf("No candidate keeps every bound with %s; %s comes nearest and misses %s.", limit, c.Nearest, human.List(missed))
}

func accuracy(k *results.Candidate) string {
	s := fmt.Sprintf("On average it lets through %s of requests that it should refuse and refuses %s that it should let through", percent(k.OverAdmitted), percent(k.OverRefused))
	if k.OverAdmitted == 0 && k.OverRefused == 0 {
		s = "On this traffic every one of its decisions is right"
	}
	worst := fmt.Sprintf("at worst a client got %s the limit in some window here, and an attacker %s", human.Ratio(k.PeakRatio), human.Ratio(k.AttackedRatio))
	if k.BoundRatio != nil {
		return fmt.Sprintf("%s; %s, which can never be more than %s.", s, worst, human.Ratio(*k.BoundRatio))
	}
	return fmt.Sprintf("%s; %s.", s, worst)
}

func price(c *results.Choice, k *results.Candidate) string {
	return fmt.Sprintf("It takes %s for %s as they behave here, at most %s if all of them use all of the limit, and about %s a decision.",
		bytes(k.BytesPerClient*float64(c.Clients)), human.Plural(c.Clients, "client"), bytes(k.MemoryBytes), nanoseconds(k.NsPerOp))
}

func nanoseconds(ns float64) string { return fmt.Sprintf("%.0f ns", ns) }

// others says why the runner-up is none.
func others(c *results.Choice) string {
	if len(c.Candidates) == 1 {
		return "There was no other candidate."
	}
	var missing []string
	for i := range c.Candidates[1:] {
		k := &c.Candidates[1+i]
		if len(k.Misses) > 0 {
			figure := k.Misses[0]
			missing = append(missing, fmt.Sprintf("%s misses %s (%s)", k.Name, Name(figure), Shown(figure, k.Figure(figure))))
		}
	}
	second := &c.Candidates[1]
	if len(second.Misses) == 0 {
		s := fmt.Sprintf("Second is %s, wrong on %s of requests, with %s at most and about %s a decision",
			second.Name, percent(second.OverAdmitted+second.OverRefused), bytes(second.MemoryBytes), nanoseconds(second.NsPerOp))
		if len(missing) > 0 {
			s += "; " + human.List(missing)
		}
		return s + "."
	}
	if len(missing) > 3 {
		missing = append(missing[:3], fmt.Sprintf("%d more miss others", len(missing)-3))
	}
	return "Of the others, " + human.List(missing) + "."
}

// changes says what would lead to another choice, by the figures alone.
func (p Priority) changes(c *results.Choice) (all []string) {
	all = []string{}
	best := &c.Candidates[0]
	for i := range c.Candidates {
		k := &c.Candidates[i]
		if len(k.Misses) == 1 && k.Misses[0] == "memory_bytes" && p.wrong(k) < p.wrong(best) {
			all = append(all, fmt.Sprintf("With --memory %s or more it would be %s.", strings.ReplaceAll(units.FormatBytes(int64(math.Ceil(k.MemoryBytes/megabyte))*megabyte), " ", ""), k.Name))
			break
		}
	}
	budget := mostOf(c, "memory_bytes")
	if room := budget / best.MemoryBytes; len(best.Misses) == 0 && room >= 1 && best.MemoryBytes > 0 {
		for i := range c.Candidates[1:] {
			k := &c.Candidates[1+i]
			if len(k.Misses) == 0 && k.MemoryBytes < best.MemoryBytes/1.5 {
				all = append(all, fmt.Sprintf("From %s on, %s would need more than %s, and it would be %s.",
					human.Plural(int64(float64(c.Clients)*room)+1, "client"), best.Name, bytes(budget), k.Name))
				break
			}
		}
	}
	for _, other := range Priorities {
		if other.Name == p.Name {
			continue
		}
		again := *c
		again.Candidates = slices.Clone(c.Candidates)
		again.Constraints = other.Constraints(given(c.Constraints))
		if other.rank(&again); again.Recommended != "" && again.Recommended != c.Recommended {
			all = append(all, fmt.Sprintf("If %s (--priority %s) it would be %s.", other.Doc, other.Name, again.Recommended))
		}
	}
	return all
}

// rank is Decide without the reasons.
func (p Priority) rank(c *results.Choice) {
	best := -1
	for i := range c.Candidates {
		k := &c.Candidates[i]
		if excess(c, k) > 0 {
			continue
		}
		if best < 0 || cmp.Or(cmp.Compare(p.wrong(k), p.wrong(&c.Candidates[best])), cmp.Compare(k.MemoryBytes, c.Candidates[best].MemoryBytes),
			cmp.Compare(k.NsPerOp, c.Candidates[best].NsPerOp)) < 0 {
			best = i
		}
	}
	c.Recommended = ""
	if best >= 0 {
		c.Recommended = c.Candidates[best].Name
	}
}

func given(all []results.Constraint) (some []results.Constraint) {
	for _, c := range all {
		if c.Given {
			some = append(some, c)
		}
	}
	return some
}

func mostOf(c *results.Choice, figure string) float64 {
	for _, limit := range c.Constraints {
		if limit.Figure == figure {
			return limit.Most
		}
	}
	return math.Inf(1)
}

// Name says in words what a constraint speaks of.
func Name(figure string) string {
	return map[string]string{
		"peak_ratio": "the worst window", "over_admitted": "requests wrongly let through", "over_refused": "requests wrongly refused",
		"clients_refused": "clients hit", "memory_bytes": "memory",
	}[figure]
}

// Shown prints a figure in its unit.
func Shown(figure string, v float64) string {
	switch figure {
	case "peak_ratio":
		return human.Ratio(v) + " the limit"
	case "memory_bytes":
		return bytes(v)
	}
	return percent(v)
}

func percent(x float64) string { return human.Percent(x) + " %" }

// bytes prints an amount of memory with three digits.
func bytes(b float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if b >= u.size {
			return fmt.Sprintf("%.3g %s", b/u.size, u.name)
		}
	}
	return fmt.Sprintf("%.0f B", b)
}
