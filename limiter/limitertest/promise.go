package limitertest

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/rlbench/rlbench/internal/units"
	"github.com/rlbench/rlbench/limiter"
)

// A Model decides requests of all clients, in the order given, exactly as a promise has it.
type Model func(limiter.Request) bool

// A Promise is what a limiter is held to. The zero Promise holds it to nothing.
type Promise struct {
	text       string
	resolution int64
	readings   []reading
	fixed      bool // the promise names its own limits, whatever the limiter is configured for
	scales     func(run limiter.Limit) []limiter.Limit
	backward   bool // it says what a time before the last one means
}

// A reading is one convention under which a promise can be kept: of the log, an edge. One reading must fit all that a
// limiter does.
type reading struct {
	name  string
	build func(run limiter.Limit) ([]judgement, error) // any of them may fit a sequence
}

// A judgement follows one sequence. It reports what the promise wants of a request and takes in what was answered.
type judgement func(r limiter.Request, admitted bool) expectation

// An expectation is what a promise wants of one request.
type expectation uint8

const (
	either expectation = iota
	admit
	refuse
)

func (e expectation) broken(admitted bool) bool {
	return e == admit && !admitted || e == refuse && admitted
}

func expect(admitted bool) expectation {
	if admitted {
		return admit
	}
	return refuse
}

// ParsePromise reads a promise:
//
//	promise = spec | "at-most:" COUNT [ "@" limit ]
//
// The spec is one of package limiter; "align=clock", "count=admitted" and "resolution=DURATION" are understood besides. A
// plain log accepts either edge, log:open and log:closed only theirs. "align=year1" aligns windows as Go's Time.Truncate does. A resolution says that the limiter's clock is
// that coarse: it is then asked at whole multiples only. A "tolerance=DURATION" of a token bucket allows for arithmetic that is not
// exact: a request may become affordable that much earlier or later. "at-most:200" promises that no client gets more than 200 in any
// closed window, and nothing else. Errors name the promise and what would be right.
func ParsePromise(text string) (Promise, error) {
	p, err := parsePromise(text)
	if err != nil {
		return Promise{}, fmt.Errorf("promise %q: %w", text, err)
	}
	p.text = text
	return p, nil
}

func parsePromise(text string) (Promise, error) {
	if rest, ok := strings.CutPrefix(text, "at-most:"); ok {
		return parseAtMost(rest)
	}
	plain, allowed, err := withoutDefaults(text)
	if err != nil {
		return Promise{}, err
	}
	spec, err := limiter.Parse(plain)
	if err != nil {
		return Promise{}, errors.Unwrap(err)
	}
	if allowed.tolerance > 0 {
		p, err := tolerantPromise(plain, spec, allowed.tolerance)
		p.resolution = allowed.resolution
		return p, err
	}
	p := Promise{resolution: allowed.resolution, backward: true}
	p.fixed = ownLimits(spec)
	p.scales = spec.Limits
	if !edgeless(plain) {
		p.readings = []reading{specReading(plain, spec)}
		if allowed.year1 {
			p.readings = []reading{sinceYear1(p.readings[0], spec)}
		}
		return p, nil
	}
	for _, edge := range []limiter.Edge{limiter.Closed, limiter.Open} {
		p.readings = append(p.readings, specReading(withEdge(plain, edge), spec.WithEdge(edge)))
	}
	return p, nil
}

// A liberty is what a promise allows beyond its spec. The zero value allows nothing.
type liberty struct {
	resolution, tolerance int64 // how far from exact, in ns
	year1                 bool  // windows begin at multiples of their length since the year 1, not since time 0
}

