package measure_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rlbench/rlbench/generators/trace"
	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/measure"
	"github.com/rlbench/rlbench/results"
)

func survey(t testing.TB, log measure.Log, workers int) *results.TrafficTally {
	t.Helper()
	tally, err := measure.Survey(context.Background(), log, measure.Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return tally
}

// The real traces are as those who collected them counted: shares and peaks, from a program of their own.
func TestSurveyOfTraces(t *testing.T) {
	for _, c := range []struct {
		file       string
		clients    int64
		top        string // % to a tenth
		most       int64
		top10      string // % whole
		peaks      [3]int64
		resolution int64
	}{
		{"scanned-site-2026.log.gz", 1767, "30.9", 6303, "64", [3]int64{89, 888, 1263}, 1e9},
		{"company-site-2013.log.gz", 1260, "4.7", 1333, "27", [3]int64{53, 129, 251}, 1e9},
		{"nasa-1995-07-09.log.gz", 2554, "1.5", 545, "9", [3]int64{6, 13, 33}, 1e9},
		{"data-api-2024.log.gz", 917, "44.4", 4650, "79", [3]int64{8, 63, 175}, 1e9},
		{"dns-2018.ndjson.gz", 77, "17.4", 9346, "59", [3]int64{156, 396, 976}, 1e3},
		{"llm-2024.csv.gz", 7373, "0.4", 43, "2", [3]int64{2, 2, 5}, 1e6},
	} {
		log, err := trace.Load(context.Background(), []string{"../testdata/traces/" + c.file}, trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		s := log.Stats()
		f := survey(t, log, 2).Traffic(s.LastNS-s.FirstNS, s.ResolutionNS)
		var peaks [3]int64
		for i, w := range f.Windows {
			peaks[i] = w.Peak
		}
		top, top10 := fmt.Sprintf("%.1f", 100*f.TopShare), fmt.Sprintf("%.0f", 100*f.Top10Share)
		if f.Clients != c.clients || f.Top[0].Requests != c.most || top != c.top || top10 != c.top10 || peaks != c.peaks || f.ResolutionNS != c.resolution {
			t.Errorf("%s: %d clients, top %s%% (%d), top 10 %s%%, peaks %d: %+v", c.file, f.Clients, top, f.Top[0].Requests, top10, peaks, f)
		}
	}
}

// Peaks and dispersion are those of the plain definitions, for any client.
func TestSurveyAgainstDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clients := drawClients(t, 60e9)
		got := survey(&testing.T{}, memory(clients), 1)
		var requests int64
		for i, w := range results.TrafficWindows {
			var peak int64
			sum, behind := new(big.Int), int64(0)
			for _, c := range clients {
				counts := map[string]int64{}
				for k, r := range c.requests {
					counts[floorDiv(r.time, w).String()]++
					peak = max(peak, 1+sumIn(onesOf(c.requests), k, w, limiter.Open, func(int) bool { return true }))
				}
				n := int64(len(c.requests))
				if i == 0 {
					requests += n
				}
				if n == 0 {
					continue
				}
				windows := new(big.Int).Sub(floorDiv(c.requests[n-1].time, w), floorDiv(c.requests[0].time, w)).Int64() + 1
				if windows < 2 {
					continue
				}
				mean := big.NewRat(n, windows) // the windows without requests add mean*mean each
				variance := new(big.Rat).Mul(new(big.Rat).Mul(mean, mean), big.NewRat(windows-int64(len(counts)), 1))
				for _, count := range counts {
					d := new(big.Rat).Sub(big.NewRat(count, 1), mean)
					variance.Add(variance, d.Mul(d, d))
				}
				variance.Quo(variance, big.NewRat(windows-1, 1))
				index := variance.Quo(variance, mean)
				index.Mul(index, big.NewRat(n<<20, 1))
				sum.Add(sum, new(big.Int).Quo(index.Num(), index.Denom()))
				behind += n
			}
			s := got.Windows[i]
			if s.Peak.Max != peak || s.Requests != behind || s.Dispersed.Big().Cmp(sum) != 0 {
				t.Errorf("window %d: peak %d, want %d; dispersed %s of %d, want %s of %d", w, s.Peak.Max, peak, s.Dispersed.Big(), s.Requests, sum, behind)
			}
		}
		if got.Requests != requests {
			t.Errorf("%d requests, want %d", got.Requests, requests)
		}
	})
}

// onesOf is the requests as if each cost 1.
func onesOf(list []request) []request {
	ones := slices.Clone(list)
	for i := range ones {
		ones[i].cost = 1
	}
	return ones
}

// Poisson arrivals have a dispersion of 1, even ones of about 0; requests by rank to the power of -s have the slope s.
func TestSurveyKnowsShapes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var poisson, even, zipf memory
	for i := range 10 {
		p, e := client{key: fmt.Sprint(i)}, client{key: fmt.Sprint(i)}
		at := 0.0
		for k := range 40000 {
			at += rng.ExpFloat64() * 2e9
			p.requests = append(p.requests, request{int64(at), 1})
			e.requests = append(e.requests, request{int64(k) * 2e9, 1})
		}
		poisson, even = append(poisson, p), append(even, e)
	}
	for rank := 1; rank <= 1500; rank++ {
		c := client{key: fmt.Sprint(rank)}
		for k := range int(50000 * math.Pow(float64(rank), -0.9)) {
			c.requests = append(c.requests, request{int64(k) * 1e9, 1})
		}
		zipf = append(zipf, c)
	}
	for i, w := range survey(t, poisson, 2).Traffic(1, 1).Windows {
		if *w.Dispersion < 0.95 || *w.Dispersion > 1.05 {
			t.Errorf("window %d: Poisson arrivals have a dispersion of %f", i, *w.Dispersion)
		}
	}
	if d := *survey(t, even, 2).Traffic(1, 1).Windows[1].Dispersion; d > 0.01 {
		t.Errorf("even arrivals have a dispersion of %f", d)
	}
	if s := *survey(t, zipf, 2).Traffic(1, 1).ZipfSlope; math.Abs(s-0.9) > 0.01 {
		t.Errorf("a slope of 0.9 comes out as %f", s)
	}
}

// What a replay says of the traffic is what a survey says, and it does not depend on who looked.
func TestReplaySurveys(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var log memory
	for i := range 3000 {
		c := client{key: fmt.Sprint("c", i)}
		at := int64(0)
		for range 1 + rng.IntN(30)*rng.IntN(3) {
			at += rng.Int64N(30e9)
			c.requests = append(c.requests, request{at, 1})
		}
		log = append(log, c)
	}
	log = append(log, client{key: "hot"})
	for i := range 100_000 {
		log[3000].requests = append(log[3000].requests, request{int64(i) * 3e6, 1})
	}
	plan := measure.Plan{Contestants: specs(t, "counter"), Limits: []limiter.Limit{{Max: 5, Window: 60e9}}}
	want := survey(t, log, 1).Traffic(1, 1)
	for _, workers := range []int{1, 3} {
		o := measure.Options{Workers: workers, Traffic: results.NewTrafficTally()}
		if _, err := measure.Replay(context.Background(), log, plan, o); err != nil {
			t.Fatal(err)
		}
		if got := o.Traffic.Traffic(1, 1); !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers: %+v is not %+v", workers, got, want)
		}
	}
}
