package limitertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rlbench/rlbench/limiter"
)

// Options are how Verify goes about it. The zero value is the whole suite at 100 requests a minute.
type Options struct {
	Limit   limiter.Limit // the main setting; zero: 100 in 60 s
	Only    bool          // the limiter can have no other limit than the main one
	Quick   bool          // fewer settings and shorter sequences, a tenth of the time
	Worst   bool          // search for the worst case too
	Seed    uint64        // of random sequences
	Timeout time.Duration // for some hundred answers, before a limiter counts as hung; 0: 10 s
	Budget  time.Duration // for each probe, after which its other sequences are left out; 0: as long as it takes
	First   bool          // stop at the first fault
	Probes  []string      // only these, by name; nil: all
}

// The verdicts on a limiter.
const (
	Keeps     = "keeps"
	Breaks    = "breaks"
	Undecided = "undecided" // it made no promise, and its rule could not be named, or no probe could be played
)

// A Report is what Verify found out.
type Report struct {
	Promise  string // "" if none was stated and none could be named
	Stated   bool   // the promise was stated, not found
	Verdict  string
	Named    *Naming // nil if naming was not tried
	Probes   []Result
	Worst    *Worst // nil unless asked for
	Requests int64  // that the limiter decided
}

// The verdicts of a probe.
const (
	Passed  = "passed"
	Failed  = "failed"
	Skipped = "skipped"
)

// A Result is what one probe found out.
type Result struct {
	Probe   string
	Verdict string
	Trials  int    // sequences played
	Reason  string // why it was skipped, or some sequences were
	Fault   *Fault // nil unless it failed
}

// A Fault is one way in which a limiter breaks its promise.
type Fault struct {
	Kind           string
	Direction      Direction
	Why            string
	Like           string // the known fault that answers alike, "" if none does
	Counterexample Counterexample
}

// Verify has a limiter decide many sequences and says whether it keeps its promise; with a zero promise it first finds out
// which one fits. The error is nil if the limiter could be judged, whatever the verdict: a limiter that crashes or hangs after
// it could be configured once breaks its promise. A limiter that can't be started or configured at all is an error, as
// is a context that ends.
func Verify(ctx context.Context, open func(context.Context) (limiter.Target, error), promise Promise, o Options) (Report, error) {
	v, err := begin(ctx, open, promise, o)
	if err != nil {
		return Report{}, err
	}
	defer v.close()
	v.report.Stated = promise.readings != nil
	err = v.run()
	v.report.Requests = v.requests
	return v.report, err
}

// begin starts the limiter and sees that it can have the main limit.
func begin(ctx context.Context, open func(context.Context) (limiter.Target, error), promise Promise, o Options) (*verification, error) {
	if o.Limit == (limiter.Limit{}) {
		o.Limit = limiter.Limit{Max: 100, Window: 60e9}
	}
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	s := &session{ctx: ctx, open: open, patience: o.Timeout}
	if err := s.configure(o.Limit); err != nil {
		s.close()
		return nil, fmt.Errorf("configuring %d per %s: %w", o.Limit.Max, time.Duration(o.Limit.Window), unwrapped(err))
	}
	return &verification{session: s, options: o, promise: promise, dossier: &dossier{}}, nil
}

// unwrapped is a failure's cause: before the first answer, how it failed says nothing of its promise.
func unwrapped(err error) error {
	var f *failure
	if errors.As(err, &f) {
		return f.err
	}
	return err
}

type verification struct {
	*session
	options Options
	promise Promise
	alive   []int
	dossier *dossier
	report  Report
}

func (v *verification) run() error {
	named, err := v.name()
	if err != nil {
		return err
	}
	v.report.Named = named
	if v.promise.readings == nil {
		v.promise = named.promise
	}
	v.report.Promise = v.promise.text
	for i := range v.promise.readings {
		v.alive = append(v.alive, i)
	}
	if v.promise.readings != nil {
		if err := v.probe(); err != nil {
			return err
		}
	}
	v.report.Verdict = v.verdict()
	v.diagnose()
	if v.options.Worst {
		if v.report.Worst, err = v.worst(); err != nil {
			return err
		}
	}
	return nil
}

func (v *verification) probe() error {
	for i := range Probes {
		if v.options.Probes != nil && !slices.Contains(v.options.Probes, Probes[i].Name) {
			continue
		}
		c := v.check(&Probes[i])
		done := c.allow(v.options.Budget)
		c.probe.run(c)
		done()
		if c.err != nil {
			return c.err
		}
		v.alive = c.alive
		v.report.Probes = append(v.report.Probes, c.result())
		if c.fault != nil && v.options.First {
			return nil
		}
	}
	return nil
}

func (v *verification) check(p *Probe) *check {
	return &check{
		session: v.session, promise: &v.promise, alive: v.alive, main: v.options.Limit, only: v.options.Only,
		quick: v.options.Quick, budgetLength: v.options.Budget, random: seeded(v.options.Seed, p.Name), probe: p, dossier: v.dossier,
	}
}

func (c *check) result() Result {
	r := Result{Probe: c.probe.Name, Verdict: Passed, Trials: c.trials, Fault: c.fault, Reason: c.reason}
	switch {
	case c.fault != nil:
		r.Verdict = Failed
	case c.trials == 0:
		r.Verdict = Skipped
		if r.Reason == "" {
			r.Reason = "says nothing of this promise"
		}
	}
	return r
}

// verdict is the sum of all probes. Where no promise was stated and none fits, only a limiter that fails to answer breaks
// anything.
func (v *verification) verdict() string {
	for _, r := range v.report.Probes {
		if r.Verdict == Failed && (v.report.Stated || v.report.Named.Sure || r.Fault.Direction == Neither) {
			return Breaks
		}
	}
	if !slices.ContainsFunc(v.report.Probes, func(r Result) bool { return r.Verdict == Passed }) {
		return Undecided // nothing could be played
	}
	if !v.report.Stated && v.report.Named != nil {
		if !v.report.Named.Sure {
			return Undecided
		}
		if v.report.Named.Kind != "" {
			return Breaks
		}
	}
	return Keeps
}
