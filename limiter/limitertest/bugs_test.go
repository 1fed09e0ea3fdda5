package limitertest_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/limitertest"
	"github.com/rlbench/rlbench/limiter/limitertest/mutants"
)

// A report is one public bug report of a real limiter; see NOTICE.
type report struct {
	ID       string
	Kind     string
	Judge    string // flag, silent or either
	Limit    int64
	WindowMS int64  `json:"window_ms"`
	NMeans   string `json:"n_means"`
	Arrivals []struct {
		TMS float64 `json:"t_ms"`
		N   int64
		Key string
	}
	Expected, Faulty []int64
	Reference        reference
}

type reference struct {
	Type     string
	Align    string
	Key      string
	Limit    int64
	WindowMS string `json:"window_ms"`
	Burst    json.RawMessage
	Rate     string `json:"tokens_per_ms"`
	Parts    []reference
}

func reports(t *testing.T) []report {
	t.Helper()
	data, err := os.ReadFile("testdata/bugs.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []report
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func (r report) limit() limiter.Limit { return limiter.Limit{Max: r.Limit, Window: r.WindowMS * 1e6} }

// requests writes the arrivals one by one, with the decisions that so many admitted units stand for.
func (r report) requests(units []int64) (all []limiter.Request, admitted []bool) {
	for i, a := range r.Arrivals {
		at := limiter.Request{Key: a.Key, Time: int64(a.TMS * 1e6), Cost: 1}
		if r.NMeans == "cost" {
			at.Cost = a.N
			all, admitted = append(all, at), append(admitted, units[i] > 0)
			continue
		}
		for k := range a.N {
			all, admitted = append(all, at), append(admitted, k < units[i])
		}
	}
	return all, admitted
}

// spec writes a reference as a promise.
func (r reference) spec(limit, at string) string {
	align := map[string]string{"epoch": "", "first-request": ":align=first", "": ""}[r.Align]
	switch r.Type {
	case "sliding-window-log":
		return "log:open" + at
	case "sliding-window-counter":
		return "counter" + align + at
	case "fixed-window":
		if r.Align == "first-request" {
			align = ":align=restart"
		}
		return "fixed" + align + at
	case "token-bucket", "token-bucket-by-interval": // in steps of an interval, which here decides alike
		burst, err := strconv.Unquote(string(r.Burst))
		if err != nil {
			burst = string(r.Burst)
		}
		if burst == limit {
			return "token-bucket" + at
		}
		return "token-bucket:burst=" + burst + at
	case "all-of":
		text := "multi:"
		for i, p := range r.Parts {
			if i > 0 {
				text += "+"
			}
			if p.Type == "token-bucket" {
				rate, _ := new(big.Rat).SetString(p.Rate)
				text += p.spec("", fmt.Sprintf("@%s/%sms", rate.Num(), rate.Denom()))
			} else {
				text += p.spec("", fmt.Sprintf("@%d/%sms", p.Limit, p.WindowMS))
			}
		}
		return text
	}
	return ""
}

// What can't be expressed as decisions under a limit, and where it is caught instead.
var inexpressible = map[string]string{
	"B47": "only concurrent requests show it: TestRunConcurrentCatchesARace",
	"B50": "a rate of 0, which is no limit here",
	"B56": "the time told is the only clock, and a time before the last one counts as that one",
	"B83": "the limit changes at run time: TestLimitChange",
}

// Which wrong limiter behaves as each report says. Those of "" are in ownRules.
var behaves = map[string]string{
	"B01": "counter-no-last-window", "B02": "counter-limit-minus-one", "B04": "counter-weight-down", "B06": "counter-whole-seconds",
	"B08": "counter-catches-up-cut", "B09": "counter-forgets-two-thirds", "B11": "multi-blocks-not-trimmed", "B12": "buckets-stride",
	"B17": "log-counts-then-trims", "B18": "log-one-per-second", "B20": "log-never-trims", "B22": "log-closed-for-open",
	"B23": "log-closed-for-open", "B25": "log-any-cost-above", "B29": "", "B30": "log-is-fixed", "B31": "log-is-fixed-from-first",
	"B34": "fixed-charges-new-window-twice", "B35": "fixed-renewal-missed", "B36": "fixed-lifetime-renewed", "B38": "fixed-expiry-at-zero",
	"B40": "fixed-lifetime-lost", "B42": "fixed-one-more-when-full", "B43": "fixed-thousandfold", "B45": "", "B48": "bucket-time-rewound",
	"B51": "gcra-seconds-ahead", "B53": "gcra-burst-of-a-tenth", "B58": "bucket-product-overflows", "B60": "bucket-loses-fractions",
	"B62": "bucket-marked-on-success", "B64": "bucket-replaced", "B66": "bucket-rate-upside-down", "B69": "bucket-clock-of-seconds",
	"B72": "bucket-dropped", "B76": "bucket-first-unchecked", "B86": "multi-long-charged-first", "B87": "", "B90": "keys-in-one-slot", "B92": "",
}

// Every report to flag is caught, from its own answers and from a limiter that behaves so; those to be silent about pass.
func TestBugReports(t *testing.T) {
	flagged := 0
	for _, r := range reports(t) {
		if _, ok := inexpressible[r.ID]; ok {
			continue
		}
		t.Run(r.ID, func(t *testing.T) {
			promise, open := r.rule(t)
			requests, right := r.requests(r.Expected)
			if c, broken := limitertest.Judge(promise, r.limit(), requests, right); broken && r.Judge != "either" {
				t.Errorf("what is expected breaks %s:\n%s", promise, c.Table())
			}
			_, wrong := r.requests(r.Faulty)
			_, broken := limitertest.Judge(promise, r.limit(), requests, wrong)
			if r.Judge == "silent" && broken || r.Judge == "flag" && !broken {
				t.Errorf("%s: what was answered breaks %s: %t", r.Judge, promise, broken)
			}
			if r.Judge != "flag" {
				return
			}
			flagged++
			got := answersOf(t, open, r.limit(), requests)
			if !slices.Equal(got, wrong) {
				t.Fatalf("the wrong limiter does not behave as reported:\n%v\n%v", got, wrong)
			}
			found, err := limitertest.Verify(t.Context(), open, promise, limitertest.Options{Limit: r.limit(), Quick: true, First: true})
			if err != nil {
				t.Fatal(err)
			}
			if found.Verdict != limitertest.Breaks {
				t.Errorf("a limiter that behaves so keeps %s", promise)
			}
			for _, p := range found.Probes {
				if p.Fault != nil {
					t.Logf("%s: %s, %s %s", p.Probe, p.Fault.Kind, p.Fault.Direction, p.Fault.Like)
					break
				}
			}
		})
	}
	t.Logf("%d reports to flag", flagged)
}

// Each kind of the reports that stands for a fault has a wrong limiter.
func TestMutantsCoverEveryKind(t *testing.T) {
	kinds := map[string]bool{"race": true, "limit-changed": true} // in concurrent_test.go and change_test.go
	for _, m := range mutants.All {
		kinds[m.Kind] = true
	}
	for _, r := range reports(t) {
		if !kinds[r.Kind] && r.Kind != "undecidable" && r.Kind != "not-a-bug" {
			t.Errorf("no mutant of the kind %s, as in %s", r.Kind, r.ID)
		}
	}
	if len(mutants.All) < 60 {
		t.Errorf("%d mutants only", len(mutants.All))
	}
}

func answersOf(t *testing.T, open opener, l limiter.Limit, requests []limiter.Request) []bool {
	t.Helper()
	target, err := open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	if err := target.Configure(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	answers := make([]limiter.Answer, len(requests))
	if err := target.Decide(t.Context(), requests, answers); err != nil {
		t.Fatal(err)
	}
	admitted := make([]bool, len(answers))
	for i, a := range answers {
		admitted[i] = a.Admitted
	}
	return admitted
}

// rule returns a report's promise and, for one to flag, the limiter that breaks it as reported.
func (r report) rule(t *testing.T) (limitertest.Promise, opener) {
	t.Helper()
	if own, ok := ownRules[r.ID]; ok {
		return limitertest.Custom(r.Reference.Type, own.right), limitertest.Decisions(own.wrong)
	}
	text := r.Reference.spec(strconv.FormatInt(r.Limit, 10), "")
	if text == "" {
		t.Fatalf("no promise for a %s", r.Reference.Type)
	}
	promise, err := limitertest.ParsePromise(text)
	if err != nil {
		t.Fatal(err)
	}
	m, ok := mutants.Find(behaves[r.ID])
	if !ok && r.Judge == "flag" {
		t.Fatal("no wrong limiter behaves so")
	}
	return promise, m.Open
}

// An ownRule is for promises that no spec describes.
type ownRule struct {
	right, wrong func(limiter.Limit) (limitertest.Model, error)
}

var ownRules = map[string]ownRule{
	"B29": {twoWindows(false), twoWindows(true)},
	"B45": {blocking(false), blocking(true)},
	"B87": {sharedQuota(false), sharedQuota(true)},
	"B92": {byNetwork(true), byNetwork(false)},
}

// twoWindows is a log whose clients of names of even length have a limit of ten a minute. The slip: a request sweeps all
// clients' entries by its own window.
func twoWindows(slip bool) func(limiter.Limit) (limitertest.Model, error) {
	return func(l limiter.Limit) (limitertest.Model, error) {
		past, last := map[string][]limiter.Request{}, map[string]int64{}
		return func(r limiter.Request) bool {
			if r.Cost == 0 {
				return true
			}
			most, window := l.Max, l.Window
			if len(r.Key)%2 == 0 {
				most, window = 10, 60e9
			}
			r.Time = max(r.Time, last[r.Key])
			last[r.Key] = r.Time
			gone := func(p limiter.Request) bool { return r.Time-p.Time >= window }
			if slip {
				for key := range past {
					past[key] = slices.DeleteFunc(past[key], gone)
				}
			}
			for _, p := range past[r.Key] {
				if !gone(p) {
					most -= min(p.Cost, most)
				}
			}
			if r.Cost > most {
				return false
			}
			past[r.Key] = append(past[r.Key], r)
			return true
		}, nil
	}
}

// blocking is a fixed window that blocks a client for good once it exceeds the limit. The slip: the block ends at once.
func blocking(slip bool) func(limiter.Limit) (limitertest.Model, error) {
	return func(l limiter.Limit) (limitertest.Model, error) {
		type client struct {
			limiter.Limiter
			blocked bool
		}
		clients := map[string]*client{}
		return func(r limiter.Request) bool {
			c := clients[r.Key]
			if c == nil {
				c = &client{Limiter: restarting(l)}
				clients[r.Key] = c
			}
			if r.Cost == 0 || !c.blocked && c.Allow(r.Time, r.Cost) {
				return true
			}
			if c.blocked = !slip; slip {
				c.Reset()
			}
			return false
		}, nil
	}
}

func restarting(l limiter.Limit) limiter.Limiter {
	spec, err := limiter.Parse("fixed:align=restart")
	if err != nil {
		panic(err)
	}
	made, err := spec.New(l)
	if err != nil {
		panic(err)
	}
	return made
}

// sharedQuota is a fixed window for each client and one for all, ten times as large. The slip: what a client's own limit refuses
// is charged to all.
func sharedQuota(slip bool) func(limiter.Limit) (limitertest.Model, error) {
	return func(l limiter.Limit) (limitertest.Model, error) {
		if l.Max > 1<<40 {
			return nil, limiter.ErrUnsupported
		}
		type window struct{ begin, used int64 }
		all, each := &window{}, map[string]*window{}
		return func(r limiter.Request) bool {
			if each[r.Key] == nil {
				each[r.Key] = &window{begin: r.Time}
			}
			own := each[r.Key]
			for _, w := range []*window{all, own} {
				if r.Time-w.begin >= l.Window {
					*w = window{begin: r.Time}
				}
			}
			ok := r.Cost <= l.Max-own.used
			okAll := r.Cost <= 10*l.Max-all.used
			if okAll && (ok || slip) {
				all.used += r.Cost
			}
			if ok && okAll {
				own.used += r.Cost
			}
			return ok && okAll
		}, nil
	}
}

// byNetwork is a fixed window for each /64 of IPv6, or for each address, which is the slip.
func byNetwork(network bool) func(limiter.Limit) (limitertest.Model, error) {
	return func(l limiter.Limit) (limitertest.Model, error) {
		clients := map[string]limiter.Limiter{}
		return func(r limiter.Request) bool {
			key := r.Key
			if a, err := netip.ParseAddr(key); network && err == nil && a.Is6() {
				if p, err := a.WithZone("").Prefix(64); err == nil {
					key = p.String()
				}
			}
			if clients[key] == nil {
				clients[key] = restarting(l)
			}
			return clients[key].Allow(r.Time, r.Cost)
		}, nil
	}
}
