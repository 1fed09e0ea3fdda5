package limitertest_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/limitertest"
	"github.com/rlbench/rlbench/limiter/limitertest/mutants"
)

// The kept score is remade by
//
//	go test ./limiter/limitertest -run Score -timeout 60m -seeds 20 -update
var (
	seeds  = flag.Uint64("seeds", 1, "how many seeds the score is made with")
	update = flag.Bool("update", false, "write testdata/score.txt")
)

const scoreFile = "testdata/score.txt"

// A contestant is a limiter whose verdict is known.
type contestant struct {
	name, kind, promise string
	limit               limiter.Limit
	open                opener
}

// contestants returns all mutants and all limiters that are right.
func contestants(t *testing.T) (wrong, right []contestant) {
	t.Helper()
	of := func(m mutants.Mutant) contestant { return contestant{m.Name, m.Kind, m.Promise, m.Limit, m.Open} }
	for _, m := range mutants.All {
		wrong = append(wrong, of(m))
	}
	for _, m := range mutants.Correct {
		c := of(m)
		c.name = "right " + c.name
		right = append(right, c)
	}
	for _, a := range limiter.Table {
		for _, text := range a.Examples {
			spec, err := limiter.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			right = append(right, contestant{name: "rlbench's " + text, promise: text, open: spec.Open})
		}
	}
	return wrong, right
}

func (c contestant) verify(t *testing.T, o limitertest.Options) limitertest.Report {
	t.Helper()
	promise, err := limitertest.ParsePromise(c.promise)
	if err != nil {
		t.Fatal(err)
	}
	o.Limit, o.Timeout = c.limit, 100*time.Millisecond
	if c.kind != limitertest.KindHang {
		o.Timeout = 20 * time.Second // a slow machine is no fault
	}
	report, err := limitertest.Verify(t.Context(), c.open, promise, o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// A line of the score is what became of one contestant.
type line struct {
	contestant
	caught int
	kinds  map[string]int
}

// All mutants are caught and no limiter that is right is: the score of the suite, with as many seeds as asked for.
func TestScore(t *testing.T) {
	wrong, right := contestants(t)
	var mu sync.Mutex
	lines := map[string]*line{}
	t.Run("all", func(t *testing.T) {
		for i, c := range slices.Concat(wrong, right) {
			if raceDetector && i%20 != 0 {
				continue // the others differ in nothing that the detector sees
			}
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				l := &line{contestant: c, kinds: map[string]int{}}
				for seed := range *seeds {
					o := limitertest.Options{Quick: true, Seed: seed, First: true}
					if c.kind == "" && seed > 0 {
						o.Probes = drawing() // the others are as with the first seed
					}
					report := c.verify(t, o)
					faults(report, l)
					if broken := report.Verdict == limitertest.Breaks; broken != (c.kind != "") {
						t.Errorf("seed %d: %s, promising %s: %s; named %s", seed, c.name, c.promise, report.Verdict, report.Named)
						for _, r := range report.Probes {
							if r.Fault != nil {
								t.Errorf("%s: %s %s\n%s", r.Probe, r.Fault.Kind, r.Fault.Why, r.Fault.Counterexample.Table())
							}
						}
					}
				}
				mu.Lock()
				defer mu.Unlock()
				lines[c.name] = l
			})
		}
	})
	if raceDetector {
		return
	}
	text := score(wrong, right, lines)
	t.Log(text[:strings.Index(text, "\n\n")])
	if *update {
		if err := os.WriteFile(scoreFile, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(scoreFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range wrong {
		if !strings.Contains(string(kept), "\n"+c.name+" ") {
			t.Errorf("%s lacks %s: remake it with the command at the head of score_test.go", scoreFile, c.name)
		}
	}
}

// drawing names the probes whose sequences depend on the seed.
func drawing() (names []string) {
	for _, p := range limitertest.Probes {
		if p.Draws {
			names = append(names, p.Name)
		}
	}
	return names
}

func faults(r limitertest.Report, l *line) {
	if r.Verdict == limitertest.Breaks {
		l.caught++
	}
	for _, p := range r.Probes {
		if p.Fault != nil {
			l.kinds[p.Probe+" "+p.Fault.Kind]++
		}
	}
}

// score writes the table that is kept.
func score(wrong, right []contestant, lines map[string]*line) string {
	var b strings.Builder
	caught, alarms := 0, 0
	for _, c := range wrong {
		caught += lines[c.name].caught
	}
	for _, c := range right {
		alarms += lines[c.name].caught
	}
	fmt.Fprintf(&b, "%d of %d runs of %d wrong limiters caught, %d false alarms in %d runs of %d right ones; %d seeds, --quick\n\n",
		caught, len(wrong)*int(*seeds), len(wrong), alarms, len(right)*int(*seeds), len(right), *seeds)
	fmt.Fprintf(&b, "%-34s %-6s %-26s %s\n", "wrong limiter", "caught", "its fault", "first caught by, as")
	for _, c := range wrong {
		l := lines[c.name]
		most := ""
		for kind, n := range l.kinds {
			if most == "" || n > l.kinds[most] || n == l.kinds[most] && kind < most {
				most = kind
			}
		}
		fmt.Fprintf(&b, "%-34s %3d/%-2d %-26s %s\n", c.name, l.caught, *seeds, c.kind, most)
	}
	return b.String()
}

// The whole suite has nothing to say against limiters that are right, either.
func TestWholeSuiteLeavesTheRightAlone(t *testing.T) {
	_, right := contestants(t)
	for _, c := range right {
		switch c.name {
		case "right counter-forgets", "right bucket-of-5", "rlbench's log", "rlbench's buckets:7":
		default:
			continue
		}
		if raceDetector && c.promise != "gcra:burst=5" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if report := c.verify(t, limitertest.Options{}); report.Verdict != limitertest.Keeps {
				t.Errorf("%s: %s", c.promise, report.Verdict)
			}
		})
	}
}

// Where no promise is stated, limiters that are right keep the one that is found.
func TestFindsThePromise(t *testing.T) {
	for i, m := range mutants.Correct {
		if raceDetector && i%20 != 0 || strings.HasPrefix(m.Promise, "multi") {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			report, err := limitertest.Verify(t.Context(), m.Open, limitertest.Promise{}, limitertest.Options{Limit: m.Limit, Quick: true})
			if err != nil {
				t.Fatal(err)
			}
			if report.Verdict != limitertest.Keeps || report.Stated {
				t.Errorf("%s, named %s", report.Verdict, report.Named)
				for _, p := range report.Probes {
					if p.Fault != nil {
						t.Errorf("%s: %s\n%s", p.Probe, p.Fault.Kind, p.Fault.Counterexample.Table())
					}
				}
			}
		})
	}
}
