package generators

import (
	"errors"
	"fmt"
	"math"

	"github.com/rlbench/rlbench/internal/units"
)

// Overrides change every stage of a scenario, as the command line's flags do. What is nil stays.
type Overrides struct {
	Limits     []int64  // --limit
	Window     *int64   // --window, ns; the span keeps its number of windows unless it is given too
	Clients    *int64   // --clients; requests in all grow with them unless they are given too
	Span       *int64   // --span, ns; likewise
	Load       *float64 // --load
	Requests   *int64   // --requests: the mean number in all of what is run, scaled or not
	Pattern    *string  // --pattern
	Rates      *string  // --rates
	Seed       *uint64  // --seed
	Scale      *float64 // --scale: the number of clients is multiplied by it and rounded, to 1 at least
	Algorithms []string // -a
}

// With returns the scenario with every stage changed, and checked. Stages that become equal are kept once. Overrides that
// contradict each other, or a stage, are errors that name the flags.
func (s Scenario) With(o Overrides) (Scenario, error) {
	if err := o.check(); err != nil {
		return Scenario{}, err
	}
	changed := Scenario{Name: s.Name, Doc: s.Doc}
next:
	for i, stage := range s.Stages {
		stage, err := o.apply(stage)
		if err != nil {
			return Scenario{}, fmt.Errorf("scenario %s, stage %d: %w", s.Name, i+1, err)
		}
		for _, before := range changed.Stages {
			if stage.equal(before) {
				continue next
			}
		}
		changed.Stages = append(changed.Stages, stage)
	}
	return changed.check()
}

func (o Overrides) check() error {
	switch {
	case o.Load != nil && o.Requests != nil:
		return errors.New("--load and --requests both say how much traffic: give one")
	case o.Load != nil && !(*o.Load > 0 && *o.Load <= math.MaxFloat64):
		return fmt.Errorf("--load %g: it must be above 0", *o.Load)
	case o.Requests != nil && *o.Requests < 1:
		return fmt.Errorf("--requests %d: it must be at least 1", *o.Requests)
	case o.Clients != nil && *o.Clients < 1:
		return fmt.Errorf("--clients %d: it must be at least 1", *o.Clients)
	case o.Window != nil && *o.Window < 1:
		return fmt.Errorf("--window %s: it must be at least 1ns", units.FormatDuration(*o.Window))
	case o.Span != nil && *o.Span < 1:
		return fmt.Errorf("--span %s: it must be at least 1ns", units.FormatDuration(*o.Span))
	case o.Scale != nil && !(*o.Scale > 0 && *o.Scale <= 1e12):
		return fmt.Errorf("--scale %g: it must be above 0, and 1e12 at most", *o.Scale)
	}
	return nil
}

func (o Overrides) apply(s Stage) (Stage, error) {
	if err := s.check(); err != nil {
		return Stage{}, err
	}
	if s.Requests > 0 { // what a client sends does not change with the number of clients or the span
		s.PerWindow, s.Requests = s.perWindow(), 0
	}
	if o.Pattern != nil {
		s.Pattern = *o.Pattern
	}
	if o.Rates != nil {
		s.Rates = *o.Rates
	}
	if o.Limits != nil {
		s.Limits = o.Limits
	}
	if o.Seed != nil {
		s.Seed = *o.Seed
	}
	if o.Algorithms != nil {
		s.Algorithms = o.Algorithms
	}
	if o.Window != nil {
		if !s.scripted() {
			windows := float64(s.Span) / float64(s.Window)
			span := math.Round(float64(windows * float64(*o.Window)))
			if o.Span == nil && span >= 1<<63 {
				return Stage{}, fmt.Errorf("--window %s: its %g windows last longer than 292 years: give a --span", units.FormatDuration(*o.Window), windows)
			}
			s.Span = max(int64(min(span, 1<<62)), 1)
		}
		s.Window = *o.Window
	}
	if o.Span != nil {
		s.Span = *o.Span
	}
	if o.Clients != nil {
		s.Clients = *o.Clients
	}
	if o.Scale != nil {
		scaled := math.Round(float64(float64(s.Clients) * *o.Scale))
		if scaled >= 1<<63 {
			return Stage{}, fmt.Errorf("--scale %g: too many clients", *o.Scale)
		}
		s.Clients = max(int64(scaled), 1)
	}
	return o.amount(s)
}

// amount sets how much traffic there is.
func (o Overrides) amount(s Stage) (Stage, error) {
	if o.Load == nil && o.Requests == nil {
		return s, nil
	}
	if s.scripted() {
		return Stage{}, fmt.Errorf("the pattern %q has its own arrivals: --load and --requests do not apply; give a --pattern too", s.Pattern)
	}
	s.Load, s.PerWindow, s.Requests = 0, 0, 0
	if o.Load != nil {
		s.Load = *o.Load
	} else {
		s.Requests = float64(*o.Requests)
	}
	return s, nil
}
