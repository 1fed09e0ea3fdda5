package results

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
	"slices"
)

// Traffic is what the requests of a log are like, client by client. Costs play no part in it.
type Traffic struct {
	Clients      int64 `json:"clients"`
	Requests     int64 `json:"requests"`
	SpanNS       int64 `json:"span_ns"`
	ResolutionNS int64 `json:"resolution_ns"` // the largest power of ten, at most a second, that divides every time

	PerSecond float64 `json:"requests_per_second"` // mean, all clients together; 0 with a span of 0
	PerClient float64 `json:"requests_per_client"` // mean

	TopShare   float64     `json:"top_share"`     // of all requests, the busiest client's
	Top10Share float64     `json:"top_10_share"`  // the ten busiest clients'
	ZipfSlope  *float64    `json:"zipf_slope"`    // s in requests ~ 1/rank^s, over the thousand busiest clients; null below three clients
	Top        []TopClient `json:"top,omitempty"` // the ten busiest, busiest first

	Windows []TrafficWindow `json:"windows"`
}

// A TopClient is a client by its number of requests.
type TopClient struct {
	Key      string `json:"key"`
	Requests int64  `json:"requests"`
}

// A TrafficWindow is what the traffic is like at one length of window.
type TrafficWindow struct {
	WindowNS int64 `json:"window_ns"`

	// Peak is the most requests that one client sent in any half-open window (t-W, t], whatever they cost.
	Peak        int64    `json:"peak"`
	PeakWitness *Witness `json:"peak_witness"`

	// Dispersion is the index of dispersion of a client's requests by aligned window, variance over mean from the client's first
	// window to its last, as a mean over clients weighted by their requests. It is 1 for Poisson arrivals, 0 for even ones, large for bursts; null
	// when no client spans two windows.
	Dispersion *float64 `json:"dispersion"`
}

// A TrafficTally is what Traffic is derived from, as sums: the tallies of two sets of clients add up to the tally of both.
type TrafficTally struct {
	Clients  int64              `json:"clients"`
	Requests int64              `json:"requests"`
	Top      []TopClient        `json:"top"` // the busiest, in no order
	Windows  []TrafficWindowSum `json:"windows"`

	least int64 // a client with fewer requests is not among the busiest
}

// A TrafficWindowSum is a tally's part for one length of window.
type TrafficWindowSum struct {
	Peak      Peak  `json:"peak"`
	Dispersed Sum   `json:"dispersed"` // of the clients' indices times their requests, in units of 2^-20
	Requests  int64 `json:"requests"`  // of the clients behind it
}

// TrafficWindows are the lengths of window that traffic is looked at in.
var TrafficWindows = []int64{1e9, 10e9, 60e9}

// topClients is how many of the busiest clients a tally keeps, for the slope.
const topClients = 1000

// NewTrafficTally returns an empty tally.
func NewTrafficTally() *TrafficTally {
	t := &TrafficTally{}
	for _, w := range TrafficWindows {
		t.Windows = append(t.Windows, TrafficWindowSum{Peak: Peak{WindowNS: w}})
	}
	return t
}

// AddClient counts a client with its requests.
func (t *TrafficTally) AddClient(key string, requests int64) {
	t.Clients++
	t.Requests += requests
	if requests < t.least {
		return
	}
	if len(t.Top) == 2*topClients {
		t.cut()
	}
	t.Top = append(t.Top, TopClient{key, requests})
}

// Disperse counts a client's dispersion: it sent n requests in as many windows, from its first to its last, and the squares of the
// windows' counts add up to squares.
func (s *TrafficWindowSum) Disperse(n, windows int64, squares uint64) {
	if windows < 2 {
		return
	}
	// n times the index is (windows*squares - n*n) / (windows-1), with the variance over windows-1.
	high, low := bits.Mul64(uint64(windows), squares)
	if high == 0 && low < 1<<42 && n < 1<<21 {
		s.Dispersed.Add((int64(low) - n*n) << 20 / (windows - 1))
	} else {
		x := new(big.Int).Mul(big.NewInt(windows), new(big.Int).SetUint64(squares))
		x.Sub(x, new(big.Int).Mul(big.NewInt(n), big.NewInt(n)))
		s.Dispersed.AddBig(x.Quo(x.Lsh(x, 20), big.NewInt(windows-1)))
	}
	s.Requests += n
}

// Add adds the tally of other clients.
func (t *TrafficTally) Add(o *TrafficTally) {
	t.Clients += o.Clients
	t.Requests += o.Requests
	t.Top = append(t.Top, o.Top...)
	t.cut()
	for i := range t.Windows {
		s, p := &t.Windows[i], &o.Windows[i]
		s.Peak.Offer(p.Peak.Max, p.Peak.Key, p.Peak.TNS)
		s.Dispersed.AddSum(p.Dispersed)
		s.Requests += p.Requests
	}
}

// cut sorts the busiest clients, those of equal requests by key, and forgets all but the first.
func (t *TrafficTally) cut() {
	slices.SortFunc(t.Top, func(a, b TopClient) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Key, b.Key))
	})
	if len(t.Top) >= topClients {
		t.Top = t.Top[:topClients]
		t.least = t.Top[topClients-1].Requests
	}
}

// Traffic derives the figures. The span and the resolution are those of the log.
func (t *TrafficTally) Traffic(span, resolution int64) *Traffic {
	t.cut()
	f := &Traffic{
		Clients: t.Clients, Requests: t.Requests, SpanNS: span, ResolutionNS: resolution,
		Top: slices.Clone(t.Top[:min(len(t.Top), 10)]), ZipfSlope: t.slope(),
	}
	if span > 0 {
		f.PerSecond = float64(t.Requests) / (float64(span) / 1e9)
	}
	if t.Clients > 0 {
		f.PerClient = float64(t.Requests) / float64(t.Clients)
	}
	var top int64
	for i, c := range f.Top {
		if top += c.Requests; i == 0 {
			f.TopShare = float64(top) / float64(t.Requests)
		}
		f.Top10Share = float64(top) / float64(t.Requests)
	}
	for _, s := range t.Windows {
		w := TrafficWindow{WindowNS: s.Peak.WindowNS, Peak: s.Peak.Max}
		if w.Peak > 0 {
			w.PeakWitness = &Witness{Key: s.Peak.Key, TNS: s.Peak.TNS}
		}
		if s.Requests > 0 {
			d := s.Dispersed.Float() / (1 << 20) / float64(s.Requests)
			w.Dispersion = &d
		}
		f.Windows = append(f.Windows, w)
	}
	return f
}

// slope fits ln(requests) = a - s*ln(rank) to the busiest clients by least squares and returns s.
func (t *TrafficTally) slope() *float64 {
	if len(t.Top) < 3 {
		return nil
	}
	n := float64(len(t.Top))
	var meanX, meanY float64
	for i, c := range t.Top {
		meanX += math.Log(float64(i+1)) / n
		meanY += math.Log(float64(c.Requests)) / n
	}
	var xy, xx float64
	for i, c := range t.Top {
		dx := math.Log(float64(i+1)) - meanX
		xy += float64(dx * (math.Log(float64(c.Requests)) - meanY))
		xx += float64(dx * dx)
	}
	s := -xy / xx
	return &s
}
