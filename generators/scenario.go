package generators

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rlbench/rlbench/internal/units"
)

// A Scenario is a named list of workloads, and of who is judged on them.
type Scenario struct {
	Name   string
	Doc    string // what the traffic is and what it shows; one paragraph
	Stages []Stage
}

// A Stage is one workload of a scenario. Exactly one of Load, PerWindow and Requests is set.
type Stage struct {
	Label   string // what the stage is for, to tell kinds of stages apart; "" for the scenario's main matter
	Pattern string
	Rates   string // "" is "constant"
	Clients int64

	Load      float64 // mean requests per client and window as a share of the limit; with several limits, a workload for each
	PerWindow float64 // mean requests per client and window
	Requests  float64 // mean requests in all

	Limits     []int64 // all judged in one pass over the same requests, unless Load is set
	Window     int64   // ns
	Span       int64   // ns
	Seed       uint64
	Algorithms []string // specs, as -a takes them
}

// Workload returns the requests of the stage. Those who know the limit go by the first one, unless they are shown another.
func (s Stage) Workload() (Workload, error) {
	if err := s.check(); err != nil {
		return Workload{}, err
	}
	w := Workload{
		Pattern: s.Pattern, Rates: s.Rates, Clients: s.Clients, PerWindow: s.perWindow(),
		Window: s.Window, Span: s.Span, Max: s.Limits[0], Seed: s.Seed,
	}
	_, err := w.Compile()
	return w, err
}

func (s Stage) perWindow() float64 {
	switch {
	case s.Load > 0:
		return float64(s.Load * float64(s.Limits[0]))
	case s.Requests > 0:
		return s.Requests / float64(s.Clients) / (float64(s.Span) / float64(s.Window))
	}
	return s.PerWindow
}

func (s Stage) check() error {
	if s.Clients < 1 {
		return fmt.Errorf("%d clients: there must be at least 1", s.Clients)
	}
	if s.Window < 1 || s.Span < 1 {
		return fmt.Errorf("a window of %s and a span of %s: both must be at least 1ns", units.FormatDuration(s.Window), units.FormatDuration(s.Span))
	}
	if len(s.Limits) == 0 {
		return errors.New("no limit: give at least one")
	}
	for i, l := range s.Limits {
		if l < 1 {
			return fmt.Errorf("a limit of %d: it must be at least 1", l)
		}
		if slices.Contains(s.Limits[:i], l) {
			return fmt.Errorf("the limit %d is given twice: keep one", l)
		}
	}
	set := 0
	for _, x := range []float64{s.Load, s.PerWindow, s.Requests} {
		if x < 0 || math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("a load of %g: it must be above 0", x)
		}
		if x > 0 {
			set++
		}
	}
	if set != 1 {
		return errors.New("how much traffic? give exactly one of load (a share of the limit), requests per window, and requests in all")
	}
	if len(s.Algorithms) == 0 {
		return errors.New("no algorithms to judge: name at least one")
	}
	return nil
}

// scripted reports whether all clients have their own arrivals, so that rates mean nothing to them.
func (s Stage) scripted() bool {
	parts, err := parseMix(s.Pattern)
	return err == nil && !slices.ContainsFunc(parts, func(p part) bool { return !p.pattern.scripted })
}

func (s Stage) equal(o Stage) bool {
	return s.Label == o.Label && s.Pattern == o.Pattern && s.Rates == o.Rates && s.Clients == o.Clients &&
		s.Load == o.Load && s.PerWindow == o.PerWindow && s.Requests == o.Requests && s.Window == o.Window &&
		s.Span == o.Span && s.Seed == o.Seed && slices.Equal(s.Limits, o.Limits) && slices.Equal(s.Algorithms, o.Algorithms)
}

// check demands that every stage can be run, and gives the stages with Load one limit each.
func (s Scenario) check() (Scenario, error) {
	if len(s.Stages) == 0 {
		return Scenario{}, fmt.Errorf("scenario %s: no stage: give at least one", s.Name)
	}
	for i, stage := range s.Stages {
		if _, err := stage.Workload(); err != nil {
			return Scenario{}, fmt.Errorf("scenario %s, stage %d: %w", s.Name, i+1, err)
		}
	}
	s.Stages = oneLimitEach(s.Stages)
	return s, nil
}

// oneLimitEach divides the stages whose load is relative into one per limit, limits outermost: consecutive stages with the
// same limits come all with the first, then all with the second.
func oneLimitEach(stages []Stage) []Stage {
	var divided []Stage
	for len(stages) > 0 {
		first := stages[0]
		n := 1
		for n < len(stages) && first.Load > 0 && stages[n].Load > 0 && slices.Equal(stages[n].Limits, first.Limits) {
			n++
		}
		if first.Load > 0 {
			for _, limit := range first.Limits {
				for _, stage := range stages[:n] {
					stage.Limits = []int64{limit}
					divided = append(divided, stage)
				}
			}
		} else {
			divided = append(divided, first)
		}
		stages = stages[n:]
	}
	return divided
}

// FindScenario returns a built-in scenario by its name, or reads one from a file, which is what a name that ends in .toml or holds
// a slash means.
func FindScenario(nameOrFile string) (Scenario, error) {
	if strings.HasSuffix(nameOrFile, ".toml") || strings.ContainsAny(nameOrFile, `/\`) {
		return readScenario(nameOrFile)
	}
	for _, s := range Scenarios {
		if s.Name == nameOrFile {
			return s.check()
		}
	}
	var names []string
	for _, s := range Scenarios {
		names = append(names, s.Name)
	}
	return Scenario{}, fmt.Errorf("scenario %q is not known: did you mean %s? (there are %s, and files FILE.toml)",
		nameOrFile, nearest(nameOrFile, names), strings.Join(names, ", "))
}
