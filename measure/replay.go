package measure

import (
	"context"
	"fmt"
	"math"

	"github.com/rlbench/rlbench/results"
)

// Clients are the requests of a trace by client. Client returns the times of client i in ascending order and the costs
// beside them, nil where every cost is 1.
type Clients interface {
	Clients() int
	Client(i int) (key string, times, costs []int64)
}

// Replay judges the plan's contestants on a trace and returns a tally for each limit. When the context ends it returns
// what was measured so far, whole clients only, together with the context's error.
func Replay(ctx context.Context, clients Clients, plan Plan, o Options) ([]*results.Tally, error) {
	return o.parallel(ctx, plan, false, int64(clients.Clients()), func(c *court) func(int64) error {
		return func(i int64) error {
			key, times, costs := clients.Client(int(i))
			if o.Shard.Count > 1 && !o.Shard.Holds(key) {
				return nil
			}
			if err := checkCosts(key, costs); err != nil {
				return err
			}
			return c.openLoop(key, costs != nil, func(h *history) bool {
				n := min(block, len(times))
				if costs == nil {
					h.times = append(h.times, times[:n]...)
				} else {
					h.appendCosts(times[:n], costs[:n])
					costs = costs[n:]
				}
				times = times[n:]
				return len(times) > 0
			})
		}
	})
}

// appendCosts appends requests with costs, but for those that cost nothing: they are only counted.
func (h *history) appendCosts(times, costs []int64) {
	for i, cost := range costs {
		if cost == 0 {
			h.free++
			continue
		}
		h.times = append(h.times, times[i])
		h.costs = append(h.costs, cost)
	}
}

// checkCosts refuses a client whose costs do not add up within int64: its sums could not be told apart.
func checkCosts(key string, costs []int64) error {
	var sum int64
	for _, cost := range costs {
		if cost > math.MaxInt64-sum {
			return fmt.Errorf("the costs of client %q add up to more than %d: use a larger cost unit", key, int64(math.MaxInt64))
		}
		sum += cost
	}
	return nil
}
