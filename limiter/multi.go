package limiter

const multiName = "multi"

// A multi is several limits at once.
//
// Rule: admit iff every part admits; a request that any part refuses consumes from none. Each part is an algorithm with its own
// limit and window. All parts are asked each time, so that a refused request moves every part's clock and can be the
// first that a part sees. A part with count=all counts every request, as that option says, also one that another part refused.
//
// Memory: the sum of the parts.
//
// Promise: what each part promises for its own window, since each admits all that the multi admits. No single bound is
// given, as there is no single window.
var multiAlgorithm = Algorithm{
	Name:     multiName,
	Doc:      "several limits at once: multi:A+B admits if all admit; one that any refuses consumes from none",
	Promise:  "each part's, in its own window",
	Memory:   "sum of the parts",
	Examples: []string{"multi:counter@10/1s+counter@100/1m", "multi:log@10/1s+gcra@100/1m", "multi:log:open@3/1s+fixed"},
	check: func(s settings, run Limit) error {
		for _, p := range s.parts {
			if err := p.check(run); err != nil {
				return err
			}
		}
		return nil
	},
	build: func(s settings, run Limit) member {
		m := &multi{}
		for _, p := range s.parts {
			m.parts = append(m.parts, p.algorithm.build(p.settings, p.own(run)))
		}
		return m
	},
	bound: func(settings, Limit) (int64, bool) { return 0, false },
	safe:  multiSafe,
	worst: func(settings, Limit) []int64 { return nil },
}

// multiSafe is the least that is safe for every part. A part whose window is longer than the first one's holds at most
// floor(longer/first)+1 half-open windows of the first one's length, each with at most that safe cost.
func multiSafe(s settings, run Limit) int64 {
	first := s.parts[0].own(run).Window
	least := s.parts[0].Safe(run)
	for _, p := range s.parts[1:] {
		safe := p.Safe(run)
		if window := p.own(run).Window; window > first {
			safe = int64(uint64(safe) / (uint64(window/first) + 1))
		}
		least = min(least, safe)
	}
	return least
}

type multi struct {
	parts []member
}

func (m *multi) Reset() {
	for _, p := range m.parts {
		p.Reset()
	}
}

func (m *multi) Allow(now, cost int64) bool {
	if cost <= 0 {
		return cost == 0
	}
	ok := m.check(now, cost)
	for _, p := range m.parts {
		if ok || p.countsRefused() {
			p.count(cost)
		}
	}
	return ok
}

func (m *multi) check(now, cost int64) bool {
	ok := true
	for _, p := range m.parts {
		ok = p.check(now, cost) && ok
	}
	return ok
}

func (m *multi) count(cost int64) {
	for _, p := range m.parts {
		p.count(cost)
	}
}

func (m *multi) countsRefused() bool { return false }

// Parts returns the limiters that all must admit, in the order of the spec. They are for looking at, not for asking.
func (m *multi) Parts() []Limiter {
	parts := make([]Limiter, len(m.parts))
	for i, p := range m.parts {
		parts[i] = p
	}
	return parts
}
