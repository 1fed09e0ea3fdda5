package results

import (
	"cmp"
	"math/bits"
	"slices"
)

// A HitClient is a client with what one contestant refused it.
type HitClient struct {
	Key      string `json:"key"`
	Requests int64  `json:"requests"`
	Refused  int64  `json:"refused"`
}

// hardestKept is how many of the clients hit hardest are named.
const hardestKept = 10

// Hit adds a client to those that were hit, of whom the hardest are kept: most refused first, ties by key.
func (a *AlgorithmTally) Hit(key string, requests, refused int64) {
	if n := len(a.Hardest); n == hardestKept && refused < a.Hardest[n-1].Refused {
		return
	}
	a.Hardest = append(a.Hardest, HitClient{key, requests, refused})
	a.sortHardest()
}

func (a *AlgorithmTally) sortHardest() {
	slices.SortFunc(a.Hardest, func(a, b HitClient) int {
		if a.Refused != b.Refused {
			return cmp.Compare(b.Refused, a.Refused)
		}
		return cmp.Compare(a.Key, b.Key)
	})
	a.Hardest = a.Hardest[:min(len(a.Hardest), hardestKept)]
}

// MostCompared is how many contestants can be held against each other request by request.
const MostCompared = 8

// A Refusal is a number of requests that just the named contestants refused, and all others admitted.
type Refusal struct {
	By       []string `json:"by"`
	Requests int64    `json:"requests"`
}

// refusals names the sets of contestants behind the counts, the larger set of requests first.
func (t *Tally) refusals() []Refusal {
	var all []Refusal
	var sets []int
	for set, n := range t.RefusedBy {
		if set > 0 && n > 0 {
			sets = append(sets, set)
		}
	}
	slices.SortStableFunc(sets, func(a, b int) int {
		if t.RefusedBy[a] != t.RefusedBy[b] {
			return cmp.Compare(t.RefusedBy[b], t.RefusedBy[a])
		}
		return cmp.Compare(bits.OnesCount(uint(a)), bits.OnesCount(uint(b)))
	})
	for _, set := range sets {
		r := Refusal{Requests: t.RefusedBy[set]}
		for i, a := range t.Algorithms {
			if set>>i&1 == 1 {
				r.By = append(r.By, a.Name)
			}
		}
		all = append(all, r)
	}
	return all
}
