package limitertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rlbench/rlbench/internal/units"
	"github.com/rlbench/rlbench/limiter"
)

// A Naming is what a limiter's answers say about its rule.
type Naming struct {
	Rule      string         // the simplest rule that fits, or the one that fitted longest
	Kind      string         // of the fault that the rule is, "" if it is a right one
	Sure      bool           // the rule agrees with every decision
	Alike     []string       // other rules that no sequence played could tell from it, simplest first
	Rules     int            // how many were compared
	Decisions int            // that the rule was compared with
	Rival     string         // the last rule that was ruled out
	Told      Counterexample // what ruled it out; its promise is the rule, its answers those of the rival

	promise Promise
}

// String is the naming in a line.
func (n *Naming) String() string {
	switch {
	case n == nil:
		return "not named"
	case !n.Sure:
		return fmt.Sprintf("unnamed; %s fits longest, for %d decisions", n.Rule, n.Decisions)
	}
	for _, other := range n.Alike {
		if !strings.HasPrefix(other, n.Rule+":resolution=") { // which a window of whole ticks hides
			return fmt.Sprintf("%s (or %s: no sequence played tells them apart)", n.Rule, other)
		}
	}
	return n.Rule
}

// name plays sequences that tell rules apart and keeps the rules that agree decision by decision.
func (v *verification) name() (*Naming, error) {
	burst, err := v.burst()
	if err != nil || len(v.report.Probes) > 0 {
		return &Naming{}, err
	}
	all := candidates(burst, v.options.Limit)
	n := &Naming{Rules: len(all)}
	left := make([]int, len(all))
	for i := range left {
		left[i] = i
	}
	var last trial
	var dropped []int
	for _, t := range v.distinguishing() {
		answers, err := v.play(t.limit, t.requests)
		if errors.Is(err, limiter.ErrUnsupported) {
			continue
		}
		if v.failed(t, err) {
			break
		}
		if err != nil {
			return nil, err
		}
		var fit, unfit []int
		for _, i := range left {
			if ok, _ := all[i].judge(&t, answers, nil); ok {
				fit = append(fit, i)
			} else {
				unfit = append(unfit, i)
			}
		}
		n.Decisions += len(answers)
		if len(unfit) > 0 {
			last, dropped = t, unfit
		}
		if len(fit) == 0 {
			n.Rule, n.Kind = all[left[0]].name, all[left[0]].kind
			n.promise = Promise{text: n.Rule, scales: oneScale, readings: []reading{all[left[0]].reading}, backward: true}
			return n, nil
		}
		left = fit
		v.dossier.add(&t, answers)
	}
	if n.Decisions == 0 {
		return n, nil
	}
	winner := all[left[0]]
	n.Rule, n.Kind, n.Sure = winner.name, winner.kind, true
	for _, i := range left[1:] {
		n.Alike = append(n.Alike, all[i].name)
	}
	n.promise = Promise{text: n.Rule, scales: oneScale, readings: []reading{winner.reading}, backward: true}
	for _, r := range resolutions {
		if r > 0 && winner.name != "" && hasResolution(winner.name, r) {
			n.promise.resolution = r
		}
	}
	if len(dropped) > 0 {
		n.Rival = all[dropped[0]].name
		n.Told = told(winner, all[dropped[0]], last)
	}
	return n, nil
}

// failed takes down that the limiter did not answer; the probes go on with another start of it.
func (v *verification) failed(t trial, err error) bool {
	var f *failure
	if !errors.As(err, &f) {
		return errors.Is(err, errGone)
	}
	v.report.Probes = append(v.report.Probes, Result{
		Probe: "naming", Verdict: Failed,
		Fault: &Fault{Kind: f.kind, Why: f.err.Error(), Counterexample: Counterexample{Limit: t.limit, Note: t.note}},
	})
	return true
}

// Name finds out which rule a limiter follows, and nothing else. Errors are those of Verify, and what the limiter fails with.
func Name(ctx context.Context, open func(context.Context) (limiter.Target, error), o Options) (*Naming, error) {
	v, err := begin(ctx, open, Promise{}, o)
	if err != nil {
		return nil, err
	}
	defer v.close()
	n, err := v.name()
	if err == nil && len(v.report.Probes) > 0 {
		err = errors.New(v.report.Probes[0].Fault.Why)
	}
	return n, err
}

func oneScale(run limiter.Limit) []limiter.Limit { return []limiter.Limit{run} }

func hasResolution(name string, resolution int64) bool {
	suffix := ":resolution=" + units.FormatDuration(resolution)
	return len(name) > len(suffix) && name[len(name)-len(suffix):] == suffix
}

// burst measures what a new client gets at once.
func (v *verification) burst() (int64, error) {
	for n := int64(64); ; n *= 4 {
		requests := newScript().burst(v.options.Limit.Window/2, 0).requests
		for range n {
			requests = append(requests, limiter.Request{Key: "a", Time: v.options.Limit.Window / 2, Cost: 1})
		}
		answers, err := v.play(v.options.Limit, requests)
		if v.failed(trial{limit: v.options.Limit, note: "what a new client gets at once"}, err) || errors.Is(err, limiter.ErrUnsupported) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		if i := slices.IndexFunc(answers, func(a limiter.Answer) bool { return !a.Admitted }); i >= 0 || n > 20_000 {
			return int64(i), nil
		}
	}
}

