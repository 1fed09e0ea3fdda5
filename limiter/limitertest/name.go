package limitertest

import (
	"cmp"
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
	Rule      string         // the simplest rule that fits, or the one that fits most sequences
	Kind      string         // of the fault that the rule is, "" if it is a right one
	Sure      bool           // the rule agrees with every decision
	Fits      int            // sequences of which it agrees with every decision
	Of        int            // so many were played
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
		return fmt.Sprintf("unnamed; %s comes nearest, it fits %d of %d sequences", n.Rule, n.Fits, n.Of)
	}
	for _, other := range n.Alike {
		if !strings.HasPrefix(other, n.Rule+":resolution=") && !strings.HasPrefix(other, n.Rule+":tolerance=") { // laxer, not other rules
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
	var played []entry
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
		if len(fit) == 0 && slices.ContainsFunc(t.requests, func(r limiter.Request) bool { return r.Cost != 1 }) {
			continue // it deals with costs in a way of its own, which is for a probe to say
		}
		n.Decisions += len(answers)
		played = append(played, entry{t, slices.Clone(answers)})
		v.dossier.add(&t, answers)
		if len(fit) == 0 {
			left = nil
			continue
		}
		if len(unfit) > 0 {
			last, dropped = t, unfit
		}
		left = fit
	}
	n.Of = len(played)
	if n.Decisions == 0 {
		return n, nil
	}
	if len(left) == 0 {
		n.settle(all, played)
		return n, nil
	}
	winner := all[left[0]]
	n.Rule, n.Kind, n.Sure, n.Fits = winner.name, winner.kind, true, len(played)
	for _, i := range left[1:] {
		n.Alike = append(n.Alike, all[i].name)
	}
	n.promise = winner.promise()
	if len(dropped) > 0 {
		n.Rival = all[dropped[0]].name
		n.Told = told(winner, all[dropped[0]], last)
	}
	return n, nil
}

// settle takes the rule that fits most sequences where none fits all.
func (n *Naming) settle(all []candidate, played []entry) {
	best := 0
	for i := range all {
		fits := 0
		for k := range played {
			if ok, _ := all[i].judge(&played[k].trial, played[k].answers, nil); ok {
				fits++
			}
		}
		if fits > n.Fits || i == 0 {
			best, n.Fits = i, fits
		}
	}
	n.Rule, n.Kind, n.promise = all[best].name, all[best].kind, all[best].promise()
}

// promise is a rule as what a limiter is held to.
func (c *candidate) promise() Promise {
	p := Promise{text: c.name, scales: oneScale, readings: []reading{c.reading}, backward: true}
	for _, r := range resolutions {
		if r > 0 && strings.HasSuffix(c.name, ":resolution="+units.FormatDuration(r)) {
			p.resolution = r
		}
	}
	return p
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
	// All in one order of time, for limiters whose clock can't go back for another client.
	slices.SortStableFunc(script.requests, func(a, b limiter.Request) int { return cmp.Compare(a.Time, b.Time) })
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
	small := trial{t.limit, requests, t.note}
	rightly := slices.Clone(answers)
	for i := range a {
		rightly[i].Admitted = a[i]
	}
	// Where a rule leaves a decision open, decide took it for a refusal, and the piece may tell nothing.
	fits, _ := winner.judge(&small, rightly, nil)
	if alike, _ := rival.judge(&small, rightly, nil); !fits || alike {
		return Counterexample{Limit: t.limit, Note: t.note}
	}
	return counterexample(&Promise{text: winner.name}, small, answers, want)
}
