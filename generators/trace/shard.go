package trace

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"

	"github.com/cespare/xxhash/v2"
)

// A sorter makes runs of packed requests: as many at a time as its budget allows. It is the memory of one worker.
type sorter struct {
	budget int64

	keys    keys
	clients []uint32 // of each request, in input order
	times   []int64
	costs   []int64 // as times; empty as long as every cost is 1

	starts      []int // once sorted: the first request of each client, and the end
	places      []int
	sortedTimes []int64
	sortedCosts []int64 // empty if every cost is 1

	order []uint32 // scratch
	pairs []pair
	buf   []byte
}

// The bytes that the sorter takes for a request, with and without costs, and for a client beside its key.
const (
	requestBytes = 4 + 2*8
	costlyBytes  = requestBytes + 2*8 + 16
	clientBytes  = 8 + 8 + 2*4*2 + 8 + 8 + 4
)

// reset forgets everything but the memory.
func (s *sorter) reset() {
	s.keys.reset()
	s.clients, s.times, s.costs = s.clients[:0], s.times[:0], s.costs[:0]
}

// expect takes memory for n requests, or for as many as the budget allows.
func (s *sorter) expect(n int64, costly bool) {
	n = min(n, s.budget/requestBytes)
	s.clients, s.times = slices.Grow(s.clients, int(n)), slices.Grow(s.times, int(n))
	if costly {
		s.costs = slices.Grow(s.costs, int(n))
	}
}

// full reports whether what the sorter holds should become a run.
func (s *sorter) full() bool {
	each := int64(requestBytes)
	if len(s.costs) > 0 {
		each = costlyBytes
	}
	return int64(len(s.times))*each+int64(s.keys.len())*clientBytes+int64(len(s.keys.text)) >= s.budget
}

// unpack takes requests of a chunk, and calls cut whenever the budget is used up.
func (s *sorter) unpack(chunk []byte, cut func() error) error {
	r := segmentReader{data: chunk}
	for r.left > 0 || len(r.data) > 0 {
		if r.left == 0 && s.full() {
			if err := cut(); err != nil {
				return err
			}
		}
		key, t, cost, ok := r.next()
		if !ok {
			return errDamaged
		}
		s.clients = append(s.clients, s.keys.number(xxhash.Sum64(key), key))
		s.times = append(s.times, t)
		if len(s.costs) == 0 {
			if cost == 1 {
				continue
			}
			s.costs = appendOnes(s.costs, len(s.times)-1)
		}
		s.costs = append(s.costs, cost)
	}
	return nil
}

// sort groups the requests by client, each client's in time order, ties in input order.
func (s *sorter) sort() {
	n := s.keys.len()
	s.starts = append(s.starts[:0], make([]int, n+1)...)
	for _, c := range s.clients {
		s.starts[c+1]++
	}
	for i := range n {
		s.starts[i+1] += s.starts[i]
	}
	s.places = append(s.places[:0], s.starts[:n]...)
	s.sortedTimes = sized(s.sortedTimes, len(s.times))
	s.sortedCosts = sized(s.sortedCosts, len(s.costs))
	if len(s.costs) == 0 {
		for i, c := range s.clients {
			at := s.places[c]
			s.places[c]++
			s.sortedTimes[at] = s.times[i]
		}
	} else {
		for i, c := range s.clients {
			at := s.places[c]
			s.places[c]++
			s.sortedTimes[at], s.sortedCosts[at] = s.times[i], s.costs[i]
		}
	}
	for i := range n {
		times, costs := s.requests(i)
		switch {
		case slices.IsSorted(times):
		case costs == nil:
			slices.Sort(times)
		default:
			s.sortPairs(times, costs)
		}
	}
}

func sized(s []int64, n int) []int64 {
	if cap(s) < n {
		return make([]int64, n)
	}
	return s[:n]
}

// A pair is a request as it is sorted with its cost.
type pair struct{ time, cost int64 }

func (s *sorter) sortPairs(times, costs []int64) {
	s.pairs = s.pairs[:0]
	for i, t := range times {
		s.pairs = append(s.pairs, pair{t, costs[i]})
	}
	slices.SortStableFunc(s.pairs, func(a, b pair) int { return cmp.Compare(a.time, b.time) })
	for i, p := range s.pairs {
		times[i], costs[i] = p.time, p.cost
	}
}

// requests returns the sorted requests of a client. costs is nil if all are 1.
func (s *sorter) requests(client int) (times, costs []int64) {
	from, to := s.starts[client], s.starts[client+1]
	if len(s.sortedCosts) > 0 {
		costs = s.sortedCosts[from:to]
	}
	return s.sortedTimes[from:to], costs
}

