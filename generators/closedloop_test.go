package generators

import (
	"math"
	"slices"
	"testing"
)

// stream plays one client against a contestant.
func stream(t *testing.T, w Workload, client int64, face Face, admits func(at int64) bool) (times []int64, admitted []bool) {
	t.Helper()
	source, last := compile(t, w).NewPlayer().Open(client, face), false
	for at, ok := source.Next(last); ok; at, ok = source.Next(last) {
		last = admits(at)
		times, admitted = append(times, at), append(admitted, last)
	}
	return times, admitted
}

// TestEnd checks the adversary's burst, its taking and its silence, against a contestant that lets three requests through
// every five seconds.
func TestEnd(t *testing.T) {
	const limit = 40
	for _, c := range []struct {
		pattern string
		shift   int64
	}{{"end", 0}, {"end:misalign=7s", 7e9}, {"end:misalign=-7s", 53e9}, {"end:misalign=1h", 0}} {
		for client := range int64(20) {
			w := Workload{Pattern: c.pattern, Clients: 20, PerWindow: 20, Window: testWindow, Span: 41 * testWindow, Max: limit, Seed: 4}
			rounds := map[int64]int{}
			times, admitted := stream(t, w, client, Face{Max: limit, Window: testWindow}, func(at int64) bool {
				rounds[at/5e9]++
				return rounds[at/5e9] <= 3
			})
			byWindow := map[int64][]int{}
			for i, at := range times {
				window := (at - c.shift + testWindow) / testWindow
				byWindow[window] = append(byWindow[window], i)
			}
			bursts := 0
			for window, requests := range byWindow {
				start := window*testWindow - testWindow + c.shift
				if _, second := byWindow[window-1]; second {
					// every request of the second window is at its start, at the instant of an admission, or W/L after a refusal
					for k, i := range requests {
						want := start
						if k > 0 && admitted[i-1] {
							want = times[i-1]
						} else if k > 0 {
							want = times[i-1] + testWindow/limit
						}
						if times[i] != want {
							t.Fatalf("%s: request %d of the second window at %d; want %d", c.pattern, k, times[i], want)
						}
					}
					last := requests[len(requests)-1]
					if end := min(start+testWindow, w.Span); !admitted[last] && times[last]+testWindow/limit < end {
						t.Errorf("%s: stops at %d in a window that ends at %d", c.pattern, times[last], end)
					}
					continue
				}
				bursts++
				if start+testWindow <= w.Span && len(requests) != limit {
					t.Errorf("%s: a burst of %d requests; want %d", c.pattern, len(requests), limit)
				}
				if first := times[requests[0]]; first < start+testWindow/100*99 {
					t.Errorf("%s: a burst begins at %d, before the last 1 %% of the window that ends at %d", c.pattern, first, start+testWindow)
				}
				if len(byWindow[window+2])+len(byWindow[window+3]) > 0 {
					t.Errorf("%s: no silence after window %d", c.pattern, window)
				}
			}
			if bursts < 10 || bursts > 11 { // a cycle has 2*40/20 = 4 windows
				t.Errorf("%s: %d bursts in 41 windows; want 10 or 11", c.pattern, bursts)
			}
		}
	}
}

// TestEndPlaces demands that the bursts' places are even over the last 1 % and that cycles begin in every phase.
func TestEndPlaces(t *testing.T) {
	w := Workload{Pattern: "end", Clients: 3000, PerWindow: 10, Window: testWindow, Span: 5 * testWindow, Max: 25, Seed: 3}
	player := compile(t, w).NewPlayer()
	var places []float64
	phases := make([]float64, 5)
	for i := range w.Clients {
		source := player.Open(i, Face{Max: 25, Window: testWindow})
		for k := range 25 {
			at, ok := source.Next(true)
			if !ok {
				t.Fatalf("client %d: no request", i)
			}
			places = append(places, float64(at%testWindow-testWindow/100*99)/float64(testWindow/100))
			if k == 0 {
				phases[at/testWindow]++
			}
		}
	}
	if d := kolmogorov(places, func(x float64) float64 { return min(max(x, 0), 1) }); d > 1.95 {
		t.Errorf("places: Kolmogorov's distance %.2f", d)
	}
	for phase, n := range phases {
		if math.Abs(n-600) > 5*math.Sqrt(600*0.8) {
			t.Errorf("%v of 3000 clients begin in window %d; want about 600", n, phase)
		}
	}
}

