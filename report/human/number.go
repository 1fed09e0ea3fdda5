package human

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/rlbench/rlbench/internal/units"
)

// Count writes a whole number exactly up to a million, with commas, and with three digits and a multiple beyond.
func Count(n int64) string {
	if n > -1e6 && n < 1e6 {
		return Commas(n)
	}
	x, sign := float64(n), ""
	if x < 0 {
		x, sign = -x, "-"
	}
	unit := 0
	for x >= 999.5 && unit < 4 {
		x /= 1000
		unit++
	}
	if x >= 999.5 {
		return sign + strconv.FormatFloat(x*1e12, 'e', 1, 64)
	}
	return sign + trimZeros(strconv.FormatFloat(x, 'f', decimalsFor(x, 3), 64)) + []string{"", "k", "M", "G", "T"}[unit]
}

// Commas writes a whole number exactly, with a comma every three digits.
func Commas(n int64) string {
	s := strconv.FormatInt(n, 10)
	first := 0
	if n < 0 {
		first = 1
	}
	for i := len(s) - 3; i > first; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Percent writes the share x as a number of percent without the sign, with two digits that count (three from 10 %): 0.0031 as
// "0.31"; a zero is "0".
func Percent(x float64) string {
	x *= 100
	if x == 0 {
		return "0"
	}
	if math.Abs(x) == 100 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'f', percentDecimals(math.Abs(x)), 64)
}

func percentDecimals(x float64) int {
	if x >= 10 {
		return 1
	}
	return min(max(decimalsFor(x, 2), 1), 9)
}

// Uncertain writes the share x and its 95 % interval [low, high] in percent, as two texts: "0.41" and "±0.03" (the wider
// half), or "≤0.93" when the interval reaches down to 0. There are at most places digits
// after the point, and none beyond those that the interval leaves open. The interval is rounded outwards.
func Uncertain(x, low, high float64, places int) (value, interval string) {
	if low <= 0 && x >= 0 {
		return percentAt(x, places), "≤" + percentUp(high, places)
	}
	half := 100 * max(high-x, x-low)
	if half == 0 {
		return percentAt(x, places), "±0"
	}
	decimals := min(max(decimalsFor(half, 1), percentDecimals(math.Abs(100*x))), decimalsFor(half, 1)+1, places)
	fixed := func(v float64) string { return strconv.FormatFloat(v, 'f', decimals, 64) }
	if x == 0 {
		return "0", "±" + percentUp(half/100, places)
	}
	if s := fixed(100 * x); strings.Trim(s, "-0.") == "" {
		return percentAt(x, decimals), ""
	}
	return fixed(100 * x), "±" + fixed(math.Ceil(half*math.Pow10(decimals)-1e-9)/math.Pow10(decimals))
}

// percentAt is Percent with at most places digits after the point; what would become 0 is "<0.001".
func percentAt(x float64, places int) string {
	if decimals := percentDecimals(100 * math.Abs(x)); x == 0 || math.Abs(x) == 1 || decimals <= places {
		return Percent(x)
	}
	s := strconv.FormatFloat(100*x, 'f', places, 64)
	if strings.Trim(s, "-0.") == "" {
		return "<" + strconv.FormatFloat(math.Pow10(-places), 'f', places, 64)
	}
	return s
}

// percentUp is Percent rounded up: a bound must not shrink when it is written down.
func percentUp(x float64, places int) string {
	x *= 100
	if x <= 0 {
		return "0"
	}
	decimals := min(decimalsFor(x, 2), places)
	scale := math.Pow10(decimals)
	return trimZeros(strconv.FormatFloat(math.Ceil(x*scale-1e-9)/scale, 'f', decimals, 64))
}

// Ratio writes how many times a limit was reached: "1.43×".
func Ratio(x float64) string {
	switch {
	case x >= 1e6:
		return strconv.FormatFloat(x, 'e', 1, 64) + "×"
	case x >= 1000:
		return Commas(int64(math.Round(x))) + "×"
	case x >= 100:
		return strconv.FormatFloat(x, 'f', 0, 64) + "×"
	case x > 1 && x < 1.005: // not 1.00: it did exceed
		return ">1.00×"
	}
	return strconv.FormatFloat(x, 'f', 2, 64) + "×"
}

// Duration writes nanoseconds as the command line reads them.
func Duration(ns int64) string { return units.FormatDuration(ns) }

// Instant writes a point of simulated time as the span since its start, and one of a trace as UTC.
func Instant(ns int64, unix bool) string {
	if !unix {
		return Duration(ns)
	}
	return time.Unix(0, ns).UTC().Format("2006-01-02 15:04:05.999999999Z")
}

// Plural writes a count with its noun.
func Plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Count(n) + " " + noun + "s"
}

// List joins names as a sentence does: "a, b and c".
func List(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// decimalsFor is how many places after the point show x > 0 with the given number of digits that count.
func decimalsFor(x float64, digits int) int {
	if x <= 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0
	}
	return max(digits-1-int(math.Floor(math.Log10(x))), 0)
}

func trimZeros(s string) string {
	if !strings.Contains(s, ".") || strings.ContainsAny(s, "eE") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
