package generators

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const testWindow = int64(60e9)

// examples are the patterns of the table, with arguments and in mixes.
func examples(open bool) []string {
	var all []string
	for _, p := range Patterns {
		if !open || !p.Closed {
			all = append(all, p.Examples...)
		}
	}
	if open {
		return append(all, "0.25 front:0.3 + 0.5 diurnal + 0.25 bursty")
	}
	return append(all, "0.5 poisson + 0.5 end")
}

func compile(t testing.TB, w Workload) *Traffic {
	t.Helper()
	traffic, err := w.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return traffic
}

// refusing is a contestant that lets every third request through, and one more at the beginning of each window.
type refusing struct{ n, window int64 }

func (r *refusing) admits(t int64) bool {
	r.n++
	fresh := t/testWindow != r.window
	r.window = t / testWindow
	return fresh || r.n%3 == 0
}

var testFace = Face{Max: 100, Window: testWindow, Worst: func() []int64 { return []int64{-5, 0, 0, 3, 59e9, 60e9, 1 << 60} }}

// one returns all requests of a client, one by one.
func one(p *Player, client int64) []int64 {
	var times []int64
	var contestant refusing
	source, admitted := p.Open(client, testFace), false
	for t, ok := source.Next(admitted); ok; t, ok = source.Next(admitted) {
		times = append(times, t)
		admitted = contestant.admits(t)
	}
	if _, ok := source.Next(true); ok {
		panic("a request after the last")
	}
	return times
}

// TestSameRequests demands that a client's requests do not depend on who was opened before, on another player, nor on how they
// are taken.
func TestSameRequests(t *testing.T) {
	all := examples(false)
	rapid.Check(t, func(t *rapid.T) {
		w := Workload{
			Pattern: rapid.SampledFrom(all).Draw(t, "pattern"), Rates: rapid.SampledFrom([]string{"", "lognormal(1)", "pareto(1.2)", "zipf(1)"}).Draw(t, "rates"),
			Clients: 5, PerWindow: rapid.Float64Range(0.001, 300).Draw(t, "rate"), Window: testWindow,
			Span: rapid.Int64Range(1, 20*testWindow).Draw(t, "span"), Max: 100, Seed: rapid.Uint64().Draw(t, "seed"),
		}
		traffic, err := w.Compile()
		if err != nil {
			t.Fatal(err)
		}
		fresh := make([][]int64, w.Clients)
		for i := range fresh {
			fresh[i] = one(traffic.NewPlayer(), int64(i))
			if !slices.IsSorted(fresh[i]) || len(fresh[i]) > 0 && (fresh[i][0] < 0 || fresh[i][len(fresh[i])-1] >= w.Span) {
				t.Fatalf("client %d: times fall, or leave the span: %v", i, fresh[i])
			}
		}
		p := traffic.NewPlayer()
		for range 10 {
			i := rapid.Int64Range(0, w.Clients-1).Draw(t, "client")
			if p.ClosedLoop(i) || rapid.Bool().Draw(t, "one by one") {
				if got := one(p, i); !slices.Equal(got, fresh[i]) {
					t.Fatalf("client %d sends %v; alone it sends %v", i, got, fresh[i])
				}
				continue
			}
			filler, got := p.Open(i, testFace).(Filler), []int64(nil)
			for {
				buf := make([]int64, rapid.IntRange(0, 70).Draw(t, "chunk"))
				n := filler.Fill(buf)
				got = append(got, buf[:n]...)
				if n < len(buf) {
					break
				}
				if rapid.Bool().Draw(t, "one more") {
					at, ok := filler.Next(false)
					if !ok {
						break
					}
					got = append(got, at)
				}
			}
			if n := filler.Fill(make([]int64, 3)); n != 0 {
				t.Fatalf("client %d: %d requests after the last", i, n)
			}
			if !slices.Equal(got, fresh[i]) {
				t.Fatalf("client %d in chunks sends %v; one by one %v", i, got, fresh[i])
			}
		}
	})
}

