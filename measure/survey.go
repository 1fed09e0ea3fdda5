package measure

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/rlbench/rlbench/results"
)

// Survey looks at the requests of a trace without judging anybody. On an error nothing is returned.
func Survey(ctx context.Context, log Log, o Options) (*results.TrafficTally, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	total := results.NewTrafficTally()
	var (
		group sync.WaitGroup
		mu    sync.Mutex
		next  atomic.Int64
	)
	for range max(o.Workers, 1) {
		group.Go(func() {
			s := newSurvey()
			for shard := int(next.Add(1)) - 1; shard < log.Shards() && ctx.Err() == nil; shard = int(next.Add(1)) - 1 {
				if err := s.shard(ctx, log, shard, o); err != nil {
					cancel(err)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			total.Add(s.tally)
		})
	}
	group.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return total, nil
}

// A survey looks at one client after another.
type survey struct {
	tally   *results.TrafficTally
	windows []surveyWindow

	// Of the client at hand:
	requests int64
	recent   []int64 // times that some window may still reach
	searched int     // of them were searched for peaks
}

// A surveyWindow is a survey's state for one length of window.
type surveyWindow struct {
	length int64

	low    int // the oldest of the recent requests that is in the window
	peak   int64
	peakAt int64

	first, start int64 // where the client's first aligned window begins, and the one at hand
	count        uint64
	squares      uint64
}

func newSurvey() *survey {
	s := &survey{tally: results.NewTrafficTally()}
	for _, w := range results.TrafficWindows {
		s.windows = append(s.windows, surveyWindow{length: w})
	}
	return s
}

// shard looks at a shard.
func (s *survey) shard(ctx context.Context, log Log, shard int, o Options) error {
	var times [block]int64
	return log.Visit(ctx, shard, func(key string, read func(times, costs []int64) (int, error)) error {
		if !o.Shard.Holds(key) {
			return nil
		}
		s.reset()
		for {
			n, err := read(times[:], nil)
			if err != nil {
				return err
			}
			if n == 0 {
				break
			}
			s.see(times[:n])
		}
		if o.Progress != nil {
			o.Progress(s.requests)
		}
		s.close(key)
		return ctx.Err()
	})
}

func (s *survey) reset() {
	s.requests, s.recent, s.searched = 0, s.recent[:0], 0
	for i := range s.windows {
		s.windows[i] = surveyWindow{length: s.windows[i].length}
	}
}

// see takes the client's next requests.
func (s *survey) see(times []int64) {
	if len(times) == 0 {
		return
	}
	if s.requests == 0 {
		for i := range s.windows {
			w := &s.windows[i]
			w.first = times[0] - floorMod(times[0], w.length)
			w.start = w.first
		}
	}
	for i := range s.windows {
		s.windows[i].disperse(times)
	}
	s.requests += int64(len(times))
	if s.recent = append(s.recent, times...); len(s.recent)-s.searched >= 8*block {
		s.search()
	}
}

// search finds the peaks that end at the times not yet searched, and forgets what no window reaches any more.
func (s *survey) search() {
	low := len(s.recent)
	for i := range s.windows {
		w := &s.windows[i]
		w.peaks(s.recent, s.searched)
		low = min(low, w.low)
	}
	s.searched = len(s.recent)
	if low > len(s.recent)/2 {
		s.recent = s.recent[:copy(s.recent, s.recent[low:])]
		s.searched -= low
		for i := range s.windows {
			s.windows[i].low -= low
		}
	}
}

// peaks finds the fullest window (t-W, t] that ends at one of the times from index from on.
func (w *surveyWindow) peaks(times []int64, from int) {
	low := w.low
	for i := from; i < len(times); i++ {
		t := times[i]
		for uint64(t)-uint64(times[low]) >= uint64(w.length) {
			low++
		}
		if held := int64(i - low + 1); held > w.peak {
			w.peak, w.peakAt = held, t
		}
	}
	w.low = low
}

// disperse counts requests by aligned window.
func (w *surveyWindow) disperse(times []int64) {
	start, count, length := w.start, w.count, uint64(w.length)
	for _, t := range times {
		if e := uint64(t) - uint64(start); e >= length {
			w.squares += count * count
			if e < 2*length { // the next window
				start += w.length
			} else {
				start = t - floorMod(t, w.length)
			}
			count = 0
		}
		count++
	}
	w.start, w.count = start, count
}

// close counts the client, whose requests are all seen.
func (s *survey) close(key string) {
	if s.requests == 0 {
		return
	}
	s.tally.AddClient(key, s.requests)
	for i := range s.windows { // a client with fewer requests than a peak has none like it
		if s.requests >= s.tally.Windows[i].Peak.Max {
			s.search()
			break
		}
	}
	for i := range s.windows {
		w, sum := &s.windows[i], &s.tally.Windows[i]
		sum.Peak.Offer(w.peak, key, w.peakAt)
		sum.Disperse(s.requests, int64((uint64(w.start)-uint64(w.first))/uint64(w.length))+1, w.squares+w.count*w.count)
	}
}
