package limiter

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"

	"github.com/rlbench/rlbench/internal/units"
)

const mostBuckets = 1_000_000

// The buckets are the counter cut finer.
//
// Rule: bucket b = floor(t*K/W) holds what was admitted at times t of it. Let r/W be how far the request is into its bucket,
// r = t*K mod W, whole what the last K buckets hold, the current one included, and part what the one before them
// holds. Admit iff part*(W-r) + (whole+cost)*W <= L*W. buckets:1 is the counter, whose options it has.
//
// Memory: K+1 counts and where they stand.
//
// Promise: 2L-1 in every closed window for every K; finer buckets shorten how long that lasts and improve the average, not
// the peak. A closed window that ends with an admission, r/W into a bucket, begins r/W into the Kth before it, so it holds
// at most part + whole <= L + part*r/W, as admitted. r is a multiple of g = gcd(K, W) below W and part at most L:
// 2L - ceil(L*g/W), the same as 2L-1 unless L*g exceeds W. (With K = W a bucket is a nanosecond and this is the log.)
// Worst case, which reaches it: L at a time x with r = W-g, then one as soon as each r = j*W/L is reached in the bucket K later,
// the last of them at x+W at the latest.
var bucketsAlgorithm = Algorithm{
	Name:    "buckets",
	Doc:     "the counter with K buckets a window: the last K whole, the one before by its remaining share",
	Promise: "2L-1 for every K",
	Memory:  "K+1 integers",
	Examples: []string{
		"buckets:8", "buckets:1", "buckets:7", "buckets:60",
		"buckets:4:count=all", "buckets:4:align=first", "buckets:3:count=all:align=first",
	},
	accepts: []option{optionBuckets, optionCount, optionAlign},
	check: func(s settings, l Limit) error {
		if s.buckets > l.Window {
			return fmt.Errorf("%d buckets in a window of %s: a bucket is at least 1ns; take fewer or a longer window",
				s.buckets, units.FormatDuration(l.Window))
		}
		return nil
	},
	require: func(s settings) error {
		if s.buckets == 0 {
			return errors.New("how many buckets? Say so behind a colon, for example buckets:8")
		}
		return nil
	},
	build: func(s settings, l Limit) member { return newBuckets(s, l) },
	bound: func(s settings, l Limit) (int64, bool) { return bucketsBound(l, s.buckets), true },
	// The last K buckets up to the request at hand lie in one closed window, and so does the one before them.
	safe:     func(s settings, l Limit) int64 { return l.Max / 2 },
	worst:    func(s settings, l Limit) []int64 { return bucketsWorst(l, s.buckets, s.align == alignFirst) },
	estimate: func(s settings) string { return "buckets:" + strconv.FormatInt(s.buckets, 10) + s.align.suffix() },
}

var optionBuckets = option{"K", func(s *settings, text string) (bool, error) {
	k, err := units.ParseCount(text)
	if err != nil {
		return false, nil
	}
	if k < 1 || k > mostBuckets {
		return true, fmt.Errorf("%s buckets: take 1 to %d", text, mostBuckets)
	}
	s.buckets = k
	return true, nil
}}

type buckets struct {
	limit, window int64
	k             uint64
	all           bool
	align         alignment

	begun  bool
	last   int64  // the client's clock
	into   uint64 // r: how far last is into its bucket, in [0, window)
	index  uint64 // of the current bucket, modulo 2^64
	origin int64  // the first request

	ring  []int64 // one count for each of the last K buckets and the one before
	at    int     // of the current bucket in ring; the next place, cyclically, is the oldest
	whole int64   // sum of all but the oldest
}

func newBuckets(s settings, l Limit) *buckets {
	b := &buckets{limit: l.Max, window: l.Window, k: uint64(s.buckets), all: s.all, align: s.align}
	b.ring = make([]int64, s.buckets+1)
	b.last = math.MinInt64
	return b
}

func (b *buckets) Reset() {
	b.begun, b.last, b.into, b.index = false, math.MinInt64, 0, 0
	b.clear()
}

func (b *buckets) clear() {
	clear(b.ring)
	b.at, b.whole = 0, 0
}

func (b *buckets) Allow(now, cost int64) bool {
	if cost <= 0 {
		return cost == 0
	}
	ok := b.check(now, cost)
	if ok || b.all {
		b.count(cost)
	}
	return ok
}

func (b *buckets) check(now, cost int64) bool {
	b.advance(now)
	if cost > b.limit-b.whole {
		return false
	}
	return fits(uint64(b.oldest()), uint64(b.window)-b.into, uint64(b.limit-b.whole-cost), uint64(b.window))
}

// count counts in the current bucket. What would bring the whole beyond int64, which only refused requests can do, is cut.
func (b *buckets) count(cost int64) {
	cost = min(cost, math.MaxInt64-b.whole)
	b.whole += cost
	b.ring[b.at] += cost
}

