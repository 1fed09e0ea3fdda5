package report

import (
	"testing"

	"github.com/rlbench/rlbench/results"
)

func contestant(name string, overAdmitted, overRefused, refused, peak int64) results.Algorithm {
	return results.Algorithm{
		Name: name, Limit: 100, WindowNS: 60e9, Requests: 10000, Admitted: 10000 - refused, Refused: refused,
		OverAdmitted: overAdmitted, OverRefused: overRefused, PeakWindow: peak, PeakRatio: float64(peak) / 100,
	}
}

func TestConclude(t *testing.T) {
	load := []float64{0.5, 1.5}
	for _, c := range []struct {
		name string
		runs []*results.Run
		want string
	}{
		{"no contestant", []*results.Run{{}}, ""},
		{"reference rows alone", []*results.Run{{Algorithms: []results.Algorithm{contestant("allow-all", 9000, 0, 0, 5000)}}}, ""},
		{
			"nothing refused",
			[]*results.Run{{Algorithms: []results.Algorithm{contestant("log", 0, 0, 0, 20), contestant("fixed", 0, 0, 0, 20)}}},
			"Nothing was refused and nobody went over the limit: this traffic does not tell the algorithms apart.",
		},
		{
			"average beside worst",
			[]*results.Run{{Algorithms: []results.Algorithm{
				contestant("log", 0, 0, 500, 100), contestant("counter", 30, 10, 480, 143), contestant("fixed", 200, 0, 300, 198),
				contestant("gcra", 100, 50, 450, 120), contestant("allow-all", 9000, 0, 0, 5000),
			}}},
			"counter lets through up to 1.43 × the limit while it is wrong on 0.40 % of requests on average; fixed is the loosest at " +
				"1.98 ×; gcra refuses most without need, 0.50 % of requests; log is exact.",
		},
		{
			"the worst of several runs is placed",
			[]*results.Run{
				{Pattern: "poisson", Load: &load[0], Algorithms: []results.Algorithm{contestant("counter", 0, 0, 0, 90)}},
				{Pattern: "back", Load: &load[1], Algorithms: []results.Algorithm{contestant("counter", 40, 40, 480, 143)}},
			},
			"counter lets through up to 1.43 × the limit (back, load 1.5) while it is wrong on 0.40 % of requests on average.",
		},
		{
			"only too strict",
			[]*results.Run{{Algorithms: []results.Algorithm{contestant("counter", 0, 25, 480, 100)}}},
			"counter never exceeds the limit and is wrong on 0.25 % of requests on average.",
		},
		{
			"two tie",
			[]*results.Run{{Algorithms: []results.Algorithm{
				contestant("counter", 10, 0, 480, 199), contestant("fixed", 20, 0, 480, 200), contestant("gcra", 30, 0, 480, 200),
			}}},
			"counter lets through up to 1.99 × the limit while it is wrong on 0.10 % of requests on average; fixed and gcra are the " +
				"loosest at 2.00 ×.",
		},
	} {
		g := group{runs: c.runs}
		g.compare()
		if got := conclude(&g); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}
