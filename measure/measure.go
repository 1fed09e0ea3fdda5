// Package measure judges rate limiters: it gives every contestant the same requests, compares each decision with the
// exact rule, and adds the outcome up in tallies that merge over clients, workers and shards without rounding.
//
// Clients are independent, so the work goes client by client. One client's requests lie in a history; views of it know
// the exact number of requests in the window that ends at each of them; estimates compare a contestant's weighted count
// with that number; judges compare its decisions with what its own history and the exact log would have allowed.
package measure

import (
	"context"
	"fmt"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/results"
)

// A Plan is what is judged, and by what.
type Plan struct {
	Contestants []limiter.Spec
	Limits      []limiter.Limit // one results.Run for each, in this order; all over the same requests
	Edge        limiter.Edge    // of every exact count
}

// Options say how the work is done; no figure depends on them but for the choice of a shard's clients.
type Options struct {
	Workers  int                  // goroutines; 0 means 1
	Shard    results.Shard        // the zero value takes all clients
	Progress func(requests int64) // told of batches of requests done, from several goroutines; may be nil

	// Traffic, if not nil, is what Replay adds the clients' requests to, as Survey counts them.
	Traffic *results.TrafficTally
}

const (
	block = 512 // requests handled at a time

	// A client's requests are all kept, up to this many, before anything is decided: if no window was full enough for a
	// refusal then there is nothing to decide. Beyond it, decisions are made as requests come in.
	keepWhole = 1 << 15
)

// A court judges one client after another, one worker's share of a run.
type court struct {
	ctx       context.Context
	plan      Plan
	history   *history
	views     []*view
	runners   []*runner
	estimates []*estimate
	seats     []*seat
	tallies   []*results.Tally // one per limit
	refusedBy [][]int64        // of the client at hand by limit: requests by the set of contestants that refused them
	sets      []uint8          // scratch
	progress  func(int64)
	done      int64 // requests not yet told to progress
}

// newCourt checks the plan and builds the state for it.
func newCourt(ctx context.Context, plan Plan, closedLoop bool, progress func(int64)) (*court, error) {
	c := &court{ctx: ctx, plan: plan, history: &history{}, progress: progress}
	if len(plan.Contestants) == 0 || len(plan.Limits) == 0 {
		return nil, fmt.Errorf("nothing to judge: name at least one algorithm and one limit")
	}
	for _, limit := range plan.Limits {
		if limit.Max < 1 || limit.Window < 1 {
			return nil, fmt.Errorf("limit %d in %d ns: both must be at least 1", limit.Max, limit.Window)
		}
		c.view(limit.Window).phased = true
		tally := &results.Tally{ClosedLoop: closedLoop}
		var refusedBy []int64
		if n := len(plan.Contestants); !closedLoop && n > 1 && n <= results.MostCompared {
			tally.RefusedBy, refusedBy = make([]int64, 1<<n), make([]int64, 1<<n)
		}
		c.refusedBy = append(c.refusedBy, refusedBy)
		for _, spec := range plan.Contestants {
			s, err := c.seat(spec.WithEdge(plan.Edge), limit)
			if err != nil {
				return nil, err
			}
			tally.Algorithms = append(tally.Algorithms, s.tally)
			c.seats = append(c.seats, s)
		}
		c.tallies = append(c.tallies, tally)
	}
	return c, nil
}

// seat builds the judge of one contestant under one limit, sharing views, runners and estimates with the others.
func (c *court) seat(spec limiter.Spec, run limiter.Limit) (*seat, error) {
	limits := spec.Limits(run)
	s := &seat{tally: results.NewAlgorithmTally(spec.String(), limits[0].Max, limits[0].Window), run: run, phased: c.view(run.Window)}
	if bound, ok := spec.Bound(run); ok {
		s.tally.Bound = &bound
	}
	for _, l := range limits {
		s.limits = append(s.limits, judged{Limit: l, view: c.view(l.Window)})
		s.tally.Peaks = append(s.tally.Peaks, results.Peak{Limit: l.Max, WindowNS: l.Window})
	}
	var err error
	if s.own, err = c.runner(spec, run); err != nil {
		return nil, err
	}
	if s.twin, err = c.runner(spec.Twin(c.plan.Edge), run); err != nil {
		return nil, err
	}
	s.worst = func() []int64 { return spec.Worst(run) }
	if id := spec.EstimateID(); id != "" && len(limits) == 1 {
		if s.estimate, err = c.estimate(id, spec, run, limits[0]); err != nil {
			return nil, err
		}
		s.tally.Estimates = true
	}
	return s, nil
}

func (c *court) view(window int64) *view {
	for _, v := range c.views {
		if v.window == window {
			return v
		}
	}
	v := &view{window: window, open: c.plan.Edge == limiter.Open}
	c.views = append(c.views, v)
	return v
}

func (c *court) runner(spec limiter.Spec, run limiter.Limit) (*runner, error) {
	name := fmt.Sprint(spec.String(), spec.Limits(run))
	for _, r := range c.runners {
		if r.name == name {
			return r, nil
		}
	}
	r := &runner{name: name, safe: spec.Safe(run), view: c.view(spec.Limits(run)[0].Window)}
	if foreign, ok := spec.Foreign(); ok {
		r.asked = &asked{ctx: c.ctx, foreign: foreign, limit: spec.Limits(run)[0]}
	} else {
		l, err := spec.New(run)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", spec, err)
		}
		r.limiter = l
	}
	c.runners = append(c.runners, r)
	return r, nil
}

func (c *court) estimate(id string, spec limiter.Spec, run, judged limiter.Limit) (*estimate, error) {
	for _, e := range c.estimates {
		if e.id == id && e.view.window == judged.Window {
			return e, nil
		}
	}
	e := &estimate{id: id, view: c.view(judged.Window), exact: id == "exact:"+c.plan.Edge.String()}
	if !e.exact {
		l, err := spec.New(run)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", spec, err)
		}
		observer, ok := l.(limiter.Estimator)
		if !ok {
			return nil, fmt.Errorf("%s: has an estimate by its table entry but does not implement Estimator", spec)
		}
		e.limiter, e.observer = l, observer
	}
	c.estimates = append(c.estimates, e)
	return e, nil
}

// emptyTallies returns the tallies of a run with nothing in them, to add the workers' to.
func emptyTallies(plan Plan, closedLoop bool) ([]*results.Tally, error) {
	c, err := newCourt(context.Background(), plan, closedLoop, nil)
	if err != nil {
		return nil, err
	}
	return c.tallies, nil
}
