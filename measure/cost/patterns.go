package cost

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rlbench/rlbench/generators"
	"github.com/rlbench/rlbench/limiter/keyed"
	"github.com/rlbench/rlbench/results"
)

// Patterns are the four that Pattern is made for.
var Patterns = []string{"uniform", "front", "back", "end"}

// patternBlock is how many requests are made, and then decided, at a time.
const patternBlock = 1 << 15

// Pattern measures decisions of a traffic pattern as a server sees it: the requests of all clients in time order, the time
// told, by 64-bit keys, one by one. Only contestants that can be told take part. Making the requests is not timed; where
// clients go by the decisions, each contestant has its own.
func Pattern(ctx context.Context, contestants []Contestant, w generators.Workload, o Options) (map[string]results.PatternSpeed, error) {
	traffic, err := w.Compile()
	if err != nil {
		return nil, err
	}
	all := map[string]results.PatternSpeed{}
	var feed *generators.Feed
	var requests []generators.Request
	var served []*server
	for _, c := range contestants {
		if !c.Told {
			continue
		}
		l, err := newKeyed[uint64](c.spec, c.Limit, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		s := &server{contestant: c, limiter: l}
		served = append(served, s)
	}
	face := func(c *Contestant) generators.Face {
		return generators.Face{Max: c.Limit.Max, Window: c.Limit.Window, Worst: func() []int64 { return c.spec.Worst(c.Limit) }}
	}
	if traffic.Closed() {
		for _, s := range served {
			feed := traffic.Merged(face(&s.contestant), 0, 1)
			for ctx.Err() == nil && s.answer(feed, patternBlock) {
			}
			o.tell()
		}
	} else if len(served) > 0 {
		feed = traffic.Merged(face(&served[0].contestant), 0, 1)
		for round := 0; ctx.Err() == nil; round++ {
			requests = requests[:0]
			for len(requests) < patternBlock {
				r, ok := feed.Next()
				if !ok {
					break
				}
				requests = append(requests, r)
			}
			if len(requests) == 0 {
				break
			}
			for _, i := range shuffled(len(served), o.Seed, round) {
				served[i].decide(requests)
			}
		}
	}
	for _, s := range served {
		all[s.contestant.Name] = s.result(w)
	}
	return all, ctx.Err()
}

// A server is one contestant with what it has done.
type server struct {
	contestant Contestant
	limiter    *keyed.Limiter[uint64]
	ns         []float64 // by block
	requests   int64
	refused    int64
}

// decide times a block whose requests are known beforehand.
func (s *server) decide(requests []generators.Request) {
	began, refused := time.Now(), int64(0)
	for _, r := range requests {
		if !s.limiter.AllowAt(number(uint32(r.Client)), r.Time, 1) {
			refused++
		}
	}
	s.add(time.Since(began), int64(len(requests)), refused)
}

// answer times a block whose requests go by the answers, decision by decision; the clock's own cost is taken off.
func (s *server) answer(feed *generators.Feed, n int) (more bool) {
	var spent time.Duration
	var done, refused int64
	for range n {
		r, ok := feed.Next()
		if !ok {
			break
		}
		began := time.Now()
		admitted := s.limiter.AllowAt(number(uint32(r.Client)), r.Time, 1)
		spent += time.Since(began)
		feed.Answer(admitted)
		done++
		if !admitted {
			refused++
		}
	}
	spent -= time.Duration(done * clockNS())
	s.add(max(spent, 0), done, refused)
	return done == int64(n)
}

func (s *server) add(took time.Duration, requests, refused int64) {
	if requests == patternBlock || s.requests == 0 && requests > 0 { // the last one is shorter
		s.ns = append(s.ns, float64(took)/float64(requests))
	}
	s.requests += requests
	s.refused += refused
}

func (s *server) result(w generators.Workload) results.PatternSpeed {
	p := results.PatternSpeed{
		Pattern: w.Pattern, Clients: w.Clients, Limit: s.contestant.Limit.Max, WindowNS: s.contestant.Limit.Window, Requests: s.requests,
	}
	if s.requests > 0 {
		p.RefusedShare = float64(s.refused) / float64(s.requests)
	}
	if n := s.limiter.Clients(); n > 0 {
		b := float64(s.limiter.Bytes()) / float64(n)
		p.BytesPerClient = &b
	}
	// The first quarter of the blocks finds a table that still grows.
	settled := slices.Clone(s.ns[len(s.ns)/4:])
	if len(settled) > 0 {
		p.NsPerOp, p.NsPerOpCI = Median(settled)
	}
	return p
}
