package limitertest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rlbench/rlbench/internal/units"
	"github.com/rlbench/rlbench/limiter"
)

// A Counterexample is a sequence that proves a fault, as small as could be made.
type Counterexample struct {
	Limit   limiter.Limit
	Note    string // what the sequence does, in a few words
	Steps   []Step
	promise string
}

// A Step is some requests of one client at one instant, each of the same cost.
type Step struct {
	Time     int64 // ns
	Key      string
	Cost     int64
	Requests int // so many, one by one
	Promised int // of those are to be admitted, the first ones
	Answered int // of those were admitted
}

// counterexample groups a decided sequence. What the promise leaves open it takes as answered.
func counterexample(p *Promise, t trial, answers []limiter.Answer, want []expectation) Counterexample {
	c := Counterexample{Limit: t.limit, Note: t.note, promise: p.text}
	for i, r := range t.requests {
		n := len(c.Steps)
		if n == 0 || c.Steps[n-1].Time != r.Time || c.Steps[n-1].Key != r.Key || c.Steps[n-1].Cost != r.Cost {
			c.Steps = append(c.Steps, Step{Time: r.Time, Key: r.Key, Cost: r.Cost})
			n++
		}
		s := &c.Steps[n-1]
		s.Requests++
		if answers[i].Admitted {
			s.Answered++
		}
		if want[i] == admit || want[i] == either && answers[i].Admitted {
			s.Promised++
		}
	}
	return c
}

// Table writes the sequence as a decision table.
func (c Counterexample) Table() string {
	if len(c.Steps) == 0 {
		return ""
	}
	rows := [][]string{{"time", "client", "requests", "promised", "answered"}}
	severalKeys, costs := false, false
	for _, s := range c.Steps {
		severalKeys = severalKeys || s.Key != c.Steps[0].Key
		costs = costs || s.Cost != 1
	}
	if costs {
		rows[0] = append(rows[0], "cost")
	}
	for _, s := range c.Steps {
		row := []string{
			units.FormatDuration(s.Time), shown(s.Key), fmt.Sprint(s.Requests),
			inOut(s.Promised, s.Requests), inOut(s.Answered, s.Requests),
		}
		if costs {
			row = append(row, fmt.Sprint(s.Cost))
		}
		if s.Promised != s.Answered {
			row = append(row, "<--")
		}
		rows = append(rows, row)
	}
	if !severalKeys {
		for i := range rows {
			rows[i] = slices.Delete(rows[i], 1, 2)
		}
	}
	return columns(rows)
}

// shown is a key as a narrow column has it.
func shown(key string) string {
	if len(key) <= 24 {
		return key
	}
	return fmt.Sprintf("%s..%s (%d)", key[:8], key[len(key)-8:], len(key))
}

// inOut says how many of n were admitted.
func inOut(admitted, n int) string {
	switch {
	case n == 1 && admitted == 1, n > 1 && admitted == n:
		return "in"
	case admitted == 0:
		return "out"
	}
	return fmt.Sprintf("%d in", admitted)
}

// columns sets rows in columns, right-aligned, two blanks apart.
func columns(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], len(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			fmt.Fprintf(&line, "  %*s", widths[i], cell)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// Command is the line that shows what the promise has for the sequence, or "" if no timeline can: it is of one client, with
// times that ascend.
func (c Counterexample) Command() string {
	if len(c.Steps) == 0 || strings.HasPrefix(c.promise, "at-most:") {
		return ""
	}
	plain, _, err := withoutDefaults(c.promise)
	if err != nil {
		return ""
	}
	if _, err := limiter.Parse(plain); err != nil {
		return ""
	}
	var items []string
	for i, s := range c.Steps {
		if s.Key != c.Steps[0].Key || i > 0 && s.Time < c.Steps[i-1].Time {
			return ""
		}
		item := units.FormatDuration(s.Time)
		if s.Requests > 1 {
			item += fmt.Sprintf("*%d", s.Requests)
		}
		if s.Cost != 1 {
			item += fmt.Sprintf(":cost=%d", s.Cost)
		}
		items = append(items, item)
	}
	return fmt.Sprintf("rlbench timeline --limit %d --window %s --at %q -a %q",
		c.Limit.Max, units.FormatDuration(c.Limit.Window), strings.Join(items, ","), plain)
}

// GoTest is a test that fails as long as the fault is there; open starts the limiter as a limiter.Target.
func (c Counterexample) GoTest() string {
	if len(c.Steps) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "// The promise is %s.\nfunc TestKeepsPromise(t *testing.T) {\n", c.promise)
	fmt.Fprintf(&b, "\tlimit := limiter.Limit{Max: %d, Window: %d}\n", c.Limit.Max, c.Limit.Window)
	b.WriteString("\tlimitertest.RunSteps(t, open, limit, []limitertest.Step{\n")
	for _, s := range c.Steps {
		fmt.Fprintf(&b, "\t\t{Time: %d, Key: %q, Cost: %d, Requests: %d, Promised: %d},\n", s.Time, s.Key, s.Cost, s.Requests, s.Promised)
	}
	b.WriteString("\t})\n}\n")
	return b.String()
}