// TestEndStops demands an end against a contestant that admits everything, and where limit, window or cycle are extreme.
func TestEndStops(t *testing.T) {
	for _, c := range []struct {
		limit, window, span int64
		perWindow           float64
		most                int
	}{
		{100, testWindow, 3 * testWindow, 100, 300},
		{1000, 1, 10, 1e6, 9000},
		{3, math.MaxInt64, math.MaxInt64, 1, 9},
		{math.MaxInt64, 1000, 1000, 1e18, 10_000_000},
		{1, 1, math.MaxInt64, 1e-300, 0},
	} {
		w := Workload{Pattern: "end", Clients: 1, PerWindow: c.perWindow, Window: c.window, Span: c.span, Max: c.limit, Seed: 1}
		source := compile(t, w).NewPlayer().Open(0, Face{Max: c.limit, Window: c.window})
		n, before := 0, int64(0)
		for at, ok := source.Next(true); ok && n < 100_000; at, ok = source.Next(true) {
			if at < before || at >= c.span {
				t.Fatalf("limit %d: a request at %d after one at %d", c.limit, at, before)
			}
			before = at
			n++
		}
		if n > c.most {
			t.Errorf("limit %d, window %d: %d requests; want %d at most", c.limit, c.window, n, c.most)
		}
	}
}

// TestRetry demands that a client comes for the same things whatever is decided, comes back after each refusal within the
// documented time, and no more than n times.
func TestRetry(t *testing.T) {
	w := Workload{Pattern: "retry:3", Clients: 10, PerWindow: 0.5, Window: testWindow, Span: 4000 * testWindow, Max: 100, Seed: 2}
	for client := range w.Clients {
		fresh, _ := stream(t, w, client, testFace, func(int64) bool { return true })
		times, _ := stream(t, w, client, testFace, func(int64) bool { return false })
		if len(times) < 3*len(fresh) || len(times) > 4*len(fresh) {
			t.Errorf("%d requests, all refused, for %d things; want four times as many, but at the end", len(times), len(fresh))
		}
		left := slices.Clone(times)
		for _, at := range fresh {
			k, ok := slices.BinarySearch(left, at)
			if !ok {
				t.Fatalf("the client no longer comes at %d when it is refused", at)
			}
			left = slices.Delete(left, k, k+1)
		}
		// What comes after a thing that has no other one near are its own three tries.
		alone, sum := 0, 0.0
		for i, at := range fresh {
			if i > 0 && at-fresh[i-1] < testWindow || i+1 < len(fresh) && fresh[i+1]-at < testWindow || at+testWindow > w.Span {
				continue
			}
			k, _ := slices.BinarySearch(times, at)
			for n := 1; n <= 3; n++ {
				mean := float64(testWindow) / 20 * float64(int(1)<<(n-1))
				wait := float64(times[k+n] - times[k+n-1])
				if wait < mean/2-1 || wait > mean*3/2 {
					t.Fatalf("try %d after %v; want %v to %v", n, wait, mean/2, mean*3/2)
				}
				sum += wait / mean
				alone++
			}
			if k+4 < len(times) && times[k+4] < at+testWindow*21/40 {
				t.Fatalf("a fourth try at %d for what was wanted at %d", times[k+4], at)
			}
		}
		if alone < 500 || math.Abs(sum/float64(alone)-1) > 5*math.Sqrt(1./12/float64(alone)) {
			t.Errorf("%d waits are %.3f of their mean on average", alone, sum/float64(alone))
		}
	}
}

// TestWorst demands the contestant's own arrivals, as far as they lie in the span.
func TestWorst(t *testing.T) {
	w := Workload{Pattern: "worst", Clients: 2, PerWindow: 1, Window: testWindow, Span: testWindow, Max: 100}
	if got, _ := stream(t, w, 1, testFace, func(int64) bool { return false }); !slices.Equal(got, []int64{0, 0, 3, 59e9}) {
		t.Errorf("arrivals %v", got)
	}
	if got, _ := stream(t, w, 1, Face{Max: 1, Window: 1}, func(int64) bool { return true }); got != nil {
		t.Errorf("arrivals %v for a contestant without a worst case", got)
	}
}
