package results

import (
	"fmt"
	"math/big"
	"math/bits"
)

// A Sum is a signed 128-bit integer that only grows by additions: the exact, order-free sum of many rounded errors.
// It wraps silently beyond 2^127, which 10^12 requests with errors of a million times the true value do not reach.
type Sum struct {
	hi int64
	lo uint64
}

// Add adds v.
func (s *Sum) Add(v int64) {
	lo, carry := bits.Add64(s.lo, uint64(v), 0)
	s.lo = lo
	s.hi += v>>63 + int64(carry)
}

// AddSum adds o.
func (s *Sum) AddSum(o Sum) {
	lo, carry := bits.Add64(s.lo, o.lo, 0)
	s.lo = lo
	s.hi += o.hi + int64(carry)
}

// AddBig adds b, which must fit.
func (s *Sum) AddBig(b *big.Int) {
	abs := new(big.Int).Abs(b)
	o := Sum{
		hi: int64(new(big.Int).Rsh(abs, 64).Uint64()),
		lo: new(big.Int).And(abs, new(big.Int).SetUint64(1<<64-1)).Uint64(),
	}
	if b.Sign() < 0 {
		o = o.negated()
	}
	s.AddSum(o)
}

func (s Sum) negated() Sum {
	lo, carry := bits.Add64(^s.lo, 1, 0)
	return Sum{^s.hi + int64(carry), lo}
}

// Big returns the value.
func (s Sum) Big() *big.Int {
	b := new(big.Int).Lsh(big.NewInt(s.hi), 64)
	return b.Add(b, new(big.Int).SetUint64(s.lo))
}

// Sub returns s - o.
func (s Sum) Sub(o Sum) Sum {
	s.AddSum(o.negated())
	return s
}

// Float returns the nearest float64 to within one unit in the last place.
func (s Sum) Float() float64 {
	if s.hi < 0 {
		return -s.negated().Float()
	}
	return float64(float64(s.hi)*(1<<64)) + float64(s.lo)
}

// Mean returns the value divided by n > 0, rounded to nearest, half away from zero.
func (s Sum) Mean(n int64) Sum {
	if s.hi < 0 {
		return s.negated().Mean(n).negated()
	}
	s.Add(n / 2)
	high := uint64(s.hi) / uint64(n)
	low, _ := bits.Div64(uint64(s.hi)%uint64(n), s.lo, uint64(n))
	return Sum{int64(high), low}
}

// MarshalText writes the value in decimal.
func (s Sum) MarshalText() ([]byte, error) { return s.Big().MarshalText() }

// UnmarshalText reads what MarshalText wrote.
func (s *Sum) UnmarshalText(text []byte) error {
	b := new(big.Int)
	if err := b.UnmarshalText(text); err != nil {
		return err
	}
	if b.BitLen() > 127 {
		return fmt.Errorf("sum %q needs more than 128 bits", text)
	}
	*s = Sum{}
	s.AddBig(b)
	return nil
}
