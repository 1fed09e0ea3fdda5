package limitertest

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/rlbench/rlbench/internal/units"
	"github.com/rlbench/rlbench/limiter"
)

// tolerant is a token bucket whose arithmetic is not exact: near the instant at which a request becomes affordable, by as much as the
// tolerance, it may decide either way, and its level follows what it did. So errors do not add up unseen.
func tolerant(name string, spec limiter.Spec, tolerance int64) reading {
	body, _, _ := strings.Cut(name, "@")
	burst := int64(0)
	for _, word := range strings.Split(body, ":") {
		if value, ok := strings.CutPrefix(word, "burst="); ok {
			burst, _ = units.ParseCount(value) // the spec was parsed before
		}
	}
	return reading{name: name + ":tolerance=" + units.FormatDuration(tolerance), build: func(run limiter.Limit) ([]judgement, error) {
		if _, err := spec.New(run); err != nil {
			return nil, errors.Join(limiter.ErrUnsupported, err)
		}
		l := spec.Limits(run)[0]
		capacity := burst
		if burst == 0 {
			capacity = l.Max
		}
		levels := map[string]*level{}
		return []judgement{func(r limiter.Request, admitted bool) expectation {
			if r.Cost == 0 {
				return admit
			}
			if levels[r.Key] == nil {
				levels[r.Key] = newLevel(l, capacity)
			}
			return levels[r.Key].judge(r, admitted, tolerance)
		}}, nil
	}}
}

// A level is one client's tokens, exactly, in 1/window.
type level struct {
	limit, window, capacity, tokens *big.Int
	last                            int64
}

func newLevel(l limiter.Limit, capacity int64) *level {
	full := new(big.Int).Mul(big.NewInt(capacity), big.NewInt(l.Window))
	return &level{big.NewInt(l.Max), big.NewInt(l.Window), full, new(big.Int).Set(full), math.MinInt64}
}

// after is the tokens so much time later.
func (v *level) after(elapsed int64) *big.Int {
	n := new(big.Int).Mul(big.NewInt(elapsed), v.limit)
	if n.Add(n, v.tokens).Cmp(v.capacity) > 0 {
		n.Set(v.capacity)
	}
	return n
}

func (v *level) judge(r limiter.Request, admitted bool, tolerance int64) expectation {
	if v.last == math.MinInt64 {
		v.last = r.Time
	}
	elapsed := max(0, r.Time-v.last)
	need := new(big.Int).Mul(big.NewInt(r.Cost), v.window)
	want := either
	switch {
	case need.Cmp(v.after(elapsed+tolerance)) > 0:
		want = refuse
	case need.Cmp(v.after(elapsed-tolerance)) <= 0:
		want = admit
	}
	v.tokens, v.last = v.after(elapsed), v.last+elapsed
	if want == admit || want == either && admitted {
		v.tokens.Sub(v.tokens, need)
	}
	return want
}

// tolerantPromise reads the promise of a bucket with a tolerance.
func tolerantPromise(plain string, spec limiter.Spec, tolerance int64) (Promise, error) {
	name, _, _ := strings.Cut(plain, ":")
	name, _, _ = strings.Cut(name, "@")
	if !sameRule(name, "gcra") {
		return Promise{}, fmt.Errorf("a tolerance of %s: only gcra, token-bucket and leaky-bucket have one", strconv.Quote(units.FormatDuration(tolerance)))
	}
	return Promise{scales: spec.Limits, fixed: ownLimits(spec), backward: true, readings: []reading{tolerant(plain, spec, tolerance)}}, nil
}