// TestMeanRate demands that every pattern keeps the client's mean rate, within 5 standard errors taken over clients.
func TestMeanRate(t *testing.T) {
	for _, pattern := range examples(true) {
		if strings.HasPrefix(pattern, "at:") {
			continue
		}
		for _, rates := range []string{"constant", "lognormal(0.5)", "pareto(3)", "zipf(0.5)"} {
			w := Workload{Pattern: pattern, Rates: rates, Clients: 1500, PerWindow: 7, Window: testWindow, Span: 40 * testWindow, Max: 100, Seed: 9}
			player := compile(t, w).NewPlayer()
			sum, squares := 0.0, 0.0
			buf := make([]int64, 100_000)
			for i := range w.Clients {
				n := float64(player.Open(i, testFace).(Filler).Fill(buf))
				sum += n
				squares += n * n
			}
			n := float64(w.Clients)
			mean, want := sum/n, 7.0*40
			deviation := math.Sqrt(max(squares/n-mean*mean, 0.1) / n)
			if math.Abs(mean-want) > 5*deviation {
				t.Errorf("%s, %s: %.2f requests per client; want %.2f within 5*%.3f", pattern, rates, mean, want, deviation)
			}
		}
	}
}

func TestUniformSpacing(t *testing.T) {
	for _, perWindow := range []float64{1, 3, 7, 59.999, 1e4} {
		w := Workload{Pattern: "uniform", Clients: 3, PerWindow: perWindow, Window: testWindow, Span: 100 * testWindow, Max: 1, Seed: 2}
		gap := float64(testWindow) / perWindow
		for i := range w.Clients {
			times := one(compile(t, w).NewPlayer(), i)
			if first := float64(times[0]); first >= gap {
				t.Errorf("%v a window: the first request is at %v; want less than %v", perWindow, first, gap)
			}
			for k := 1; k < len(times); k++ {
				if d := times[k] - times[k-1]; d != int64(gap) && d != int64(math.Ceil(gap)) {
					t.Fatalf("%v a window: a distance of %d; want %v", perWindow, d, gap)
				}
			}
			if all := float64(times[len(times)-1] - times[0]); math.Abs(all-gap*float64(len(times)-1)) > 1.5 {
				t.Errorf("%v a window: %d gaps take %v", perWindow, len(times)-1, all)
			}
		}
	}
}

// TestSharesOfWindow demands that front and back keep to their part of the window, fill it, and keep poisson's counts.
func TestSharesOfWindow(t *testing.T) {
	count := func(times []int64) []int {
		counts := make([]int, 200)
		for _, at := range times {
			counts[at/testWindow]++
		}
		return counts
	}
	for pattern, part := range map[string][2]float64{
		"front": {0, 0.1}, "front:0.25": {0, 0.25}, "front:1": {0, 1}, "back": {0.9, 1}, "back:0.25": {0.75, 1}, "back:1": {0, 1},
	} {
		w := Workload{Pattern: pattern, Clients: 1, PerWindow: 80, Window: testWindow, Span: 200 * testWindow, Max: 1, Seed: 5}
		times := one(compile(t, w).NewPlayer(), 0)
		var into []float64
		for _, at := range times {
			u := (float64(at%testWindow)/float64(testWindow) - part[0]) / (part[1] - part[0])
			if u < -1e-10 || u > 1 {
				t.Fatalf("%s: a request at %v of the window", pattern, float64(at%testWindow)/float64(testWindow))
			}
			into = append(into, u)
		}
		if d := kolmogorov(into, func(x float64) float64 { return x }); d > 1.95 {
			t.Errorf("%s does not fill its part evenly: Kolmogorov's distance %.2f", pattern, d)
		}
		w.Pattern = "poisson"
		if !slices.Equal(count(times), count(one(compile(t, w).NewPlayer(), 0))) {
			t.Errorf("%s has other numbers in its windows than poisson", pattern)
		}
	}
}

// TestTinyWindows demands of every request that front and back leave it in its window, where many lie on the very edge of one.
func TestTinyWindows(t *testing.T) {
	w := Workload{Pattern: "poisson", Clients: 1, PerWindow: 3, Window: 7, Span: 7 * 5000, Max: 1, Seed: 5}
	plain := one(compile(t, w).NewPlayer(), 0)
	for _, pattern := range []string{"front", "front:0.6", "back", "back:0.6"} {
		w.Pattern = pattern
		for i, at := range one(compile(t, w).NewPlayer(), 0) {
			if at/7 != plain[i]/7 {
				t.Fatalf("%s: %d is moved to %d, out of its window", pattern, plain[i], at)
			}
		}
	}
}

