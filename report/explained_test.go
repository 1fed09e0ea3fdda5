package report

import (
	"testing"

	"github.com/rlbench/rlbench/results"
)

func TestReason(t *testing.T) {
	const window = int64(100e9)
	counter := results.Algorithm{Name: "counter", Limit: 65, WindowNS: window}
	for _, c := range []struct {
		admitted               bool
		whole, part, num, cost int64
		want                   string
	}{
		{false, 40, 70, 36e9, 1, "refused: 0.36*70+40+1 > 65"},
		{true, 12, 70, 36e9, 1, "admitted: 0.36*70+12+1 <= 65"},
		{true, 12, 0, 36e9, 1, "admitted: 12+1 <= 65"},
		{false, 0, 0, 0, 2000, "refused: 0+2,000 > 65"},
		{true, 14, 100, 50e9, 1, "admitted: 0.5*100+14+1 <= 65"},
		{false, 14, 100, 50e9 + 1, 1, "refused: 0.50000000001*100+14+1 > 65"},
		{false, 14, 100, 50e9 + 1e6, 1, "refused: 0.50001*100+14+1 > 65"},
		{true, 14, 100, 50e9 - 1e6, 1, "admitted: 0.5*100+14+1 <= 65"},
	} {
		got := reason(results.NewVerdict(c.admitted, c.whole, c.part, c.num, window), counter, c.cost)
		if got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	if got := reason(results.Verdict{Admitted: true}, counter, 1); got != "admitted" {
		t.Errorf("a contestant that counts nothing: %q", got)
	}
}
