package measure_test

import (
	"math/big"
	"strings"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/results"
)

// The oracle restates every definition of a figure over plain lists, quadratic and with rationals, sharing nothing with
// the engine but the limiters themselves (which have an oracle of their own).

type request struct{ time, cost int64 }

type client struct {
	key      string
	requests []request
}

// expect is what the oracle finds for one contestant.
type expect struct {
	counts            results.Counts
	peaks             []results.Peak
	absolute, signed  *big.Int // in ErrorUnits
	byClient          *big.Int
	maxWronglyAllowed int64
	hit               []results.HitClient // every client that was refused something, in order
	refused           []bool              // by request that costs something, client by client
}

// inWindow reports whether a request at time s lies in the window of length w that ends at t.
func inWindow(s, t, w int64, edge limiter.Edge) bool {
	age := new(big.Int).Sub(big.NewInt(t), big.NewInt(s))
	c := age.Cmp(big.NewInt(w))
	return c < 0 || c == 0 && edge == limiter.Closed
}

// sumIn adds the costs of the requests before index i that lie in the window ending at request i and that keep holds for.
func sumIn(requests []request, i int, w int64, edge limiter.Edge, keep func(k int) bool) int64 {
	var sum int64
	for k := range i {
		if inWindow(requests[k].time, requests[i].time, w, edge) && keep(k) {
			sum += requests[k].cost
		}
	}
	return sum
}

func floorDiv(a, b int64) *big.Int {
	q, m := new(big.Int).DivMod(big.NewInt(a), big.NewInt(b), new(big.Int))
	_ = m
	return q
}

// weighted is the open-loop estimate after request i of all requests, by the definition of each algorithm.
func weighted(name string, requests []request, i int, w int64, edge limiter.Edge) *big.Rat {
	all := func(int) bool { return true }
	t := requests[i].time
	k := int64(1)
	name = strings.TrimSuffix(name, ":count=all") // open loop everything counts
	switch {
	case name == "log":
		return new(big.Rat).SetInt64(sumIn(requests, i, w, edge, all) + requests[i].cost)
	case name == "fixed":
		var sum int64
		for _, r := range requests[:i+1] {
			if floorDiv(r.time, w).Cmp(floorDiv(t, w)) == 0 {
				sum += r.cost
			}
		}
		return new(big.Rat).SetInt64(sum)
	case name == "fixed:align=restart":
		var sum int64
		begin := big.NewInt(requests[0].time)
		for _, r := range requests[:i+1] {
			if at := big.NewInt(r.time); new(big.Int).Sub(at, begin).Cmp(big.NewInt(w)) >= 0 {
				begin, sum = at, 0
			}
			sum += r.cost
		}
		return new(big.Rat).SetInt64(sum)
	case name == "counter":
	case strings.HasPrefix(name, "buckets:"):
		b, _ := new(big.Int).SetString(name[len("buckets:"):], 10)
		k = b.Int64()
	default:
		return nil
	}
	bucket := func(t int64) *big.Int {
		n := new(big.Int).Mul(big.NewInt(t), big.NewInt(k))
		q, _ := new(big.Int).DivMod(n, big.NewInt(w), new(big.Int))
		return q
	}
	now := bucket(t)
	_, into := new(big.Int).DivMod(new(big.Int).Mul(big.NewInt(t), big.NewInt(k)), big.NewInt(w), new(big.Int))
	left := new(big.Rat).SetFrac(new(big.Int).Sub(big.NewInt(w), into), big.NewInt(w))
	est := new(big.Rat)
	for _, r := range requests[:i+1] {
		age := new(big.Int).Sub(now, bucket(r.time))
		switch c := age.Cmp(big.NewInt(k)); {
		case c < 0:
			est.Add(est, new(big.Rat).SetInt64(r.cost))
		case c == 0:
			est.Add(est, new(big.Rat).Mul(left, new(big.Rat).SetInt64(r.cost)))
		}
	}
	return est
}

// roundUnits rounds a rational to whole ErrorUnits of 2^-40, half away from zero.
func roundUnits(r *big.Rat) *big.Int {
	n := new(big.Int).Lsh(new(big.Int).Abs(r.Num()), 41)
	n.Add(n, r.Denom())
	n.Quo(n, new(big.Int).Lsh(r.Denom(), 1))
	if r.Sign() < 0 {
		n.Neg(n)
	}
	return n
}

