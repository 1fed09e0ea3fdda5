package measure

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/rlbench/rlbench/results"
)

// A Log is the requests of a trace, its clients divided into shards. Visit calls visit with each client of a shard; read fills
// times, ascending, and costs, unless it is nil, with the client's next requests and returns how many, 0 at the end. Every cost is 1
// unless Costly. Visit is called from several goroutines.
type Log interface {
	Shards() int
	Costly() bool
	Visit(ctx context.Context, shard int, visit func(key string, read func(times, costs []int64) (int, error)) error) error
}

// Replay judges the plan's contestants on a trace and returns a tally for each limit: one shard of the trace after the other by
// each worker, and their tallies add up. When the context ends it returns what was measured so far, whole clients only,
// together with the context's error.
func Replay(ctx context.Context, log Log, plan Plan, o Options) ([]*results.Tally, error) {
	var mu sync.Mutex
	var surveys []*survey
	tallies, err := o.parallel(ctx, plan, false, int64(log.Shards()), func(c *court) func(int64) error {
		w := &clerk{court: c, costly: log.Costly()}
		if o.Traffic != nil {
			w.survey = newSurvey()
			mu.Lock()
			defer mu.Unlock()
			surveys = append(surveys, w.survey)
		}
		return func(shard int64) error {
			return log.Visit(c.ctx, int(shard), func(key string, read func(times, costs []int64) (int, error)) error {
				if !o.Shard.Holds(key) {
					return nil
				}
				return w.bring(key, read)
			})
		}
	})
	for _, s := range surveys {
		o.Traffic.Add(s.tally)
	}
	return tallies, err
}

// A clerk brings clients of a trace before a court.
type clerk struct {
	court  *court
	survey *survey // nil if nobody wants to know
	costly bool
	costlyFeed
}

// bring judges one client.
func (w *clerk) bring(key string, read func(times, costs []int64) (int, error)) error {
	if w.survey == nil {
		return w.judge(key, read)
	}
	w.survey.reset()
	err := w.judge(key, func(times, costs []int64) (int, error) {
		n, err := read(times, costs)
		w.survey.see(times[:n])
		return n, err
	})
	if err == nil {
		w.survey.close(key)
	}
	return err
}

func (w *clerk) judge(key string, read func(times, costs []int64) (int, error)) error {
	if w.costly {
		return w.court.openLoop(key, true, w.client(key, read))
	}
	return w.court.openLoop(key, false, func(h *history) (bool, error) {
		from := len(h.times)
		h.times = grown(h.times, block)
		n, err := read(h.times[from:], nil)
		h.times = h.times[:from+n]
		return n > 0, err
	})
}

// A costlyFeed feeds requests with costs.
type costlyFeed struct{ times, costs [block]int64 }

// client begins a client. It is refused if its costs do not add up within int64: its sums could not be told apart.
func (f *costlyFeed) client(key string, read func(times, costs []int64) (int, error)) feed {
	var sum int64
	return func(h *history) (bool, error) {
		n, err := read(f.times[:], f.costs[:])
		if err != nil {
			return false, err
		}
		for _, cost := range f.costs[:n] {
			if cost > math.MaxInt64-sum {
				return false, fmt.Errorf("the costs of client %q add up to more than %d: use a larger cost unit", key, int64(math.MaxInt64))
			}
			sum += cost
		}
		h.appendCosts(f.times[:n], f.costs[:n])
		return n > 0, nil
	}
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