// write writes what the sorter has sorted as a run, or as the next part of one.
func (s *sorter) write(w *runWriter) {
	s.order = s.order[:0]
	for i := range s.keys.len() {
		s.order = append(s.order, uint32(i))
	}
	sort.Slice(s.order, func(a, b int) bool {
		i, j := s.order[a], s.order[b]
		if h, k := s.keys.hashes[i], s.keys.hashes[j]; h != k {
			return h < k
		}
		return bytes.Compare(s.keys.key(i), s.keys.key(j)) < 0
	})
	for _, c := range s.order {
		times, costs := s.requests(int(c))
		if !slices.ContainsFunc(costs, func(cost int64) bool { return cost != 1 }) {
			costs = nil // whatever the others of the shard cost, so that a run does not depend on its division
		}
		w.client(s.keys.key(c), int64(len(times)), unitOf(times), costs != nil)
		w.requests(times, costs)
	}
}

// The runs that are merged at a time at most, and the least and most that is read of each at a time.
const (
	mostRuns  = 256
	leastRead = 4 << 10
	mostRead  = 256 << 10
)

// open reads a shard. Either the sorter holds all of it, sorted, and m is nil, or m merges its runs.
func (t *Trace) open(ctx context.Context, s *sorter, shard int) (m *merger, err error) {
	if len(t.binaries) > 0 {
		return t.mergeBinaries(shard)
	}
	var runs [][]extent
	cut := func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		run, err := t.spillRun(s)
		runs = append(runs, run)
		s.reset()
		return err
	}
	s.reset()
	s.expect(t.store.shards[shard].requests, t.stats.Costly)
	s.buf, err = t.store.each(shard, s.buf, func(chunk []byte) error { return s.unpack(chunk, cut) })
	if err == errDamaged {
		err = fmt.Errorf("the temporary file: %w", err)
	}
	if err != nil {
		return nil, err
	}
	if len(runs) == 0 {
		s.sort()
		return nil, nil
	}
	if len(s.times) > 0 {
		if err := cut(); err != nil {
			return nil, err
		}
	}
	for len(runs) > t.mostRuns {
		if runs, err = t.fewer(ctx, runs, s.budget); err != nil {
			return nil, err
		}
	}
	return t.mergeRuns(runs, s.budget)
}

// spillRun writes what the sorter holds to the spill.
func (t *Trace) spillRun(s *sorter) (run []extent, err error) {
	w := t.spillWriter(&run, s.budget)
	s.sort()
	s.write(w)
	err = w.close()
	return run, err
}

func (t *Trace) spillWriter(run *[]extent, budget int64) *runWriter {
	return newRunWriter(int(min(max(budget/8, leastRead), mostRead)), func(data []byte) error {
		e, err := t.store.spill.append(data)
		*run = append(*run, e)
		return err
	})
}

func (t *Trace) mergeRuns(runs [][]extent, budget int64) (*merger, error) {
	size := int(min(max(budget/int64(len(runs)), leastRead), mostRead))
	readers := make([]*runReader, len(runs))
	for i, run := range runs {
		readers[i] = &runReader{name: "the temporary file", more: extentReader(t.store.spill, run, size)}
	}
	return newMerger(readers)
}

// fewer merges neighbouring runs, as many at a time as can be merged.
func (t *Trace) fewer(ctx context.Context, runs [][]extent, budget int64) (merged [][]extent, err error) {
	for group := range slices.Chunk(runs, t.mostRuns) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m, err := t.mergeRuns(group, budget)
		if err != nil {
			return nil, err
		}
		var run []extent
		w := t.spillWriter(&run, budget)
		if err := m.write(ctx, w); err != nil {
			return nil, err
		}
		if err := w.close(); err != nil {
			return nil, err
		}
		merged = append(merged, run)
	}
	return merged, nil
}

// write writes what is merged as a run, or as the next part of one.
func (m *merger) write(ctx context.Context, w *runWriter) error {
	var times, costs [512]int64
	for {
		key, costly, ok, err := m.next()
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || !ok {
			return err
		}
		w.client(key, m.count(), m.unit(), costly)
		for {
			n, err := m.read(times[:], costs[:])
			if err != nil {
				return err
			}
			if n == 0 {
				break
			}
			w.requests(times[:n], costs[:n])
		}
	}
}

// visit calls visit with each client that the sorter holds.
func (s *sorter) visit(visit Visitor) error {
	var times, costs []int64
	read := func(t, c []int64) (int, error) {
		n := copy(t, times)
		times = times[n:]
		switch {
		case c == nil:
		case costs != nil:
			costs = costs[copy(c, costs[:n]):]
		default:
			for i := range c[:n] {
				c[i] = 1
			}
		}
		return n, nil
	}
	for i := range s.keys.len() {
		times, costs = s.requests(i)
		if err := visit(string(s.keys.key(uint32(i))), read); err != nil {
			return err
		}
	}
	return nil
}

// visit calls visit with each client that is merged.
func (m *merger) visit(visit Visitor) error {
	var rest [512]int64
	for {
		key, _, ok, err := m.next()
		if err != nil || !ok {
			return err
		}
		if err := visit(string(key), m.read); err != nil {
			return err
		}
		for n := 1; n > 0; { // what visit did not read
			if n, err = m.read(rest[:], nil); err != nil {
				return err
			}
		}
	}
}
