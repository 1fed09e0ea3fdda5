package limitertest_test

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/limitertest"
)

// The published decisions are those of the brute-force oracle below, which shares nothing with what decided them.
func TestVectors(t *testing.T) {
	all, err := limitertest.Vectors()
	if err != nil {
		t.Fatal(err)
	}
	families, names := map[string]int{}, map[string]bool{}
	for _, v := range all {
		family, _, _ := strings.Cut(v.Promise, ":")
		families[family]++
		if names[family+v.Name] || v.Name == "" || v.Failure == "" || v.Kind == "" {
			t.Errorf("%s %s: the name is not its own, or something is missing", family, v.Name)
		}
		names[family+v.Name] = true
		clients := map[string]*[]decided{}
		for i, s := range v.Steps {
			if s.Requests < 1 || s.Admitted > s.Requests || s.Key == "" || s.Time < 0 || s.Cost < 0 {
				t.Errorf("%s, step %d: not of the schema", v.Name, i+1)
			}
			past := clients[s.Key]
			if past == nil {
				past = &[]decided{}
				clients[s.Key] = past
			}
			for k := range s.Requests {
				got := bruteForce(v.Promise, limiter.Limit{Max: v.Limit, Window: v.Window}, past, s.Time, s.Cost)
				if got != (k < s.Admitted) {
					t.Errorf("%s, step %d, request %d: the oracle says %t", v.Name, i+1, k+1, got)
				}
			}
		}
	}
	for family, least := range map[string]int{"log": 15, "counter": 15, "fixed": 10, "gcra": 15, "buckets": 5, "multi": 3} {
		if families[family] < least {
			t.Errorf("%d vectors of %s", families[family], family)
		}
	}
}

// The vectors are worth something: they fail wrong limiters.
func TestVectorsFailWrongLimiters(t *testing.T) {
	all, err := limitertest.Vectors()
	if err != nil {
		t.Fatal(err)
	}
	wrong, right := contestants(t)
	fails := func(c contestant) bool {
		promise, err := limitertest.ParsePromise(c.promise)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range all {
			if c.promise != v.Promise && c.promise+":open" != v.Promise {
				continue
			}
			var requests []limiter.Request
			for _, s := range v.Steps {
				for range s.Requests {
					requests = append(requests, limiter.Request{Key: s.Key, Time: s.Time, Cost: s.Cost})
				}
			}
			l := limiter.Limit{Max: v.Limit, Window: v.Window}
			if _, broken := limitertest.Judge(promise, l, requests, answersOf(t, c.open, l, requests)); broken {
				return true
			}
		}
		return false
	}
	caught, of := 0, 0
	for _, c := range wrong {
		if c.kind == limitertest.KindCrash || c.kind == limitertest.KindHang || c.kind == limitertest.KindRetryAfter || c.kind == limitertest.KindRemaining {
			continue
		}
		if !slices.ContainsFunc(all, func(v limitertest.Vector) bool { return v.Promise == c.promise || v.Promise == c.promise+":open" }) {
			continue
		}
		of++
		if fails(c) {
			caught++
		} else {
			t.Logf("%s (%s) passes the vectors", c.name, c.promise)
		}
	}
	for _, c := range right {
		if fails(c) {
			t.Errorf("%s, which is right, fails a vector", c.name)
		}
	}
	t.Logf("%d of %d wrong limiters fail a vector", caught, of)
	if caught*10 < of*7 {
		t.Errorf("only %d of %d wrong limiters fail a vector", caught, of)
	}
}

// A decided request stands at its client's clock.
type decided struct {
	time, cost int64
	admitted   bool
}

// bruteForce decides one request of one client by the words of the rule, over all that came before, and takes it down.
func bruteForce(promise string, run limiter.Limit, past *[]decided, t, cost int64) bool {
	if cost == 0 {
		return true
	}
	for _, p := range *past {
		t = max(t, p.time)
	}
	ok := true
	for _, part := range strings.Split(strings.TrimPrefix(promise, "multi:"), "+") {
		ok = bruteRule(part, run, *past, t, cost) && ok
	}
	*past = append(*past, decided{t, cost, ok})
	return ok
}

func bruteRule(part string, run limiter.Limit, past []decided, t, cost int64) bool {
	body, at, limited := strings.Cut(part, "@")
	if limited {
		count, window, _ := strings.Cut(at, "/")
		run.Max, _ = strconv.ParseInt(count, 10, 64)
		d, _ := time.ParseDuration(window)
		run.Window = int64(d)
	}
	words := strings.Split(body, ":")
	origin := int64(0)
	if slices.Contains(words, "align=first") {
		if origin = t; len(past) > 0 {
			origin = past[0].time
		}
	}
	counts := func(p decided) bool { return p.admitted || slices.Contains(words, "count=all") }
	w := run.Window
	held := new(big.Rat)
	add := func(p decided, share *big.Rat) { held.Add(held, share.Mul(share, big.NewRat(p.cost, 1))) }
	capacity := run.Max
	switch words[0] {
	case "log":
		for _, p := range past {
			if age := t - p.time; counts(p) && (age < w || age == w && !slices.Contains(words, "open")) {
				add(p, big.NewRat(1, 1))
			}
		}
	case "counter", "buckets":
		k := int64(1)
		if words[0] == "buckets" {
			k, _ = strconv.ParseInt(words[1], 10, 64)
		}
		place := func(t int64) *big.Rat { return new(big.Rat).Mul(big.NewRat(t-origin, w), big.NewRat(k, 1)) }
		bucket := func(t int64) int64 { x := place(t); return new(big.Int).Div(x.Num(), x.Denom()).Int64() }
		into := new(big.Rat).Sub(place(t), big.NewRat(bucket(t), 1))
		for _, p := range past {
			switch age := bucket(t) - bucket(p.time); {
			case counts(p) && age < k:
				add(p, big.NewRat(1, 1))
			case counts(p) && age == k:
				add(p, new(big.Rat).Sub(big.NewRat(1, 1), into))
			}
		}
	case "fixed":
		begin := origin + (t-origin)/w*w
		if slices.Contains(words, "align=restart") {
			begin = t
			for i, p := range append(slices.Clone(past), decided{time: t}) {
				if i == 0 || p.time-begin >= w {
					begin = p.time
				}
			}
		}
		for _, p := range past {
			if counts(p) && p.time >= begin {
				add(p, big.NewRat(1, 1))
			}
		}
	case "gcra":
		for _, word := range words[1:] {
			if b, ok := strings.CutPrefix(word, "burst="); ok {
				capacity, _ = strconv.ParseInt(b, 10, 64)
			}
		}
		last := int64(0)
		for i, p := range append(slices.Clone(past), decided{time: t}) {
			if i > 0 {
				held.Sub(held, new(big.Rat).Mul(big.NewRat(p.time-last, w), big.NewRat(run.Max, 1)))
				if held.Sign() < 0 {
					held.SetInt64(0)
				}
			}
			if last = p.time; p.admitted {
				held.Add(held, big.NewRat(p.cost, 1))
			}
		}
	default:
		panic("no rule for " + part)
	}
	return held.Add(held, big.NewRat(cost, 1)).Cmp(big.NewRat(capacity, 1)) <= 0
}
