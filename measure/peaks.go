package measure

import (
	"context"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// A PeakCount says how many clients have their busiest window at each level: clients by the most cost that they asked for in
// any closed window [t-W, t], whatever anybody would have decided. The exact log with a limit of at least a client's
// peak refuses it nothing.
type PeakCount map[int64]int64

// Peaks finds the clients' peaks in windows of each length, in the order of lengths.
func Peaks(ctx context.Context, log Log, windows []int64, o Options) ([]PeakCount, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	total := make([]PeakCount, len(windows))
	for i := range total {
		total[i] = PeakCount{}
	}
	var (
		group sync.WaitGroup
		mu    sync.Mutex
		next  atomic.Int64
	)
	for range max(o.Workers, 1) {
		group.Go(func() {
			f := newPeakFinder(windows)
			for shard := int(next.Add(1)) - 1; shard < log.Shards() && ctx.Err() == nil; shard = int(next.Add(1)) - 1 {
				if err := f.shard(ctx, log, shard); err != nil {
					cancel(err)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			for i, counts := range f.counts {
				for peak, n := range counts {
					total[i][peak] += n
				}
			}
		})
	}
	group.Wait()
	return total, context.Cause(ctx)
}

// Quantile returns the least limit that at least that share of the clients stays within.
func (p PeakCount) Quantile(share float64) (limit int64) {
	var clients, within int64
	for _, n := range p {
		clients += n
	}
	for _, peak := range slices.Sorted(maps.Keys(p)) {
		if limit, within = peak, within+p[peak]; float64(within) >= share*float64(clients) {
			break
		}
	}
	return limit
}

// Clients returns how many there are.
func (p PeakCount) Clients() (clients int64) {
	for _, n := range p {
		clients += n
	}
	return clients
}

// Sweep returns limits worth looking at, of the series 1, 2, 5, 10: from one that half of the clients exceed, or 16 steps lower
// than the last, to one that nobody does.
func (p PeakCount) Sweep() (limits []int64) {
	const most = 16
	low, high := p.Quantile(0.5), p.Quantile(1)
	for base := int64(1); base <= math.MaxInt64/10; base *= 10 {
		for _, m := range []int64{1, 2, 5} {
			limit := m * base
			if 2*limit+base/2 >= low || limit >= low {
				limits = append(limits, limit)
			}
			if limit >= high {
				return limits[max(0, len(limits)-most):]
			}
		}
	}
	return limits
}

// A peakFinder looks at one client after another.
type peakFinder struct {
	windows []int64
	counts  []PeakCount

	// Of the client at hand: the requests that some window may still reach, and for each window where it begins in them,
	// what it holds, and the most that it has held.
	times, costs []int64
	low          []int
	held, peak   []int64
}

func newPeakFinder(windows []int64) *peakFinder {
	f := &peakFinder{windows: windows, low: make([]int, len(windows)), held: make([]int64, len(windows)), peak: make([]int64, len(windows))}
	for range windows {
		f.counts = append(f.counts, PeakCount{})
	}
	return f
}

func (f *peakFinder) shard(ctx context.Context, log Log, shard int) error {
	var times, costs [block]int64
	return log.Visit(ctx, shard, func(_ string, read func(times, costs []int64) (int, error)) error {
		f.times, f.costs = f.times[:0], f.costs[:0]
		clear(f.low)
		clear(f.held)
		clear(f.peak)
		for {
			into := costs[:]
			if !log.Costly() {
				into = nil
			}
			n, err := read(times[:], into)
			if err != nil {
				return err
			}
			if n == 0 {
				break
			}
			f.see(times[:n], into)
		}
		for i, peak := range f.peak {
			f.counts[i][peak]++
		}
		return ctx.Err()
	})
}

// see takes the client's next requests; nil costs are 1.
func (f *peakFinder) see(times, costs []int64) {
	for k, t := range times {
		cost := int64(1)
		if costs != nil {
			cost = costs[k]
		}
		f.times, f.costs = append(f.times, t), append(f.costs, cost)
		for i, w := range f.windows {
			f.held[i] += cost
			for uint64(t)-uint64(f.times[f.low[i]]) > uint64(w) {
				f.held[i] -= f.costs[f.low[i]]
				f.low[i]++
			}
			f.peak[i] = max(f.peak[i], f.held[i])
		}
	}
	// Forget what no window reaches, once that is most.
	gone := len(f.times)
	for _, low := range f.low {
		gone = min(gone, low)
	}
	if gone > len(f.times)/2 {
		f.times = f.times[:copy(f.times, f.times[gone:])]
		f.costs = f.costs[:copy(f.costs, f.costs[gone:])]
		for i := range f.low {
			f.low[i] -= gone
		}
	}
}
