package generators

import "math"

// The functions of this file give the same bits on every machine. The ones of package math do not: some architectures have
// their own in assembly, and where there is a fused multiply-add the compiler may use it for x*y+z. So every product here
// and in the patterns is rounded by an explicit conversion, which the language forbids to fuse; only products with
// powers of two, which are exact, may go without. Additions, divisions, square roots, Frexp and Ldexp are rounded alike
// everywhere.

// ln2 in two parts: ln2High has its last 21 bits clear, so that its products with whole numbers below 2^20 are exact.
const (
	ln2High = 0x1.62e42feep-1
	ln2Low  = 0x1.a39ef35793c76p-33
)

// expTaylor and logTaylor are the coefficients that are left of 1/n! and of 1/(2n+1) after the leading terms, from the highest
// power down; the first one left out changes no bit within the reduced range.
var (
	expTaylor = [...]float64{1. / 6227020800, 1. / 479001600, 1. / 39916800, 1. / 3628800, 1. / 362880, 1. / 40320, 1. / 5040, 1. / 720, 1. / 120, 1. / 24, 1. / 6, 1. / 2}
	logTaylor = [...]float64{1. / 25, 1. / 23, 1. / 21, 1. / 19, 1. / 17, 1. / 15, 1. / 13, 1. / 11, 1. / 9, 1. / 7, 1. / 5, 1. / 3}
)

// exp returns e^x to within 2 units in the last place.
func exp(x float64) float64 {
	switch {
	case x > 709.7:
		return math.Inf(1)
	case x < -745.2:
		return 0
	}
	k := math.Floor(float64(x*math.Log2E) + 0.5)
	r := x - float64(k*ln2High) - float64(k*ln2Low) // |r| <= ln2/2
	return math.Ldexp(1+(r+float64(float64(r*r)*horner(expTaylor[:], r))), int(k))
}

// log returns the natural logarithm of x > 0 to within 2 units in the last place.
func log(x float64) float64 {
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, k = 2*m, k-1
	}
	s := (m - 1) / (m + 1) // ln m = 2 artanh s, |s| < 0.172
	z := float64(s * s)
	tail := float64(float64(2*s) * float64(z*horner(logTaylor[:], z)))
	return float64(float64(k)*ln2High) + (float64(2*s) + (tail + float64(float64(k)*ln2Low)))
}

// expm1Ratio returns (e^y-1)/y, which is 1 at 0.
func expm1Ratio(y float64) float64 {
	if math.Abs(y) > 0.3 {
		return (exp(y) - 1) / y
	}
	return 1 + float64(y*horner(expTaylor[:], y))
}

// horner evaluates a polynomial, highest power first.
func horner(coefficients []float64, x float64) float64 {
	p := 0.0
	for _, c := range coefficients {
		p = float64(p*x) + c
	}
	return p
}
