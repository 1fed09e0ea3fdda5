package measure

import (
	"context"
	"errors"
	"fmt"

	"github.com/rlbench/rlbench/generators"
	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/results"
)

// TimelineKey is the client of a timeline whose arrivals are given by hand.
const TimelineKey = "client"

// Timeline judges the contestants on the arrivals of one client, under the plan's first limit, and keeps every
// decision with what the contestant held against the client before it. The arrivals must ascend in time.
func Timeline(plan Plan, key string, arrivals []generators.Arrival) (results.Run, error) {
	if len(arrivals) == 0 {
		return results.Run{}, errors.New("no arrivals to decide")
	}
	if len(plan.Limits) != 1 {
		return results.Run{}, fmt.Errorf("a timeline takes one limit, not %d", len(plan.Limits))
	}
	tallies, err := Replay(context.Background(), oneClient{key, arrivals}, plan, Options{})
	if err != nil {
		return results.Run{}, err
	}
	limit := plan.Limits[0]
	run := results.Run{
		Limit: limit.Max, WindowNS: limit.Window, Edge: plan.Edge.String(), Placement: "asis",
		SpanNS: arrivals[len(arrivals)-1].Time - arrivals[0].Time,
	}
	tallies[0].Fill(&run)

	run.Decisions = make([]results.Decision, len(arrivals))
	for i, a := range arrivals {
		run.Decisions[i] = results.Decision{TNS: a.Time, Key: key, Cost: a.Cost, By: map[string]results.Verdict{}}
	}
	for _, spec := range plan.Contestants {
		verdicts, err := explain(spec.WithEdge(plan.Edge), limit, arrivals)
		if err != nil {
			return results.Run{}, fmt.Errorf("%s: %w", spec, err)
		}
		for i := range verdicts {
			run.Decisions[i].By[spec.String()] = verdicts[i]
		}
	}
	return run, nil
}

// explain returns the decisions of one contestant with what it held against the client before each, if it tells.
func explain(spec limiter.Spec, limit limiter.Limit, arrivals []generators.Arrival) ([]results.Verdict, error) {
	verdicts := make([]results.Verdict, len(arrivals))
	if foreign, ok := spec.Foreign(); ok {
		return verdicts, askAll(foreign, spec.Limits(limit)[0], arrivals, verdicts)
	}
	l, err := spec.New(limit)
	if err != nil {
		return nil, err
	}
	window := spec.Limits(limit)[0].Window
	for i, a := range arrivals {
		if viewer, ok := l.(limiter.Viewer); ok {
			count := viewer.Count(a.Time)
			verdicts[i] = results.NewVerdict(false, count.Whole, count.Part, count.Num, window)
		}
		verdicts[i].Admitted = l.Allow(a.Time, a.Cost)
	}
	return verdicts, nil
}

func askAll(foreign limiter.Foreign, limit limiter.Limit, arrivals []generators.Arrival, verdicts []results.Verdict) (err error) {
	ctx := context.Background()
	target, err := foreign.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	if err := target.Configure(ctx, limit); err != nil {
		return err
	}
	requests, answers := make([]limiter.Request, len(arrivals)), make([]limiter.Answer, len(arrivals))
	for i, a := range arrivals {
		requests[i] = limiter.Request{Key: TimelineKey, Time: a.Time, Cost: a.Cost}
	}
	if err := target.Decide(ctx, requests, answers); err != nil {
		return err
	}
	for i := range answers {
		verdicts[i].Admitted = answers[i].Admitted
	}
	return nil
}

// oneClient is a trace of one client.
type oneClient struct {
	key      string
	arrivals []generators.Arrival
}

func (c oneClient) Shards() int  { return 1 }
func (c oneClient) Costly() bool { return true }

func (c oneClient) Visit(_ context.Context, _ int, visit func(key string, read func(times, costs []int64) (int, error)) error) error {
	left := c.arrivals
	return visit(c.key, func(times, costs []int64) (int, error) {
		n := min(len(times), len(left))
		for i, a := range left[:n] {
			times[i], costs[i] = a.Time, a.Cost
		}
		left = left[n:]
		return n, nil
	})
}
