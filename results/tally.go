package results

import (
	"math"
	"sync"

	"github.com/cespare/xxhash/v2"
)

const (
	// Groups is the number of groups of clients that the jackknife leaves out one after the other.
	Groups = 64

	// PhaseBins is the number of equal parts of the aligned window in the counts by phase.
	PhaseBins = 60

	// ErrorUnit is the unit to which each request's relative error is rounded, so that sums are exact integers.
	ErrorUnit = 1.0 / (1 << 40)
)

// GroupOf returns the jackknife group of a client: a fixed hash of its key, the same on every machine.
func GroupOf(key string) int { return int(xxhash.Sum64String(key) % Groups) }

// ErrorBins returns the edges of the histogram of clients by their mean error: from 1e-4 to 10, twenty per factor of
// ten. Bin 0 is below the first edge, the last bin (one more than edges) is beyond the last one.
func ErrorBins() []float64 { return errorEdges().relative }

type binEdges struct {
	relative []float64
	units    []int64 // the same in ErrorUnits
}

var errorEdges = sync.OnceValue(func() (e binEdges) {
	for k := -80; k <= 20; k++ {
		edge := math.Pow(10, float64(k)/20)
		e.relative = append(e.relative, edge)
		e.units = append(e.units, int64(math.Round(edge/ErrorUnit)))
	}
	return e
})

// ErrorBin returns the bin of a mean error of at least 0, given in ErrorUnits.
func ErrorBin(mean Sum) int {
	edges := errorEdges().units
	units := int64(mean.lo)
	if mean.hi != 0 || units < 0 {
		return len(edges)
	}
	low, high := 0, len(edges)
	for low < high {
		if mid := (low + high) / 2; edges[mid] <= units {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// The counts that a tally keeps for each contestant and group of clients.
const (
	Requests = iota
	Admitted
	OverAdmitted
	OverRefused
	Looser
	Stricter
	ClientsOverLimit
	ClientsRefused // clients with a request refused
	Errors
	ErrorRequests // requests whose estimate error counts: at least a window after their client's first
	ErrorClients  // clients with such a request
	Misjudged
	WronglyAllowed // clients
	WronglyLimited // clients
	numCounts
)

// Counts are the integer counts of one contestant, by the constants above.
type Counts [numCounts]int64

// The sums of errors, in ErrorUnits, that a tally keeps beside the counts.
const (
	AbsoluteError = iota // of |est-real|/real over requests
	SignedError          // of (est-real)/real over requests
	ClientError          // of clients' mean |est-real|/real
	numErrorSums
)

// ErrorSums are the sums of one contestant's estimate errors, by the constants above.
type ErrorSums [numErrorSums]Sum

// A Tally is everything measured of one run, as sums: the tallies of two sets of clients add up to the tally of both,
// whatever the order. Figures are derived from it by Fill.
type Tally struct {
	ClosedLoop bool   `json:"closed_loop"` // contestants saw different streams
	Clients    int64  `json:"clients"`
	Requests   int64  `json:"requests"`
	Digest     uint64 `json:"digest"` // wrapping sum over clients of a hash of their requests

	Active     [Groups]int64     `json:"active"` // clients that sent something, by group
	Phase      [PhaseBins]int64  `json:"phase"`
	Algorithms []*AlgorithmTally `json:"algorithms"`

	// RefusedBy counts requests by the set of contestants that refused them: bit i of the index is contestant i. It is nil
	// where streams differ and with more than MostCompared contestants.
	RefusedBy []int64 `json:"refused_by,omitempty"`
}

// An AlgorithmTally is one contestant's part of a Tally.
type AlgorithmTally struct {
	Name      string `json:"name"`
	Limit     int64  `json:"limit"`
	WindowNS  int64  `json:"window_ns"`
	Bound     *int64 `json:"bound"`
	Estimates bool   `json:"estimates"` // it has an estimate
	Failure   string `json:"failure,omitempty"`

	Groups [Groups]Counts              `json:"groups"`
	Peaks  []Peak                      `json:"peaks"` // one per limit that it is judged by
	Phase  [numPhases][PhaseBins]int64 `json:"phase"`

	Hardest []HitClient `json:"hardest,omitempty"` // clients with most requests refused

	ErrorSums         [Groups]ErrorSums `json:"error_sums"`
	ErrorByClient     []int64           `json:"error_by_client"`
	MaxWronglyAllowed int64             `json:"max_wrongly_allowed"` // the largest exact count of a client wrongly allowed
}

// The counts by phase.
const (
	PhaseOverAdmitted = iota
	PhaseOverRefused
	PhaseLooser
	PhaseStricter
	numPhases
)

// A Peak is the most that was admitted to one client in any window, and where. Max is 0 when nothing was admitted.
type Peak struct {
	Limit    int64  `json:"limit"`
	WindowNS int64  `json:"window_ns"`
	Max      int64  `json:"max"`
	Key      string `json:"key"`
	TNS      int64  `json:"t_ns"`
}

// Offer takes the larger peak; between equal ones the earlier, then the one of the smaller key.
func (p *Peak) Offer(maximum int64, key string, t int64) {
	if maximum < p.Max || maximum == 0 {
		return
	}
	if maximum > p.Max || t < p.TNS || t == p.TNS && key < p.Key {
		p.Max, p.Key, p.TNS = maximum, key, t
	}
}

// NewAlgorithmTally returns an empty tally of one contestant.
func NewAlgorithmTally(name string, limit, window int64) *AlgorithmTally {
	return &AlgorithmTally{
		Name: name, Limit: limit, WindowNS: window,
		ErrorByClient: make([]int64, len(errorEdges().units)+1),
	}
}

// Add adds the tally of other clients of the same run.
func (t *Tally) Add(o *Tally) {
	t.Clients += o.Clients
	t.Requests += o.Requests
	t.Digest += o.Digest
	addTo(t.Active[:], o.Active[:])
	addTo(t.Phase[:], o.Phase[:])
	if t.RefusedBy != nil && o.RefusedBy != nil {
		addTo(t.RefusedBy, o.RefusedBy)
	}
	for i, a := range t.Algorithms {
		a.add(o.Algorithms[i])
	}
}

func (a *AlgorithmTally) add(o *AlgorithmTally) {
	if a.Failure == "" {
		a.Failure = o.Failure
	}
	for g := range a.Groups {
		addTo(a.Groups[g][:], o.Groups[g][:])
		for k := range a.ErrorSums[g] {
			a.ErrorSums[g][k].AddSum(o.ErrorSums[g][k])
		}
	}
	for i, p := range o.Peaks {
		a.Peaks[i].Offer(p.Max, p.Key, p.TNS)
	}
	for k := range a.Phase {
		addTo(a.Phase[k][:], o.Phase[k][:])
	}
	addTo(a.ErrorByClient, o.ErrorByClient)
	a.Hardest = append(a.Hardest, o.Hardest...)
	a.sortHardest()
	a.MaxWronglyAllowed = max(a.MaxWronglyAllowed, o.MaxWronglyAllowed)
}

func addTo(to, from []int64) {
	for i, v := range from {
		to[i] += v
	}
}
