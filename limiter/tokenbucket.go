package limiter

import "math"

// The token bucket remembers how many permits are left.
//
// Rule: B tokens at a client's first request; L/W are earned per time, up to B. Admit iff tokens >= cost, which are taken
// then. The burst B is L unless burst=B. It decides as gcra and leaky-bucket do.
//
// Memory: the level, in units of a token divided by W so that it is a whole number, and the time it is from.
//
// Promise and worst case: see gcra.go and rateBound.
var tokenBucketAlgorithm = Algorithm{
	Name:     "token-bucket",
	Doc:      "B tokens at first, L/W earned per time, up to B; admits if tokens >= cost; equals gcra",
	Promise:  "B+L, B the burst (L unless given)",
	Memory:   "3 integers",
	Examples: []string{"token-bucket", "token-bucket:burst=1", "token-bucket:burst=20"},
	accepts:  []option{optionBurst},
	build:    func(s settings, l Limit) member { return newTokenBucket(l, s.capacity(l)) },
	bound:    func(s settings, l Limit) (int64, bool) { return rateBound(l, s.capacity(l)), true },
	safe:     func(s settings, l Limit) int64 { return rateSafe(l, s.capacity(l)) },
	worst:    func(s settings, l Limit) []int64 { return rateWorst(l, s.capacity(l)) },
}

type tokenBucket struct {
	limit, window int64
	last          int64 // the client's clock
	level, full   wide  // in 1/W of a token; full = B*W < 2^126
}

func newTokenBucket(l Limit, burst int64) *tokenBucket {
	b := &tokenBucket{limit: l.Max, window: l.Window, full: product(uint64(burst), uint64(l.Window))}
	b.Reset()
	return b
}

func (b *tokenBucket) Reset() { b.last, b.level = math.MinInt64, b.full }

func (b *tokenBucket) Allow(now, cost int64) bool {
	if cost <= 0 {
		return cost == 0
	}
	ok := b.check(now, cost)
	if ok {
		b.count(cost)
	}
	return ok
}

func (b *tokenBucket) check(now, cost int64) bool {
	b.advance(now)
	return !b.level.less(product(uint64(cost), uint64(b.window)))
}

func (b *tokenBucket) count(cost int64) {
	b.level = b.level.minus(product(uint64(cost), uint64(b.window)))
}

func (b *tokenBucket) countsRefused() bool { return false }

// advance moves the clock and earns what is due: less than 2^127.
func (b *tokenBucket) advance(now int64) {
	if now <= b.last {
		return
	}
	b.level = b.level.plus(product(since(now, b.last), uint64(b.limit)))
	b.last = now
	if b.full.less(b.level) {
		b.level = b.full
	}
}

func (b *tokenBucket) Count(now int64) Count {
	view := *b
	view.advance(now)
	return usedCount(b.full.minus(view.level), b.window)
}
