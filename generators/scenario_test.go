package generators_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rlbench/rlbench/generators"
	"github.com/rlbench/rlbench/limiter"
)

const minute = int64(60e9)

func some[T any](x T) *T { return &x }

// TestScenarios demands that each built-in scenario compiles, names known algorithms under limits they accept, and shows every
// algorithm's worst arrivals whole.
func TestScenarios(t *testing.T) {
	for _, named := range generators.Scenarios {
		s, err := generators.FindScenario(named.Name)
		if err != nil {
			t.Fatal(err)
		}
		if s.Doc == "" || len(s.Stages) == 0 {
			t.Errorf("%s: no doc or no stage", s.Name)
		}
		for i, stage := range s.Stages {
			w, err := stage.Workload()
			if err != nil {
				t.Fatalf("%s, stage %d: %v", s.Name, i, err)
			}
			specs, err := limiter.ParseList(stage.Algorithms)
			if err != nil {
				t.Fatalf("%s, stage %d: %v", s.Name, i, err)
			}
			for _, spec := range specs {
				for _, limit := range stage.Limits {
					run := limiter.Limit{Max: limit, Window: w.Window}
					if _, err := spec.New(run); err != nil {
						t.Errorf("%s, stage %d, %s: %v", s.Name, i, spec, err)
					}
					if worst := spec.Worst(run); w.Pattern == "worst" && (len(worst) == 0 || worst[len(worst)-1] >= w.Span) {
						t.Errorf("%s: the worst arrivals for %s do not lie in the span", s.Name, spec)
					}
				}
			}
		}
	}
}

// TestCloudflare holds the scenario to the size that was published.
func TestCloudflare(t *testing.T) {
	s, err := generators.FindScenario("cloudflare")
	if err != nil {
		t.Fatal(err)
	}
	w, _ := s.Stages[0].Workload()
	if all := w.PerWindow * float64(w.Span/w.Window) * float64(w.Clients); w.Clients != 270_000 || all < 399.999e6 || all > 400.001e6 {
		t.Errorf("%d clients and %.0f requests", w.Clients, all)
	}
	tenth, err := s.With(generators.Overrides{Scale: some(0.1)})
	if err != nil {
		t.Fatal(err)
	}
	for i, stage := range tenth.Stages {
		scaled, _ := stage.Workload()
		whole, _ := s.Stages[i].Workload()
		if scaled.Clients*10 != whole.Clients || scaled.PerWindow != whole.PerWindow {
			t.Errorf("stage %d at a tenth: %d clients of %g a window; whole: %d of %g", i, scaled.Clients, scaled.PerWindow, whole.Clients, whole.PerWindow)
		}
	}
}

