package mutants

import (
	"math"
	"math/big"

	"github.com/rlbench/rlbench/limiter"
)

// A rateRule is a token bucket with its slips; the zero value is right. Its level is exact, in 1/window of a token.
type rateRule struct {
	burst    func(limit int64) int64
	rate     func(l limiter.Limit) limiter.Limit // what it takes for the rate
	rewinds  bool                                // an older time sets the mark back
	clock    func(t int64) int64
	empty    bool  // a new client has nothing
	capless  bool  // what is earned is not capped
	replaces bool  // what is earned replaces what was left
	whole    bool  // only whole tokens are earned, and the mark moves with each call
	debt     bool  // refused requests are charged
	wraps    bool  // earned = limit x nanoseconds, in 64 bits
	first    bool  // the first request passes unchecked
	partial  bool  // one token is enough for any cost
	single   bool  // in single precision
	drops    int64 // forgets the client that many windows after its first request
	emptied  bool  // earns only when nothing is left
	unit     bool  // a request costs 1
	step     bool  // earns a window's worth at a time
}

func (r rateRule) start(l limiter.Limit) client {
	burst := l.Max
	if r.burst != nil {
		burst = r.burst(l.Max)
	}
	if r.rate != nil {
		l = r.rate(l)
	}
	w := big.NewInt(l.Window)
	capacity := new(big.Int).Mul(big.NewInt(burst), w)
	level := new(big.Int).Set(capacity)
	if r.empty {
		level.SetInt64(0)
	}
	last, begun := int64(math.MinInt64), int64(0)
	need := new(big.Int)
	return func(now, cost int64) bool {
		if r.clock != nil {
			now = r.clock(now)
		}
		isFirst := last == math.MinInt64
		if isFirst || r.drops > 0 && now-begun >= r.drops*l.Window {
			last, begun = now, now
			if !r.empty {
				level.Set(capacity)
			}
		}
		if now < last && !r.rewinds {
			now = last
		}
		elapsed := max(0, now-last)
		if r.step {
			elapsed = elapsed / l.Window * l.Window
		}
		r.earn(level, elapsed, l, isFirst)
		if !r.capless && level.Cmp(capacity) > 0 {
			level.Set(capacity)
		}
		if r.step {
			last += elapsed
		} else {
			last = now
		}
		if r.unit {
			cost = 1
		}
		need.Mul(big.NewInt(cost), w)
		ok := level.Cmp(need) >= 0
		if r.partial {
			ok = level.Cmp(w) >= 0
		}
		ok = ok || r.first && isFirst
		if ok || r.debt {
			level.Sub(level, need)
			if r.partial && level.Sign() < 0 {
				level.SetInt64(0)
			}
		}
		return ok
	}
}

// earn adds to the level what so many nanoseconds bring.
func (r rateRule) earn(level *big.Int, elapsed int64, l limiter.Limit, isFirst bool) {
	w := big.NewInt(l.Window)
	earned := new(big.Int).Mul(big.NewInt(elapsed), big.NewInt(l.Max))
	if r.wraps {
		earned.SetInt64(elapsed * l.Max)
	}
	if r.whole {
		earned.Div(earned, w).Mul(earned, w)
	}
	if r.emptied && level.Cmp(w) >= 0 {
		earned.SetInt64(0)
	}
	if r.replaces && !isFirst {
		level.Set(earned)
	} else {
		level.Add(level, earned)
	}
	if r.single {
		f, _ := new(big.Float).SetInt(level).Float32()
		new(big.Float).SetFloat64(float64(f)).Int(level)
	}
}

// cellRule is GCRA on whole nanoseconds, with its slips.
type cellRule struct {
	grain int64 // the interval between two cells is cut to multiples of it
	ahead int64 // how far ahead is rounded down to before it is compared
	burst func(limit int64) int64
}