// withoutDefaults removes the options that only promises have.
func withoutDefaults(text string) (plain string, c liberty, err error) {
	body, limit, limited := strings.Cut(text, "@")
	var kept []string
	for i, word := range strings.Split(body, ":") {
		option, value, _ := strings.Cut(word, "=")
		switch {
		case i > 0 && option == "resolution":
			c.resolution, err = span(word, value)
		case i > 0 && option == "tolerance":
			c.tolerance, err = span(word, value)
		case i > 0 && word == "align=year1":
			c.year1 = true
		case i > 0 && (word == "align=clock" || word == "count=admitted"):
		default:
			kept = append(kept, word)
		}
		if err != nil {
			return "", c, err
		}
	}
	plain = strings.Join(kept, ":")
	if limited {
		plain += "@" + limit
	}
	return plain, c, nil
}

func span(word, value string) (int64, error) {
	ns, err := units.ParseDuration(value)
	if err == nil && ns < 1 {
		err = fmt.Errorf("%s: it must be at least 1ns", word)
	}
	return ns, err
}

func parseAtMost(text string) (Promise, error) {
	count, at, limited := strings.Cut(text, "@")
	most, err := units.ParseCount(count)
	if err != nil {
		return Promise{}, err
	}
	p := Promise{fixed: true}
	own := limiter.Limit{}
	if limited {
		if own, err = limiter.ParseLimit(at); err != nil {
			return Promise{}, err
		}
	}
	p.scales = func(run limiter.Limit) []limiter.Limit {
		if limited {
			run = own
		}
		return []limiter.Limit{run}
	}
	p.readings = []reading{{name: "at-most:" + text, build: func(run limiter.Limit) ([]judgement, error) {
		return []judgement{atMost(most, p.scales(run)[0].Window)}, nil
	}}}
	return p, nil
}

// atMost wants a refusal where a client would exceed most in a closed window.
func atMost(most, window int64) judgement {
	type grant struct{ time, cost int64 }
	past := map[string][]grant{}
	return func(r limiter.Request, admitted bool) expectation {
		held, kept := int64(0), past[r.Key][:0]
		for _, g := range past[r.Key] {
			if g.time >= r.Time || uint64(r.Time)-uint64(g.time) <= uint64(window) {
				kept = append(kept, g)
				held += min(g.cost, math.MaxInt64-held)
			}
		}
		want := either
		if r.Cost > most-held {
			want = refuse
		}
		if admitted && r.Cost > 0 {
			kept = append(kept, grant{r.Time, r.Cost})
		}
		past[r.Key] = kept
		return want
	}
}

// Custom makes a promise of a model of one's own, for rules that no spec describes. build gets the limit that the limiter is
// configured for and returns ErrUnsupported (wrapped) where the promise says nothing.
func Custom(name string, build func(limit limiter.Limit) (Model, error)) Promise {
	return Promise{
		text:   name,
		scales: func(run limiter.Limit) []limiter.Limit { return []limiter.Limit{run} },
		readings: []reading{{name: name, build: func(run limiter.Limit) ([]judgement, error) {
			model, err := build(run)
			if err != nil {
				return nil, err
			}
			return []judgement{model.judge}, nil
		}}},
		backward: true,
	}
}

func (m Model) judge(r limiter.Request, _ bool) expectation { return expect(m(r)) }

// String returns the promise as it was stated.
func (p Promise) String() string { return p.text }

