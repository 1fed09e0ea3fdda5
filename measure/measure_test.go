package measure_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rlbench/rlbench/generators"
	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/measure"
	"github.com/rlbench/rlbench/results"
)

// memory is a trace of clients in memory.
type memory []client

func (m memory) Shards() int { return len(m) }

func (m memory) Costly() bool {
	return slices.ContainsFunc(m, func(c client) bool {
		return slices.ContainsFunc(c.requests, func(r request) bool { return r.cost != 1 })
	})
}

func (m memory) Visit(_ context.Context, shard int, visit func(key string, read func(times, costs []int64) (int, error)) error) error {
	left := m[shard].requests
	return visit(m[shard].key, func(times, costs []int64) (int, error) {
		n := min(len(times), len(left))
		for i, r := range left[:n] {
			times[i] = r.time
			if costs != nil {
				costs[i] = r.cost
			}
		}
		left = left[n:]
		return n, nil
	})
}

func specs(t testing.TB, names ...string) []limiter.Spec {
	t.Helper()
	list, err := limiter.ParseList(names)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// contestants are what the oracle is drawn on; it knows the estimates of log, counter, buckets and fixed.
var contestants = []string{
	"log", "counter", "buckets:3", "fixed", "gcra", "token-bucket:burst=2", "counter:count=all",
	"counter@3/7ns", "log@2/5ns", "multi:counter@2/5ns+log@6/40ns", "allow-all", "deny-all", "fixed:align=restart",
}

func drawClients(t *rapid.T, window int64) []client {
	// Times cluster on a coarse grid about windows so that equal times and exact window distances are common.
	step := rapid.SampledFrom([]int64{1, max(1, window/4), max(1, window/7), window}).Draw(t, "step")
	origin := rapid.SampledFrom([]int64{0, -1000, 1e18, math.MaxInt64 - 4000*window, math.MinInt64}).Draw(t, "origin")
	costs := rapid.SampledFrom([][]int64{{1}, {1}, {0, 1, 2, 5}, {1, 1 << 40}}).Draw(t, "costs")
	clients := make([]client, rapid.IntRange(1, 4).Draw(t, "clients"))
	for i := range clients {
		clients[i].key = fmt.Sprintf("client-%d", i)
		at := origin
		for range rapid.IntRange(0, 40).Draw(t, "requests") {
			gap := rapid.SampledFrom([]int64{0, 0, 0, 1, 1, 2, 3, 9}).Draw(t, "gap")
			at += gap * step
			clients[i].requests = append(clients[i].requests, request{at, rapid.SampledFrom(costs).Draw(t, "cost")})
		}
	}
	return clients
}

// TestAgainstOracle compares every sum of the engine with the quadratic oracle on random traffic.
func TestAgainstOracle(t *testing.T) {
	all := specs(t, contestants...)
	rapid.Check(t, func(t *rapid.T) {
		run := limiter.Limit{
			Max:    rapid.SampledFrom([]int64{1, 2, 3, 5, 20, 1 << 41}).Draw(t, "limit"),
			Window: rapid.SampledFrom([]int64{1, 2, 7, 60, 1000, 60e9}).Draw(t, "window"),
		}
		edge := rapid.SampledFrom([]limiter.Edge{limiter.Closed, limiter.Open}).Draw(t, "edge")
		clients := drawClients(t, run.Window)
		list := slices.DeleteFunc(slices.Clone(all), func(s limiter.Spec) bool {
			return s.String() == "buckets:3" && run.Window < 3 // a bucket is at least 1 ns
		})
		tallies, err := measure.Replay(context.Background(), memory(clients), measure.Plan{
			Contestants: list, Limits: []limiter.Limit{run}, Edge: edge,
		}, measure.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, spec := range list {
			compare(t, spec, tallies[0].Algorithms[i], judgeSlowly(spec, run, edge, clients))
		}
	})
}

func compare(t *rapid.T, spec limiter.Spec, got *results.AlgorithmTally, want expect) {
	t.Helper()
	var counts results.Counts
	var sums results.ErrorSums
	for g := range got.Groups {
		for k, n := range got.Groups[g] {
			counts[k] += n
		}
		for k, s := range got.ErrorSums[g] {
			sums[k].AddSum(s)
		}
	}
	if !got.Estimates {
		for _, k := range []int{results.ErrorRequests, results.ErrorClients, results.Misjudged, results.WronglyAllowed, results.WronglyLimited} {
			want.counts[k] = 0
		}
		want.absolute.SetInt64(0)
		want.signed.SetInt64(0)
		want.byClient.SetInt64(0)
		want.maxWronglyAllowed = 0
	}
	if counts != want.counts {
		t.Errorf("%s: counts %v; want %v", spec, counts, want.counts)
	}
	if !slices.Equal(got.Peaks, want.peaks) {
		t.Errorf("%s: peaks %v; want %v", spec, got.Peaks, want.peaks)
	}
	for k, w := range map[int]fmt.Stringer{results.AbsoluteError: want.absolute, results.SignedError: want.signed, results.ClientError: want.byClient} {
		if sums[k].Big().String() != w.String() {
			t.Errorf("%s: error sum %d is %v; want %v", spec, k, sums[k].Big(), w)
		}
	}
	if hit := hardest(want.hit); !slices.Equal(got.Hardest, hit) {
		t.Errorf("%s: hit hardest %v; want %v", spec, got.Hardest, hit)
	}
	if got.MaxWronglyAllowed != want.maxWronglyAllowed {
		t.Errorf("%s: most of a client wrongly allowed %d; want %d", spec, got.MaxWronglyAllowed, want.maxWronglyAllowed)
	}
}

// hardest picks the ten with most requests refused, one after the other.
func hardest(hit []results.HitClient) (picked []results.HitClient) {
	for left := slices.Clone(hit); len(left) > 0 && len(picked) < 10; {
		best := 0
		for i, h := range left {
			if h.Refused > left[best].Refused || h.Refused == left[best].Refused && h.Key < left[best].Key {
				best = i
			}
		}
		picked = append(picked, left[best])
		left = slices.Delete(left, best, best+1)
	}
	return picked
}

// TestRefusedBy counts the requests by who refused them in the simplest way.
func TestRefusedBy(t *testing.T) {
	all := specs(t, "log", "counter", "fixed", "gcra:burst=2", "deny-all")
	rapid.Check(t, func(t *rapid.T) {
		run := limiter.Limit{Max: rapid.Int64Range(1, 6).Draw(t, "limit"), Window: rapid.Int64Range(1, 60).Draw(t, "window")}
		clients := drawClients(t, run.Window)
		list := all[:rapid.IntRange(2, len(all)).Draw(t, "contestants")]
		tallies, err := measure.Replay(context.Background(), memory(clients), measure.Plan{Contestants: list, Limits: []limiter.Limit{{Max: 3, Window: 7}, run}}, measure.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var decided [][]bool
		for _, spec := range list {
			decided = append(decided, judgeSlowly(spec, run, limiter.Closed, clients).refused)
		}
		want := make([]int64, 1<<len(list))
		for i := range decided[0] {
			set := 0
			for k := range list {
				if decided[k][i] {
					set += 1 << k
				}
			}
			want[set]++
		}
		got := slices.Clone(tallies[1].RefusedBy)
		got[0], want[0] = 0, 0 // clients whom nobody could refuse anything are not looked at
		if !slices.Equal(got, want) {
			t.Fatalf("%v; want %v", got, want)
		}
		var figures results.Run
		tallies[1].Fill(&figures)
		for _, r := range figures.Refusals {
			set := 0
			for _, name := range r.By {
				set += 1 << slices.IndexFunc(list, func(s limiter.Spec) bool { return s.String() == name })
			}
			if set == 0 || want[set] != r.Requests {
				t.Fatalf("%v; want %d", r, want[set])
			}
			want[set] = 0
		}
		if slices.Max(want) > 0 {
			t.Fatalf("left out: %v", want)
		}
	})
}

func play(t testing.TB, w generators.Workload, plan measure.Plan, o measure.Options) []*results.Tally {
	t.Helper()
	traffic, err := w.Compile()
	if err != nil {
		t.Fatal(err)
	}
	tallies, err := measure.Run(context.Background(), traffic, plan, o)
	if err != nil {
		t.Fatal(err)
	}
	return tallies
}

func figures(t *results.Tally) results.Run {
	var run results.Run
	t.Fill(&run)
	return run
}

// TestLongClient holds a client that does not fit the history whole against the same requests given as a trace, and
// against one limiter asked request by request.
func TestLongClient(t *testing.T) {
	const window = int64(1e9)
	plan := measure.Plan{
		Contestants: specs(t, "log", "counter", "fixed", "gcra", "multi:log@900/1s+counter@70/50ms"),
		Limits:      []limiter.Limit{{Max: 1000, Window: window}, {Max: 1100, Window: window}},
	}
	w := generators.Workload{Pattern: "poisson", Clients: 2, PerWindow: 1000, Window: window, Span: 150 * window, Max: 1000, Seed: 3}
	streamed := play(t, w, plan, measure.Options{})

	traffic, _ := w.Compile()
	player := traffic.NewPlayer()
	var clients []client
	for i := range w.Clients {
		c := client{key: generators.Key(i)}
		src := player.Open(i, generators.Face{Max: 1000, Window: window})
		for at, ok := src.Next(false); ok; at, ok = src.Next(false) {
			c.requests = append(c.requests, request{at, 1})
		}
		clients = append(clients, c)
	}
	for l, limit := range plan.Limits {
		for i, spec := range plan.Contestants {
			var admitted int64
			for _, c := range clients {
				one, err := spec.New(limit)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range c.requests {
					if one.Allow(r.time, 1) {
						admitted++
					}
				}
			}
			got := figures(streamed[l]).Algorithms[i]
			if got.Admitted != admitted || got.Requests != int64(len(clients[0].requests)+len(clients[1].requests)) {
				t.Errorf("%s at %d: admitted %d of %d; want %d", spec, limit.Max, got.Admitted, got.Requests, admitted)
			}
			if spec.String() == "log" && (got.OverAdmitted != 0 || got.OverRefused != 0 || got.Disagreements != 0 || got.PeakWindow > limit.Max) {
				t.Errorf("the log makes mistakes by its own rule: %+v", got)
			}
		}
	}
	replayed, err := measure.Replay(context.Background(), memory(clients), plan, measure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := asJSON(t, streamed), asJSON(t, replayed); a != b {
		t.Errorf("the stream and its trace differ:\n%s\n%s", a, b)
	}
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestPoissonLaw holds the mean error against sqrt(2/pi)*(pi/8)/sqrt(N) at N Poisson arrivals a window: a formula that
// knows nothing of the engine.
func TestPoissonLaw(t *testing.T) {
	const window = int64(60e9)
	for _, n := range []float64{9, 27, 100} {
		clients := int64(1e6 / (n * 55))
		tally := play(t, generators.Workload{Pattern: "poisson", Clients: clients, PerWindow: n, Window: window, Span: 55 * window, Max: 1e6, Seed: 1},
			measure.Plan{Contestants: specs(t, "counter"), Limits: []limiter.Limit{{Max: 1e6, Window: window}}}, measure.Options{Workers: 2})
		got := *figures(tally[0]).Algorithms[0].Estimate.MeanError
		want := math.Sqrt(2/math.Pi) * math.Pi / 8 / math.Sqrt(n)
		if math.Abs(got/want-1) > 0.02 {
			t.Errorf("mean error at %v a window is %.5f; the law says %.5f", n, got, want)
		}
	}
}

// TestOneOffset holds traffic whose N requests of every window come at one offset u against the closed formulas: at the
// k-th of them (est-real)/real is -u*N/(N+k) with closed edges and N*(1-u)/k with open ones.
func TestOneOffset(t *testing.T) {
	const window, windows = int64(60e9), 40
	for _, n := range []int{1, 7, 100} {
		for _, tenths := range []int64{0, 1, 5, 9} {
			u := float64(tenths) / 10
			var c client
			for w := range int64(windows) {
				for range n {
					c.requests = append(c.requests, request{w*window + tenths*window/10, 1})
				}
			}
			for _, edge := range []limiter.Edge{limiter.Closed, limiter.Open} {
				tallies, err := measure.Replay(context.Background(), memory{c}, measure.Plan{
					Contestants: specs(t, "counter"), Limits: []limiter.Limit{{Max: 1e9, Window: window}}, Edge: edge,
				}, measure.Options{})
				if err != nil {
					t.Fatal(err)
				}
				var want float64
				for k := 1; k <= n; k++ {
					if edge == limiter.Closed {
						want -= u * float64(n) / float64(n+k) / float64(n)
					} else {
						want += float64(n) * (1 - u) / float64(k) / float64(n)
					}
				}
				e := figures(tallies[0]).Algorithms[0].Estimate
				if math.Abs(*e.Bias-want) > 1e-11 || math.Abs(*e.MeanError-math.Abs(want)) > 1e-11 {
					t.Errorf("n=%d u=%v %v: bias %.14f, mean error %.14f; want %.14f", n, u, edge, *e.Bias, *e.MeanError, want)
				}
				if edge == limiter.Closed && n == 100 && tenths > 0 && math.Abs(*e.MeanError/(u*math.Ln2)-1) > 0.01 {
					t.Errorf("n=%d u=%v: mean error %.4f is not near u*ln 2", n, u, *e.MeanError)
				}
			}
		}
	}
}

// TestWorkersAndShards demands the same bytes for any number of workers, and for the sum of any division into shards.
func TestWorkersAndShards(t *testing.T) {
	const window = int64(60e9)
	plan := measure.Plan{
		Contestants: specs(t, "log", "counter", "fixed", "gcra", "multi:counter@10/1s+counter@100/1m"),
		Limits:      []limiter.Limit{{Max: 100, Window: window}, {Max: 50, Window: window}},
	}
	for _, pattern := range []string{"poisson", "retry", "0.5 back + 0.5 end"} {
		w := generators.Workload{Pattern: pattern, Rates: "lognormal(0.8)", Clients: 67, PerWindow: 60, Window: window, Span: 7 * window, Max: 100, Seed: 11}
		whole := asJSON(t, play(t, w, plan, measure.Options{Workers: 1}))
		if got := asJSON(t, play(t, w, plan, measure.Options{Workers: 8})); got != whole {
			t.Errorf("%s: 8 workers measure something else than 1", pattern)
		}
		for _, n := range []int{2, 3, 7} {
			var sum []*results.Tally
			for i := range n {
				part := play(t, w, plan, measure.Options{Workers: 2, Shard: results.Shard{Index: i, Count: n}})
				if i == 0 {
					sum = part
					continue
				}
				for l := range sum {
					sum[l].Add(part[l])
				}
			}
			if got := asJSON(t, sum); got != whole {
				t.Errorf("%s: %d shards do not add up to the whole", pattern, n)
			}
		}
	}
}

// TestInterrupted demands that an interruption leaves whole clients and says so.
func TestInterrupted(t *testing.T) {
	const window = int64(60e9)
	w := generators.Workload{Pattern: "poisson", Clients: 1 << 40, PerWindow: 100, Window: window, Span: 60 * window, Max: 100, Seed: 1}
	traffic, err := w.Compile()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	plan := measure.Plan{Contestants: specs(t, "log", "counter"), Limits: []limiter.Limit{{Max: 100, Window: window}}}
	tallies, err := measure.Run(ctx, traffic, plan, measure.Options{Workers: 2, Progress: func(int64) { cancel() }})
	if err != context.Canceled {
		t.Fatalf("error %v; want the context's", err)
	}
	run := figures(tallies[0])
	if run.Clients == 0 || run.Clients == w.Clients || *run.Requests == 0 {
		t.Errorf("%d clients and %d requests measured before the interruption", run.Clients, *run.Requests)
	}
	for _, a := range run.Algorithms {
		if a.Requests != *run.Requests {
			t.Errorf("%s saw %d of %d requests", a.Name, a.Requests, *run.Requests)
		}
	}
}

// TestCostsBeyondSums demands an error where sums of costs would not fit.
func TestCostsBeyondSums(t *testing.T) {
	c := client{key: "big", requests: []request{{0, math.MaxInt64}, {1, 1}}}
	_, err := measure.Replay(context.Background(), memory{c}, measure.Plan{
		Contestants: specs(t, "log"), Limits: []limiter.Limit{{Max: 1, Window: 1}},
	}, measure.Options{})
	if err == nil {
		t.Error("no error for costs whose sum exceeds int64")
	}
}

// BenchmarkRun is the engine's speed with log, counter, the judge of both and the estimate, one worker, traffic mostly
// far from the limit (Cloudflare's case). Compare with BenchmarkPlain in the same run.
func BenchmarkRun(b *testing.B) {
	benchmarkRun(b, "poisson", []string{"log", "counter"}, 27, 550, 1)
}

// BenchmarkRunWorkers is the same on two workers.
func BenchmarkRunWorkers(b *testing.B) {
	benchmarkRun(b, "poisson", []string{"log", "counter"}, 27, 550, 2)
}

// BenchmarkRunBusy is the same with most clients at their limit, so that everything must be decided.
func BenchmarkRunBusy(b *testing.B) {
	benchmarkRun(b, "poisson", []string{"log", "counter"}, 100, 100, 1)
}

// BenchmarkContestant is what each contestant adds, quiet and busy, on top of the traffic and its views.
func BenchmarkContestant(b *testing.B) {
	for _, spec := range []string{"log", "counter", "buckets:10", "fixed", "gcra", "token-bucket"} {
		b.Run(spec+"/quiet", func(b *testing.B) { benchmarkRun(b, "poisson", []string{spec}, 27, 550, 1) })
		b.Run(spec+"/busy", func(b *testing.B) { benchmarkRun(b, "poisson", []string{spec}, 100, 100, 1) })
	}
}

func benchmarkRun(b *testing.B, pattern string, contestants []string, perWindow float64, limit int64, workers int) {
	const window = int64(60e9)
	clients := max(int64(float64(b.N)/(perWindow*55)), 1)
	w := generators.Workload{
		Pattern: pattern, Rates: "lognormal(0.8)", Clients: clients, PerWindow: perWindow,
		Window: window, Span: 55 * window, Max: limit, Seed: 1,
	}
	plan := measure.Plan{Contestants: specs(b, contestants...), Limits: []limiter.Limit{{Max: limit, Window: window}}}
	b.ResetTimer()
	tallies := play(b, w, plan, measure.Options{Workers: workers})
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(tallies[0].Requests), "ns/request")
}
