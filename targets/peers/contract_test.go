package peers_test

import (
	"context"
	"errors"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/targets"
	"github.com/rlbench/rlbench/targets/peers"
)

func openSpec(t testing.TB, text string) (limiter.Spec, limiter.Target) {
	t.Helper()
	spec, err := targets.Specs.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	target, err := spec.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := target.Close(); err != nil {
			t.Error(err)
		}
	})
	return spec, target
}

func askSpec(t *testing.T, text string, limit limiter.Limit, requests []limiter.Request) []bool {
	t.Helper()
	spec, target := openSpec(t, text)
	return ask(t, target, spec.Limits(limit)[0], requests)
}

// judged calls f for each peer that can be judged.
func judged(t *testing.T, f func(t *testing.T, p *peers.Peer, target limiter.Target)) {
	for i := range peers.Peers {
		p := &peers.Peers[i]
		if p.Clock == peers.Real {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			_, target := openSpec(t, "peer:"+p.Name)
			f(t, p, target)
		})
	}
}

func TestConfigureForgets(t *testing.T) {
	judged(t, func(t *testing.T, p *peers.Peer, target limiter.Target) {
		limit := limiter.Limit{Max: 1, Window: int64(time.Hour)}
		for _, first := range []int64{5e18, 0, 5e18, -5e18, 7} {
			if got := ask(t, target, limit, at(2, first)); !got[0] || got[1] {
				t.Errorf("two at %d of a limit of 1: %v", first, got)
			}
		}
	})
}

// With a window of a year the clock of a bubble passes all that int64 holds many times over.
func TestLongWindows(t *testing.T) {
	year := int64(365 * 24 * time.Hour)
	judged(t, func(t *testing.T, p *peers.Peer, target limiter.Target) {
		for i := range int64(500) {
			requests := at(2, i*year/500, 40*year)
			if got := ask(t, target, limiter.Limit{Max: 1, Window: year}, requests); !got[0] || got[1] || !got[2] {
				t.Fatalf("client %d: %v", i, got)
			}
		}
	})
}

func TestUnsupportedLimits(t *testing.T) {
	dense := map[string]bool{"throttled": true, "failsafe-smooth": true, "uber-ratelimit": true}
	judged(t, func(t *testing.T, p *peers.Peer, target limiter.Target) {
		for _, limit := range []limiter.Limit{{Max: 0, Window: 1}, {Max: 1, Window: 0}, {Max: 1, Window: math.MaxInt64}} {
			if err := target.Configure(context.Background(), limit); !errors.Is(err, limiter.ErrUnsupported) {
				t.Errorf("%+v: %v", limit, err)
			}
		}
		err := target.Configure(context.Background(), limiter.Limit{Max: 11, Window: 10})
		if dense[p.Name] != errors.Is(err, limiter.ErrUnsupported) {
			t.Errorf("more requests than nanoseconds: %v", err)
		}
		if got := ask(t, target, limiter.Limit{Max: 1, Window: second}, at(1, 0)); !got[0] {
			t.Error("of no use after a limit that it can't have")
		}
	})
}

func TestCosts(t *testing.T) {
	judged(t, func(t *testing.T, p *peers.Peer, target limiter.Target) {
		limit := limiter.Limit{Max: 1, Window: second}
		free := limiter.Request{Key: "a", Time: 0}
		if got := ask(t, target, limit, []limiter.Request{free, {Key: "a", Time: 0, Cost: 1}, free}); !got[0] || !got[1] || !got[2] {
			t.Errorf("costs 0, 1, 0 of 1: %v", got)
		}
		var answers [1]limiter.Answer
		err := target.Decide(context.Background(), []limiter.Request{{Key: "b", Time: 1, Cost: 2}}, answers[:])
		if p.Costs && (err != nil || answers[0].Admitted) {
			t.Errorf("a cost of 2 of 1: %v, %v", answers[0], err)
		}
		if !p.Costs && !errors.Is(err, limiter.ErrUnsupported) {
			t.Errorf("a cost of 2: %v", err)
		}
	})
}

func TestAskedTooEarlyOrTooLate(t *testing.T) {
	judged(t, func(t *testing.T, p *peers.Peer, target limiter.Target) {
		decide := func(at int64) error {
			return target.Decide(context.Background(), []limiter.Request{{Key: "a", Time: at, Cost: 1}}, make([]limiter.Answer, 1))
		}
		if decide(0) == nil {
			t.Error("decided before it was configured")
		}
		ask(t, target, limiter.Limit{Max: 1, Window: second}, at(1, 0))
		if decide(math.MaxInt64) == nil {
			t.Error("decided 292 years after the first request")
		}
	})
}

