package mutants

import (
	"math"
	"math/bits"

	"github.com/rlbench/rlbench/limiter"
)

// A bucketRule is a window of k buckets with its slips; the zero value but for k is right.
type bucketRule struct {
	k       int64
	noPart  bool // the oldest, partly covered bucket is left out
	full    bool // the oldest, partly covered bucket counts whole
	short   bool // one whole bucket too few
	single  bool // moving on clears one bucket, however many are skipped
	stride  bool // moving on clears the buckets passed and adds one further
	equal   bool // buckets go only when exactly one has aged
	ttl     bool // all go a window after the first was begun
	reused  bool // a ring of k+1 places tells buckets apart by their place alone
	down    bool // the part is cut to an integer
	refused bool
}

func (r bucketRule) start(l limiter.Limit) client {
	counts := map[int64]int64{}
	var at, begun int64
	started := false
	tick := ascending()
	bucket := func(t int64) (index, into int64) {
		hi, lo := bits.Mul64(uint64(t), uint64(r.k))
		q, rest := bits.Div64(hi, lo, uint64(l.Window))
		return int64(q), int64(rest)
	}
	return func(now, cost int64) bool {
		now = tick(now)
		index, into := bucket(now)
		if !started {
			started, at, begun = true, index, now
		}
		if r.ttl && now-begun >= l.Window {
			begun = now
			clear(counts)
		}
		r.move(counts, at, index)
		at = index
		place := index
		if r.stride || r.reused {
			place = index % (r.k + 1)
		}
		whole, part := int64(0), int64(0)
		switch {
		case r.stride || r.reused || r.equal:
			for _, n := range counts {
				whole += n
			}
		default:
			for age := range r.k {
				if !r.short || age < r.k-1 {
					whole += counts[index-age]
				}
			}
			part = counts[index-r.k]
		}
		weighted := ceiling(part, l.Window-into, l.Window)
		switch {
		case r.noPart:
			weighted = 0
		case r.full:
			weighted = part
		case r.down:
			weighted = down(part, l.Window-into, l.Window)
		}
		ok := cost <= l.Max-whole && weighted <= l.Max-whole-cost
		if ok || r.refused {
			counts[place] += min(cost, math.MaxInt64-counts[place])
		}
		return ok
	}
}

// move forgets what has left the window, each slip in its own way.
func (r bucketRule) move(counts map[int64]int64, from, to int64) {
	switch {
	case to == from:
	case r.single:
		delete(counts, to-r.k-1)
	case r.stride:
		// Salvo's way: the places passed are cleared, the new one is not.
		for i := from + 1; i < to && i <= from+r.k+1; i++ {
			delete(counts, i%(r.k+1))
		}
	case r.reused:
		delete(counts, to%(r.k+1))
	case r.equal:
		if to-from == 1 {
			delete(counts, to-r.k)
		}
	default:
		for i := range counts {
			if i < to-r.k {
				delete(counts, i)
			}
		}
	}
}

var bucketed = []Mutant{
	{Name: "buckets-without-part", Kind: "weighted-count-truncated", Promise: "buckets:6", Slip: "the oldest bucket, partly in the window, does not count",
		client: bucketRule{k: 6, noPart: true}.start},
	{Name: "buckets-part-whole", Kind: "boundary-inclusive", Promise: "buckets:6", Slip: "the oldest bucket counts whole",
		client: bucketRule{k: 6, full: true}.start},
	{Name: "buckets-one-too-few", Kind: "off-by-one-high", Promise: "buckets:6", Slip: "one bucket less than the window has",
		client: bucketRule{k: 6, short: true}.start},
	{Name: "buckets-part-cut", Kind: "weighted-count-truncated", Promise: "buckets:6", Slip: "the oldest bucket's share is cut to an integer",
		client: bucketRule{k: 6, down: true}.start},
	{Name: "buckets-stride", Kind: "never-slides", Promise: "log:open", Slip: "places visited with a constant stride are never cleared",
		client: strided},
	{Name: "buckets-only-neighbours-age", Kind: "never-slides", Promise: "buckets:6", Slip: "a bucket goes only when exactly one has aged",
		client: bucketRule{k: 6, equal: true}.start},
	{Name: "buckets-one-lifetime", Kind: "state-dropped-early", Promise: "buckets:60", Slip: "all buckets go a window after the first began",
		client: bucketRule{k: 60, ttl: true}.start},
	{Name: "buckets-ring-not-cleared", Kind: "never-slides", Promise: "buckets:8", Slip: "after a gap places of the ring keep their old counts",
		client: bucketRule{k: 8, reused: true}.start},
	{Name: "buckets-counts-refused", Kind: "rejected-counted", Promise: "buckets:8", Slip: "refused requests count too",
		client: bucketRule{k: 8, refused: true}.start},
	{Name: "buckets-other-number", Kind: "another-algorithm", Promise: "buckets:8", Slip: "nine buckets instead of eight",
		client: bucketRule{k: 9}.start},
	{Name: "buckets-is-counter", Kind: "another-algorithm", Promise: "buckets:4", Slip: "a single bucket",
		client: counterRule{}.start},
}

// strided is a ring of six cells that clears the cells it passes, then steps one further and adds there.
func strided(l limiter.Limit) client {
	const cells = 6
	var ring [cells]int64
	at, origin := int64(0), int64(math.MinInt64)
	tick := ascending()
	cell := max(1, l.Window/cells)
	return func(now, cost int64) bool {
		now = tick(now)
		if origin == math.MinInt64 {
			origin = now
		}
		steps := (now - origin) / cell
		if steps > 0 {
			origin = now
		}
		if steps >= cells {
			ring, steps = [cells]int64{}, 0
		}
		if steps > 0 {
			for i := int64(1); i <= steps; i++ {
				ring[(at+i)%cells] = 0
			}
			at = (at + steps + 1) % cells
		}
		sum := int64(0)
		for _, n := range ring {
			sum += n
		}
		if cost > l.Max-sum {
			return false
		}
		ring[at] += cost
		return true
	}
}
