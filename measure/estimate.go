package measure

import (
	"math/big"
	"math/bits"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/results"
)

// An estimate compares a contestant's weighted count with the exact one at every request, all requests counted whatever
// was decided. It does not depend on a limit, so that contestants that differ only there share one.
type estimate struct {
	id       string
	view     *view
	limiter  limiter.Limiter   // nil if exact
	observer limiter.Estimator // the same
	exact    bool              // the weighted count is the exact one by definition

	counts []limiter.Count // after each request of the block at hand
	from   int             // index in the history of the first of them

	requests         int64 // of this client, at least a window after its first one
	absolute, signed results.Sum
}

func (e *estimate) reset() {
	if !e.exact {
		e.limiter.Reset()
	}
	e.requests, e.absolute, e.signed = 0, results.Sum{}, results.Sum{}
}

// advance compares the requests of the history from index from on.
func (e *estimate) advance(h *history, from int) {
	n := len(h.times) - from
	e.from = from
	if e.exact {
		e.countExact(h, from)
		return
	}
	if cap(e.counts) < n {
		e.counts = make([]limiter.Count, max(n, block))
	}
	e.counts = e.counts[:n]
	var costs []int64
	if len(h.costs) > 0 {
		costs = h.costs[from:]
	}
	e.observer.Observe(h.times[from:], costs, e.counts)
	e.compare(h, from)
}

// counted returns the index of the first request from index from on whose error counts: W or more after the first.
func (e *estimate) counted(h *history, from int) int {
	window := uint64(e.view.window)
	for from < len(h.times) && uint64(h.times[from])-uint64(h.first) < window {
		from++
	}
	return from
}

func (e *estimate) countExact(h *history, from int) {
	e.requests += int64(len(h.times) - e.counted(h, from))
}

// compare adds the relative errors (est-real)/real, each rounded to the nearest 2^-40 (half away from zero). With
// est = whole + part*num/W that is ((whole-real)*W + part*num) / (real*W).
func (e *estimate) compare(h *history, from int) {
	first := e.counted(h, from)
	held := e.view.held[first:len(h.times)]
	counts := e.counts[first-from:][:len(held)]
	window := e.view.window
	// No part of the count exceeds the fullest window: then products stay below 2^60 and quotients below 2^10.
	easy := e.view.peak < 1<<10 && bits.Len64(uint64(window)) <= 50
	var absolute, signed int64
	for i, real := range held {
		c := &counts[i]
		if !easy && e.large(real, c) {
			e.slow(real, c)
			continue
		}
		num, den := (c.Whole-real)*window+c.Part*c.Num, real*window
		sign := num >> 63
		abs := (num ^ sign) - sign
		// The float64 quotient rounds to the right unit or to its neighbour; the remainder, which fits int64, tells.
		q := int64(float64(abs)/float64(den)*(1<<40) + 0.5)
		if r := 2 * (abs<<40 - q*den); r >= den {
			q++
		} else if r < -den {
			q--
		}
		absolute += q
		signed += (q ^ sign) - sign
	}
	e.requests += int64(len(held))
	e.absolute.Add(absolute)
	e.signed.Add(signed)
}

// large reports whether the error is beyond 64-bit arithmetic: a product of 2^60 or more, or a quotient of 2^10 or more.
func (e *estimate) large(real int64, c *limiter.Count) bool {
	if bits.Len64(uint64(real|c.Whole|c.Part))+bits.Len64(uint64(e.view.window)) > 60 {
		return true
	}
	return (c.Whole+c.Part)>>10 >= real
}

// slow adds one error of any size.
func (e *estimate) slow(real int64, c *limiter.Count) {
	window := big.NewInt(e.view.window)
	num := new(big.Int).Sub(big.NewInt(c.Whole), big.NewInt(real))
	num.Mul(num, window)
	num.Add(num, new(big.Int).Mul(big.NewInt(c.Part), big.NewInt(c.Num)))
	den := new(big.Int).Mul(big.NewInt(real), window)
	negative := num.Sign() < 0
	num.Abs(num)
	num.Lsh(num, 41)
	num.Add(num, den)
	num.Quo(num, den.Lsh(den, 1)) // floor((2^41*num + den) / (2*den)) rounds half up
	e.absolute.AddBig(num)
	if negative {
		num.Neg(num)
	}
	e.signed.AddBig(num)
}

// above reports whether the weighted count exceeds the limit: whole + part*num/W > limit.
func above(c limiter.Count, limit, window int64) bool {
	rest := limit - c.Whole
	if rest < 0 {
		return true
	}
	high, low := bits.Mul64(uint64(c.Part), uint64(c.Num))
	wantHigh, wantLow := bits.Mul64(uint64(rest), uint64(window))
	return high > wantHigh || high == wantHigh && low > wantLow
}
