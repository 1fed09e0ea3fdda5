package results

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.Int64()).Draw(t, "values")
		factor := rapid.IntRange(0, 60).Draw(t, "factor")
		var s Sum
		want := new(big.Int)
		for i, v := range values {
			big64 := big.NewInt(v)
			if i%3 == 0 {
				big64.Lsh(big64, uint(factor))
				s.AddBig(big64)
			} else {
				s.Add(v)
			}
			want.Add(want, big64)
		}
		if s.Big().Cmp(want) != 0 {
			t.Fatalf("sum %v; want %v", s.Big(), want)
		}
		if f, _ := new(big.Float).SetInt(want).Float64(); math.Abs(s.Float()-f) > math.Abs(f)*1e-15 {
			t.Fatalf("float %v; want %v", s.Float(), f)
		}
		text, err := s.MarshalText()
		var back Sum
		if err != nil || back.UnmarshalText(text) != nil || back != s {
			t.Fatalf("%s does not read back", text)
		}
		if d := back.Sub(s); d != (Sum{}) {
			t.Fatalf("s - s = %v", d.Big())
		}
		n := rapid.Int64Range(1, math.MaxInt64).Draw(t, "n")
		mean := new(big.Rat).SetFrac(want, big.NewInt(n))
		off := new(big.Rat).Sub(mean, new(big.Rat).SetInt(s.Mean(n).Big()))
		if off.Abs(off).Cmp(big.NewRat(1, 2)) > 0 {
			t.Fatalf("mean of %v over %d is %v", want, n, s.Mean(n).Big())
		}
	})
	if new(Sum).UnmarshalText([]byte("1"+strings.Repeat("0", 40))) == nil {
		t.Error("a sum beyond 128 bits was read")
	}
}

func TestErrorBin(t *testing.T) {
	edges := ErrorBins()
	if len(edges) != 101 || edges[0] != 1e-4 || edges[100] != 10 {
		t.Fatalf("%d edges from %v to %v", len(edges), edges[0], edges[len(edges)-1])
	}
	for _, c := range []struct {
		mean float64
		want int
	}{{0, 0}, {0.99e-4, 0}, {1.01e-4, 1}, {0.099, 60}, {0.101, 61}, {9.9, 100}, {10.1, 101}, {1e9, 101}} {
		var s Sum
		s.AddBig(big.NewInt(int64(c.mean * 1000)))
		s = Sum{}
		unit, _ := new(big.Float).Mul(big.NewFloat(c.mean), big.NewFloat(1<<40)).Int(nil)
		s.AddBig(unit)
		if got := ErrorBin(s); got != c.want {
			t.Errorf("a mean error of %v lies in bin %d; want %d", c.mean, got, c.want)
		}
	}
}

// example is a tally with something in every field.
func example(seed uint64) *Tally {
	rng := rand.New(rand.NewPCG(seed, 1))
	t := &Tally{Clients: 640, Requests: 64000, Digest: rng.Uint64()}
	for _, name := range []string{"log", "counter"} {
		a := NewAlgorithmTally(name, 100, 60e9)
		a.Estimates = true
		bound := int64(199)
		a.Bound = &bound
		a.Peaks = []Peak{{Limit: 100, WindowNS: 60e9}}
		a.Peaks[0].Offer(rng.Int64N(200), "c1", rng.Int64N(1e9))
		for g := range a.Groups {
			t.Active[g] = 10
			n := 900 + rng.Int64N(200)
			a.Groups[g] = Counts{Requests: n, Admitted: n - rng.Int64N(50), OverAdmitted: rng.Int64N(9), OverRefused: rng.Int64N(3), ErrorRequests: n - 10, ErrorClients: 10}
			a.ErrorSums[g][AbsoluteError].Add(n * (1 << 36))
			a.ErrorSums[g][SignedError].Add(-rng.Int64N(1 << 40))
			a.ErrorSums[g][ClientError].Add(rng.Int64N(1 << 40))
		}
		t.Algorithms = append(t.Algorithms, a)
	}
	return t
}