func (r cellRule) start(l limiter.Limit) client {
	interval := l.Window / l.Max
	if r.grain > 1 {
		interval -= interval % r.grain
	}
	burst := l.Max
	if r.burst != nil {
		burst = r.burst(l.Max)
	}
	arrival := int64(math.MinInt64)
	tick := ascending()
	return func(now, cost int64) bool {
		now = tick(now)
		from := max(arrival, now)
		if cost > burst {
			return false
		}
		ahead := from - now
		if r.ahead > 1 {
			ahead -= ahead % r.ahead
		}
		if ahead > (burst-cost)*interval {
			return false
		}
		arrival = from + cost*interval
		return true
	}
}

// markedOnSuccess earns whole windows since the last success, which moves the mark.
func markedOnSuccess(l limiter.Limit) client {
	tokens, last := l.Max, int64(math.MinInt64)
	tick := ascending()
	return func(now, cost int64) bool {
		now = tick(now)
		if last == math.MinInt64 {
			last = now
		}
		if n := (now - last) / l.Window; n > 0 {
			tokens = l.Max
		}
		if cost > tokens {
			return false
		}
		tokens -= cost
		last = now
		return true
	}
}

// unrenewed is a meter whose entry lives for a window from the last call that left something.
func unrenewed(l limiter.Limit) client {
	left, marked, expires := l.Max, int64(0), int64(math.MinInt64)
	tick := ascending()
	return func(now, cost int64) bool {
		now = tick(now)
		if now >= expires {
			left, marked, expires = l.Max, now, now+l.Window
		}
		earned := new(big.Int).Mul(big.NewInt(now-marked), big.NewInt(l.Max))
		if n := earned.Div(earned, big.NewInt(l.Window)).Int64(); n > 0 {
			left, marked = min(l.Max, left+n), now
		}
		if cost > left {
			return false
		}
		left -= cost
		if left > 0 {
			expires = now + l.Window
		}
		return true
	}
}

// ticks replaces the count at each tick of the client's own grid; how many a tick brings is worked out in the wrong unit.
func ticks(l limiter.Limit) client {
	interval := max(1, l.Window/l.Max)
	tokens, begun, tick := l.Max, int64(math.MinInt64), int64(0)
	rate := float64(interval) / float64(l.Max)
	clock := ascending()
	return func(now, cost int64) bool {
		now = clock(now)
		if begun == math.MinInt64 {
			begun = now
		}
		if at := (now - begun) / l.Window; at > tick {
			tokens, tick = min(l.Max, int64(float64(l.Window)*rate)), at
		}
		if cost > tokens {
			return false
		}
		tokens -= cost
		return true
	}
}

