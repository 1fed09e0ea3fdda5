package limiter_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rlbench/rlbench/limiter"
)

func TestTableIsWhole(t *testing.T) {
	if want := strings.Fields("log counter buckets fixed gcra token-bucket leaky-bucket multi allow-all deny-all"); !slices.Equal(limiter.Names(), want) {
		t.Errorf("names %v, want %v", limiter.Names(), want)
	}
	for _, a := range limiter.Table {
		if a.Doc == "" || a.Promise == "" || a.Memory == "" || len(a.Examples) == 0 {
			t.Errorf("%s: an empty field", a.Name)
		}
		shown := strings.Join(a.Examples, " ")
		for _, form := range strings.Split(a.Options, ", ") {
			key, _, _ := strings.Cut(form, "N")
			for _, choice := range strings.Split(strings.TrimPrefix(key, "align="), "|") {
				if choice != "K" && !strings.Contains(shown, choice) {
					t.Errorf("%s: no example shows %s", a.Name, form)
				}
			}
		}
		for _, text := range a.Examples {
			spec, err := limiter.Parse(text)
			if err != nil {
				t.Error(err)
			} else if spec.String() != text {
				t.Errorf("%q prints as %q", text, spec)
			}
		}
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                          `no algorithm ""`,
		"logg":                      "did you mean log?",
		"Counter":                   "did you mean counter?",
		"sliding-window":            "there are log, counter, buckets",
		"token_bucket":              "did you mean token-bucket?",
		"counter ":                  "did you mean counter?",
		"counter:":                  `no option ""`,
		"counter:count=none":        "count can only be all here",
		"counter:align=restart":     "align can only be first here",
		"counter:all":               "it takes count=all, align=first",
		"fixed:align=x":             "first or restart",
		"fixed:count=all:count=all": "twice",
		"log:open:closed":           "twice",
		"log:align=first":           "it takes open|closed, count=all",
		"gcra:count=all":            "it takes burst=N",
		"gcra:burst=0":              "at least 1",
		"gcra:burst=-1":             "not a whole number",
		"allow-all:x":               "takes no option",
		"buckets":                   "for example buckets:8",
		"buckets:0":                 "take 1 to 1000000",
		"buckets:1000001":           "take 1 to 1000000",
		"buckets:1.5":               "it takes K",
		"counter@":                  "for example @100/1m",
		"counter@100":               "for example @100/1m",
		"counter@0/1m":              "at least 1",
		"counter@1.5/1m":            "whole number",
		"counter@100/0s":            "at least 1ns",
		"counter@100/-1s":           "at least 1ns",
		"counter@100/min":           "not a duration",
		"multi":                     "joins two",
		"multi:log":                 "joins two",
		"multi@5/1s":                "joins two",
		"multi:log+":                `limiter ""`,
		"multi:log+multi:log+log":   "can't hold another",
		"peer:x/time":               "can't be used here",
		"command:./a b,c@d":         "can't be used here",
		"http://localhost:8080/x":   "can't be used here",
	} {
		spec, err := limiter.Parse(text)
		if err == nil {
			t.Errorf("%q is taken as %q", text, spec)
			continue
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v\nwant %q in it", text, err, want)
		}
	}
}

func TestNewErrors(t *testing.T) {
	for _, c := range []struct {
		spec string
		run  limiter.Limit
		want string
	}{
		{"counter", limiter.Limit{Max: 0, Window: 1}, "at least 1"},
		{"counter", limiter.Limit{Max: 1, Window: 0}, "at least 1ns"},
		{"deny-all", limiter.Limit{Max: 1, Window: -5}, "at least 1ns"},
		{"buckets:8", limiter.Limit{Max: 1, Window: 7}, "fewer or a longer window"},
		{"multi:log@1/1s+buckets:8", limiter.Limit{Max: 1, Window: 7}, "fewer or a longer window"},
		{"multi:log@1/1s+fixed", limiter.Limit{}, "at least 1"},
	} {
		_, err := must(limiter.Parse(c.spec)).New(c.run)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s under %v: %v, want %q in it", c.spec, c.run, err, c.want)
		}
	}
	if _, err := (limiter.Spec{}).New(limiter.Limit{Max: 1, Window: 1}); err == nil {
		t.Error("the zero Spec makes a limiter")
	}
	if _, err := must(limiter.Parse("multi:log@1/1s+fixed@2/1m")).New(limiter.Limit{}); err != nil {
		t.Errorf("a multi whose parts all have limits needs the run's: %v", err)
	}
}

