// Package units reads and writes the quantities of the command line and of limiter specs: counts such as 1e6, 10k, 400M
// or 1_000_000, and durations such as 60s, 1m30s or 30d.
package units

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
)

var multiples = map[byte]int64{'k': 1e3, 'K': 1e3, 'M': 1e6, 'G': 1e9, 'T': 1e12}

// ParseCount reads a whole number of at least 0: digits with optional underscores, an exponent (1e6, 2.5e3) or a
// multiple (10k, 1.5M, G, T). It is exact and refuses what is not whole or does not fit int64.
func ParseCount(text string) (int64, error) {
	digits, multiple := strings.ReplaceAll(text, "_", ""), int64(1)
	if n := len(digits); n > 1 {
		if m, ok := multiples[digits[n-1]]; ok {
			digits, multiple = digits[:n-1], m
		}
	}
	if digits == "" || strings.Trim(digits, "0123456789.eE+") != "" || len(digits) > 40 {
		return 0, fmt.Errorf("%q is not a whole number such as 100, 10k, 1e6 or 1_000_000", text)
	}
	if i := strings.IndexAny(digits, "eE"); i >= 0 { // keep the exponent small before big.Rat expands it
		if e, err := strconv.Atoi(digits[i+1:]); err != nil || e > 40 {
			return 0, fmt.Errorf("%q is not a whole number such as 100, 10k, 1e6 or 1_000_000", text)
		}
	}
	r, ok := new(big.Rat).SetString(digits)
	if !ok {
		return 0, fmt.Errorf("%q is not a whole number such as 100, 10k, 1e6 or 1_000_000", text)
	}
	r.Mul(r, new(big.Rat).SetInt64(multiple))
	if !r.IsInt() {
		return 0, fmt.Errorf("%q is not a whole number", text)
	}
	if !r.Num().IsInt64() {
		return 0, fmt.Errorf("%q is too large: the most is %d", text, int64(1<<63-1))
	}
	return r.Num().Int64(), nil
}

// ParseDuration reads a duration as time.ParseDuration does, with d for days of 24 hours besides (30d, 1d12h), and
// returns nanoseconds.
func ParseDuration(text string) (int64, error) {
	days, rest := int64(0), text
	if i := strings.IndexByte(text, 'd'); i > 0 {
		n, err := strconv.ParseInt(text[:i], 10, 32)
		if err != nil {
			return 0, fmt.Errorf("%q is not a duration such as 60s, 1m30s or 30d", text)
		}
		days, rest = n, text[i+1:]
		if rest == "" {
			rest = "0"
		}
	}
	d, err := time.ParseDuration(rest)
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration such as 60s, 1m30s or 30d", text)
	}
	const day = int64(24 * time.Hour)
	if days > (1<<63-1)/day-1 || days < -((1<<63-1)/day-1) {
		return 0, fmt.Errorf("%q is longer than 292 years", text)
	}
	return days*day + int64(d), nil
}

// FormatDuration writes nanoseconds in the shortest form that ParseDuration reads back: 60s as 1m, 2592000s as 30d.
func FormatDuration(ns int64) string {
	const day = int64(24 * time.Hour)
	if ns > 0 && ns%day == 0 {
		return strconv.FormatInt(ns/day, 10) + "d"
	}
	s := time.Duration(ns).String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}