func TestOverrides(t *testing.T) {
	patterns, err := generators.FindScenario("patterns")
	if err != nil {
		t.Fatal(err)
	}
	all, err := patterns.With(generators.Overrides{
		Limits: []int64{10, 20}, Window: some(int64(1e9)), Clients: some(int64(30)), Load: some(0.5), Rates: some("zipf(1)"),
		Seed: some(uint64(7)), Scale: some(0.5), Algorithms: []string{"log"}, Pattern: some("poisson"),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := generators.Stage{
		Pattern: "poisson", Rates: "zipf(1)", Clients: 15, Load: 0.5, Limits: []int64{10}, Window: 1e9, Span: 60e9, Seed: 7, Algorithms: []string{"log"},
	}
	other := want
	other.Limits = []int64{20}
	if !reflect.DeepEqual(all.Stages, []generators.Stage{want, other}) {
		t.Errorf("stages %+v; want %+v and the same with limit 20", all.Stages, want)
	}

	// With several limits the limit is outermost, and each has its own load.
	two, err := patterns.With(generators.Overrides{Limits: []int64{10, 20}})
	if err != nil {
		t.Fatal(err)
	}
	n := len(patterns.Stages)
	if len(two.Stages) != 2*n || two.Stages[n-1].Limits[0] != 10 || two.Stages[n].Limits[0] != 20 {
		t.Errorf("%d stages, of them %v and %v in the middle", len(two.Stages), two.Stages[n-1].Limits, two.Stages[n].Limits)
	}
	if w, _ := two.Stages[n].Workload(); w.PerWindow != 10 || w.Max != 20 {
		t.Errorf("%g a window at load 0.5 of 20, limit %d", w.PerWindow, w.Max)
	}

	// Requests are in all, whatever the scale.
	some1e6, err := patterns.With(generators.Overrides{Requests: some(int64(1e6)), Scale: some(0.1), Span: some(10 * minute)})
	if err != nil {
		t.Fatal(err)
	}
	for _, stage := range some1e6.Stages {
		if w, _ := stage.Workload(); w.PerWindow*10*float64(w.Clients) < 999_999 || w.PerWindow*10*float64(w.Clients) > 1_000_001 {
			t.Errorf("%+v makes %g requests", w, w.PerWindow*10*float64(w.Clients))
		}
	}

	boundary, _ := generators.FindScenario("boundary")
	short, err := boundary.With(generators.Overrides{Window: some(int64(10e9))})
	if err != nil || short.Stages[0].Span != 2*minute {
		t.Errorf("given arrivals lose their span: %+v, %v", short.Stages, err)
	}
	for flag, o := range map[string]generators.Overrides{
		"--load and --requests": {Load: some(1.0), Requests: some(int64(1))},
		"--load 0":              {Load: some(0.0)},
		"--requests 0":          {Requests: some(int64(0))},
		"--clients 0":           {Clients: some(int64(0))},
		"--window 0s":           {Window: some(int64(0))},
		"--span -1":             {Span: some(int64(-1e9))},
		"--scale 0":             {Scale: some(0.0)},
		"has its own arrivals":  {Load: some(0.5)},
		"too many clients":      {Clients: some(int64(1 << 62)), Scale: some(10.0)},
		"given twice":           {Limits: []int64{5, 5}},
		"a limit of 0":          {Limits: []int64{0}},
		"no limit":              {Limits: []int64{}},
		"did you mean front":    {Pattern: some("frnt")},
		"no algorithms":         {Algorithms: []string{}},
	} {
		if _, err := boundary.With(o); err == nil || !strings.Contains(err.Error(), flag) {
			t.Errorf("error %v; want one with %q", err, flag)
		}
	}
	if _, err := patterns.With(generators.Overrides{Window: some(int64(1) << 62)}); err == nil || !strings.Contains(err.Error(), "give a --span") {
		t.Errorf("error %v for 60 windows that exceed int64", err)
	}
	if again, _ := generators.FindScenario("patterns"); !reflect.DeepEqual(again, patterns) {
		t.Error("With has changed the scenario it was called on")
	}
}

func TestFindScenario(t *testing.T) {
	if _, err := generators.FindScenario("cloudflair"); err == nil || !strings.Contains(err.Error(), "did you mean cloudflare?") {
		t.Errorf("error %v", err)
	}
	if _, err := generators.FindScenario("no/such"); err == nil || !strings.Contains(err.Error(), "no/such") {
		t.Errorf("error %v", err)
	}
	s, err := generators.FindScenario(filepath.Join("testdata", "office-hours.toml"))
	if err != nil {
		t.Fatal(err)
	}
	want := []generators.Stage{
		{
			Pattern: "0.99 diurnal + 0.01 end", Rates: "lognormal(0.8)", Clients: 200, Load: 0.4, Limits: []int64{100}, Window: minute,
			Span: 1440 * minute, Seed: 1, Algorithms: []string{"log", "counter", "multi:counter@100/1m+counter@10/1s"},
		},
		{
			Label: "sensitivity", Pattern: "poisson", Rates: "pareto(1.5)", Clients: 500, PerWindow: 27, Limits: []int64{30, 60, 120},
			Window: minute, Span: 60 * minute, Seed: 1, Algorithms: []string{"log", "counter", "fixed", "gcra"},
		},
		{
			Pattern: "front:0.2", Clients: 1000, Requests: 1e6, Limits: []int64{100}, Window: minute, Span: 60 * minute, Seed: 1,
			Algorithms: []string{"log", "counter", "fixed", "gcra"},
		},
	}
	if s.Name != "office-hours" || !strings.HasPrefix(s.Doc, "A public API") || !reflect.DeepEqual(s.Stages, want) {
		t.Errorf("%+v\nwant %+v", s, want)
	}
}

func TestLoadScenarioErrors(t *testing.T) {
	const head = "[[stage]]\npattern = \"poisson\"\nload = 0.5\n"
	for text, want := range map[string]string{
		"":                                      "f.toml: no [[stage]]",
		"nmae = \"x\"\n" + head:                 `f.toml:1: unknown key "nmae": did you mean name?`,
		head + "limits = 5\n":                   `f.toml:4: unknown key "limits": did you mean limit?`,
		"[[stages]]\n":                          `unknown key "stages": did you mean stage?`,
		head + "\nclients = 0\n":                "f.toml:5: stage 1: clients: 0 must be at least 1",
		head + "clients = 1.5":                  "f.toml:4: stage 1: clients: 1.5 is not a whole number",
		head + "clients = \"1.5\"":              "f.toml:4: stage 1: clients: \"1.5\" is not a whole number",
		head + "clients = true":                 "f.toml:4: stage 1: clients: true is not",
		head + "window = 60":                    "f.toml:4: stage 1: window: 60 has no unit",
		head + "span = \"x\"":                   "f.toml:4: stage 1: span:",
		head + "span = \"0s\"":                  "f.toml:4: stage 1: span: \"0s\" must be above 0",
		head + "window = \"200y\"":              "f.toml:4: stage 1: window:",
		head + "window = \"36500d\"":            "f.toml:4: stage 1: span: 60 windows",
		head + "limit = []":                     "f.toml:4: stage 1: limit: an empty list",
		head + "limit = [5, \"x\"]":             "f.toml:4: stage 1: limit: \"x\"",
		head + "limit = [5, 5]":                 "f.toml:1: stage 1: the limit 5 is given twice",
		head + "seed = -1":                      "f.toml:4: stage 1: seed: -1 is not",
		head + "per_window = 3":                 "f.toml:1: stage 1: how much traffic?",
		head + "load = 3":                       "f.toml:4:",
		head + "algorithms = []":                "f.toml:1: stage 1: no algorithms",
		head + "algorithms = \"log\"":           "f.toml:4:",
		head + "rates = \"zipf\"":               "f.toml:4: stage 1: rates \"zipf\": write zipf(s)",
		"[[stage]]\nload = 1":                   "f.toml:1: stage 1: no pattern",
		"[[stage]]\nload = 0":                   "f.toml:2: stage 1: load: 0 must be above 0",
		"[[stage]]\nload = nan":                 "f.toml:2: stage 1: load: NaN must be above 0",
		"[[stage]]\nload = \"1\"":               "f.toml:2: stage 1: load: 1 is not a number",
		head + "\n[[stage]]\npattern = \"fix\"": "f.toml:6: stage 2: pattern \"fix\" is not known",
		head + "x":                              "f.toml:4:",
		"stage = [{pattern = \"poisson\"}]":     "f.toml:1: stage 1: how much traffic?",
	} {
		if s, err := generators.LoadScenario("f.toml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, error %v; want one with %q", text, s, err, want)
		}
	}
	s, err := generators.LoadScenario("dir/mine.toml", []byte(head+"clients = 1e3\nlimit = [\"1k\", 2e3]\nseed = \"18446744073709551615\""))
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "mine" || len(s.Stages) != 2 || s.Stages[0].Clients != 1000 || !slices.Equal(s.Stages[1].Limits, []int64{2000}) || s.Stages[0].Seed != 1<<64-1 {
		t.Errorf("%+v", s)
	}
}

// FuzzLoadScenario demands no panic, and of what is accepted that every stage can be run.
func FuzzLoadScenario(f *testing.F) {
	example, err := os.ReadFile(filepath.Join("testdata", "office-hours.toml"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(example)
	f.Add([]byte("stage = [{pattern = 'at:0s*3', per_window = 1, limit = [1, 2]}]"))
	f.Add([]byte("[[\"sta\\u0067e\"]]\n\"patter\\u006e\" = \"x\"\nload=1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := generators.LoadScenario("f.toml", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.toml") && !strings.HasPrefix(err.Error(), "scenario ") {
				t.Fatalf("an error that does not name the file: %v", err)
			}
			return
		}
		if s.Name == "" || len(s.Stages) == 0 {
			t.Fatalf("%+v", s)
		}
		for _, stage := range s.Stages {
			if _, err := stage.Workload(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
