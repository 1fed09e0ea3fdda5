package keyed

import "math/bits"

// A counterRule is limiter's counter. Its word holds, from bit 1 on,
//
//	cur | prev | left | window
//
// cur and prev are the counts of the window at hand and the one before. left is ceil(prev*(W-e)/W), e being how far the client's
// clock is into the window: prev*(W-e) + (cur+cost)*W <= L*W says the same as left + cur + cost <= L, as cur, cost and L
// are whole. So the word need not hold the clock: a time that goes back finds a left that is too large and takes the
// smaller one. Each count takes as many bits as the largest limit there was; the window's index gets the rest.
type counterRule struct {
	limit                    uint64
	largest                  uint64 // limit there was
	window                   uint64
	width                    uint
	mask                     uint64
	prevAt, leftAt, windowAt uint
	share                    divider
	narrow                   bool // prev*W fits 64 bits
}

// counterWidth is the most bits of a count: 9 are left for the window.
const counterWidth = 18

func newCounterRule(limit, largest, window uint64) (*counterRule, bool) {
	largest = max(limit, largest)
	r := &counterRule{limit: limit, largest: largest, window: window, width: uint(bits.Len64(largest))}
	if r.width > counterWidth {
		return nil, false
	}
	r.mask = 1<<r.width - 1
	r.prevAt, r.leftAt, r.windowAt = 1+r.width, 1+2*r.width, 1+3*r.width
	r.share = newDivider(window)
	r.narrow = bits.Len64(window)+int(r.width) <= 64
	return r, true
}

type counterState struct{ cur, prev, left, window uint64 }

// To mask a shift by 63 spares the instructions for one by 64 and more.

func (r *counterRule) unpack(word uint64) counterState {
	return counterState{word >> 1 & r.mask, word >> (r.prevAt & 63) & r.mask, word >> (r.leftAt & 63) & r.mask, word >> (r.windowAt & 63)}
}

func (r *counterRule) pack(s counterState) uint64 {
	return s.cur<<1 | s.prev<<(r.prevAt&63) | s.left<<(r.leftAt&63) | s.window<<(r.windowAt&63)
}

// weighted returns ceil(prev*(W-into)/W).
func (r *counterRule) weighted(prev, into uint64) uint64 {
	if prev == 0 {
		return 0
	}
	if r.narrow {
		return r.share.up(prev * (r.window - into))
	}
	return scaleUp(prev, r.window-into, r.window)
}

// advance moves the client's clock.
func (r *counterRule) advance(word uint64, base int64, at instant) counterState {
	s := r.unpack(word)
	now := uint64(at.index - base)
	if now != s.window {
		if now < s.window {
			return s
		}
		s = s.enter(now)
	}
	if s.prev != 0 {
		s.left = min(s.left, r.weighted(s.prev, at.into))
	}
	return s
}

func (s counterState) enter(window uint64) counterState {
	if window == s.window+1 {
		return counterState{0, s.cur, s.cur, window}
	}
	return counterState{window: window}
}

func (r *counterRule) fresh(base int64, at instant) uint64 {
	return r.pack(counterState{window: uint64(at.index - base)})
}

func (r *counterRule) decide(word uint64, base int64, at instant, cost int64) (uint64, bool) {
	s := r.unpack(word)
	if s.window != uint64(at.index-base) {
		s = r.advance(word, base, at)
		word = r.pack(s)
	} else if s.prev != 0 { // as advance does
		if left := r.weighted(s.prev, at.into); left < s.left {
			word -= (s.left - left) << (r.leftAt & 63)
			s.left = left
		}
	}
	used := s.cur + s.left
	if used > r.limit || uint64(cost) > r.limit-used {
		return word, false
	}
	return word + uint64(cost)<<1, true
}

func (r *counterRule) remaining(word uint64, base int64, at instant) int64 {
	s := r.advance(word, base, at)
	return max(0, int64(r.limit)-int64(s.cur+s.left))
}

func (r *counterRule) wait(word uint64, base int64, at instant, cost int64) int64 {
	s := r.advance(word, base, at)
	if int64(s.cur+s.left)+cost <= int64(r.limit) {
		return 0
	}
	start := uint64(base+int64(s.window)) * r.window
	room := r.limit - uint64(cost)
	prev := s.prev
	if s.cur <= room {
		room -= s.cur
	} else {
		start += r.window
		prev = s.cur
	}
	// prev > room in both cases, so that the share of it that still fits is below one window.
	return int64(start + r.window - scaleDown(room, r.window, prev) - uint64(at.now))
}

func (r *counterRule) seen(word uint64, base int64) int64 {
	return base + int64(word>>(r.windowAt&63))
}

func (r *counterRule) shift(word uint64, by int64) uint64 {
	return word - uint64(by)<<(r.windowAt&63)
}

func (r *counterRule) adopt(word uint64, _ int64, before rule) uint64 {
	return r.pack(before.(*counterRule).unpack(word))
}

func (r *counterRule) reach() int64 { return 1 << (wordBits - 3*r.width) }

func (r *counterRule) most() int64 { return int64(r.limit) }

func (r *counterRule) withLimit(limit, _ int64) (rule, bool) {
	n, ok := newCounterRule(uint64(limit), r.largest, r.window)
	return n, ok
}