// TestProfiles compares the share of requests in each twentieth of the period with the profile's integral over it, which is
// taken by Simpson's rule on the profile as documented.
func TestProfiles(t *testing.T) {
	dayRate := func(x float64) float64 {
		switch {
		case x < 0.25:
			return 0.2
		case x < 0.5:
			return 0.2 + 1.6*(x-0.25)/0.25
		case x < 0.75:
			return 1.8
		}
		return 1.8 - 1.6*(x-0.75)/0.25
	}
	crowdRate := func(x float64) float64 {
		switch {
		case x < 0.45 || x >= 0.65:
			return 1 / 2.35
		case x < 0.55:
			return 10 / 2.35
		}
		return (10 - 9*(x-0.55)/0.1) / 2.35
	}
	for _, c := range []struct {
		pattern string
		span    int64
		period  int64
		rate    func(float64) float64
	}{
		{"diurnal", 40 * testWindow, 40 * testWindow, dayRate},
		{"diurnal", 3 * 86_400e9, 86_400e9, dayRate},
		{"flashcrowd", 40 * testWindow, 40 * testWindow, crowdRate},
	} {
		w := Workload{Pattern: c.pattern, Clients: 1, PerWindow: 1e6 / float64(c.span/testWindow), Window: testWindow, Span: c.span, Max: 1, Seed: 6}
		times := one(compile(t, w).NewPlayer(), 0)
		counts := make([]float64, 20)
		for _, at := range times {
			counts[at%c.period*20/c.period]++
		}
		for i, got := range counts {
			a, h := float64(i)/20, 1./20
			want := float64(1e6) * h * (c.rate(a+1e-9) + 4*c.rate(a+h/2) + c.rate(a+h-1e-9)) / 6
			if math.Abs(got-want) > 5*math.Sqrt(want) {
				t.Errorf("%s: %v requests in twentieth %d; want %.0f", c.pattern, got, i, want)
			}
		}
	}
}

// TestBursty takes long windows, so that on-times and off-times show, and compares their means and the rate.
func TestBursty(t *testing.T) {
	w := Workload{Pattern: "bursty", Clients: 4000, PerWindow: 400, Window: testWindow, Span: 3 * testWindow, Max: 1, Seed: 8}
	player := compile(t, w).NewPlayer()
	// At any instant a quarter of the clients is on: one that sends 1600 a window is silent for W/80 with probability e^-20.
	const width = testWindow / 80
	instants := []int64{0, testWindow / 2, 2 * testWindow, 3*testWindow - width}
	counts := make([]float64, len(instants))
	for i := range w.Clients {
		times := one(player, i)
		for n, instant := range instants {
			if k, _ := slices.BinarySearch(times, instant); k < len(times) && times[k] < instant+width {
				counts[n]++
			}
		}
	}
	for n, on := range counts {
		// on at the instant, or switched on within the width: 1/4 + 3/4*(1-e^(-width/(3W/4)))
		want := 0.25 + 0.75*-math.Expm1(-4./3/80)
		if got := on / float64(w.Clients); math.Abs(got-want) > 5*math.Sqrt(want*(1-want)/float64(w.Clients))+0.003 {
			t.Errorf("at %d: %.4f of the clients are on; want %.4f", instants[n], got, want)
		}
	}
}

// TestNoAllocation demands that opening one client after another costs no memory.
func TestNoAllocation(t *testing.T) {
	for _, pattern := range examples(true) {
		for _, rates := range []string{"", "lognormal(1)", "zipf(1)"} {
			w := Workload{Pattern: pattern, Rates: rates, Clients: 1 << 40, PerWindow: 10, Window: testWindow, Span: 10 * testWindow, Max: 100}
			player, buf, client := compile(t, w).NewPlayer(), make([]int64, 512), int64(0)
			if n := testing.AllocsPerRun(200, func() {
				player.Open(client, testFace).(Filler).Fill(buf)
				client++
			}); n != 0 {
				t.Errorf("%s, %s: %v allocations per client", pattern, rates, n)
			}
		}
	}
}
