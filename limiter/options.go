package limiter

import (
	"fmt"
	"strings"

	"github.com/rlbench/rlbench/internal/units"
)

// settings are a spec's options; the zero value is the plain algorithm.
type settings struct {
	edge      Edge
	edgeGiven bool // by the spec itself, so that WithEdge leaves it
	all       bool // refused requests count too
	align     alignment
	burst     int64 // 0: the limit
	buckets   int64
	parts     []Spec // of a multi
}

// capacity returns the burst, which is the limit unless given.
func (s settings) capacity(l Limit) int64 {
	if s.burst == 0 {
		return l.Max
	}
	return s.burst
}

// An option is one way to vary an algorithm. read takes the text between two colons of a spec and reports whether it
// is this option; an error means that it is, with a wrong value.
type option struct {
	form string // as the user writes it: "count=all", "burst=N"
	read func(s *settings, text string) (taken bool, err error)
}

var (
	optionEdge = option{"open|closed", func(s *settings, text string) (bool, error) {
		edge, err := ParseEdge(text)
		if err != nil {
			return false, nil
		}
		s.edge, s.edgeGiven = edge, true
		return true, nil
	}}
	optionCount = option{"count=all", func(s *settings, text string) (bool, error) {
		s.all = s.all || text == "count=all"
		return oneOf(text, "count", "all")
	}}
	optionAlign = option{"align=first", func(s *settings, text string) (bool, error) {
		if text == "align=first" {
			s.align = alignFirst
		}
		return oneOf(text, "align", "first")
	}}
	optionAlignFixed = option{"align=first|restart", func(s *settings, text string) (bool, error) {
		switch text {
		case "align=first":
			s.align = alignFirst
		case "align=restart":
			s.align = alignRestart
		}
		return oneOf(text, "align", "first", "restart")
	}}
	optionBurst = option{"burst=N", func(s *settings, text string) (bool, error) {
		value, ok := strings.CutPrefix(text, "burst=")
		if !ok {
			return false, nil
		}
		n, err := units.ParseCount(value)
		if err == nil && n < 1 {
			err = fmt.Errorf("%s: a burst is at least 1", text)
		}
		s.burst = n
		return true, err
	}}
)

// oneOf reports whether text is key=value at all; any value but the known ones is an error.
func oneOf(text, key string, known ...string) (bool, error) {
	value, ok := strings.CutPrefix(text, key+"=")
	if !ok {
		return false, nil
	}
	for _, k := range known {
		if value == k {
			return true, nil
		}
	}
	return true, fmt.Errorf("%s: %s can only be %s here", text, key, strings.Join(known, " or "))
}

// readOptions reads what stands between the name and the limit of a spec.
func (a *Algorithm) readOptions(texts []string) (settings, error) {
	var s settings
	given := make([]bool, len(a.accepts))
next:
	for _, text := range texts {
		for i, o := range a.accepts {
			taken, err := o.read(&s, text)
			if err != nil {
				return s, err
			}
			if taken && given[i] {
				return s, fmt.Errorf("%s is given twice: keep one", o.form)
			}
			if taken {
				given[i] = true
				continue next
			}
		}
		if len(a.accepts) == 0 {
			return s, fmt.Errorf("%s takes no option, so not %q either", a.Name, text)
		}
		return s, fmt.Errorf("%s has no option %q: it takes %s", a.Name, text, a.Options)
	}
	if a.require != nil {
		return s, a.require(s)
	}
	return s, nil
}

func forms(options []option) string {
	var texts []string
	for _, o := range options {
		texts = append(texts, o.form)
	}
	return strings.Join(texts, ", ")
}
