package limiter

import "math"

// The leaky bucket, as a meter and not as a queue, remembers how much is in it.
//
// Rule: empty at a client's first request; L/W leak out per time. Admit iff level + cost <= B, which is added then. The
// capacity B is L unless burst=B. It decides as token-bucket and gcra do, being what the former lacks.
//
// Memory: the level, in units of a cost unit divided by W so that it is a whole number, and the time it is from.
//
// Promise and worst case: see gcra.go and rateBound.
var leakyBucketAlgorithm = Algorithm{
	Name:     "leaky-bucket",
	Doc:      "a meter that leaks L/W per time; admits if level + cost <= B; equals token-bucket",
	Promise:  "B+L, B the burst (L unless given)",
	Memory:   "3 integers",
	Examples: []string{"leaky-bucket", "leaky-bucket:burst=1", "leaky-bucket:burst=20"},
	accepts:  []option{optionBurst},
	build:    func(s settings, l Limit) member { return newLeakyBucket(l, s.capacity(l)) },
	bound:    func(s settings, l Limit) (int64, bool) { return rateBound(l, s.capacity(l)), true },
	safe:     func(s settings, l Limit) int64 { return rateSafe(l, s.capacity(l)) },
	worst:    func(s settings, l Limit) []int64 { return rateWorst(l, s.capacity(l)) },
}

type leakyBucket struct {
	limit, window int64
	last          int64 // the client's clock
	level, full   wide  // in 1/W of a cost unit; full = B*W < 2^126
}

func newLeakyBucket(l Limit, burst int64) *leakyBucket {
	return &leakyBucket{limit: l.Max, window: l.Window, last: math.MinInt64, full: product(uint64(burst), uint64(l.Window))}
}

func (b *leakyBucket) Reset() { b.last, b.level = math.MinInt64, wide{} }

func (b *leakyBucket) Allow(now, cost int64) bool {
	if cost <= 0 {
		return cost == 0
	}
	ok := b.check(now, cost)
	if ok {
		b.count(cost)
	}
	return ok
}

func (b *leakyBucket) check(now, cost int64) bool {
	b.advance(now)
	return !b.full.less(b.level.plus(product(uint64(cost), uint64(b.window))))
}

func (b *leakyBucket) count(cost int64) {
	b.level = b.level.plus(product(uint64(cost), uint64(b.window)))
}

func (b *leakyBucket) countsRefused() bool { return false }

// advance moves the clock and lets out what is due.
func (b *leakyBucket) advance(now int64) {
	if now <= b.last {
		return
	}
	leaked := product(since(now, b.last), uint64(b.limit))
	b.last = now
	if b.level.less(leaked) {
		b.level = wide{}
		return
	}
	b.level = b.level.minus(leaked)
}

func (b *leakyBucket) Count(now int64) Count {
	view := *b
	view.advance(now)
	return usedCount(view.level, b.window)
}
