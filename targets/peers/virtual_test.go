package peers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rlbench/rlbench/limiter"
)

// An ownClock asks a library by its own clock.
type ownClock struct{ Library }

func (c ownClock) Decide(key string, _ time.Time, _ int64) limiter.Answer {
	return Answer(c.Allow(key))
}

// A library that can be told the time decides the same when it reads the clock of a bubble instead, to the nanosecond, for
// any window and at any date.
func TestBubbleEqualsTold(t *testing.T) {
	tested := 0
	for i := range Peers {
		p := Peers[i]
		if p.Clock != Told {
			continue
		}
		tested++
		t.Run(p.Name, func(t *testing.T) {
			reading := p
			reading.Clock = Bubble
			reading.Make = func(s Setting) (Library, error) {
				l, err := p.Make(s)
				return ownClock{l}, err
			}
			a, b := mustOpen(t, &p), mustOpen(t, &reading)
			r := rand.New(rand.NewPCG(3, 4))
			for range 60 {
				limit := limiter.Limit{Max: 1 + r.Int64N(20), Window: 1000 + r.Int64N(1<<r.IntN(45))}
				requests := randomRequests(r, limit)
				told, read := decideAll(t, a, limit, requests), decideAll(t, b, limit, requests)
				for j := range requests {
					if told[j].Admitted != read[j].Admitted {
						t.Fatalf("%+v, request %d of %+v: told %t, by its own clock %t", limit, j, requests[:j+1], told[j].Admitted, read[j].Admitted)
					}
				}
			}
		})
	}
	if tested < 5 {
		t.Errorf("only %d libraries are told the time", tested)
	}
}

// randomRequests are requests around the limit, from any year between 1800 and 2100, in time order.
func randomRequests(r *rand.Rand, limit limiter.Limit) []limiter.Request {
	now := time.Date(1800+r.IntN(300), 1, 1, 0, 0, 0, r.IntN(1e9), time.UTC).UnixNano()
	requests := make([]limiter.Request, 300)
	for i := range requests {
		if r.IntN(3) > 0 {
			now += r.Int64N(2*limit.Window/limit.Max + 1)
		}
		if r.IntN(50) == 0 {
			now += r.Int64N(3 * limit.Window)
		}
		requests[i] = limiter.Request{Key: fmt.Sprint(r.IntN(2)), Time: now, Cost: 1}
	}
	return requests
}

func mustOpen(t testing.TB, p *Peer) limiter.Target {
	target, err := p.Open()
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

func decideAll(t testing.TB, target limiter.Target, limit limiter.Limit, requests []limiter.Request) []limiter.Answer {
	if err := target.Configure(context.Background(), limit); err != nil {
		t.Fatal(err)
	}
	answers := make([]limiter.Answer, len(requests))
	if err := target.Decide(context.Background(), requests, answers); err != nil {
		t.Fatal(err)
	}
	return answers
}

// A library that panics is an error, not the end of the program.
func TestPanicIsAnError(t *testing.T) {
	for _, clock := range []Clock{Told, Bubble} {
		p := Peer{Name: "bad", Clock: clock, Make: func(Setting) (Library, error) { return panics{}, nil }}
		target := mustOpen(t, &p)
		if err := target.Configure(context.Background(), limiter.Limit{Max: 1, Window: 1}); err != nil {
			t.Fatal(err)
		}
		err := target.Decide(context.Background(), []limiter.Request{{Key: "a", Cost: 1}}, make([]limiter.Answer, 1))
		if err == nil || !strings.Contains(err.Error(), "peer:bad panicked: so it goes") {
			t.Errorf("%s: %v", clock, err)
		}
	}
}

type panics struct{}

func (panics) Allow(string) bool                              { panic("so it goes") }
func (panics) Decide(string, time.Time, int64) limiter.Answer { panic("so it goes") }

// A bubble has two goroutines, and none is left after Close, however often it was replaced.
func TestCloseLeavesNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	for i := range Peers {
		p := &Peers[i]
		if p.Clock == Real {
			continue
		}
		target, err := p.Open()
		if err != nil {
			t.Fatal(err)
		}
		for range 300 {
			decideAll(t, target, limiter.Limit{Max: 1, Window: int64(200 * 24 * time.Hour)}, []limiter.Request{{Key: "a", Time: 1, Cost: 1}})
		}
		if err := target.Close(); err != nil {
			t.Fatal(err)
		}
	}
	untilGoroutines(t, before, func() {})
}

// untilGoroutines waits until there are no more than that: one that has said its last word is still counted until it has
// been taken down.
func untilGoroutines(t *testing.T, n int, meanwhile func()) {
	t.Helper()
	for until := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > n; runtime.Gosched() {
		if time.Now().After(until) {
			t.Fatalf("%d goroutines, want %d", runtime.NumGoroutine(), n)
		}
		meanwhile()
	}
}

