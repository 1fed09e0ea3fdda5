package generators

import (
	"cmp"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestMerged demands that the merged requests are those of the clients one by one, sorted by time and client.
func TestMerged(t *testing.T) {
	all := examples(false)
	rapid.Check(t, func(t *rapid.T) {
		w := Workload{
			Pattern: rapid.SampledFrom(all).Draw(t, "pattern"), Rates: "lognormal(1)", Clients: rapid.Int64Range(1, 30).Draw(t, "clients"),
			PerWindow: 5, Window: testWindow, Span: 6 * testWindow, Max: 100, Seed: rapid.Uint64().Draw(t, "seed"),
		}
		traffic, err := w.Compile()
		if err != nil {
			t.Fatal(err)
		}
		step := rapid.Int64Range(1, 3).Draw(t, "step")
		first := rapid.Int64Range(0, step-1).Draw(t, "first")
		var want []Request
		player := traffic.NewPlayer()
		for i := first; i < w.Clients; i += step {
			for _, at := range one(player, i) {
				want = append(want, Request{at, i})
			}
		}
		slices.SortStableFunc(want, func(a, b Request) int {
			return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Client, b.Client))
		})
		var got []Request
		contestants := map[int64]*refusing{}
		feed := traffic.Merged(testFace, first, step)
		for r, ok := feed.Next(); ok; r, ok = feed.Next() {
			got = append(got, r)
			if contestants[r.Client] == nil {
				contestants[r.Client] = &refusing{}
			}
			feed.Answer(contestants[r.Client].admits(r.Time))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("merged: %v\nwant %v", got, want)
		}
		if _, ok := feed.Next(); ok {
			t.Fatal("a request after the last")
		}
	})
}

// TestMergedMemory holds the memory per client to what Feed says.
func TestMergedMemory(t *testing.T) {
	const clients = 100_000
	traffic := compile(t, Workload{Pattern: "poisson", Clients: clients, PerWindow: 5, Window: testWindow, Span: 6 * testWindow, Max: 100})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	feed := traffic.Merged(testFace, 0, 1)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if got := float64(after.HeapAlloc-before.HeapAlloc) / clients; got > 150 {
		t.Errorf("%.0f bytes per client; want 150 at most", got)
	}
	runtime.KeepAlive(feed)
}

// BenchmarkMerged is the time per request of a million clients in time order.
func BenchmarkMerged(b *testing.B) {
	traffic := compile(b, Workload{Pattern: "poisson", Clients: 1e6, PerWindow: 50, Window: testWindow, Span: 600 * testWindow, Max: 100})
	feed := traffic.Merged(testFace, 0, 1)
	b.ResetTimer()
	for range b.N {
		if _, ok := feed.Next(); !ok {
			b.Fatal("the traffic is over")
		}
	}
}