// judgeSlowly finds what the engine must find for a contestant on clients whose requests are given.
func judgeSlowly(spec limiter.Spec, run limiter.Limit, edge limiter.Edge, clients []client) expect {
	limits := spec.Limits(run)
	e := expect{absolute: new(big.Int), signed: new(big.Int), byClient: new(big.Int)}
	for _, l := range limits {
		e.peaks = append(e.peaks, results.Peak{Limit: l.Max, WindowNS: l.Window})
	}
	for _, c := range clients {
		own, err := spec.WithEdge(edge).New(run)
		if err != nil {
			panic(err)
		}
		twin, err := spec.Twin(edge).New(run)
		if err != nil {
			panic(err)
		}
		var paid []request
		for _, r := range c.requests {
			if r.cost == 0 {
				e.counts[results.Requests]++
				e.counts[results.Admitted]++
				continue
			}
			paid = append(paid, r)
		}
		admitted := make([]bool, len(paid))
		over := false
		hit := results.HitClient{Key: c.key, Requests: int64(len(c.requests))}
		for i, r := range paid {
			a, t := own.Allow(r.time, r.cost), twin.Allow(r.time, r.cost)
			admitted[i] = a
			e.refused = append(e.refused, !a)
			if !a {
				hit.Refused++
			}
			exceeds := false
			for p, l := range limits {
				before := sumIn(paid, i, l.Window, edge, func(k int) bool { return admitted[k] })
				exceeds = exceeds || before+r.cost > l.Max
				if a && before+r.cost > 0 {
					e.peaks[p].Offer(before+r.cost, c.key, r.time)
					over = over || before+r.cost > l.Max
				}
			}
			e.counts[results.Requests]++
			for k, is := range map[int]bool{
				results.Admitted: a, results.OverAdmitted: a && exceeds, results.OverRefused: !a && !exceeds,
				results.Looser: a && !t, results.Stricter: !a && t,
			} {
				if is {
					e.counts[k]++
				}
			}
		}
		if over {
			e.counts[results.ClientsOverLimit]++
		}
		if hit.Refused > 0 {
			e.counts[results.ClientsRefused]++
			e.hit = append(e.hit, hit)
		}
		if len(limits) == 1 {
			e.estimate(spec.String(), limits[0], edge, paid)
		}
	}
	return e
}

func (e *expect) estimate(name string, l limiter.Limit, edge limiter.Edge, requests []request) {
	name, _, _ = strings.Cut(name, "@")
	clientSum, n := new(big.Int), int64(0)
	realOver, estOver, maxReal := false, false, int64(0)
	for i, r := range requests {
		est := weighted(name, requests, i, l.Window, edge)
		if est == nil {
			return
		}
		realCount := sumIn(requests, i, l.Window, edge, func(int) bool { return true }) + r.cost
		maxReal = max(maxReal, realCount)
		re, ee := realCount > l.Max, est.Cmp(new(big.Rat).SetInt64(l.Max)) > 0
		realOver, estOver = realOver || re, estOver || ee
		if re != ee {
			e.counts[results.Misjudged]++
		}
		since := new(big.Int).Sub(big.NewInt(r.time), big.NewInt(requests[0].time))
		if since.Cmp(big.NewInt(l.Window)) < 0 {
			continue
		}
		off := new(big.Rat).Sub(est, new(big.Rat).SetInt64(realCount))
		units := roundUnits(off.Quo(off, new(big.Rat).SetInt64(realCount)))
		e.signed.Add(e.signed, units)
		clientSum.Add(clientSum, units.Abs(units))
		n++
	}
	e.counts[results.ErrorRequests] += n
	if n > 0 {
		e.counts[results.ErrorClients]++
		e.absolute.Add(e.absolute, clientSum)
		mean := new(big.Int).Add(clientSum, big.NewInt(n/2))
		e.byClient.Add(e.byClient, mean.Quo(mean, big.NewInt(n)))
	}
	if realOver && !estOver {
		e.counts[results.WronglyAllowed]++
		e.maxWronglyAllowed = max(e.maxWronglyAllowed, maxReal)
	}
	if estOver && !realOver {
		e.counts[results.WronglyLimited]++
	}
}
