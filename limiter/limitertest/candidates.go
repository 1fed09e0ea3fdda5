package limitertest

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/rlbench/rlbench/internal/units"
	"github.com/rlbench/rlbench/limiter"
)

// A candidate is a rule that a black box may follow.
type candidate struct {
	reading
	kind string // of the fault that it is; "" if the rule is right
}

// bucketCounts are the numbers of buckets that are recognised.
var bucketCounts = []int64{
	2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 20, 24, 25, 30, 32, 40, 48, 50, 60, 64, 90, 100, 120, 128, 144, 180, 200, 240, 256, 300, 360, 500, 512, 600, 720,
	1000, 1024, 1440, 3600,
}

// resolutions are the clocks that are recognised, finest first; 0 is exact.
var resolutions = []int64{0, 1e3, 1e6, 1e9}

// candidates returns all rules, simpler ones first: exact clocks before coarse ones, right rules before slips. burst is what a new
// client got at once under the limit.
func candidates(burst int64, limit limiter.Limit) []candidate {
	rules := []string{
		"log:closed", "log:open", "counter", "fixed", "gcra", "counter:align=first", "fixed:align=restart", "fixed:align=first",
		"log:closed:count=all", "log:open:count=all", "counter:count=all", "counter:count=all:align=first",
		"fixed:count=all", "fixed:count=all:align=restart", "fixed:count=all:align=first",
	}
	for _, k := range bucketCounts {
		rules = append(rules, "buckets:"+strconv.FormatInt(k, 10), fmt.Sprintf("buckets:%d:align=first", k), fmt.Sprintf("buckets:%d:count=all", k),
			fmt.Sprintf("buckets:%d:count=all:align=first", k))
	}
	if burst != limit.Max && burst > 0 {
		rules = append([]string{"gcra:burst=" + strconv.FormatInt(burst, 10)}, rules...)
	}
	rules = append(rules, "allow-all", "deny-all")
	relative := []candidate{{burstOffBy(1), ""}, {burstOffBy(-1), KindOffByOneLow}}
	var all []candidate
	for _, resolution := range resolutions {
		for _, rule := range rules {
			if resolution > 0 && strings.HasPrefix(rule, "buckets:") && strings.Contains(rule, "=") {
				continue
			}
			all = append(all, candidate{coarse(rule, resolution), ""})
		}
	}
	all = append(all, relative...)
	for _, rule := range rules {
		if strings.HasPrefix(rule, "gcra") {
			all = append(all, candidate{tolerant(rule, parsed(rule), 1e3), ""})
		}
	}
	for _, rule := range []string{"counter", "fixed", "counter:count=all"} {
		all = append(all, candidate{sinceYear1(coarse(rule, 0), parsed(rule)), ""})
	}
	for _, round := range []string{"down", "nearest"} {
		all = append(all, candidate{sinceYear1(rounded(round, ""), parsed("counter")), KindTruncated})
		for _, align := range []string{"", ":align=first"} {
			all = append(all, candidate{rounded(round, align), KindTruncated})
		}
	}
	all = append(all, candidate{endIncluded(), KindBoundary})
	for _, rule := range rules[:min(len(rules), 9)] {
		if strings.Contains(rule, "burst=") {
			continue
		}
		all = append(all, candidate{shifted(rule, 1), KindOffByOneHigh}, candidate{shifted(rule, -1), KindOffByOneLow})
	}
	return all
}

// parsed is a rule of the tables above.
func parsed(rule string) limiter.Spec {
	spec, err := limiter.Parse(rule)
	if err != nil {
		panic(err)
	}
	return spec
}

// coarse is a rule whose clock shows whole multiples of the resolution only.
func coarse(rule string, resolution int64) reading {
	exact := specReading(rule, parsed(rule))
	if resolution == 0 {
		return exact
	}
	return reading{name: rule + ":resolution=" + units.FormatDuration(resolution), build: func(run limiter.Limit) ([]judgement, error) {
		all, err := exact.build(run)
		for i, judge := range all {
			all[i] = func(r limiter.Request, admitted bool) expectation {
				r.Time -= r.Time % resolution
				return judge(r, admitted)
			}
		}
		return all, err
	}}
}

// burstOffBy is a bucket whose burst is not the limit but a little off it.
func burstOffBy(by int64) reading {
	return reading{name: fmt.Sprintf("gcra:burst=L%+d", by), build: func(run limiter.Limit) ([]judgement, error) {
		if run.Max+by == 0 {
			return []judgement{Model(func(r limiter.Request) bool { return r.Cost == 0 }).judge}, nil
		}
		rule := fmt.Sprintf("gcra:burst=%d", run.Max+by)
		spec, err := limiter.Parse(rule)
		if err != nil {
			return nil, err
		}
		return specReading(rule, spec).build(run)
	}}
}

// shifted is a rule with a limit that is off by one.
func shifted(rule string, by int64) reading {
	exact := specReading(rule, parsed(rule))
	return reading{name: fmt.Sprintf("%s, the limit off by %+d", rule, by), build: func(run limiter.Limit) ([]judgement, error) {
		run.Max += by
		if run.Max == 0 {
			return []judgement{Model(func(r limiter.Request) bool { return r.Cost == 0 }).judge}, nil
		}
		return exact.build(run)
	}}
}

// endIncluded is a fixed window from the first request on to which the instant of its end belongs.
func endIncluded() reading {
	return reading{name: "fixed:align=restart, the end of a window included", build: func(run limiter.Limit) ([]judgement, error) {
		type client struct{ begin, last, used int64 }
		clients := map[string]*client{}
		return []judgement{Model(func(r limiter.Request) bool {
			if r.Cost == 0 {
				return true
			}
			c := clients[r.Key]
			if c == nil {
				c = &client{begin: r.Time, last: r.Time}
				clients[r.Key] = c
			}
			if c.last = max(c.last, r.Time); c.last-c.begin > run.Window {
				c.begin, c.used = c.last, 0
			}
			if r.Cost > run.Max-c.used {
				return false
			}
			c.used += r.Cost
			return true
		}).judge}, nil
	}}
}

// rounded is the counter that rounds the last window's weighted count to an integer.
func rounded(round, align string) reading {
	return reading{name: "counter" + align + ", the weighted count rounded " + map[string]string{"down": "down", "nearest": "to the nearest"}[round],
		build: func(run limiter.Limit) ([]judgement, error) {
			return []judgement{roundedModel(run, round == "nearest", align != "").judge}, nil
		}}
}

func roundedModel(l limiter.Limit, nearest, first bool) Model {
	type client struct{ origin, last, window, cur, prev int64 }
	clients := map[string]*client{}
	return func(r limiter.Request) bool {
		if r.Cost <= 0 {
			return r.Cost == 0
		}
		c := clients[r.Key]
		if c == nil {
			c = &client{last: r.Time, window: -1}
			if first {
				c.origin = r.Time
			}
			clients[r.Key] = c
		}
		c.last = max(c.last, r.Time)
		into := c.last - c.origin
		switch now := into / l.Window; {
		case now == c.window+1:
			c.prev, c.cur, c.window = c.cur, 0, now
		case now > c.window:
			c.prev, c.cur, c.window = 0, 0, now
		}
		hi, lo := bits.Mul64(uint64(c.prev), uint64(l.Window-into%l.Window))
		weighted, rest := bits.Div64(hi, lo, uint64(l.Window))
		if nearest && rest >= uint64(l.Window)-rest {
			weighted++
		}
		if r.Cost > l.Max-c.cur-int64(weighted) {
			return false
		}
		c.cur += r.Cost
		return true
	}
}
