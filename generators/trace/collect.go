package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/gzip"
)

// chunkSize is how many requests a chunk holds; memory is taken in such steps.
const chunkSize = 1 << 16

// A chunk is a run of requests in input order.
type chunk struct {
	clients []uint32
	times   []int64
	costs   []int64 // nil if every cost is 1
}

// A collector puts blocks together, in input order.
type collector struct {
	keys   keys
	chunks []chunk
	counts []int // requests of each client
	costly bool  // whether any chunk has costs
	stats  Stats

	file  int   // of the last block
	lines int64 // of that file so far
	most  int64 // the largest time of that file so far
}

func newCollector(files []string) *collector {
	return &collector{file: -1, stats: Stats{
		Files: slices.Clone(files), FirstNS: math.MaxInt64, LastNS: math.MinInt64, ResolutionNS: 1e9,
	}}
}

// add takes the requests of a block over.
func (c *collector) add(b *block, allowTruncated bool) error {
	name := displayName(c.stats.Files[b.file])
	if b.file != c.file {
		c.file, c.lines, c.most = b.file, 0, math.MinInt64
	}
	if b.format != nil {
		c.stats.Format = b.format.Name
	}
	l := &b.lines
	for _, bad := range l.bad {
		if len(c.stats.Bad) < badLinesKept {
			c.stats.Bad = append(c.stats.Bad, BadLine{name, c.lines + bad.number, reasons[bad.why], bad.text})
		}
	}
	c.lines += l.total
	c.stats.Lines += l.total
	c.stats.Skipped += l.skipped
	c.stats.Ignored += l.ignored
	c.stats.Filtered += l.filtered
	c.stats.Parsed += int64(len(l.times))
	if err := c.addRequests(l); err != nil {
		return err
	}
	switch {
	case b.err == nil:
	case !b.early:
		return b.err
	case !allowTruncated:
		return fmt.Errorf("%s ends early, after line %d (%w): --allow-truncated takes what is there", name, c.lines, because(b.err))
	default:
		c.stats.Warnings = append(c.stats.Warnings, fmt.Sprintf("%s ends early, after line %d (%v)", name, c.lines, because(b.err)))
	}
	return nil
}

// because puts the error of a cut or spoilt file in words.
func because(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("its compressed data is cut: %w", err)
	case errors.Is(err, gzip.ErrHeader):
		return fmt.Errorf("what follows is not gzip data: %w", err)
	}
	return err
}

func (c *collector) addRequests(l *lines) error {
	from := 0
	for i, t := range l.times {
		client := c.keys.number(l.hashes[i], l.keys[from:l.ends[i]])
		from = l.ends[i]
		if int(client) == len(c.counts) {
			if client == mostClients {
				return fmt.Errorf("more than %d clients: split the input by client", uint32(mostClients))
			}
			c.counts = append(c.counts, 0)
		}
		c.counts[client]++
		if t < c.most {
			c.stats.Late++
			c.stats.WorstStepBackNS = max(c.stats.WorstStepBackNS, stepBack(c.most, t))
		} else {
			c.most = t
		}
		c.stats.FirstNS, c.stats.LastNS = min(c.stats.FirstNS, t), max(c.stats.LastNS, t)
		for t%c.stats.ResolutionNS != 0 {
			c.stats.ResolutionNS /= 10
		}
		cost := int64(1)
		if len(l.costs) > 0 {
			cost = l.costs[i]
		}
		c.append(client, t, cost)
	}
	return nil
}

func (c *collector) append(client uint32, t, cost int64) {
	if n := len(c.chunks); n == 0 || len(c.chunks[n-1].times) == chunkSize {
		c.chunks = append(c.chunks, chunk{})
		if n > 0 { // the first one grows as needed, so that a small trace is small
			c.chunks[n] = chunk{clients: make([]uint32, 0, chunkSize), times: make([]int64, 0, chunkSize)}
		}
	}
	k := &c.chunks[len(c.chunks)-1]
	k.clients, k.times = append(k.clients, client), append(k.times, t)
	if k.costs == nil {
		if cost == 1 {
			return
		}
		c.costly = true
		k.costs = appendOnes(make([]int64, 0, chunkSize), len(k.times)-1)
	}
	k.costs = append(k.costs, cost)
}

