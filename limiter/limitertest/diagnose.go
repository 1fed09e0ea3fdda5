package limitertest

import (
	"slices"

	"github.com/rlbench/rlbench/limiter"
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
	d.entries = append(d.entries, entry{*t, slices.Clone(answers)})
}

// diagnose names faults.
func (v *verification) diagnose() {}
