package measure

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/rlbench/rlbench/generators"
	"github.com/rlbench/rlbench/results"
)

// Run judges the plan's contestants on generated traffic and returns a tally for each limit. When the context ends it
// returns what was measured so far, whole clients only, together with the context's error.
func Run(ctx context.Context, traffic *generators.Traffic, plan Plan, o Options) ([]*results.Tally, error) {
	clients := traffic.Workload().Clients
	shard := o.Shard
	if shard.Count == 0 {
		shard.Count = 1
	}
	first, step := int64(shard.Index), int64(shard.Count)
	return o.parallel(ctx, plan, traffic.Closed(), (clients-first+step-1)/step, func(c *court) func(int64) error {
		player := traffic.NewPlayer()
		return func(k int64) error { return c.play(player, first+k*step) }
	})
}

// play judges one generated client.
func (c *court) play(player *generators.Player, client int64) error {
	key := generators.Key(client)
	if !player.ClosedLoop(client) {
		src := player.Open(client, generators.Face{Max: c.plan.Limits[0].Max, Window: c.plan.Limits[0].Window}).(generators.Filler)
		return c.openLoop(key, false, func(h *history) (bool, error) {
			from := len(h.times)
			h.times = grown(h.times, block)
			n := src.Fill(h.times[from:])
			h.times = h.times[:from+n]
			return n == block, nil
		})
	}
	for _, s := range c.seats {
		face := generators.Face{Max: s.limits[0].Max, Window: s.limits[0].Window, Worst: s.worst}
		if err := c.closedLoop(s, key, player.Open(client, face)); err != nil {
			return err
		}
	}
	c.close()
	return nil
}

// grown returns the slice with n more elements of any value.
func grown(s []int64, n int) []int64 {
	if len(s)+n > cap(s) {
		s = append(make([]int64, 0, 2*len(s)+n), s...)
	}
	return s[:len(s)+n]
}

// parallel judges clients 0 to n-1, in any order, with one court for each worker, and adds the courts' tallies up: they
// are integers, so that the sum does not depend on who did what.
func (o Options) parallel(ctx context.Context, plan Plan, closedLoop bool, n int64, worker func(*court) func(client int64) error) ([]*results.Tally, error) {
	total, err := emptyTallies(plan, closedLoop)
	if err != nil {
		return nil, err
	}
	if err := checkTargets(ctx, plan); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		next atomic.Int64
	)
	stride := min(max(n/int64(max(o.Workers, 1))/64, 1), 64) // clients handed out at a time
	for range min(max(int64(o.Workers), 1), max(n, 1)) {
		c, err := newCourt(ctx, plan, closedLoop, o.Progress)
		if err != nil {
			return nil, err
		}
		wg.Go(func() {
			judge := worker(c)
			for ctx.Err() == nil {
				begin := next.Add(stride) - stride
				if begin >= n {
					break
				}
				for k := begin; k < min(begin+stride, n) && ctx.Err() == nil; k++ {
					if err := judge(k); err != nil {
						cancel(err)
					}
				}
			}
			c.leave()
			mu.Lock()
			defer mu.Unlock()
			for i, t := range c.tallies {
				total[i].Add(t)
			}
		})
	}
	wg.Wait()
	return total, context.Cause(ctx)
}