// The clock of a bubble stands still for a request that comes late.
func TestOlderTimesInABubble(t *testing.T) {
	judged(t, func(t *testing.T, p *peers.Peer, target limiter.Target) {
		f, err := peers.Parse("peer:" + p.Name)
		if err != nil {
			t.Fatal(err)
		}
		if f.Forward != (p.Clock == peers.Bubble) {
			t.Errorf("clock %s, forward only: %t", p.Clock, f.Forward)
		}
		if !f.Forward {
			return
		}
		const w = window
		limit := limiter.Limit{Max: 2, Window: w}
		late := ask(t, target, limit, at(1, 0, 5*w, 0, 3*w, 5*w, 6*w))
		straight := ask(t, target, limit, at(1, 0, 5*w, 5*w, 5*w, 5*w, 6*w))
		for i := range late {
			if late[i] != straight[i] {
				t.Errorf("request %d: %t, in order %t", i, late[i], straight[i])
			}
		}
	})
}

// On the real clock, by many goroutines at once, each client gets its limit and no more.
func TestKeyedOnTheRealClock(t *testing.T) {
	const limit, goroutines, each = 50, 8, 100
	want := map[string]int64{"uber-ratelimit": 1, "failsafe-smooth": 1}
	for i := range peers.Peers {
		p := &peers.Peers[i]
		t.Run(p.Name, func(t *testing.T) {
			l, err := p.New(limiter.Limit{Max: limit, Window: int64(365 * 24 * time.Hour)})
			if err != nil {
				t.Fatal(err)
			}
			keys := []string{"a", "b", "c"}
			var admitted [3]atomic.Int64
			var all sync.WaitGroup
			for range goroutines {
				all.Go(func() {
					for j := range each * len(keys) {
						if l.Allow(keys[j%len(keys)]) {
							admitted[j%len(keys)].Add(1)
						}
					}
				})
			}
			all.Wait()
			for k := range admitted {
				want := max(want[p.Name], limit*(1-min(want[p.Name], 1)))
				if got := admitted[k].Load(); got != want {
					t.Errorf("client %s got %d of %d, want %d", keys[k], got, goroutines*each, want)
				}
			}
		})
	}
}

func TestBurst(t *testing.T) {
	for i := range peers.Peers {
		p := &peers.Peers[i]
		_, err := peers.Parse("peer:" + p.Name + ":burst=3@10/10s")
		if p.Burst != (err == nil) {
			t.Errorf("%s: %v", p.Name, err)
		}
		if !p.Burst {
			continue
		}
		requests := append(at(1, 0), at(11, 100*second)...)
		if got := count(askSpec(t, "peer:"+p.Name+":burst=3@10/10s", limiter.Limit{}, requests)); got != 4 {
			t.Errorf("%s: %d of 1 and 11 at once admitted with a burst of 3", p.Name, got)
		}
	}
}

func TestParse(t *testing.T) {
	f, err := peers.Parse("peer:throttled@100/1m")
	if err != nil || f.At != (limiter.Limit{Max: 100, Window: 60 * second}) || f.Text != "peer:throttled@100/1m" {
		t.Errorf("%+v, %v", f, err)
	}
	for text, want := range map[string]string{
		"peer:htprate":                 "did you mean peer:httprate?",
		"peer:nothing-like-it":         "there are x-time-rate,",
		"peer:throttled:burts=3":       `no option "burts=3"`,
		"peer:throttled:burst=0":       "at least 1",
		"peer:throttled:burst=x":       "the option burst",
		"peer:httprate:burst=3":        "has no burst",
		"peer:throttled@100":           "no window",
		"peer:throttled:burst=3@0/1ms": "at least 1",
	} {
		if _, err := targets.Specs.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// Rows say what a reader chooses by.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for i := range peers.Peers {
		p := &peers.Peers[i]
		if seen[p.Name] {
			t.Errorf("%s is there twice", p.Name)
		}
		seen[p.Name] = true
		if p.Algorithm == "" || p.Promise == "" || p.Module == "" {
			t.Errorf("%s leaves something out", p.Name)
		}
		switch p.License {
		case "MIT", "BSD-3-Clause", "Apache-2.0":
		default:
			t.Errorf("%s: license %q can't be linked into the tool", p.Name, p.License)
		}
		f, err := peers.Parse("peer:" + p.Name)
		if err != nil {
			t.Fatal(err)
		}
		if (f.RealTime != "") != (p.Clock == peers.Real) {
			t.Errorf("%s: clock %s, reason %q", p.Name, p.Clock, f.RealTime)
		}
		if _, err := f.Open(context.Background()); p.Clock == peers.Real && err == nil {
			t.Errorf("%s was opened to be judged", p.Name)
		}
	}
}

// A program knows the version of each library that it was built with.
func TestVersions(t *testing.T) {
	program := filepath.Join(t.TempDir(), "versions")
	if out, err := exec.Command("go", "build", "-o", program, "./testdata/versions").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	list := []string{"list", "-m", "-f", "{{.Path}} {{.Version}}"}
	for i := range peers.Peers {
		list = append(list, peers.Peers[i].Module)
	}
	want, err := exec.Command("go", list...).Output()
	if err != nil {
		t.Fatal(err)
	}
	if string(out) != string(want) {
		t.Errorf("built with\n%swant\n%s", out, want)
	}
}