var rates = []Mutant{
	{Name: "bucket-time-rewound", Kind: "time-rewound", Promise: "token-bucket", Slip: "an older time sets the refill mark back",
		client: rateRule{rewinds: true}.start},
	{Name: "bucket-clock-of-seconds", Kind: "coarse-clock", Promise: "token-bucket", Slip: "the clock shows whole seconds",
		client: rateRule{clock: func(t int64) int64 { return t / 1e9 * 1e9 }}.start},
	{Name: "gcra-seconds-ahead", Kind: "coarse-clock", Promise: "gcra:burst=1", Slip: "how far ahead is compared in whole seconds",
		client: cellRule{ahead: 1e9, burst: func(int64) int64 { return 1 }}.start},
	{Name: "gcra-burst-of-a-tenth", Kind: "rounded-to-zero", Promise: "gcra", Slip: "the burst is an integer tenth of the limit, and one",
		client: rateRule{burst: func(l int64) int64 { return l/10 + 1 }}.start},
	{Name: "gcra-burst-plus-one", Kind: "off-by-one-high", Promise: "gcra", Slip: "the burst is extra, on top of one",
		client: rateRule{burst: func(l int64) int64 { return l + 1 }}.start},
	{Name: "gcra-burst-minus-one", Kind: "off-by-one-low", Promise: "gcra", Slip: "one less than the burst",
		client: rateRule{burst: func(l int64) int64 { return l - 1 }}.start},
	{Name: "gcra-whole-milliseconds", Kind: "wrong-refill-formula", Promise: "gcra", Slip: "the interval between two permits is cut to milliseconds",
		client: cellRule{grain: 1e6}.start},
	{Name: "gcra-whole-nanoseconds", Kind: "wrong-refill-formula", Promise: "gcra", Slip: "the interval is cut to nanoseconds: 0 above 1e9 per second",
		client: cellRule{}.start},
	{Name: "bucket-product-overflows", Kind: "overflow", Promise: "token-bucket", Slip: "limit x idle nanoseconds wraps at 2^63",
		client: rateRule{wraps: true}.start},
	{Name: "bucket-loses-fractions", Kind: "fraction-lost", Promise: "token-bucket", Slip: "each call earns whole tokens and moves the mark",
		client: rateRule{whole: true}.start},
	{Name: "bucket-marked-on-success", Kind: "fraction-lost", Promise: "token-bucket", Slip: "whole windows since the last success, which moves the mark",
		client: markedOnSuccess},
	{Name: "bucket-refills-in-steps", Kind: "refill-step-convention", Promise: "token-bucket", Slip: "earns a window's worth once a window",
		client: rateRule{step: true}.start},
	{Name: "bucket-replaced", Kind: "wrong-refill-formula", Promise: "token-bucket", Slip: "what is earned replaces what was left",
		client: rateRule{replaces: true}.start},
	{Name: "bucket-rate-upside-down", Kind: "wrong-refill-formula", Promise: "token-bucket", Slip: "elapsed seconds are divided by the rate per second",
		client: rateRule{rate: upsideDown}.start},
	{Name: "bucket-dropped", Kind: "state-dropped-early", Promise: "token-bucket", Slip: "the entry's life is not renewed by the call that takes the last token",
		client: unrenewed},
	{Name: "bucket-dropped-after-three", Kind: "state-dropped-early", Promise: "token-bucket", Slip: "full again three windows after the first request",
		client: rateRule{drops: 3}.start},
	{Name: "bucket-first-unchecked", Kind: "cost", Promise: "token-bucket", Slip: "the first request passes whatever it costs",
		client: rateRule{first: true}.start},
	{Name: "bucket-one-token-is-enough", Kind: "cost", Promise: "token-bucket", Slip: "any cost passes while one token is there",
		client: rateRule{partial: true}.start},
	{Name: "bucket-cost-ignored", Kind: "cost", Promise: "gcra", Slip: "each request costs 1",
		client: rateRule{unit: true}.start},
	{Name: "bucket-starts-empty", Kind: "wrong-refill-formula", Promise: "token-bucket", Slip: "a new client has nothing",
		client: rateRule{empty: true}.start},
	{Name: "bucket-without-lid", Kind: "wrong-refill-formula", Promise: "token-bucket", Slip: "what is earned in silence is not capped",
		client: rateRule{capless: true}.start},
	{Name: "bucket-charges-refused", Kind: "rejected-counted", Promise: "token-bucket", Slip: "refused requests are charged",
		client: rateRule{debt: true}.start},
	{Name: "bucket-earns-when-empty", Kind: "refill-skipped", Promise: "token-bucket", Slip: "earns only when nothing is left",
		client: rateRule{emptied: true}.start},
	{Name: "bucket-single-precision", Kind: "overflow", Promise: "token-bucket", Slip: "the level is a 32-bit float",
		client: rateRule{single: true}.start},
	{Name: "bucket-ticks-in-wrong-unit", Kind: "unit-confusion", Promise: "token-bucket", Slip: "what a tick brings is worked out in the wrong unit",
		client: ticks},
	{Name: "bucket-thousandfold", Kind: "unit-confusion", Promise: "leaky-bucket", Slip: "milliseconds are taken for seconds",
		client: rateRule{rate: func(l limiter.Limit) limiter.Limit {
			return limiter.Limit{Max: l.Max, Window: min(l.Window, 1<<50) * 1000}
		}}.start},
	{Name: "bucket-is-log", Kind: "another-algorithm", Promise: "token-bucket", Slip: "an exact log",
		client: logRule{}.start},
}

// upsideDown makes r per second one of 1/r per second.
func upsideDown(l limiter.Limit) limiter.Limit {
	// L/W tokens a nanosecond is L*1e9/W a second; its inverse in tokens a second is W/(L*1e9), that is W/1e9 in L seconds.
	return limiter.Limit{Max: max(1, l.Window/1e6), Window: min(l.Max, 9e6) * 1e12}
}