// distinguishing are sequences that tell rules apart, the coarsest differences first.
func (v *verification) distinguishing() []trial {
	limits := []limiter.Limit{v.options.Limit}
	if v.options.Limit.Max > 1000 {
		limits = nil
	}
	if !v.options.Only {
		limits = append(limits, limiter.Limit{Max: 10, Window: 60e9}, limiter.Limit{Max: 3, Window: 7e9}, limiter.Limit{Max: 1, Window: 1e9})
	}
	if len(limits) == 0 {
		limits = []limiter.Limit{v.options.Limit}
	}
	random := seeded(v.options.Seed, "naming")
	var all []trial
	for _, l := range limits {
		n, w := l.Max, l.Window
		if !fits(w, 60) {
			continue
		}
		add := func(note string, s *script) { all = append(all, trial{l, s.requests, note}) }
		t := 10*w + w/3
		add("a burst and what comes back", newScript().over(t, n).every(t+w/20, w/20, 50))
		add("a burst late in a window of the clock", newScript().burst(11*w-1, n).every(11*w, w/50+1, 110))
		add("exactly one window later", newScript().burst(t, n).over(t+w, n).over(t+w+1, n))
		add("one, then bursts in its third window", newScript().one(t).over(t+2*w+w/2, n).over(t+3*w-1, n).every(t+3*w, w/40+1, 80))
		add("refused again and again", newScript().over(t, n).every(t+w/100, w/50, 150))
		add("a burst and an odd pace", newScript().burst(t, n).every(t+w-w/64, w/1000+1, 200))
		add("half a burst, twice", newScript().burst(t, (n+1)/2).burst(t+w/2-1, n/2).every(t+w-w/100, w/300+1, 300))
		for _, tick := range []int64{1, 1e3, 1e6} {
			add("each place as it becomes free", newScript().burst(t, n).every(t+w-3*tick, tick, 6).burst(11*w+w/2, n).every(12*w+w/2-3*tick, tick, 7))
			script := newScript().burst(11*w-1, n)
			for i := range min(n, 60) {
				at := 11*w + (w*(i+1)+n-1)/n
				script.one(at - tick).one(at)
			}
			add("the ticks around each place of the next window", script)
		}
		add("costs that are refused", newScript().cost(t, 1).cost(t+1, n).one(t+2).cost(t+3, max(1, n-1)).one(t+w/2).cost(t+w+w/2, n).one(t+3*w))
		add("one place as it becomes free, each asked for by a new client", eachAsNew(t, n, w))
		for range 6 {
			at := 20*w + random.Int64N(w)
			script := newScript()
			for range min(6*n+40, 500) {
				if at += random.Int64N(w/n + 1); random.IntN(8) == 0 {
					at += random.Int64N(2 * w)
				}
				script.one(at)
			}
			add("random times", script)
		}
	}
	return all
}

// eachAsNew asks for one place, a little too early or just in time, each time as a client whose past is otherwise the same.
func eachAsNew(t, n, w int64) *script {
	script := newScript()
	client := 0
	add := func(past, at int64) {
		client++
		script.as(keyName(client)).burst(past, n).one(at)
	}
	for _, tick := range []int64{0, 1, 1e3, 1e6} {
		add(t, t+w-tick)
		add(11*w-1, 11*w+share(w, 1, n)-tick)
		add(11*w+w/2, 12*w+share(w, (n+1)/2, n)-tick)
		add(t, t+w+share(w, 1, n)-tick)
		add(t, t+w+share(w, (n+1)/2, n)-tick)
	}
	return script
}

// told is the shortest piece of a sequence in which two rules decide differently, each on what it decided itself.
func told(winner, rival candidate, t trial) Counterexample {
	decide := func(c candidate, requests []limiter.Request) []bool {
		judges, err := c.build(t.limit)
		if err != nil {
			return nil
		}
		decisions := make([]bool, len(requests))
		for i, r := range requests {
			decisions[i] = judges[0](r, false) == admit
		}
		return decisions
	}
	differ := func(requests []limiter.Request) int {
		a, b := decide(winner, requests), decide(rival, requests)
		for i := range a {
			if i < len(b) && a[i] != b[i] {
				return i
			}
		}
		return -1
	}
	requests := slices.Clone(t.requests)
	at := differ(requests)
	if at < 0 {
		return Counterexample{Limit: t.limit, Note: t.note}
	}
	requests = requests[:at+1]
	for size := (len(requests) + 1) / 2; size >= 1; size /= 2 {
		for from := len(requests) - size; from >= 0; from -= size {
			less := slices.Delete(slices.Clone(requests), from, from+size)
			if at := differ(less); at >= 0 {
				requests = less[:at+1]
				from = min(from, len(requests))
			}
			if from > len(requests) {
				break
			}
		}
	}
	a, b := decide(winner, requests), decide(rival, requests)
	answers, want := make([]limiter.Answer, len(a)), make([]expectation, len(a))
	for i := range a {
		answers[i].Admitted, want[i] = b[i], expect(a[i])
	}
	return counterexample(&Promise{text: winner.name}, trial{t.limit, requests, t.note}, answers, want)
}
