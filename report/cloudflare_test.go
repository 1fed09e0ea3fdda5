package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rlbench/rlbench/report/internal/fixture"
	"github.com/rlbench/rlbench/results"
)

func setTo(rates string, limit int64, load float64, misjudged int64) setting {
	r := &results.Run{Rates: rates, Limit: limit, Load: &load, Algorithms: []results.Algorithm{
		{Name: "counter", Requests: 1_000_000, Estimate: &results.Estimate{MisjudgedRequests: misjudged}},
	}}
	return setting{r, &r.Algorithms[0]}
}

func TestMessageFollowsTheFigures(t *testing.T) {
	full := setTo("lognormal(0.8)", 550, 0.05, 30).run
	for _, c := range []struct {
		name string
		all  []setting
		want string
	}{
		{"nothing misjudged", []setting{setTo("a", 30, 0.9, 0), setTo("a", 60, 0.45, 0)}, "No request was misjudged"},
		{"one setting", []setting{setTo("a", 30, 0.9, 20000)}, "With a, limit 30, 2.0 % of requests are misjudged."},
		{
			"nearer is worse", []setting{setTo("a", 30, 0.9, 20000), setTo("a", 600, 0.045, 20)},
			"from 0.0020 % (a, limit 600) to 2.0 % (a, limit 30), a factor of 1,000, by the same counter. 1 of 2 settings are more than ten times " +
				"above the published 0.003 %: a share that small is a property of traffic far from its limit, as in the full run, whose limit is 20.00 × the mean rate",
		},
		{
			"farther is worse", []setting{setTo("a", 30, 0.9, 20), setTo("b", 600, 0.045, 20000)},
			"a share that small depends on the traffic.",
		},
		{"all small", []setting{setTo("a", 30, 0.9, 40), setTo("a", 600, 0.045, 20)}, "None of these settings is more than ten times above"},
		{"from zero", []setting{setTo("a", 30, 0.9, 20000), setTo("a", 600, 0.045, 0)}, "from 0 % (a, limit 600) to 2.0 % (a, limit 30), by the same"},
	} {
		if got := message(c.all, full); !strings.Contains(got, c.want) {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// What is measured comes from the run and what is published stays as published, whatever is measured.
func TestBesideShowsWhatWasMeasured(t *testing.T) {
	f := fixture.Cloudflare()
	e := f.Runs[0].Algorithms[1].Estimate
	e.ClientsWronglyAllowed, e.WorstExcess, e.ClientsWronglyLimited = 77, 0.31, 88
	*e.MeanError, e.MeanErrorCI = 0.25, nil
	e.MisjudgedRequests, e.MisjudgedRequestsCI = 4_000_000, nil
	var b bytes.Buffer
	if err := beside(&b, &f.Runs[0]); err != nil {
		t.Fatal(err)
	}
	for _, want := range [][]string{
		{"requests wrongly allowed", "1.0 %", "0.003 %"},
		{"difference of approximate and real rate, mean", "25.0 %", "6 %"},
		{"sources let through", "77", "3"},
		{"how far", "at most 31.0 %", "less than 15 %"},
		{"sources limited", "88", "none"},
	} {
		found := false
		for line := range strings.Lines(b.String()) {
			found = found || strings.HasPrefix(line, want[0]) && strings.Contains(line, " "+want[1]+" ") && strings.HasSuffix(line, " "+want[2]+"\n")
		}
		if !found {
			t.Errorf("no line %q in\n%s", want, b.String())
		}
	}
}

func TestJudgedPrefersCloudflaresCounting(t *testing.T) {
	e := &results.Estimate{}
	for want, names := range map[int][]string{
		0: {"buckets:6"}, 1: {"buckets:6", "counter"}, 2: {"buckets:6", "counter", "counter:count=all"},
	} {
		r := &results.Run{}
		for _, name := range names {
			r.Algorithms = append(r.Algorithms, results.Algorithm{Name: name, Estimate: e})
		}
		if got := judged(r); got != want {
			t.Errorf("%q: %d", names, got)
		}
	}
	if got := judged(&results.Run{Algorithms: []results.Algorithm{{Name: "counter"}}}); got != -1 {
		t.Errorf("without an estimate: %d", got)
	}
}

func TestReporters(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Reporters {
		if r.Name == "" || r.Doc == "" || seen[r.Name] || (r.Stream == nil) == (r.Folder == nil) {
			t.Errorf("%+v", r)
		}
		seen[r.Name] = true
		f := fixture.Decided()
		if r.Folder != nil {
			if names, err := r.Folder(t.TempDir(), f); err != nil || len(names) == 0 {
				t.Errorf("%s: %q, %v", r.Name, names, err)
			}
			continue
		}
		var first, second bytes.Buffer
		if err := r.Stream(&first, f); err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
		if err := r.Stream(&second, fixture.Decided()); err != nil || first.String() != second.String() || first.Len() == 0 {
			t.Errorf("%s: not the same twice (%v)", r.Name, err)
		}
	}
}