// TestInterval restates the delete-a-group jackknife plainly, with the tabulated quantile of Student's t for 63 degrees
// of freedom.
func TestInterval(t *testing.T) {
	tally := example(5)
	var run Run
	tally.Fill(&run)
	a := tally.Algorithms[1]
	ratio := func(without int) float64 {
		var x, y float64
		for g := range a.Groups {
			if g != without {
				x += float64(a.Groups[g][OverAdmitted])
				y += float64(a.Groups[g][Requests])
			}
		}
		return x / y
	}
	var mean, variance float64
	for g := range Groups {
		mean += ratio(g) / Groups
	}
	for g := range Groups {
		variance += (ratio(g) - mean) * (ratio(g) - mean) * (Groups - 1) / Groups
	}
	half := 1.99834 * math.Sqrt(variance)
	got := run.Algorithms[1].OverAdmittedCI
	if math.Abs(got[0]-(ratio(-1)-half)) > 1e-7 || math.Abs(got[1]-(ratio(-1)+half)) > 1e-7 {
		t.Errorf("interval %v; want %v +- %v", *got, ratio(-1), half)
	}
	if ci := run.Algorithms[1].StricterCI; *ci != (CI{0, 3.0 / 640}) {
		t.Errorf("nothing seen of 640 clients: interval %v; want up to 3/640", *ci)
	}
}

// TestIntervalCovers draws groups from a known share and counts how often the interval holds it: about 95 %.
func TestIntervalCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	held := 0
	const tries = 2000
	for range tries {
		tally := &Tally{}
		a := NewAlgorithmTally("x", 1, 1)
		a.Peaks = []Peak{{Limit: 1, WindowNS: 1}}
		for g := range Groups {
			tally.Active[g] = 1
			for range 50 + rng.IntN(100) {
				a.Groups[g][Requests]++
				if rng.Float64() < 0.3 {
					a.Groups[g][OverAdmitted]++
				}
			}
		}
		tally.Algorithms = []*AlgorithmTally{a}
		var run Run
		tally.Fill(&run)
		if ci := run.Algorithms[0].OverAdmittedCI; ci[0] <= 0.3 && 0.3 <= ci[1] {
			held++
		}
	}
	if share := float64(held) / tries; share < 0.93 || share > 0.97 {
		t.Errorf("95 %% intervals hold the truth in %.1f %% of %d tries", 100*share, tries)
	}
}

func TestNothingMeasured(t *testing.T) {
	tally := &Tally{}
	a := NewAlgorithmTally("counter", 5, 1)
	a.Estimates = true
	a.Peaks = []Peak{{Limit: 5, WindowNS: 1}}
	tally.Algorithms = []*AlgorithmTally{a}
	var run Run
	tally.Fill(&run)
	f := run.Algorithms[0]
	if f.Estimate.MeanError != nil || f.Estimate.WorstExcess != 0 || f.PeakWitness != nil || f.OverAdmittedCI != nil {
		t.Errorf("figures of nothing: %+v", f)
	}
	b, err := json.Marshal(f)
	if err != nil || !bytes.Contains(b, []byte(`"over_admitted":0`)) || !bytes.Contains(b, []byte(`"mean_error":null`)) {
		t.Errorf("%s, %v", b, err)
	}
}

func TestPeakTies(t *testing.T) {
	offers := []Peak{{Max: 3, Key: "b", TNS: 5}, {Max: 3, Key: "a", TNS: 5}, {Max: 3, Key: "z", TNS: 4}, {Max: 2, Key: "a", TNS: 0}, {Max: 3, Key: "y", TNS: 4}, {Max: 0}}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		rng.Shuffle(len(offers), func(i, j int) { offers[i], offers[j] = offers[j], offers[i] })
		p := Peak{Limit: 1, WindowNS: 1}
		for _, o := range offers {
			p.Offer(o.Max, o.Key, o.TNS)
		}
		if p.Max != 3 || p.Key != "y" || p.TNS != 4 {
			t.Fatalf("peak %+v from %v; want the earliest, then the smallest key", p, offers)
		}
	}
}

