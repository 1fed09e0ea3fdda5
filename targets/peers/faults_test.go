package peers_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/targets/peers"
)

// What is known to be wrong or surprising in these libraries. A test that fails here after an update is good news:
// change the row's words then.

// at makes requests of one client, n at each time.
func at(n int, times ...int64) (requests []limiter.Request) {
	for _, t := range times {
		for range n {
			requests = append(requests, limiter.Request{Key: "client", Time: t, Cost: 1})
		}
	}
	return requests
}

func count(admitted []bool) (n int) {
	for _, a := range admitted {
		if a {
			n++
		}
	}
	return n
}

const second = int64(time.Second)

// The weighted count is rounded three ways. A full window of 10, then as many as are let through at a share x of the
// next.
func TestRoundingOfTheWeightedCount(t *testing.T) {
	for _, tt := range []struct {
		percent                                  int64
		rule, slidingwindow, httprate, httpratec int
	}{
		{1, 0, 1, 0, 0},
		{4, 0, 1, 0, 0},
		{6, 0, 1, 1, 1},
		{10, 1, 1, 1, 1},
		{50, 5, 5, 5, 5},
	} {
		requests := append(at(10, 0), at(10, 100*second+tt.percent*second)...)
		limit := limiter.Limit{Max: 10, Window: 100 * second}
		for name, want := range map[string]int{
			"counter": tt.rule, "peer:slidingwindow": tt.slidingwindow, "peer:httprate": tt.httprate, "peer:httprate-core": tt.httpratec,
		} {
			if got := count(askSpec(t, name, limit, requests)) - 10; got != want {
				t.Errorf("%s at %d %% of the window: %d admitted, want %d", name, tt.percent, got, want)
			}
		}
	}
}

// Rounding costs the counter's promise of 2L-1: L at the end of a window and L at the end of the next are all let through.
func TestRoundingBreaksThePromise(t *testing.T) {
	const w = 100 * second
	requests := append(at(10, w-1), at(10, 2*w-1)...)
	limit := limiter.Limit{Max: 10, Window: w}
	for name, want := range map[string]int{"counter": 19, "peer:slidingwindow": 20, "peer:httprate": 20, "peer:httprate-core": 20} {
		if got := count(askSpec(t, name, limit, requests)); got != want {
			t.Errorf("%s: %d within one window, want %d", name, got, want)
		}
	}
}

// An older time rewinds the bucket of x/time/rate, and the time since then is earned again: with 1 a second and a burst of
// 10, requests that alternate between now and ten seconds later are all admitted, where 11 would be right.
func TestRewoundClock(t *testing.T) {
	var requests []limiter.Request
	for i := range 1000 {
		requests = append(requests, at(1, int64(i%2)*10*second)...)
	}
	limit := limiter.Limit{Max: 10, Window: 10 * second}
	for name, want := range map[string]int{"peer:x-time-rate": 1000, "peer:x-time-rate-xsync": 1000, "token-bucket": 11, "peer:throttled": 11} {
		if got := count(askSpec(t, name, limit, requests)); got != want {
			t.Errorf("%s: %d of 1000 admitted, want %d", name, got, want)
		}
	}
}

// go-limiter refills by W/L instead of L: 50,000 in 20 ms become 400 after the first window.
func TestGoLimiterRefillsInTheWrongUnit(t *testing.T) {
	f, err := peers.Parse("peer:go-limiter")
	if err != nil {
		t.Fatal(err)
	}
	store, err := f.Keyed(limiter.Limit{Max: 50_000, Window: 20_000_000})
	if err != nil {
		t.Fatal(err)
	}
	for store.Allow("client") {
	}
	for !store.Allow("client") {
	}
	n := 1
	for store.Allow("client") {
		n++
	}
	// A stall in between lets a window pass and 400 more come.
	if n < 400 || n > 5000 {
		t.Errorf("%d in a window, want 400", n)
	}
}

// failsafe's smooth limiter lets two through on both sides of an interval's end, its bursty one two bursts.
func TestFailsafeAtTheBoundary(t *testing.T) {
	smooth := append(at(1, 0), at(1, 1999e6, 2001e6)...)
	if got := count(askSpec(t, "peer:failsafe-smooth@1/1s", limiter.Limit{}, smooth)); got != 3 {
		t.Errorf("smooth: %d of 3 admitted, of them two 2 ms apart", got)
	}
	bursty := append(at(1, 0), at(100, 59_999e6, 60_001e6)...)
	if got := count(askSpec(t, "peer:failsafe-bursty@100/1m", limiter.Limit{}, bursty)); got != 200 {
		t.Errorf("bursty: %d admitted, want 1 at first, then 99 and 100 within 2 ms", got)
	}
}

// throttled cuts the interval to nanoseconds: 7 in 10 ns become one each nanosecond.
func TestThrottledCutsTheInterval(t *testing.T) {
	var requests []limiter.Request
	for i := range int64(1000) {
		requests = append(requests, at(1, i)...)
	}
	limit := limiter.Limit{Max: 7, Window: 10}
	if got := count(askSpec(t, "peer:throttled", limit, requests)); got != 1000 {
		t.Errorf("throttled: %d of 1000 admitted", got)
	}
	if got, want := count(askSpec(t, "gcra", limit, requests)), 706; got != want {
		t.Errorf("gcra: %d of 1000 admitted, want %d: 7 and then 7 in 10", got, want)
	}
}

// ulule's window is closed: a request exactly W after the first is its last. Refused costs count.
func TestUluleWindow(t *testing.T) {
	limit := limiter.Limit{Max: 5, Window: second}
	requests := append(at(5, 0), at(1, second, second+1)...)
	got := askSpec(t, "peer:ulule", limit, requests)
	if fmt.Sprint(got[5:]) != "[false true]" {
		t.Errorf("a window later and 1 ns after: %v", got[5:])
	}
	requests = []limiter.Request{{Key: "a", Cost: 3}, {Key: "a", Cost: 4}, {Key: "a", Cost: 1}}
	if got := askSpec(t, "peer:ulule", limit, requests); fmt.Sprint(got) != "[true false false]" {
		t.Errorf("costs 3, 4, 1 of 5: %v", got)
	}
}

// A pacer that books a place for each request that won't wait for it starves whoever asks a bit too much.
func TestPacerStarves(t *testing.T) {
	var requests []limiter.Request
	for i := range int64(1100) {
		requests = append(requests, at(1, i*second*10/11)...)
	}
	limit := limiter.Limit{Max: 10, Window: 10 * second}
	if got := count(askSpec(t, "peer:uber-ratelimit", limit, requests)); got != 1 {
		t.Errorf("at 1.1 times the rate %d of 1100 admitted, want the first alone", got)
	}
	if got := count(askSpec(t, "gcra", limit, requests)); got < 990 {
		t.Errorf("gcra: %d of 1100 admitted", got)
	}
}
