package measure

import (
	"context"
	"errors"
	"fmt"

	"github.com/rlbench/rlbench/generators"
	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/results"
)

// TimelineKey is the client of a timeline.
const TimelineKey = "client"

// Timeline judges the contestants on explicit arrivals of one client, under the plan's first limit, and keeps every
// decision with what the contestant held against the client before it. The arrivals must ascend in time.
func Timeline(plan Plan, arrivals []generators.Arrival) (results.Run, error) {
	if len(arrivals) == 0 {
		return results.Run{}, errors.New("no arrivals to decide")
	}
	if len(plan.Limits) != 1 {
		return results.Run{}, fmt.Errorf("a timeline takes one limit, not %d", len(plan.Limits))
	}
	tallies, err := Replay(context.Background(), oneClient(arrivals), plan, Options{})
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
		run.Decisions[i] = results.Decision{TNS: a.Time, Key: TimelineKey, Cost: a.Cost, By: map[string]results.Verdict{}}
	}
	for _, spec := range plan.Contestants {
		l, err := spec.WithEdge(plan.Edge).New(limit)
		if err != nil {
			return results.Run{}, fmt.Errorf("%s: %w", spec, err)
		}
		window := spec.Limits(limit)[0].Window
		for i, a := range arrivals {
			verdict := results.Verdict{}
			if viewer, ok := l.(limiter.Viewer); ok {
				count := viewer.Count(a.Time)
				verdict = results.NewVerdict(false, count.Whole, count.Part, count.Num, window)
			}
			verdict.Admitted = l.Allow(a.Time, a.Cost)
			run.Decisions[i].By[spec.String()] = verdict
		}
	}
	return run, nil
}

// oneClient is a trace of one client.
type oneClient []generators.Arrival

func (c oneClient) Shards() int  { return 1 }
func (c oneClient) Costly() bool { return true }

func (c oneClient) Visit(_ context.Context, _ int, visit func(key string, read func(times, costs []int64) (int, error)) error) error {
	left := c
	return visit(TimelineKey, func(times, costs []int64) (int, error) {
		n := min(len(times), len(left))
		for i, a := range left[:n] {
			times[i], costs[i] = a.Time, a.Cost
		}
		left = left[n:]
		return n, nil
	})
}
