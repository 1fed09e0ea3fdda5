package peers_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/targets/peers"
)

// Libraries reckon in floating point. On this grid all that they do is exact, so that every decision has one right answer:
// the grid is a power of two of a second, and so is the window.
const (
	grid   = 1953125     // ns, 2^-9 s
	window = 8192 * grid // 16 s
)

// origins are where streams begin, in windows and a part of one: at 0, before it, and at a date of each kind of year.
var origins = []int64{
	0,
	-3*window - 5*grid,
	time.Date(1815, 12, 10, 0, 0, 0, 0, time.UTC).UnixNano(),
	time.Date(1999, 12, 31, 23, 59, 59, 0, time.UTC).UnixNano(),
	time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC).UnixNano(),
}

// stream makes requests of three clients, times ascending: single ones, bursts, waits of about an interval, whole windows
// to the point or a step beside, and gaps in which everything is forgotten.
func stream(r *rand.Rand, limit limiter.Limit, origin int64, costs bool) []limiter.Request {
	t := origin - origin%grid
	var requests []limiter.Request
	for range 150 {
		switch r.IntN(8) {
		case 0:
		case 1, 2:
			t += r.Int64N(limit.Window/limit.Max/grid+1) * grid
		case 3:
			t += limit.Window / limit.Max
		case 4:
			t += limit.Window - mod(t, limit.Window) + (r.Int64N(3)-1)*grid
		case 5:
			t += r.Int64N(limit.Window/grid) * grid
		case 6:
			t += limit.Window + (r.Int64N(3)-1)*grid
		case 7:
			t += r.Int64N(4*limit.Window/grid) * grid
		}
		for n := 1 + r.Int64N(limit.Max)*r.Int64N(2); n > 0; n-- {
			q := limiter.Request{Key: fmt.Sprint("client", r.IntN(3)), Time: t, Cost: 1}
			if costs && r.IntN(4) == 0 {
				q.Cost = r.Int64N(limit.Max + 2)
			}
			requests = append(requests, q)
		}
	}
	return requests
}

func mod(t, w int64) int64 { return ((t % w) + w) % w }

// worst are the sequences that are worst for some algorithm of rlbench, moved to the origin.
func worst(t *testing.T, limit limiter.Limit, origin int64) (all [][]limiter.Request) {
	for _, a := range limiter.Table {
		for _, example := range a.Examples {
			s, err := limiter.Parse(example)
			if err != nil {
				t.Fatal(err)
			}
			var requests []limiter.Request
			for _, at := range s.Worst(limit) {
				requests = append(requests, limiter.Request{Key: "a", Time: origin - mod(origin, limit.Window) + at, Cost: 1})
			}
			all = append(all, requests)
		}
	}
	return all
}

// ask configures and asks in batches, as the judge does.
func ask(t *testing.T, target limiter.Target, limit limiter.Limit, requests []limiter.Request) []bool {
	t.Helper()
	if err := target.Configure(context.Background(), limit); err != nil {
		t.Fatal(err)
	}
	answers := make([]limiter.Answer, len(requests))
	for i := 0; i < len(requests); {
		n := min(1+i%7, len(requests)-i)
		if err := target.Decide(context.Background(), requests[i:i+n], answers[i:i+n]); err != nil {
			t.Fatal(err)
		}
		i += n
	}
	admitted := make([]bool, len(requests))
	for i, a := range answers {
		admitted[i] = a.Admitted
	}
	return admitted
}

func open(t *testing.T, name string) limiter.Target {
	t.Helper()
	f, err := peers.Parse("peer:" + name)
	if err != nil {
		t.Fatal(err)
	}
	target, err := f.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := target.Close(); err != nil {
			t.Error(err)
		}
	})
	return target
}

// Every library that can be judged decides as its reference, wherever in time, for all its limits.
func TestPeersDecideAsTheirRule(t *testing.T) {
	for i := range peers.Peers {
		p := &peers.Peers[i]
		if p.Clock == peers.Real {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			rule := references[p.Name]
			if rule == nil {
				t.Fatal("no reference: write down what it truly is")
			}
			target := open(t, p.Name)
			r := rand.New(rand.NewPCG(1, 2))
			admitted, asked := 0, 0
			for _, l := range []int64{1, 2, 8, 32} {
				limit := limiter.Limit{Max: l, Window: window}
				for _, origin := range origins {
					streams := append(worst(t, limit, origin), stream(r, limit, origin, p.Costs), stream(r, limit, origin, false))
					for _, requests := range streams {
						got := ask(t, target, limit, requests)
						clients := map[string]reference{}
						for i, q := range requests {
							if clients[q.Key] == nil {
								clients[q.Key] = rule(t, limit)
							}
							if want := clients[q.Key](q.Time, q.Cost); got[i] != want {
								t.Fatalf("limit %d from %d: request %d, %+v: admitted %t, the rule says %t; all: %v", l, origin, i, q, got[i], want, requests[:i+1])
							}
							if got[i] {
								admitted++
							}
							asked++
						}
					}
				}
			}
			if share := float64(admitted) / float64(asked); share < 0.2 || share > 0.9 {
				t.Errorf("%d of %d requests admitted: the streams test too little", admitted, asked)
			}
		})
	}
}