// What a limiter on the real clock has running ends when nobody holds the limiter any more, so that one measurement
// doesn't burden the next.
func TestUnreachableKeyedEnds(t *testing.T) {
	before := runtime.NumGoroutine()
	for i := range Peers {
		l, err := Peers[i].New(limiter.Limit{Max: 1, Window: 1000})
		if err != nil {
			t.Fatal(err)
		}
		l.Allow("client")
	}
	untilGoroutines(t, before, runtime.GC)
}

// A library whose goroutines never end is opened once, closed without waiting for them, and told when its clock is used up.
func TestEndless(t *testing.T) {
	p := Peer{Name: "endless", Module: "endless", Clock: Bubble, Endless: true}
	p.Make = func(Setting) (Library, error) {
		go func() { select {} }()
		return calendar{}, nil
	}
	target := mustOpen(t, &p)
	if _, err := p.Open(); err == nil {
		t.Error("opened twice")
	}
	limit := limiter.Limit{Max: 1, Window: int64(longestWindow)}
	var err error
	for range 5 {
		if err = target.Configure(context.Background(), limit); err != nil {
			t.Fatal(err)
		}
		if err = target.Decide(context.Background(), []limiter.Request{{Key: "a", Time: int64(longestWindow) - 1, Cost: 1}}, make([]limiter.Answer, 1)); err != nil {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "2070") {
		t.Errorf("clients of 50 years each: %v", err)
	}
}

type calendar struct{}

func (calendar) Allow(string) bool                              { return true }
func (calendar) Decide(string, time.Time, int64) limiter.Answer { return Answer(true) }

// What is aligned to multiples of the window stays so, and times that no clock of a library can show are an error.
func TestAxis(t *testing.T) {
	const w = 7e9
	for _, first := range []int64{0, -1, 1, w, -w, epoch - 1, epoch, -1 << 63, 1<<63 - 1} {
		a := layAxis(first, w)
		if first >= epoch && a.instant != first {
			t.Errorf("layAxis(%d): moved to %d", first, a.instant)
		}
		if a.instant < epoch || modulo(a.instant, w) != modulo(first, w) {
			t.Errorf("layAxis(%d): %d is before the epoch or elsewhere in its window", first, a.instant)
		}
	}
	a := layAxis(0, w)
	if got, err := a.at(5); err != nil || got != a.instant+5 {
		t.Errorf("at(5) = %d, %v", got, err)
	}
	for _, far := range []int64{1<<63 - 1, -1 << 63} {
		if got, err := a.at(far); err == nil {
			t.Errorf("at(%d) = %d, no error", far, got)
		}
	}
}

// BenchmarkVirtual decides requests a millisecond apart, so that the clock moves before each. It counts requests.
func BenchmarkVirtual(b *testing.B) {
	limit := limiter.Limit{Max: 100, Window: int64(time.Second)}
	for i := range Peers {
		p := &Peers[i]
		if p.Clock == Real {
			continue
		}
		b.Run(p.Name, func(b *testing.B) {
			target := mustOpen(b, p)
			if err := target.Configure(b.Context(), limit); err != nil {
				b.Fatal(err)
			}
			requests, answers := make([]limiter.Request, 512), make([]limiter.Answer, 512)
			now, admitted := int64(0), 0
			b.ReportAllocs()
			for done := 0; done < b.N; done += len(requests) {
				for j := range requests {
					now += int64(time.Millisecond)
					requests[j] = limiter.Request{Key: "client", Time: now, Cost: 1}
				}
				if err := target.Decide(b.Context(), requests, answers); err != nil {
					b.Fatal(err)
				}
				for _, a := range answers {
					if a.Admitted {
						admitted++
					}
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
			b.ReportMetric(100*float64(admitted)/float64(b.N), "%admitted")
		})
	}
}

// BenchmarkConfigure is what a client with one request costs.
func BenchmarkConfigure(b *testing.B) {
	limit := limiter.Limit{Max: 100, Window: int64(time.Second)}
	for i := range Peers {
		p := &Peers[i]
		if p.Clock == Real {
			continue
		}
		b.Run(p.Name, func(b *testing.B) {
			target := mustOpen(b, p)
			requests, answers := []limiter.Request{{Key: "client", Cost: 1}}, make([]limiter.Answer, 1)
			for b.Loop() {
				if err := target.Configure(b.Context(), limit); err != nil {
					b.Fatal(err)
				}
				if err := target.Decide(b.Context(), requests, answers); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
