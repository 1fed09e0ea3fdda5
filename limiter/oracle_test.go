package limiter_test

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/rlbench/rlbench/limiter"
)

// The oracle restates each rule over the list of all past requests. Nothing in it is incremental or fast, and it shares
// no code with the package: it reads a spec's name and options by itself.

// A request is one that the oracle has decided. Its time is the client's clock, which never goes back.
type request struct {
	time, cost int64
	admitted   bool
}

// An oracle is one client of one limiter.
type oracle struct {
	parts []rule
	past  []request
}

// A rule is one limit and what is held against the client, in 1/window of a cost unit, at time t.
type rule struct {
	limiter.Limit
	capacity int64 // admit iff held + cost <= capacity
	held     func(past []request, t int64) *big.Int
}

func newOracle(spec string, run limiter.Limit) *oracle {
	texts := []string{spec}
	if parts, ok := strings.CutPrefix(spec, "multi:"); ok {
		texts = strings.Split(parts, "+")
	}
	o := &oracle{}
	for _, text := range texts {
		o.parts = append(o.parts, newRule(text, run))
	}
	return o
}

func newRule(text string, limit limiter.Limit) rule {
	text, own, limited := strings.Cut(text, "@")
	if limited {
		l, w, _ := strings.Cut(own, "/")
		limit.Max = must(strconv.ParseInt(l, 10, 64))
		limit.Window = map[string]int64{"1s": 1e9, "1m": 60e9, "5ns": 5, "17ns": 17}[w]
	}
	words := strings.Split(text, ":")
	has := func(option string) bool { return slices.Contains(words[1:], option) }
	r := rule{Limit: limit, capacity: limit.Max}
	counted := func(p request) bool { return p.admitted || has("count=all") }
	// The windows' origin: time 0, or the client's first request, which may be the one at hand.
	origin := func(past []request, t int64) int64 {
		if !has("align=first") {
			return 0
		}
		if len(past) == 0 {
			return t
		}
		return past[0].time
	}
	switch words[0] {
	case "log":
		r.held = func(past []request, t int64) *big.Int {
			return r.times(total(past, func(p request) bool {
				age := minus(t, p.time).Cmp(big.NewInt(limit.Window))
				return counted(p) && (age < 0 || age == 0 && !has("open"))
			}))
		}
	case "counter":
		r.held = r.weighted(1, origin, counted)
	case "buckets":
		r.held = r.weighted(must(strconv.ParseInt(words[1], 10, 64)), origin, counted)
	case "fixed":
		r.held = r.fixed(origin, counted, has("align=restart"))
	case "gcra", "token-bucket", "leaky-bucket":
		for _, word := range words[1:] {
			if b, ok := strings.CutPrefix(word, "burst="); ok {
				r.capacity = must(strconv.ParseInt(b, 10, 64))
			}
		}
		r.held = r.level
	case "allow-all", "deny-all":
		r.held = func(_ []request, _ int64) *big.Int { return new(big.Int) }
	default:
		panic("the oracle knows no rule for " + text + ": write one, apart from the code under test")
	}
	if words[0] == "allow-all" {
		r.capacity = 1<<63 - 1
	}
	if words[0] == "deny-all" {
		r.capacity = 0
	}
	return r
}

// weighted is the rule of counter and buckets: the last k windows of W/k whole, the one before by its remaining share.
func (r rule) weighted(k int64, origin func([]request, int64) int64, counted func(request) bool) func([]request, int64) *big.Int {
	return func(past []request, t int64) *big.Int {
		o, w := origin(past, t), big.NewInt(r.Window)
		scaled := func(t int64) *big.Int { return new(big.Int).Mul(minus(t, o), big.NewInt(k)) }
		bucket := func(t int64) *big.Int { return floor(scaled(t), w) }
		now := bucket(t)
		age := func(p request) int64 { return new(big.Int).Sub(now, bucket(p.time)).Int64() }
		whole := total(past, func(p request) bool { return counted(p) && age(p) >= 0 && age(p) < k })
		part := total(past, func(p request) bool { return counted(p) && age(p) == k })
		// The remaining share of the current bucket is (now+1) - t*k/W, in 1/W: (now+1)*W - t*k.
		share := new(big.Int).Add(now, big.NewInt(1))
		share.Mul(share, w).Sub(share, scaled(t))
		return share.Mul(share, part).Add(share, r.times(whole))
	}
}

