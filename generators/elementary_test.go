package generators

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// apart is how far got is from want, relative to want.
func apart(got, want float64) float64 {
	if got == want {
		return 0
	}
	return math.Abs(got-want) / math.Abs(want)
}

func TestExpAndLog(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		x := (r.Float64() - 0.5) * 1400
		if r.IntN(2) == 0 {
			x = (r.Float64() - 0.5) * 4
		}
		if d := apart(exp(x), math.Exp(x)); d > 1e-15 {
			t.Fatalf("exp(%v) = %v; want %v", x, exp(x), math.Exp(x))
		}
		y := math.Exp(x)
		if d := apart(log(y), math.Log(y)); d > 1e-15 {
			t.Fatalf("log(%v) = %v; want %v", y, log(y), math.Log(y))
		}
		if d := apart(expm1Ratio(x), math.Expm1(x)/x); d > 2e-15 {
			t.Fatalf("expm1Ratio(%v) = %v; want %v", x, expm1Ratio(x), math.Expm1(x)/x)
		}
	}
	for x, want := range map[float64]float64{0: 1, 710: math.Inf(1), -746: 0} {
		if got := exp(x); got != want {
			t.Errorf("exp(%v) = %v; want %v", x, got, want)
		}
	}
	if log(1) != 0 || expm1Ratio(0) != 1 {
		t.Errorf("log(1) = %v and expm1Ratio(0) = %v; want 0 and 1", log(1), expm1Ratio(0))
	}
}

// TestHarmonic compares with the sum itself, term by term, from the smallest term on and in 100 bits.
func TestHarmonic(t *testing.T) {
	for _, s := range []float64{0, 0.3, 0.9999999, 1, 1.0000001, 1.2, 2, 7} {
		sum := new(big.Float).SetPrec(100)
		const most = 100_000
		at := map[int64]float64{}
		for k := int64(1); k <= most; k++ {
			sum.Add(sum, big.NewFloat(math.Pow(float64(k), -s)))
			if k == 1 || k == 1000 || k == 1001 || k == 1500 || k == most {
				at[k], _ = sum.Float64()
			}
		}
		for n, want := range at {
			if got := harmonic(n, s); apart(got, want) > 1e-13 {
				t.Errorf("harmonic(%d, %v) = %v; want %v", n, s, got, want)
			}
		}
	}
}