// trace sorts what was collected by client and time, or says why it is not good enough.
func (c *collector) trace(workers int) (*Trace, error) {
	s := &c.stats
	first := ""
	if len(s.Bad) > 0 {
		first = "; the first: " + s.Bad[0].String()
	}
	switch {
	case s.Parsed == 0 && s.Skipped == 0:
		return nil, fmt.Errorf("no request in %s of %s: name a log that has some", plural(int(s.Lines), "line"), fileList(s.Files))
	case s.Parsed < s.Skipped:
		return nil, fmt.Errorf("more lines skipped (%d) than read (%d) of %s as format %s: name the right one with --format%s",
			s.Skipped, s.Parsed, fileList(s.Files), s.Format, first)
	}
	t := &Trace{keys: &c.keys, start: make([]int, len(c.counts)+1), stats: *s}
	for i, n := range c.counts {
		t.start[i+1] = t.start[i] + n
	}
	copy(c.counts, t.start) // from here on the place of each client's next request
	places := c.counts
	t.times = make([]int64, s.Parsed)
	for i := range c.chunks {
		k := &c.chunks[i]
		for j, client := range k.clients {
			t.times[places[client]] = k.times[j]
			places[client]++
		}
		k.times = nil
	}
	if c.costly {
		copy(places, t.start)
		t.costs = c.scatterCosts(places)
	}
	c.chunks, c.counts = nil, nil
	c.keys.hashes, c.keys.slots = nil, nil // no more keys come
	t.stats.Digest = fmt.Sprintf("%016x", t.sortClients(workers))
	return t, nil
}

func (c *collector) scatterCosts(places []int) []int64 {
	costs := make([]int64, c.stats.Parsed)
	for i := range c.chunks {
		k := &c.chunks[i]
		for j, client := range k.clients {
			cost := int64(1)
			if k.costs != nil {
				cost = k.costs[j]
			}
			costs[places[client]] = cost
			places[client]++
		}
		*k = chunk{}
	}
	return costs
}

// sortClients sorts each client's requests by time and returns the sum of their hashes.
func (t *Trace) sortClients(workers int) (digest uint64) {
	const batch = 1024
	var next, sum atomic.Uint64
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			var h xxhash.Digest
			for {
				from := int(next.Add(batch)) - batch
				if from >= t.Clients() {
					return
				}
				for i := from; i < min(from+batch, t.Clients()); i++ {
					sum.Add(t.sortClient(i, &h))
				}
			}
		})
	}
	group.Wait()
	return sum.Load()
}

func (t *Trace) sortClient(i int, h *xxhash.Digest) (digest uint64) {
	_, times, costs := t.Client(i)
	if !slices.IsSorted(times) {
		if costs == nil {
			slices.Sort(times)
		} else {
			sort.Stable(byTime{times, costs})
		}
	}
	h.Reset()
	writeInts(h, int64(len(times)))
	h.Write(t.keys.key(uint32(i)))
	writeInts(h, times...)
	if slices.ContainsFunc(costs, func(c int64) bool { return c != 1 }) {
		writeInts(h, costs...)
	}
	return h.Sum64()
}

func writeInts(h *xxhash.Digest, list ...int64) {
	var buf [8]byte
	for _, n := range list {
		binary.LittleEndian.PutUint64(buf[:], uint64(n))
		h.Write(buf[:])
	}
}

// byTime sorts times and costs together, in place.
type byTime struct{ times, costs []int64 }

func (b byTime) Len() int           { return len(b.times) }
func (b byTime) Less(i, j int) bool { return b.times[i] < b.times[j] }
func (b byTime) Swap(i, j int) {
	b.times[i], b.times[j] = b.times[j], b.times[i]
	b.costs[i], b.costs[j] = b.costs[j], b.costs[i]
}

func fileList(files []string) string {
	if len(files) == 1 {
		return displayName(files[0])
	}
	return plural(len(files), "file")
}
