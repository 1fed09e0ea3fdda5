package measure_test

import (
	"context"
	"maps"
	"testing"

	"pgregory.net/rapid"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/measure"
)

// Peaks are those of the quadratic oracle, and quantiles leave just as many clients within as they must.
func TestPeaks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		window := rapid.Int64Range(1, 60).Draw(t, "window")
		clients := drawClients(t, window)
		windows := []int64{window, 3 * window}
		got, err := measure.Peaks(context.Background(), memory(clients), windows, measure.Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range windows {
			want := measure.PeakCount{}
			for _, c := range clients {
				peak := int64(0)
				for k, r := range c.requests {
					peak = max(peak, r.cost+sumIn(c.requests, k, w, limiter.Closed, func(int) bool { return true }))
				}
				want[peak]++
			}
			if !maps.Equal(got[i], want) {
				t.Fatalf("window %d: %v, want %v", w, got[i], want)
			}
			share := rapid.Float64Range(0, 1).Draw(t, "share")
			limit := got[i].Quantile(share)
			within := func(limit int64) (n int) {
				for peak, clients := range want {
					if peak <= limit {
						n += int(clients)
					}
				}
				return n
			}
			if got := got[i].Clients(); got != int64(len(clients)) {
				t.Fatalf("%d clients, want %d", got, len(clients))
			}
			sweep := got[i].Sweep()
			if last := sweep[len(sweep)-1]; within(last) < len(clients) || len(sweep) > 1 && within(sweep[len(sweep)-2]) == len(clients) || len(sweep) > 16 {
				t.Fatalf("sweep %v of %v", sweep, want)
			}
			if float64(within(limit)) < share*float64(len(clients)) {
				t.Fatalf("%d of %d clients stay within %d, the quantile %g of %v", within(limit), len(clients), limit, share, want)
			}
			if limit > 0 && share > 0 && float64(within(limit-1)) >= share*float64(len(clients)) {
				t.Fatalf("%d is not the least limit for %g of %v", limit, share, want)
			}
		}
	})
}