func part(index, count int, digest string, seed uint64) *File {
	f := &File{Part: &Part{Shard: Shard{index, count}, ConfigDigest: digest, Tallies: []*Tally{example(seed)}}, Runs: make([]Run, 1)}
	name := f.Part.Shard.String()
	f.Runs[0].Shard = &name
	f.Part.Tallies[0].Fill(&f.Runs[0])
	return f
}

func TestWriteReadMerge(t *testing.T) {
	dir := t.TempDir()
	var parts []*File
	var names []string
	whole := example(1)
	whole.Add(example(2))
	for i := range 2 {
		name := filepath.Join(dir, "part.json")
		if err := Write(name, part(1-i, 2, "d", uint64(2-i))); err != nil {
			t.Fatal(err)
		}
		f, err := Read(name)
		if err != nil {
			t.Fatal(err)
		}
		parts, names = append(parts, f), append(names, name)
	}
	merged, err := Merge(parts, names, false)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]Run, 1)
	whole.Fill(&want[0])
	if !reflect.DeepEqual(merged.Runs, want) || merged.Partial || merged.Part != nil {
		t.Errorf("merged runs differ from those of the whole:\n%+v\n%+v", merged.Runs, want)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestMergeRefuses(t *testing.T) {
	interrupted := part(0, 2, "d", 1)
	interrupted.Partial = true
	for name, c := range map[string]struct {
		parts []*File
		want  string
	}{
		"none":        {nil, "nothing to merge"},
		"unsharded":   {[]*File{{}}, "is no part"},
		"doubled":     {[]*File{part(0, 2, "d", 1), part(0, 2, "d", 1)}, "comes twice"},
		"foreign":     {[]*File{part(0, 2, "d", 1), part(1, 2, "e", 1)}, "other settings or input"},
		"division":    {[]*File{part(0, 2, "d", 1), part(1, 3, "d", 1)}, "different divisions"},
		"missing":     {[]*File{part(0, 3, "d", 1), part(2, 3, "d", 1)}, "missing shard 1/3"},
		"interrupted": {[]*File{interrupted, part(1, 2, "d", 1)}, "was interrupted"},
	} {
		names := make([]string, len(c.parts))
		for i := range names {
			names[i] = "p"
		}
		_, err := Merge(c.parts, names, false)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v; want %q", name, err, c.want)
		}
	}
	merged, err := Merge([]*File{part(0, 3, "d", 1), part(2, 3, "d", 1)}, []string{"a", "b"}, true)
	if err != nil || !merged.Partial || len(merged.Warnings) != 1 {
		t.Errorf("partial merge: %+v, %v", merged, err)
	}
}

func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	for content, want := range map[string]string{
		`{"schema":"rlbench.results/v2"}`: "use the rlbench that wrote it",
		`{"schema":"other/v1"}`:           "not a result file",
		"{}":                              "not a result file",
		"{\n\n{":                          "line 3",
		`{"schema":"rlbench.results/v1","runs":[{"limit":"x"}]}`:                             "limit",
		`{"schema":"rlbench.results/v1","part":{"shard":{"index":3,"count":2}}}`:             "shard 3/2",
		`{"schema":"rlbench.results/v1","runs":[{}],"part":{"shard":{"index":0,"count":2}}}`: "0 tallies for 1 runs",
	} {
		name := filepath.Join(dir, "f.json")
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(name); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v; want %q and the file's name", content, err, want)
		}
	}
	if err := Write(filepath.Join(dir, "none", "f.json"), &File{}); err == nil {
		t.Error("wrote into a folder that is not there")
	}
}