func TestParseList(t *testing.T) {
	for _, c := range []struct {
		flags []string
		want  string // specs joined by spaces, or a part of the error
		fails bool
	}{
		{[]string{"log,counter", "fixed"}, "log counter fixed", false},
		{[]string{" log, counter:count=all:align=first@100/1m "}, "log counter:count=all:align=first@100/1m", false},
		{[]string{"log", "log@5/1s"}, "log log@5/1s", false},
		{nil, "", false},
		{[]string{"log,log"}, "twice", true},
		{[]string{"log", "counter,log"}, "twice", true},
		{[]string{"log,,fixed"}, "empty", true},
		{[]string{""}, "empty", true},
		{[]string{"log,nope"}, `"nope"`, true},
		{[]string{"command:./limiter a,b"}, `"command:./limiter a,b"`, true},
	} {
		specs, err := limiter.ParseList(c.flags)
		if (err != nil) != c.fails {
			t.Errorf("%q: %v", c.flags, err)
			continue
		}
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q: %v\nwant %q in it", c.flags, err, c.want)
			}
			continue
		}
		var texts []string
		for _, s := range specs {
			texts = append(texts, s.String())
		}
		if got := strings.Join(texts, " "); got != c.want {
			t.Errorf("%q: %q, want %q", c.flags, got, c.want)
		}
	}
}

func TestEdges(t *testing.T) {
	l := limiter.Limit{Max: 1, Window: 10}
	for _, c := range []struct {
		spec     string
		edge     limiter.Edge
		admitted bool // the second of two requests a window apart
	}{
		{"log", limiter.Closed, false},
		{"log", limiter.Open, true},
		{"log:closed", limiter.Open, false},
		{"log:open", limiter.Closed, true},
		{"multi:log+allow-all", limiter.Open, true},
		{"multi:log:closed+allow-all", limiter.Open, false},
		{"multi:log+allow-all", limiter.Closed, false},
		{"counter", limiter.Open, false},
	} {
		plain := must(limiter.Parse(c.spec))
		spec := plain.WithEdge(c.edge)
		if spec.String() != c.spec {
			t.Errorf("%s is called %s with an edge", c.spec, spec)
		}
		made := must(spec.New(l))
		made.Allow(0, 1)
		if got := made.Allow(10, 1); got != c.admitted {
			t.Errorf("%s with the edge %v: %v", c.spec, c.edge, got)
		}
		twin := plain.Twin(c.edge)
		exact := must(twin.New(l))
		exact.Allow(0, 1)
		if got := exact.Allow(10, 1); got != (c.edge == limiter.Open) {
			t.Errorf("the twin %s of %s with the edge %v: %v", twin, c.spec, c.edge, got)
		}
	}
	if p := must(limiter.Parse("multi:log+fixed")); must(p.WithEdge(limiter.Open).New(l)).Allow(0, 1) {
		made := must(p.New(l))
		made.Allow(0, 1)
		if made.Allow(10, 1) {
			t.Error("WithEdge changed the spec it was called on")
		}
	}
	for _, e := range []limiter.Edge{limiter.Closed, limiter.Open} {
		if got, err := limiter.ParseEdge(e.String()); err != nil || got != e {
			t.Errorf("edge %v reads back as %v, %v", e, got, err)
		}
	}
	if _, err := limiter.ParseEdge("half"); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("the edge half: %v", err)
	}
}

