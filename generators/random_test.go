package generators

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPCG demands that the generator within the hot loop is the one of math/rand/v2.
func TestPCG(t *testing.T) {
	r := rand.NewPCG(7, 8)
	p := &poisson{}
	p.Start(Client{Rand: r, Rate: 1, Window: 1e9, Span: math.MaxInt64})
	var whole big.Float // of all gaps so far
	whole.SetPrec(200)
	for i := range 100_000 {
		whole.Add(&whole, big.NewFloat(1e9*exponential(r)))
		at, ok := p.Next(true)
		if want, _ := whole.Int64(); !ok || at < want-1 || at > want+1 {
			t.Fatalf("request %d at %d; want %d", i, at, want)
		}
		if i%1000 == 0 && p.state != pcgOf(r) {
			t.Fatalf("state %x after %d requests; want %x", p.state, i, pcgOf(r))
		}
	}
}

// kolmogorov returns the greatest distance of the sample's distribution from the given one, times the root of its size. Above
// 1.95 it has probability 0.001.
func kolmogorov(sample []float64, below func(float64) float64) float64 {
	slices.Sort(sample)
	n, most := float64(len(sample)), 0.0
	for i, x := range sample {
		p := below(x)
		most = max(most, p-float64(i)/n, float64(i+1)/n-p)
	}
	return most * math.Sqrt(n)
}

func TestDistributions(t *testing.T) {
	const n = 500_000
	for name, c := range map[string]struct {
		draw  func(*rand.PCG) float64
		below func(float64) float64
	}{
		"exponential": {exponential, func(x float64) float64 { return -math.Expm1(-x) }},
		"normal":      {normal, func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }},
		"uniform":     {func(r *rand.PCG) float64 { return uniform01(r.Uint64()) }, func(x float64) float64 { return x }},
	} {
		r := rand.NewPCG(3, 4)
		sample := make([]float64, n)
		for i := range sample {
			sample[i] = c.draw(r)
		}
		if d := kolmogorov(sample, c.below); d > 1.95 {
			t.Errorf("%s: Kolmogorov's distance %.2f", name, d)
		}
	}
}

// TestExponentialTail looks where the test over all can't see: at each of the ziggurat's layers' edges and beyond the last.
func TestExponentialTail(t *testing.T) {
	const n = 4_000_000
	r := rand.NewPCG(5, 6)
	edges := []float64{0.001, 0.01, 0.1, 1, 3, 5, 7, 7.5, 7.697, 7.7, 8, 9, 10, 12}
	counts := make([]float64, len(edges))
	for range n {
		x := exponential(r)
		for i, e := range edges {
			if x > e {
				counts[i]++
			}
		}
	}
	for i, e := range edges {
		p := math.Exp(-e)
		if got, sigma := counts[i], math.Sqrt(n*p*(1-p)); math.Abs(got-n*p) > 4.5*sigma {
			t.Errorf("%v draws above %v; want %.1f, give or take %.1f", got, e, n*p, sigma)
		}
	}
}

// TestZiggurat demands of the layers what makes them right: equal areas, and sure places under the curve.
func TestZiggurat(t *testing.T) {
	edge := func(i int) float64 { return layers[i].width * (1 << 53) }
	for i := 1; i < 256; i++ {
		area := edge(i) * (heights[i-1] - heights[i])
		if apart(area, zigguratArea) > 1e-9 {
			t.Errorf("layer %d has the area %v; want %v", i, area, zigguratArea)
		}
		if apart(heights[i], math.Exp(-edge(i))) > 1e-14 {
			t.Errorf("layer %d ends at the height %v; want %v", i, heights[i], math.Exp(-edge(i)))
		}
		if sure := float64(layers[i].sure) * layers[i].width; i > 1 && math.Exp(-sure) < heights[i-1]*(1-1e-14) {
			t.Errorf("layer %d: place %v is above the curve", i, sure)
		}
	}
	if area := zigguratTail*heights[255] + math.Exp(-zigguratTail); apart(area, zigguratArea) > 1e-9 {
		t.Errorf("the lowest layer and the tail have the area %v; want %v", area, zigguratArea)
	}
}

// TestClientSeeds demands that near seeds and near clients have streams that have nothing in common.
func TestClientSeeds(t *testing.T) {
	seen := map[uint64]bool{}
	flips, pairs := 0, 0
	for seed := range uint64(50) {
		for client := range int64(500) {
			for purpose := uint64(drawPattern); purpose <= drawRequests; purpose++ {
				a, b := clientSeed(seed, client, purpose)
				if seen[a] || seen[b] {
					t.Fatalf("a seed comes twice: seed %d client %d", seed, client)
				}
				seen[a], seen[b] = true, true
				next, _ := clientSeed(seed, client+1, purpose)
				other, _ := clientSeed(seed+1, client, purpose)
				flips += bits.OnesCount64(a^next) + bits.OnesCount64(a^other)
				pairs += 2
			}
		}
	}
	if mean := float64(flips) / float64(pairs); math.Abs(mean-32) > 0.1 {
		t.Errorf("%.2f of 64 bits differ between neighbours; want 32", mean)
	}
}
