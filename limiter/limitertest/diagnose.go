package limitertest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/limitertest/mutants"
)

// largestDossier bounds the requests that a dossier keeps.
const largestDossier = 60_000

// A dossier keeps sequences with their answers, to hold them against known faults.
type dossier struct {
	entries  []entry
	requests int
}

type entry struct {
	trial
	answers []limiter.Answer
}

// add keeps a sequence while there is room.
func (d *dossier) add(t *trial, answers []limiter.Answer) {
	if d.requests+len(answers) > largestDossier {
		return
	}
	d.requests += len(answers)
	d.proof(t, answers)
}

// proof keeps a counterexample in any case.
func (d *dossier) proof(t *trial, answers []limiter.Answer) {
	d.entries = append(d.entries, entry{*t, slices.Clone(answers)})
}

// diagnose names the faults of all failed probes at once, where the limiter follows another rule than it promised or behaves
// as a known wrong limiter does, decision by decision. What remains keeps the kind that was read off its smallest sequence.
func (v *verification) diagnose() {
	if v.report.Verdict != Breaks {
		return
	}
	plain, _, err := withoutDefaults(v.promise.text)
	if err == nil {
		_, err = limiter.Parse(plain)
	}
	if err != nil {
		return // a promise of one's own: there is nothing to compare with
	}
	kind, like := v.otherRule(plain)
	if kind == "" {
		kind, like = v.knownFault()
	}
	for i := range v.report.Probes {
		f := v.report.Probes[i].Fault
		if f == nil || f.Direction == Neither || f.Kind == KindUnrepeatable || f.Kind == KindRetryAfter || f.Kind == KindRemaining || f.Kind == KindLimitChanged {
			continue
		}
		if kind != "" {
			f.Kind, f.Like = kind, like
		}
	}
}

// otherRule says what is wrong if the limiter follows a rule exactly, but not the promised one.
func (v *verification) otherRule(plain string) (kind, like string) {
	n := v.report.Named
	if n == nil || !v.report.Stated || n.Rule == "" {
		return "", ""
	}
	like = "it follows " + n.Rule
	if !n.Sure {
		if n.Kind == "" || n.Fits*4 < n.Of*3 {
			return "", ""
		}
		like = fmt.Sprintf("it follows %s, but for %d of %d sequences", n.Rule, n.Of-n.Fits, n.Of)
	}
	body, _, _ := strings.Cut(plain, "@")
	exact := func(word string) bool { return strings.HasPrefix(word, "tolerance=") }
	promised, found := strings.Split(body, ":"), slices.DeleteFunc(strings.Split(n.Rule, ":"), exact)
	switch {
	case n.Kind != "":
		return n.Kind, like
	case slices.ContainsFunc(v.promise.readings, func(r reading) bool { return r.name == n.Rule }) || promised[0] == "multi":
		return "", ""
	case sameRule(promised[0], found[0]) && slices.Equal(promised[1:], found[1:]):
		return "", "" // its fault lies elsewhere
	case sameRule(promised[0], found[0]):
		return v.otherOption(promised, found), like
	case found[0] == "fixed":
		return KindFixedInstead, like
	}
	return KindAlgorithm, like
}

// sameRule reports whether two names stand for the same rule.
func sameRule(a, b string) bool {
	bucket := func(name string) bool { return name == "gcra" || name == "token-bucket" || name == "leaky-bucket" }
	return a == b || bucket(a) && bucket(b)
}

// otherOption is the kind of fault where only an option differs.
func (v *verification) otherOption(promised, found []string) string {
	has := func(words []string, prefix string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, prefix) })
	}
	value := func(words []string, prefix string) string {
		for _, w := range words {
			if strings.HasPrefix(w, prefix) {
				return w
			}
		}
		return ""
	}
	switch {
	case has(promised, "count=all") != has(found, "count=all"):
		return KindCountsRefused
	case value(promised, "align=") != value(found, "align="):
		return KindAlignment
	case has(found, "resolution="):
		return KindCoarseClock
	case promised[0] == "log":
		return KindBoundary
	case has(found, "burst=") || has(promised, "burst="):
		return KindRoundedToZero
	}
	return KindAlgorithm
}

// knownFault looks for a known wrong limiter that answers every sequence at hand alike.
func (v *verification) knownFault() (kind, like string) {
	promised := strings.FieldsFunc(v.promise.text, func(r rune) bool { return r == ':' || r == '@' })
	if len(promised) == 0 {
		return "", ""
	}
	for _, sameFamily := range []bool{true, false} {
		for _, m := range mutants.All {
			family, _, _ := strings.Cut(m.Promise, ":")
			if m.Decisive() && sameRule(family, promised[0]) == sameFamily && v.dossier.fits(m) {
				return m.Kind, "as if " + m.Slip
			}
		}
	}
	return "", ""
}

// fits reports whether a wrong limiter answers all that the dossier holds as it was answered.
func (d *dossier) fits(m mutants.Mutant) bool {
	for _, e := range d.entries {
		decide := m.Decider(e.limit)
		for i, r := range e.requests {
			if decide(r) != e.answers[i].Admitted {
				return false
			}
		}
	}
	return len(d.entries) > 0
}