func (b *buckets) countsRefused() bool { return b.all }

func (b *buckets) oldest() int64 {
	if b.at+1 == len(b.ring) {
		return b.ring[0]
	}
	return b.ring[b.at+1]
}

// advance moves the clock.
func (b *buckets) advance(now int64) {
	now = max(now, b.last)
	steps, into, index := b.locate(now)
	b.begin(now)
	b.last, b.into, b.index = now, into, index
	b.step(steps)
}

// begin makes now the client's first request if there was none.
func (b *buckets) begin(now int64) {
	if !b.begun {
		b.begun, b.origin = true, now
	}
}

// step makes the bucket that many ahead the current one.
func (b *buckets) step(steps uint64) {
	if steps > b.k {
		b.clear()
		return
	}
	for range steps {
		b.at++
		if b.at == len(b.ring) {
			b.at = 0
		}
		b.ring[b.at] = 0 // the oldest leaves
		b.whole -= b.oldest()
	}
}

// locate returns how many buckets ahead now is, how far into its bucket, and that bucket's index.
func (b *buckets) locate(now int64) (steps, into, index uint64) {
	window := uint64(b.window)
	if b.begun { // no division while it is this bucket or the next one
		hi, lo := bits.Mul64(since(now, b.last), b.k)
		if rest := window - b.into; hi == 0 {
			if lo < rest {
				return 0, b.into + lo, b.index
			}
			if lo-rest < window {
				return 1, lo - rest, b.index + 1
			}
		}
	}
	switch {
	case b.align == alignFirst && b.begun:
		index, into = b.divide(since(now, b.origin))
	case b.align == alignFirst:
	case now >= 0:
		index, into = b.divide(uint64(now))
	default:
		index, into = b.divide(-uint64(now)) // rounded towards 0: floor(-x) is -ceil(x)
		index = -index
		if into > 0 {
			index, into = index-1, window-into
		}
	}
	return index - b.index, into, index
}

// divide returns quotient and remainder of t*K/W; the quotient fits because K <= W.
func (b *buckets) divide(t uint64) (quotient, remainder uint64) {
	hi, lo := bits.Mul64(t, b.k)
	return bits.Div64(hi, lo, uint64(b.window))
}

func (b *buckets) Count(now int64) Count {
	steps, into, _ := b.locate(max(now, b.last))
	n := Count{Whole: b.whole, Part: b.oldest(), Num: b.window - int64(into)}
	if steps > b.k {
		n.Whole, n.Part = 0, 0
		return n
	}
	at := b.at
	for range steps {
		// The current bucket becomes the one before it; the second oldest leaves the whole.
		at = (at + 1) % len(b.ring)
		n.Part = b.ring[(at+1)%len(b.ring)]
		n.Whole -= n.Part
	}
	return n
}

func (b *buckets) Observe(times, costs []int64, after []Count) {
	for i, t := range times {
		cost := int64(1)
		if costs != nil {
			cost = costs[i]
		}
		if cost <= 0 {
			after[i] = b.Count(t)
			continue
		}
		b.advance(t)
		b.count(cost)
		after[i] = Count{b.whole, b.oldest(), b.window - int64(b.into)}
	}
}

// bucketsBound is the bound of the counter cut into k buckets a window.
func bucketsBound(l Limit, k int64) int64 {
	cut := int64(scaleUp(uint64(l.Max), uint64(gcd(k, l.Window)), uint64(l.Window)))
	return sum(l.Max, l.Max-cut)
}

// bucketsWorst makes the worst case of the counter cut into k buckets a window. If windows begin at the client's first
// request, one comes alone, three windows before the rest.
func bucketsWorst(l Limit, k int64, first bool) []int64 {
	g := gcd(k, l.Window)
	burst := lastTime(k/g, l.Window/g)
	var times []int64
	if first {
		times = append(times, 0)
		burst += 3 * l.Window
	}
	times = repeated(times, burst, l.Max)
	for j := int64(1); ; j++ {
		// r grows by k each nanosecond, up to W-g at burst+W.
		r := int64(scaleUp(uint64(j), uint64(l.Window), uint64(l.Max)))
		if r > l.Window-g {
			return times
		}
		times = append(times, burst+l.Window-(l.Window-g-r)/k)
	}
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// lastTime returns the smallest x >= 0 with x*k mod w = w-1, for k and w without a common factor.
func lastTime(k, w int64) int64 {
	// Euclid's algorithm with a = x*k and b = y*k (mod w) throughout.
	a, b, x, y := k%w, w, int64(1), int64(0)
	for a != 0 {
		q := b / a
		a, b, x, y = b-q*a, a, y-q*x, x
	}
	inverse := y % w
	if inverse < 0 {
		inverse += w
	}
	return (w - inverse) % w
}
