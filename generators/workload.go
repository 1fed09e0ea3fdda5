package generators

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/rlbench/rlbench/internal/units"
)

// A Workload is a population of clients and what they do.
type Workload struct {
	Pattern   string  // a pattern, "front:0.2", or a mix of them, "0.99 poisson + 0.01 end"
	Rates     string  // how the clients' mean rates are spread, "lognormal(0.8)"; "" is "constant"
	Clients   int64   // at least 1
	PerWindow float64 // mean requests per client and window, above 0
	Window    int64   // ns, at least 1
	Span      int64   // ns, at least 1: requests lie in [0, Span)
	Max       int64   // the limit that the clients face, at least 1; adversaries know it
	Seed      uint64
}

// Traffic is a Workload that has been checked. It is immutable, and any number of players may make its requests at once.
type Traffic struct {
	workload Workload
	parts    []part
	spread   *Spread
	factor   func(client int64, r *rand.PCG) float64
	closed   bool
}

// Compile checks the workload and reads its texts. Errors name the field and what would be right.
func (w Workload) Compile() (*Traffic, error) {
	if w.Clients < 1 {
		return nil, fmt.Errorf("%d clients: there must be at least 1", w.Clients)
	}
	if !(w.PerWindow > 0) || math.IsInf(w.PerWindow, 1) {
		return nil, fmt.Errorf("%g requests per client and window: give a mean rate above 0", w.PerWindow)
	}
	if w.Window < 1 {
		return nil, fmt.Errorf("a window of %s: it must be at least 1ns", units.FormatDuration(w.Window))
	}
	if w.Span < 1 {
		return nil, fmt.Errorf("a span of %s: it must be at least 1ns", units.FormatDuration(w.Span))
	}
	if w.Max < 1 {
		return nil, fmt.Errorf("a limit of %d: it must be at least 1", w.Max)
	}
	if strings.TrimSpace(w.Pattern) == "" {
		return nil, errors.New("no pattern: name one such as poisson, or a mix such as \"0.99 poisson + 0.01 end\"")
	}
	t := &Traffic{workload: w}
	var err error
	if t.parts, err = parseMix(w.Pattern); err != nil {
		return nil, err
	}
	if t.spread, t.factor, err = parseSpread(w.Rates, w.Clients); err != nil {
		return nil, err
	}
	t.closed = slices.ContainsFunc(t.parts, func(p part) bool { return p.pattern.Closed && p.weight > 0 })
	return t, nil
}

// Workload returns what the traffic was compiled from.
func (t *Traffic) Workload() Workload { return t.workload }

// Closed reports whether some clients' requests depend on the decisions, so that contestants see different streams.
func (t *Traffic) Closed() bool { return t.closed }

// partOf returns the number of the client's pattern.
func (t *Traffic) partOf(client int64) int {
	if len(t.parts) == 1 {
		return 0
	}
	draw, _ := clientSeed(t.workload.Seed, client, drawPattern)
	u := uniform01(draw)
	for i, p := range t.parts {
		if u < p.upTo {
			return i
		}
	}
	last := len(t.parts) - 1 // the weights may add up to a hair less than 1
	for t.parts[last].weight == 0 {
		last--
	}
	return last
}

// Key returns the name of a generated client.
func Key(client int64) string { return "c" + strconv.FormatInt(client, 10) }
