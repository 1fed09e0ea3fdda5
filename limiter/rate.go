package limiter

// What gcra, token-bucket and leaky-bucket share: they decide alike, from different state.

// usedCount turns what is used of a burst, in cost units times the window, into a Count. used/window fits int64.
func usedCount(used wide, window int64) Count {
	whole, rest := used.over(uint64(window))
	if rest == 0 {
		return Count{Whole: int64(whole.lo)}
	}
	return Count{Whole: int64(whole.lo), Part: 1, Num: int64(rest)}
}

// rateBound is the most that a rate of L/W with burst B admits in W+1 successive nanoseconds, cost 1. No schedule admits more
// by any time than the eager one, which starts full and takes every whole permit as soon as it is there: by induction its
// permits left plus permits taken are never fewer than another's, as only the fuller one can lose by the cap.
//
// The eager one has less than one permit left each time, at most W-1 parts of 1/W, and earns L parts a nanosecond. If that
// fits below the burst, B*W >= W-1+L, nothing is lost: B at first and all L that W earns. Otherwise B is 1 or L
// exceeds W. Every nanosecond then yields B-1 permits whole, and the remaining q = L - (B-1)*W parts earn another one at
// every ceil(W/q)-th nanosecond, whose surplus is lost.
func rateBound(l Limit, burst int64) int64 {
	max, window, b := uint64(l.Max), uint64(l.Window), uint64(burst)
	if !product(b, window).less(wide{0, window - 1 + max}) {
		return sum(burst, l.Max)
	}
	each := max - (b-1)*window // (B-1)*W < L-1 here
	every := (window + each - 1) / each
	total := product(b-1, window+1).plus(wide{0, window/every + 1})
	return int64(total.lo) // below B+L, and B*W < L+W
}

// rateSafe is min(L, B) =: S. A refusal at t would need, since the bucket was last full at s, arrivals in [s, t] of more
// than B + (t-s)*L/W. But [s, t] is covered by floor((t-s)/W)+1 half-open windows, so that they are at most
// S*(t-s)/W + S, which is no more.
func rateSafe(l Limit, burst int64) int64 { return min(l.Max, burst) }

// rateWorst is the eager schedule from 0 to W.
func rateWorst(l Limit, burst int64) []int64 {
	times := repeated(nil, 0, burst)
	left := uint64(0) // of a permit, in parts of 1/W
	window, rate := uint64(l.Window), uint64(l.Max)
	for t := uint64(0); ; {
		wait := (window - left + rate - 1) / rate
		if t += wait; t > window {
			return times
		}
		left += wait * rate
		permits := int64(left / window)
		left %= window
		if permits >= burst {
			permits, left = burst, 0
		}
		times = repeated(times, int64(t), permits)
	}
}
