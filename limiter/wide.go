package limiter

import (
	"math"
	"math/bits"
)

// A wide is an unsigned integer of 128 bits.
type wide struct{ hi, lo uint64 }

func product(a, b uint64) wide {
	hi, lo := bits.Mul64(a, b)
	return wide{hi, lo}
}

func (a wide) less(b wide) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

// plus wraps; the callers' sums stay below 2^128.
func (a wide) plus(b wide) wide {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return wide{hi, lo}
}

// minus needs b <= a.
func (a wide) minus(b wide) wide {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, borrow)
	return wide{hi, lo}
}

// over divides by d, which must not be 0.
func (a wide) over(d uint64) (quotient wide, remainder uint64) {
	hi, rest := a.hi/d, a.hi%d
	lo, rest := bits.Div64(rest, a.lo, d)
	return wide{hi, lo}, rest
}

// fits reports whether part*weight <= room*window, that is part*weight/window <= room.
func fits(part, weight, room, window uint64) bool {
	hi, lo := bits.Mul64(part, weight)
	roomHi, roomLo := bits.Mul64(room, window)
	return hi < roomHi || hi == roomHi && lo <= roomLo
}

// scaleUp returns the smallest integer not below a*b/d; it must fit 64 bits.
func scaleUp(a, b, d uint64) uint64 {
	q, r := product(a, b).over(d)
	if r > 0 {
		q.lo++
	}
	return q.lo
}

// floorDiv returns the quotient, rounded down, and the remainder, in [0, d). d must be at least 1.
func floorDiv(t, d int64) (quotient, remainder int64) {
	quotient, remainder = t/d, t%d
	if remainder < 0 {
		quotient, remainder = quotient-1, remainder+d
	}
	return quotient, remainder
}

// sum adds two numbers of at least 0; what exceeds int64 is its largest value.
func sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// since returns the time from earlier to later, which may exceed int64.
func since(later, earlier int64) uint64 { return uint64(later) - uint64(earlier) }