// ownLimits reports whether a spec has the same limits in any run.
func ownLimits(spec limiter.Spec) bool {
	a, b := spec.Limits(limiter.Limit{Max: 3, Window: 3e9}), spec.Limits(limiter.Limit{Max: 4, Window: 4e9})
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// edgeless reports whether a spec, or a part of it, is a log that leaves the edge open to choice.
func edgeless(text string) bool {
	for _, part := range strings.Split(strings.TrimPrefix(text, "multi:"), "+") {
		if plainLog(part) {
			return true
		}
	}
	return false
}

func plainLog(part string) bool {
	body, _, _ := strings.Cut(part, "@")
	words := strings.Split(body, ":")
	if words[0] != "log" {
		return false
	}
	for _, word := range words[1:] {
		if word == "open" || word == "closed" {
			return false
		}
	}
	return true
}

// withEdge writes a spec with the edge of its plain logs in it.
func withEdge(text string, edge limiter.Edge) string {
	rest, multi := strings.CutPrefix(text, "multi:")
	parts := strings.Split(rest, "+")
	for i, part := range parts {
		if plainLog(part) {
			parts[i] = "log:" + edge.String() + strings.TrimPrefix(part, "log")
		}
	}
	text = strings.Join(parts, "+")
	if multi {
		text = "multi:" + text
	}
	return text
}

// specReading is a spec as a reading. Where windows begin at the first request, a client that has been silent for two windows
// may be taken for a new one.
func specReading(name string, spec limiter.Spec) reading {
	return reading{name: name, build: func(run limiter.Limit) ([]judgement, error) {
		if _, err := spec.New(run); err != nil {
			return nil, errors.Join(limiter.ErrUnsupported, err)
		}
		silence := int64(0)
		for _, l := range spec.Limits(run) {
			silence = max(silence, l.Window)
		}
		if strings.Contains(name, "align=first") && silence <= math.MaxInt64/2 {
			return []judgement{forgetful(spec, run, 2*silence)}, nil
		}
		return []judgement{specModel(spec, run).judge}, nil
	}}
}

// year1 is time 0 on a clock that begins with the year 1, as Go's zero time does, in seconds.
const year1 = 62_135_596_800

// sinceYear1 is a rule whose windows begin at multiples of their length since the year 1.
func sinceYear1(exact reading, spec limiter.Spec) reading {
	return reading{name: exact.name + ":align=year1", build: func(run limiter.Limit) ([]judgement, error) {
		all, err := exact.build(run)
		hi, lo := bits.Mul64(year1, 1e9)
		_, shift := bits.Div64(hi, lo, uint64(spec.Limits(run)[0].Window))
		for i, judge := range all {
			all[i] = func(r limiter.Request, admitted bool) expectation {
				r.Time += int64(shift)
				return judge(r, admitted)
			}
		}
		return all, err
	}}
}

// forgetful judges a limiter that may, but need not, take a client for a new one after so much silence. Silence that long leaves
// nothing to remember but where windows begin, so each possible beginning has a limiter of its own, and those that the
// answers contradict drop out.
func forgetful(spec limiter.Spec, run limiter.Limit, silence int64) judgement {
	type client struct {
		possible []limiter.Limiter
		last     int64
	}
	clients := map[string]*client{}
	return func(r limiter.Request, admitted bool) expectation {
		if r.Cost == 0 {
			return admit
		}
		c := clients[r.Key]
		if c == nil {
			c = &client{last: r.Time, possible: []limiter.Limiter{fresh(spec, run)}}
			clients[r.Key] = c
		}
		if r.Time > c.last && r.Time-c.last >= silence {
			c.possible = append(c.possible, fresh(spec, run))
		}
		c.last = max(c.last, r.Time)
		kept := c.possible[:0]
		for _, l := range c.possible {
			if l.Allow(r.Time, r.Cost) == admitted {
				kept = append(kept, l)
			}
		}
		switch n := len(c.possible); {
		case len(kept) == 0:
			return expect(!admitted)
		case len(kept) < n:
			c.possible = kept
			return either
		}
		return expect(admitted)
	}
}

// fresh is a new client of a spec that was tried before.
func fresh(spec limiter.Spec, run limiter.Limit) limiter.Limiter {
	l, err := spec.New(run)
	if err != nil {
		panic(err)
	}
	return l
}

// specModel keeps one limiter of the spec for each client.
func specModel(spec limiter.Spec, run limiter.Limit) Model {
	clients := map[string]limiter.Limiter{}
	var key string
	var at limiter.Limiter
	return func(r limiter.Request) bool {
		if at == nil || r.Key != key {
			key, at = r.Key, clients[r.Key]
			if at == nil {
				at = fresh(spec, run)
				clients[key] = at
			}
		}
		return at.Allow(r.Time, r.Cost)
	}
}
