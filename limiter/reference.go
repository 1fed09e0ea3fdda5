package limiter

import "math"

// Two reference rows bound every table and show what the harness itself costs.
//
// Rule: allow-all admits everything, deny-all nothing (but a cost of 0, which every limiter admits). Memory: none.
// Promise: none, and 0.
var (
	allowAllAlgorithm = Algorithm{
		Name:     "allow-all",
		Doc:      "admits everything: a bound of every table, and the harness's own cost",
		Promise:  "none",
		Memory:   "none",
		Examples: []string{"allow-all"},
		build:    func(settings, Limit) member { return constant(true) },
		bound:    func(settings, Limit) (int64, bool) { return 0, false },
		safe:     func(settings, Limit) int64 { return math.MaxInt64 },
	}
	denyAllAlgorithm = Algorithm{
		Name:     "deny-all",
		Doc:      "refuses everything: the other bound",
		Promise:  "0",
		Memory:   "none",
		Examples: []string{"deny-all"},
		build:    func(settings, Limit) member { return constant(false) },
		bound:    func(settings, Limit) (int64, bool) { return 0, true },
		safe:     func(settings, Limit) int64 { return 0 },
		worst:    func(settings, Limit) []int64 { return []int64{0} },
	}
)

type constant bool

func (c constant) Allow(_, cost int64) bool   { return cost == 0 || cost > 0 && bool(c) }
func (c constant) Reset()                     {}
func (c constant) check(now, cost int64) bool { return bool(c) }
func (c constant) count(int64)                {}
func (c constant) countsRefused() bool        { return false }
