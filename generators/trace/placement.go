package trace

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// A Placement says where within the log's resolution requests are put: most logs have whole seconds, and where in its second a
// request came is not known.
type Placement string

// With R the resolution, a client's request number k = 0..n-1 of the n that a log has at time t is put at
const (
	AsIs   Placement = "asis"   // t, where the log has it
	Even   Placement = "even"   // t + k*R/n
	Random Placement = "random" // t + the k-th smallest of n random numbers below R, seeded by client and t
	Front  Placement = "front"  // t + k*(R/10)/n, all in the first tenth
	Back   Placement = "back"   // t + R - R/10 + k*(R/10)/n, all in the last tenth
)

// Placements are all of them.
var Placements = []Placement{AsIs, Even, Random, Front, Back}

// ParsePlacement reads the name of a placement.
func ParsePlacement(text string) (Placement, error) {
	if p := Placement(text); slices.Contains(Placements, p) {
		return p, nil
	}
	names := make([]string, len(Placements))
	for i, p := range Placements {
		names[i] = string(p)
	}
	return "", fmt.Errorf("%q is not one of %s", text, strings.Join(names, ", "))
}

// Placed is a trace with its requests put in a placement.
type Placed struct {
	*Trace
	placement Placement
}

// Place puts the requests of a trace in a placement. The trace must stay open.
func (t *Trace) Place(p Placement) *Placed { return &Placed{t, p} }

// Visit is like that of Trace.
func (p *Placed) Visit(ctx context.Context, shard int, visit Visitor) error {
	if p.placement == AsIs || p.stats.ResolutionNS < 10 {
		return p.Trace.Visit(ctx, shard, visit)
	}
	placer := &placer{placement: p.placement, resolution: p.stats.ResolutionNS}
	return p.Trace.Visit(ctx, shard, func(key string, read func(times, costs []int64) (int, error)) error {
		placer.start(key, read)
		return visit(key, placer.read)
	})
}

// A placer places one client's requests after another's.
type placer struct {
	placement  Placement
	resolution int64

	seed         uint64
	source       func(times, costs []int64) (int, error)
	times, costs []int64 // from source, not yet placed
	timeBuffer   [512]int64
	costBuffer   [512]int64
	costly       bool

	placed      []int64 // the requests of one time, placed
	placedCosts []int64
	next        int
}

func (p *placer) start(key string, source func(times, costs []int64) (int, error)) {
	p.seed, p.source = xxhash.Sum64String(key), source
	p.times, p.costs = nil, nil
	p.placed, p.placedCosts, p.next = p.placed[:0], p.placedCosts[:0], 0
}

// read is like that of a Visitor.
func (p *placer) read(times, costs []int64) (n int, err error) {
	p.costly = costs != nil
	for n < len(times) {
		if p.next == len(p.placed) {
			if ok, err := p.gather(); !ok || err != nil {
				return n, err
			}
		}
		k := copy(times[n:], p.placed[p.next:])
		if costs != nil {
			copy(costs[n:n+k], p.placedCosts[p.next:])
		}
		n, p.next = n+k, p.next+k
	}
	return n, nil
}

// fetch makes sure that there is a request to place, if the client has one left.
func (p *placer) fetch() (ok bool, err error) {
	if len(p.times) > 0 {
		return true, nil
	}
	var costs []int64
	if p.costly {
		costs = p.costBuffer[:]
	}
	n, err := p.source(p.timeBuffer[:], costs)
	p.times, p.costs = p.timeBuffer[:n], costs
	return n > 0, err
}

// gather takes all requests of the next time and places them.
func (p *placer) gather() (ok bool, err error) {
	p.placed, p.placedCosts, p.next = p.placed[:0], p.placedCosts[:0], 0
	if ok, err := p.fetch(); !ok || err != nil {
		return false, err
	}
	t := p.times[0]
	for {
		n := 0
		for n < len(p.times) && p.times[n] == t {
			n++
		}
		p.placed = append(p.placed, p.times[:n]...)
		if p.costly {
			p.placedCosts = append(p.placedCosts, p.costs[:n]...)
			p.costs = p.costs[n:]
		}
		if p.times = p.times[n:]; len(p.times) > 0 {
			break
		}
		if ok, err := p.fetch(); err != nil {
			return false, err
		} else if !ok {
			break
		}
	}
	if t <= math.MaxInt64-p.resolution {
		p.place(t)
	}
	return true, nil
}

// place moves the gathered requests, all of time t, to where they belong.
func (p *placer) place(t int64) {
	n, width, start := uint64(len(p.placed)), uint64(p.resolution), t
	switch p.placement {
	case Random:
		rng := splitMix(p.seed ^ uint64(t)*0x9e3779b97f4a7c15)
		for i := range p.placed {
			offset, _ := bits.Mul64(rng.next(), width)
			p.placed[i] = t + int64(offset)
		}
		slices.Sort(p.placed)
		return
	case Front:
		width /= 10
	case Back:
		width /= 10
		start += p.resolution - int64(width)
	}
	for k := range p.placed {
		high, low := bits.Mul64(uint64(k), width)
		offset, _ := bits.Div64(high, low, n)
		p.placed[k] = start + int64(offset)
	}
}

// splitMix is the generator SplitMix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014).
type splitMix uint64

func (s *splitMix) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