func (r rule) fixed(origin func([]request, int64) int64, counted func(request) bool, restart bool) func([]request, int64) *big.Int {
	w := big.NewInt(r.Window)
	return func(past []request, t int64) *big.Int {
		if !restart {
			o := origin(past, t)
			now := floor(minus(t, o), w)
			return r.times(total(past, func(p request) bool { return counted(p) && floor(minus(p.time, o), w).Cmp(now) == 0 }))
		}
		begin := t
		if len(past) > 0 {
			begin = past[0].time
		}
		for _, p := range append(slices.Clone(past), request{time: t}) {
			if minus(p.time, begin).Cmp(w) >= 0 {
				begin = p.time
			}
		}
		return r.times(total(past, func(p request) bool { return counted(p) && p.time >= begin }))
	}
}

// level is what is used of a burst: the most by which what was admitted since some request, that one included, exceeds
// what the rate yields from there to t.
func (r rule) level(past []request, t int64) *big.Int {
	most, since := new(big.Int), new(big.Int)
	for i := len(past) - 1; i >= 0; i-- {
		if !past[i].admitted {
			continue
		}
		since.Add(since, r.times(big.NewInt(past[i].cost)))
		yield := minus(t, past[i].time)
		yield.Mul(yield, big.NewInt(r.Max))
		if used := yield.Sub(since, yield); used.Cmp(most) > 0 {
			most = used
		}
	}
	return most
}

// clock is the time a request at t is taken to have.
func (o *oracle) clock(t int64) int64 {
	for _, p := range o.past {
		t = max(t, p.time)
	}
	return t
}

func (o *oracle) allow(t, cost int64) bool {
	if cost <= 0 {
		return cost == 0
	}
	t = o.clock(t)
	ok := true
	for _, r := range o.parts {
		after := r.times(big.NewInt(cost))
		after.Add(after, r.held(o.past, t))
		ok = ok && after.Cmp(r.times(big.NewInt(r.capacity))) <= 0
	}
	o.past = append(o.past, request{t, cost, ok})
	return ok
}

// times returns n in 1/window of a cost unit.
func (r rule) times(n *big.Int) *big.Int { return new(big.Int).Mul(n, big.NewInt(r.Window)) }

// same reports whether a count says what the oracle holds.
func (r rule) same(c limiter.Count, held *big.Int) bool {
	if c.Num < 0 || c.Num > r.Window || c.Whole < 0 || c.Part < 0 {
		return false
	}
	n := new(big.Int).Mul(big.NewInt(c.Part), big.NewInt(c.Num))
	return n.Add(n, r.times(big.NewInt(c.Whole))).Cmp(held) == 0
}

func total(past []request, counts func(request) bool) *big.Int {
	n := new(big.Int)
	for _, p := range past {
		if counts(p) {
			n.Add(n, big.NewInt(p.cost))
		}
	}
	return n
}

func minus(a, b int64) *big.Int { return new(big.Int).Sub(big.NewInt(a), big.NewInt(b)) }

// floor rounds a/b down; b is positive.
func floor(a, b *big.Int) *big.Int { return new(big.Int).Div(a, b) }

// peak returns the largest cost that any closed window of the given length holds.
func peak(requests []request, window int64) int64 {
	most := int64(0)
	for i, last := range requests {
		held := int64(0)
		for _, p := range requests[:i+1] {
			if uint64(last.time)-uint64(p.time) <= uint64(window) {
				held += p.cost
			}
		}
		most = max(most, held)
	}
	return most
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
