package keyed

import "math/bits"

// A fixedRule is limiter's fixed window, its word
//
//	count | window
//
// from bit 1 on. With count=all refused requests count as well; a count beyond the limit refuses all, whatever it is, so
// that it stops there.
type fixedRule struct {
	limit   uint64
	largest uint64 // limit there was
	window  uint64
	all     bool
	width   uint
}

const fixedWidth = 40

func newFixedRule(limit, largest, window uint64, all bool) (*fixedRule, bool) {
	largest = max(limit, largest)
	r := &fixedRule{limit: limit, largest: largest, window: window, all: all, width: uint(bits.Len64(largest))}
	return r, r.width <= fixedWidth
}

func (r *fixedRule) pack(count, window uint64) uint64 { return (window<<r.width | count) << 1 }

func (r *fixedRule) unpack(word uint64) (count, window uint64) {
	return word >> 1 & (1<<r.width - 1), word >> (1 + r.width)
}

func (r *fixedRule) advance(word uint64, base int64, at instant) (count, window uint64) {
	count, window = r.unpack(word)
	if now := uint64(at.index - base); now > window {
		return 0, now
	}
	return count, window
}

func (r *fixedRule) fresh(base int64, at instant) uint64 { return r.pack(0, uint64(at.index-base)) }

func (r *fixedRule) decide(word uint64, base int64, at instant, cost int64) (uint64, bool) {
	count, window := r.advance(word, base, at)
	ok := count <= r.limit && uint64(cost) <= r.limit-count
	switch {
	case ok:
		count += uint64(cost)
	case r.all:
		count = max(count, r.limit)
	}
	return r.pack(count, window), ok
}

func (r *fixedRule) remaining(word uint64, base int64, at instant) int64 {
	count, _ := r.advance(word, base, at)
	return max(0, int64(r.limit)-int64(count))
}

func (r *fixedRule) wait(word uint64, base int64, at instant, cost int64) int64 {
	count, window := r.advance(word, base, at)
	if int64(count)+cost <= int64(r.limit) {
		return 0
	}
	return int64(uint64(base+int64(window)+1)*r.window - uint64(at.now))
}

func (r *fixedRule) seen(word uint64, base int64) int64 { return base + int64(word>>(1+r.width)) }

func (r *fixedRule) shift(word uint64, by int64) uint64 { return word - uint64(by)<<(1+r.width) }

func (r *fixedRule) adopt(word uint64, _ int64, before rule) uint64 {
	return r.pack(before.(*fixedRule).unpack(word))
}

func (r *fixedRule) reach() int64 { return 1 << (wordBits - r.width) }

func (r *fixedRule) most() int64 { return int64(r.limit) }

func (r *fixedRule) withLimit(limit, _ int64) (rule, bool) {
	return newFixedRule(uint64(limit), r.largest, r.window, r.all)
}
