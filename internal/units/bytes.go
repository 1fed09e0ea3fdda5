package units

import (
	"fmt"
	"math"
	"math/big"
	"strings"
)

// byteSuffixes are the units of amounts of memory, longest first.
var byteSuffixes = []struct {
	suffix string
	bytes  int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
}

// ParseBytes reads an amount of memory: 512MiB, 1.5GiB, 512MB, 64kB or a number of bytes as ParseCount reads it. It is exact and
// refuses what is not whole or does not fit int64.
func ParseBytes(text string) (int64, error) {
	for _, s := range byteSuffixes {
		number, ok := strings.CutSuffix(text, s.suffix)
		if !ok {
			continue
		}
		if number = strings.TrimSpace(number); number == "" || strings.Trim(number, "0123456789.") != "" || len(number) > 40 {
			break
		}
		r, ok := new(big.Rat).SetString(number)
		if !ok {
			break
		}
		r.Mul(r, new(big.Rat).SetInt64(s.bytes))
		if !r.IsInt() || !r.Num().IsInt64() {
			return 0, fmt.Errorf("%q is no whole number of bytes, at most %d", text, int64(math.MaxInt64))
		}
		return r.Num().Int64(), nil
	}
	n, err := ParseCount(text)
	if err != nil {
		return 0, fmt.Errorf("%q is not an amount of memory such as 512MiB, 2GB or 1e9", text)
	}
	return n, nil
}

// FormatBytes writes an amount of memory in the largest of B, KiB, MiB and GiB that it has one of, to a tenth where it is below ten.
func FormatBytes(n int64) string {
	unit, size := "B", int64(1)
	for _, s := range byteSuffixes[:3] {
		if n >= s.bytes {
			unit, size = s.suffix, s.bytes
		}
	}
	if x := float64(n) / float64(size); n%size != 0 && x < 10 {
		return fmt.Sprintf("%.1f %s", x, unit)
	}
	return fmt.Sprintf("%.0f %s", float64(n)/float64(size), unit)
}
