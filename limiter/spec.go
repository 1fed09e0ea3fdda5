package limiter

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/rlbench/rlbench/internal/units"
)

// A Spec is a limiter as a user names it:
//
//	spec  = NAME { ":" option } [ "@" limit ] | "multi:" spec "+" spec { "+" spec }
//	limit = COUNT "/" DURATION
//
// for example "counter:count=all@100/1m". Without a limit of its own it takes the one of the run. The zero Spec names
// nothing; New fails on it.
type Spec struct {
	text      string
	algorithm *Algorithm
	settings  settings
	limit     Limit  // its own; zero: the run's
	at        string // the limit as written, "@" included
	foreign   *Foreign
}

// Prefixes of limiters that are other people's. What follows one of them belongs to it, commas included.
var foreign = []string{"peer", "redis", "command", "http", "https"}

func isForeign(text string) (prefix string, ok bool) {
	prefix, _, ok = strings.Cut(text, ":")
	if ok {
		for _, p := range foreign {
			if p == prefix {
				return prefix, true
			}
		}
	}
	return "", false
}

// A Parser reads specs. Its Foreign reads those of other people's limiters; the zero Parser refuses them.
type Parser struct {
	Foreign func(prefix, text string) (Spec, error) // text includes the prefix
}

// Parse reads one spec of an algorithm in Table. Errors name the spec and what would be right.
func Parse(text string) (Spec, error) { return Parser{}.Parse(text) }

// Parse reads one spec. Errors name the spec and what would be right.
func (p Parser) Parse(text string) (Spec, error) {
	s, err := p.parse(text)
	if err != nil {
		return Spec{}, fmt.Errorf("limiter %q: %w", text, err)
	}
	return s, nil
}

func (p Parser) parse(text string) (Spec, error) {
	if prefix, ok := isForeign(text); ok {
		if p.Foreign == nil {
			return Spec{}, fmt.Errorf("limiters with the prefix %s: can't be used here, only algorithms of `rlbench list specs`", prefix)
		}
		return p.Foreign(prefix, text)
	}
	body, limit, limited := strings.Cut(text, "@")
	name, options, varied := strings.Cut(body, ":")
	a, err := find(name)
	if err != nil {
		return Spec{}, err
	}
	s := Spec{text: text, algorithm: a}
	if a.Name == multiName {
		return s.withParts(strings.TrimPrefix(text[len(name):], ":"))
	}
	var texts []string
	if varied {
		texts = strings.Split(options, ":")
	}
	if s.settings, err = a.readOptions(texts); err != nil {
		return Spec{}, err
	}
	if limited {
		s.at = "@" + limit
		if s.limit, err = ParseLimit(limit); err != nil {
			return Spec{}, err
		}
	}
	return s, nil
}

// withParts reads the parts of a multi.
func (s Spec) withParts(text string) (Spec, error) {
	texts := strings.Split(text, "+")
	if len(texts) < 2 {
		return Spec{}, errors.New("a multi joins two limiters or more, for example multi:counter@10/1s+counter@100/1m")
	}
	for _, t := range texts {
		if name, _, _ := strings.Cut(t, ":"); name == multiName {
			return Spec{}, errors.New("a multi can't hold another: join all parts with + behind one multi prefix")
		}
		part, err := Parse(t)
		if err != nil {
			return Spec{}, err
		}
		s.settings.parts = append(s.settings.parts, part)
	}
	return s, nil
}

// ParseLimit reads what stands behind the @ of a spec, for example 100/1m.
func ParseLimit(text string) (Limit, error) {
	count, window, ok := strings.Cut(text, "/")
	if !ok {
		return Limit{}, fmt.Errorf("no window in @%s: write limit and window, for example @100/1m", text)
	}
	var l Limit
	var err error
	if l.Max, err = units.ParseCount(count); err != nil {
		return Limit{}, fmt.Errorf("the limit of @%s: %w", text, err)
	}
	if l.Window, err = units.ParseDuration(window); err != nil {
		return Limit{}, fmt.Errorf("the window of @%s: %w", text, err)
	}
	return l, l.check()
}

func (l Limit) check() error {
	if l.Max < 1 {
		return fmt.Errorf("a limit of %d: it must be at least 1 (deny-all refuses everything)", l.Max)
	}
	if l.Window < 1 {
		return fmt.Errorf("a window of %s: it must be at least 1ns", units.FormatDuration(l.Window))
	}
	return nil
}

func find(name string) (*Algorithm, error) {
	nearest, distance := "", math.MaxInt
	for i := range Table {
		a := &Table[i]
		if a.Name == name {
			return a, nil
		}
		if d := levenshtein.ComputeDistance(strings.ToLower(name), a.Name); d < distance {
			nearest, distance = a.Name, d
		}
	}
	if distance <= 1+len(nearest)/3 {
		return nil, fmt.Errorf("no algorithm %q; did you mean %s? `rlbench list` shows all", name, nearest)
	}
	return nil, fmt.Errorf("no algorithm %q; there are %s (see `rlbench list`)", name, strings.Join(Names(), ", "))
}

// ParseList reads the values of a repeated flag, algorithms in Table only; see Parser.ParseList.
func ParseList(flags []string) ([]Spec, error) { return Parser{}.ParseList(flags) }