func TestLimitsAndTwin(t *testing.T) {
	run := limiter.Limit{Max: 7, Window: 100}
	for _, c := range []struct {
		spec   string
		limits []limiter.Limit
		twin   string
	}{
		{"counter", []limiter.Limit{run}, "log"},
		{"log:open:count=all@1e3/1m30s", []limiter.Limit{{Max: 1000, Window: 90e9}}, "log@1e3/1m30s"},
		{"gcra:burst=3@10k/30d", []limiter.Limit{{Max: 10_000, Window: 30 * 86400e9}}, "log@10k/30d"},
		{"multi:counter@10/1s+fixed+log@5/1m", []limiter.Limit{{Max: 10, Window: 1e9}, run, {Max: 5, Window: 60e9}}, "multi:log@10/1s+log+log@5/1m"},
	} {
		spec := must(limiter.Parse(c.spec))
		if got := spec.Limits(run); !slices.Equal(got, c.limits) {
			t.Errorf("%s is judged by %v, want %v", c.spec, got, c.limits)
		}
		twin := spec.Twin(limiter.Closed)
		if twin.String() != c.twin {
			t.Errorf("%s has the twin %s, want %s", c.spec, twin, c.twin)
		}
		if got := twin.Limits(run); !slices.Equal(got, c.limits) {
			t.Errorf("%s: its twin is judged by %v, want %v", c.spec, got, c.limits)
		}
		if again, err := limiter.Parse(twin.String()); err != nil || again.String() != c.twin {
			t.Errorf("%s: its twin does not parse: %v", c.spec, err)
		}
	}
}

func TestEstimateID(t *testing.T) {
	for spec, want := range map[string]string{
		"counter": "counter", "counter:count=all": "counter", "counter@5/1s": "counter", "counter:align=first": "counter:align=first",
		"buckets:4": "buckets:4", "buckets:4:count=all:align=first": "buckets:4:align=first", "fixed": "fixed",
		"fixed:align=restart:count=all": "fixed:align=restart", "log": "exact:closed", "log:count=all": "exact:closed", "log:open": "exact:open",
		"gcra": "", "token-bucket": "", "leaky-bucket": "", "multi:log+fixed": "", "allow-all": "", "deny-all": "",
	} {
		if got := must(limiter.Parse(spec)).EstimateID(); got != want {
			t.Errorf("%s: estimate %q, want %q", spec, got, want)
		}
	}
	if got := must(limiter.Parse("log")).WithEdge(limiter.Open).EstimateID(); got != "exact:open" {
		t.Errorf("the log with an open edge: estimate %q", got)
	}
}

// Whatever is parsed prints back, parses again, and either makes a limiter that works or says why not.
func FuzzParse(f *testing.F) {
	for _, text := range append(examples(), "counter@100/1m", "log:open:closed", "multi:log+", "peer:x", "gcra:burst=1e18", "buckets:1e6@5/1ns", "fixed@9223372036854775807/106751d") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := limiter.Parse(text)
		if err != nil {
			if err.Error() == "" || errors.Unwrap(err) == nil {
				t.Fatalf("%q: an error without a reason: %v", text, err)
			}
			return
		}
		if spec.String() != text {
			t.Fatalf("%q prints as %q", text, spec)
		}
		run := limiter.Limit{Max: 3, Window: 1000}
		made, err := spec.New(run)
		if err != nil {
			return
		}
		for _, at := range []int64{-5, 0, 0, 700, 650, 1_000_000} {
			if !made.Allow(at, 0) || made.Allow(at, -1) {
				t.Fatalf("%q: admits a cost of -1 or refuses 0", text)
			}
			made.Allow(at, 1)
		}
		if _, err := spec.Twin(limiter.Closed).New(run); err != nil {
			t.Fatalf("%q: its twin: %v", text, err)
		}
		if limits := spec.Limits(run); len(limits) == 0 || limits[0].Max < 1 || spec.Safe(run) < 0 {
			t.Fatalf("%q: judged by %v, safe at %d", text, limits, spec.Safe(run))
		}
	})
}
