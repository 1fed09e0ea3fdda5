package results

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// Bands reach from the least to the most of all placements; where a mean is null it reaches nowhere. A file without bands has
// none of their names.
func TestWiden(t *testing.T) {
	run := func(refused int64, mean *float64, allowed int64) *Run {
		return &Run{Algorithms: []Algorithm{{Refused: refused, Estimate: &Estimate{MeanError: mean, ClientsWronglyAllowed: allowed}}, {Refused: refused}}}
	}
	number := func(x float64) *float64 { return &x }
	r := run(5, nil, 2)
	plain, err := json.Marshal(r)
	if err != nil || strings.Contains(string(plain), "_band") {
		t.Errorf("bands where there are none: %s, %v", plain, err)
	}
	r.Widen(run(7, number(0.5), 2))
	r.Widen(run(3, number(0.25), 1))
	a := &r.Algorithms[0]
	if *a.AlgorithmBands.Refused != (Band{3, 7}) || *a.Estimate.EstimateBands.MeanError != (Band{0.25, 0.5}) || *a.Estimate.EstimateBands.ClientsWronglyAllowed != (Band{1, 2}) {
		t.Errorf("bands are %v, %v, %v", *a.AlgorithmBands.Refused, *a.Estimate.EstimateBands.MeanError, *a.Estimate.EstimateBands.ClientsWronglyAllowed)
	}
	if a.Estimate.EstimateBands.Bias != nil || a.Refused != 5 || r.Algorithms[1].Estimate != nil {
		t.Errorf("a band of nothing, or a figure that moved: %+v", a)
	}
	text, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(text), `"refused_band":[3,7]`) {
		t.Errorf("%s, %v", text, err)
	}
	var back Run
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(&back, r) {
		t.Errorf("read back as %+v, %v", back, err)
	}
	if r.ForgetBands(); r.Algorithms[0].AlgorithmBands != nil || r.Algorithms[0].Estimate.EstimateBands != nil {
		t.Error("bands are not forgotten")
	}
}

// The tallies of two sets of clients add up to the tally of both, in any order, though there are more clients than are kept.
func TestTrafficAddsUp(t *testing.T) {
	whole, parts := NewTrafficTally(), []*TrafficTally{NewTrafficTally(), NewTrafficTally(), NewTrafficTally()}
	for i := range 7000 {
		key, n := strings.Repeat("k", i%7)+string(rune('a'+i%26)), int64(1+i*i%977)
		key += string(rune(0x4e00 + i))
		for _, tally := range []*TrafficTally{whole, parts[i%3]} {
			tally.AddClient(key, n)
			tally.Windows[1].Disperse(n, int64(i%5), uint64(n*n))
			tally.Windows[1].Peak.Offer(n/2, key, int64(i))
		}
	}
	sum := NewTrafficTally()
	for _, k := range []int{2, 0, 1} {
		var sent TrafficTally // through a file
		data, err := json.Marshal(parts[k])
		if err == nil {
			err = json.Unmarshal(data, &sent)
		}
		if err != nil {
			t.Fatal(err)
		}
		sum.Add(&sent)
	}
	if got, want := sum.Traffic(10e9, 1e9), whole.Traffic(10e9, 1e9); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}