// ParseList reads the values of a repeated flag. Commas separate specs, but a spec of somebody else's limiter
// (command:PROGRAM ARGS) stands alone in its own value, whatever it holds. A spec that comes twice is an error.
func (p Parser) ParseList(flags []string) ([]Spec, error) {
	var specs []Spec
	seen := map[string]bool{}
	for _, flag := range flags {
		texts := []string{flag}
		if _, ok := isForeign(flag); !ok {
			texts = strings.Split(flag, ",")
		}
		for _, text := range texts {
			text = strings.TrimSpace(text)
			if text == "" {
				return nil, fmt.Errorf("an empty limiter in %q: name at least one, and only one comma between two", flag)
			}
			s, err := p.Parse(text)
			if err != nil {
				return nil, err
			}
			if seen[text] {
				return nil, fmt.Errorf("limiter %q is named twice: keep one", text)
			}
			seen[text] = true
			specs = append(specs, s)
		}
	}
	return specs, nil
}

// String returns the spec as it was parsed, byte for byte.
func (s Spec) String() string { return s.text }

// WithEdge returns the spec with the plain log, also inside a multi, given that edge. The name stays. Specs that say
// open or closed themselves, and all other algorithms, are returned as they are.
func (s Spec) WithEdge(e Edge) Spec {
	if !s.settings.edgeGiven {
		s.settings.edge = e
	}
	if s.settings.parts != nil {
		parts := make([]Spec, len(s.settings.parts))
		for i, p := range s.settings.parts {
			parts[i] = p.WithEdge(e)
		}
		s.settings.parts = parts
	}
	return s
}

// Limits returns what the limiter is judged by: its own limit, or that of each part of a multi, or else the run's.
func (s Spec) Limits(run Limit) []Limit {
	if s.settings.parts == nil {
		return []Limit{s.own(run)}
	}
	var limits []Limit
	for _, p := range s.settings.parts {
		limits = append(limits, p.own(run))
	}
	return limits
}

func (s Spec) own(run Limit) Limit {
	if s.limit == (Limit{}) {
		return run
	}
	return s.limit
}

// Twin returns the exact log that the limiter is compared with: the plain log with its limit and the given edge, or the
// multi of such logs.
func (s Spec) Twin(e Edge) Spec {
	if s.settings.parts == nil {
		at := s.at
		if s.foreign != nil && s.limit != (Limit{}) {
			at = fmt.Sprintf("@%d/%s", s.limit.Max, units.FormatDuration(s.limit.Window))
		}
		return Spec{text: logAlgorithm.Name + at, algorithm: row(logAlgorithm.Name), limit: s.limit, at: at}.WithEdge(e)
	}
	twin := Spec{algorithm: s.algorithm}
	var texts []string
	for _, p := range s.settings.parts {
		t := p.Twin(e)
		twin.settings.parts = append(twin.settings.parts, t)
		texts = append(texts, t.text)
	}
	twin.text = multiName + ":" + strings.Join(texts, "+")
	return twin
}

// row returns the row of Table with that name, which must exist.
func row(name string) *Algorithm {
	a, err := find(name)
	if err != nil {
		panic(err)
	}
	return a
}

// New returns the state of one client. It fails for a limit or a window below 1 and for one that the options can't go with.
func (s Spec) New(run Limit) (Limiter, error) {
	if err := s.check(run); err != nil {
		return nil, err
	}
	return s.algorithm.build(s.settings, s.own(run)), nil
}

var (
	errEmptySpec = errors.New("an empty limiter: make it with Parse")
	errForeign   = errors.New("not an algorithm of this package: it can be judged by its answers only")
)

func (s Spec) check(run Limit) error {
	if s.foreign != nil {
		return errForeign
	}
	if s.algorithm == nil {
		return errEmptySpec
	}
	l := s.own(run)
	if s.settings.parts == nil {
		if err := l.check(); err != nil {
			return err
		}
	}
	if s.algorithm.check == nil {
		return nil
	}
	return s.algorithm.check(s.settings, l)
}

// Bound returns the most that one client gets in any closed window of the limiter's own length if every cost is 1. It is
// exact: Worst reaches it. There is none (false) for allow-all, for a multi, which has several windows, and for a limit that
// New refuses. A bound beyond int64 is given as its largest value.
func (s Spec) Bound(run Limit) (int64, bool) {
	if s.check(run) != nil {
		return 0, false
	}
	return s.algorithm.bound(s.settings, s.own(run))
}

// Safe returns a cost such that the limiter certainly refuses nothing while no closed window of the length
// Limits(run)[0].Window holds arrivals that cost more in all. 0 means that nothing is known.
func (s Spec) Safe(run Limit) int64 {
	if s.check(run) != nil {
		return 0
	}
	return s.algorithm.safe(s.settings, s.own(run))
}

// longestWorst bounds what Worst makes: it is sized by limit and burst.
const longestWorst = 10_000_000

// Worst returns arrival times, ascending, each of cost 1, that make the limiter admit Bound in some closed window. They
// begin at 0 or after and span a few windows. It is nil if there is no bound, if there would be more than ten million
// arrivals, and if four windows exceed int64.
func (s Spec) Worst(run Limit) []int64 {
	bound, ok := s.Bound(run)
	if !ok || bound > longestWorst || s.own(run).Window > math.MaxInt64/4 {
		return nil
	}
	return s.algorithm.worst(s.settings, s.own(run))
}

// repeated appends n times t.
func repeated(times []int64, t, n int64) []int64 {
	for range n {
		times = append(times, t)
	}
	return times
}

// EstimateID names the estimate of the number of requests that the limiter makes when all arrivals count. Specs with the same
// one and the same window make the same estimate, whatever their limits. It is "" if there is none, and
// "exact:closed" or "exact:open" for the log, which counts exactly.
func (s Spec) EstimateID() string {
	if s.algorithm == nil || s.algorithm.estimate == nil {
		return ""
	}
	return s.algorithm.estimate(s.settings)
}
