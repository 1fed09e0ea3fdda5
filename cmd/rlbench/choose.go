package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rlbench/rlbench/generators"
	"github.com/rlbench/rlbench/generators/trace"
	"github.com/rlbench/rlbench/internal/units"
	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/measure"
	"github.com/rlbench/rlbench/measure/cost"
	"github.com/rlbench/rlbench/report/choose"
	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

// A chooser is `rlbench choose` as its flags have it.
type chooser struct {
	read       trace.Options
	algorithms []string
	limit      int64 // 0: to be proposed
	window     int64
	clients    int64 // 0: those of the log
	pattern    string
	rates      string
	load       float64
	priority   string
	block      float64 // share of clients that may be refused something, where a limit is proposed
	given      []results.Constraint
	seed       uint64
	workers    int64
	progress   string
	output
}

func chooseCommand(c *console) *cobra.Command {
	h := &chooser{
		window: int64(time.Minute), pattern: "poisson", rates: "lognormal(0.8)", load: 0.5, priority: choose.Priorities[0].Name,
		block: 0.001, seed: 1, workers: int64(runtime.GOMAXPROCS(0)),
	}
	cmd := &cobra.Command{
		Use:   "choose [FILE...]",
		Short: "Recommend a limiter for your traffic, and say why",
		Long: `Choose judges the algorithms on your log, or without one on generated traffic of
--clients, --pattern and --load, measures what they would cost for that many
clients, drops those that miss a bound, and recommends the one that decides
wrongly least often. It says why in four sentences, and what would change it.

Without --limit it proposes one that leaves all but --block-at-most of the
clients alone (0.1%). One of the candidates is two limits together: the counter per
window and, against bursts, per a shorter window.`,
		Example: `  rlbench choose access.log.1.gz
  rlbench choose access.log --limit 60 --window 1m --memory 512MB --priority protect
  rlbench choose --limit 100 --window 60s --clients 1e5 --pattern bursty`,
		RunE: func(cmd *cobra.Command, files []string) error { return h.run(cmd.Context(), c, files) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	take(flags, &h.limit, "limit", "COUNT", "requests per window (proposed from the log)", positive(units.ParseCount))
	take(flags, &h.window, "window", "DURATION", "length of the window (1m)", positive(units.ParseDuration))
	take(flags, &h.clients, "clients", "COUNT", "how many clients to plan memory for (those of the log)", positive(units.ParseCount))
	take(flags, &h.pattern, "pattern", "PATTERN", "how each client's requests come, without a log (poisson)", asItIs)
	take(flags, &h.rates, "rates", "SPREAD", "how the clients' mean rates differ, without a log (lognormal(0.8))", asItIs)
	take(flags, &h.load, "load", "NUMBER", "mean requests per client and window as a share of the limit, without a log (0.5)", readNumber)
	var priorities []string
	for _, p := range choose.Priorities {
		priorities = append(priorities, p.Name)
	}
	take(flags, &h.priority, "priority", "NAME", "balanced, protect (too much let through is worse) or serve (a good client refused is) (balanced)", oneOf(priorities...))
	bound := func(name, form, figure, usage string, read func(string) (float64, error)) {
		flags.Func(name, usage+" (`"+form+"`)", func(text string) error {
			most, err := read(text)
			if err == nil {
				h.given = append(h.given, results.Constraint{Figure: figure, Most: most})
			}
			return err
		})
	}
	bound("max-peak", "NUMBER", "peak_ratio", "the most that a client may get in a window, in limits", readNumber)
	bound("max-over-admitted", "PERCENT", "over_admitted", "the largest share of requests wrongly let through", readPercent)
	bound("max-over-refused", "PERCENT", "over_refused", "the largest share of requests wrongly refused", readPercent)
	bound("memory", "SIZE", "memory_bytes", "the most memory for all clients if all use all of the limit", func(text string) (float64, error) {
		n, err := positive(units.ParseBytes)(text)
		return float64(n), err
	})
	bound("block-at-most", "PERCENT-of-clients", "clients_refused", "the largest share of clients with a request refused", func(text string) (float64, error) {
		share, err := readPercent(strings.TrimSuffix(text, "-of-clients"))
		h.block = share
		return share, err
	})
	algorithmsFlag(cmd, &h.algorithms, "log, counter, buckets:8, fixed, gcra and two limits together")
	flags.StringVar(&h.read.KeyField, "key", "client", keyUsage)
	h.read.Memory = defaultMemory
	formatFlags(flags, &h.read)
	take(flags, &h.seed, "seed", "COUNT", "another seed gives other random numbers", readSeed)
	take(flags, &h.workers, "workers", "COUNT", "goroutines that work at once (one for each core)", positive(units.ParseCount))
	progressFlag(flags, &h.progress)
	h.output.flags(flags)
	complete(cmd, "format", formatNames)
	return cmd
}

// readPercent reads 0.1% as a share.
func readPercent(text string) (float64, error) {
	number, ok := strings.CutSuffix(strings.TrimSpace(text), "%")
	x, err := readNumber(number)
	if !ok || err != nil || x < 0 || x > 100 {
		return 0, fmt.Errorf("%q is not a share such as 0.1%%", text)
	}
	return x / 100, nil
}

// A chosenTraffic is what candidates are judged on, from a log or made.
type chosenTraffic struct {
	judge   func(ctx context.Context, plan measure.Plan) ([]*results.Tally, error)
	peaks   []measure.PeakCount // in the window and in the shorter one; nil for made traffic
	clients int64
	typical int64 // requests of a client in its busiest window, the median
	run     results.Run
}

func (h *chooser) run(ctx context.Context, c *console, files []string) (err error) {
	if err := h.output.check(results.Shard{}); err != nil {
		return err
	}
	if len(files) == 0 && (h.limit == 0 || h.clients == 0) {
		return hint(errors.New("choose for what traffic? there is no log, and no --limit with --clients"), "name a log, or --limit, --window and --clients")
	}
	priority, err := choose.Find(h.priority)
	if err != nil {
		return err
	}
	var log *trace.Trace
	if len(files) > 0 {
		h.read.Workers = int(h.workers)
		if log, err = c.load(ctx, files, h.read, h.progress); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, log.Close()) }()
	}
	file := c.newFile()
	t, err := h.traffic(ctx, file, log)
	if err != nil {
		return unlessInterrupted(ctx, err)
	}
	choice := &results.Choice{WindowNS: h.window, Clients: t.clients, Constraints: priority.Constraints(h.given)}
	if h.clients > 0 {
		choice.Clients = h.clients
	}
	h.propose(choice, t)
	specs, err := h.candidates(choice, t)
	if err != nil {
		return err
	}
	if err := h.measure(ctx, c, choice, t, specs); err != nil {
		return unlessInterrupted(ctx, err)
	}
	priority.Decide(choice)
	t.run.Choice = choice
	file.Runs = append(file.Runs, t.run)
	return h.write(c, file)
}

// shorter is the window of the second limit.
func (h *chooser) shorter() int64 {
	for _, w := range []int64{3600e9, 600e9, 60e9, 10e9, 1e9} {
		if w <= h.window/6 {
			return w
		}
	}
	return max(h.window/10, 1)
}

// traffic prepares the log, or makes the traffic.
func (h *chooser) traffic(ctx context.Context, file *results.File, log *trace.Trace) (*chosenTraffic, error) {
	o := measure.Options{Workers: int(h.workers)}
	if log == nil {
		return h.made(o)
	}
	s := log.Stats()
	file.Warnings = append(file.Warnings, s.Warnings...)
	t := &chosenTraffic{run: results.Run{Scenario: "choose", SpanNS: s.LastNS - s.FirstNS, Edge: limiter.Closed.String(), Placement: "asis"}}
	var err error
	if t.peaks, err = measure.Peaks(ctx, log, []int64{h.window, h.shorter()}, o); err != nil {
		return nil, err
	}
	traffic, err := measure.Survey(ctx, log, o)
	if err != nil {
		return nil, err
	}
	t.run.Input = input(s, traffic)
	t.clients, t.typical = t.peaks[0].Clients(), t.peaks[0].Quantile(0.5)
	t.judge = func(ctx context.Context, plan measure.Plan) ([]*results.Tally, error) {
		return measure.Replay(ctx, log, plan, o)
	}
	if h.window/100 < s.ResolutionNS {
		file.Warnings = append(file.Warnings, fmt.Sprintf("the log's times are multiples of %s, which is coarse for a window of %s: rlbench replay --placement band shows how much that matters",
			units.FormatDuration(s.ResolutionNS), units.FormatDuration(h.window)))
	}
	return t, nil
}

// mostJudged bounds the requests of made traffic: a sample of the clients stands for all.
const mostJudged = 5_000_000

func (h *chooser) made(o measure.Options) (*chosenTraffic, error) {
	const windows = 60
	perClient := h.load * float64(h.limit) * windows
	clients := int64(max(100, min(float64(h.clients), 5000, mostJudged/perClient)))
	w := generators.Workload{
		Pattern: h.pattern, Rates: h.rates, Clients: clients, PerWindow: h.load * float64(h.limit), Window: h.window, Span: windows * h.window, Max: h.limit, Seed: h.seed,
	}
	traffic, err := w.Compile()
	if err != nil {
		return nil, err
	}
	t := &chosenTraffic{clients: h.clients, typical: max(1, int64(h.load*float64(h.limit)))}
	t.judge = func(ctx context.Context, plan measure.Plan) ([]*results.Tally, error) {
		return measure.Run(ctx, traffic, plan, o)
	}
	t.run = results.Run{
		Scenario: "choose", Pattern: w.Pattern, Seed: &w.Seed, SpanNS: w.Span, Load: &h.load, Rates: h.rates, Edge: limiter.Closed.String(), Placement: "asis", Model: w.Model(),
	}
	return t, nil
}

// propose sets the limit: the one given, or one that leaves all but a few clients alone.
func (h *chooser) propose(choice *results.Choice, t *chosenTraffic) {
	choice.Limit = h.limit
	if h.limit > 0 {
		return
	}
	least := max(t.peaks[0].Quantile(1-h.block), 1)
	choice.Limit = roundUp(least)
	choice.Proposed = fmt.Sprintf("%s %% of the clients never ask for more than %s in %s", human.Percent(1-h.block), human.Commas(least), units.FormatDuration(h.window))
}

// roundUp keeps two digits.
func roundUp(n int64) int64 {
	unit := int64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit - 1) / unit * unit
}

// candidates are what is named, or the algorithms of most use and two limits together.
func (h *chooser) candidates(choice *results.Choice, t *chosenTraffic) ([]limiter.Spec, error) {
	names := h.algorithms
	if names == nil {
		names = []string{"log,counter,buckets:8,fixed,gcra"}
		short := h.shorter()
		burst := (choice.Limit + 5) / 6
		if t.peaks != nil {
			burst = roundUp(max(t.peaks[1].Quantile(1-h.block), 1))
		}
		if burst < choice.Limit {
			names = append(names, fmt.Sprintf("multi:counter@%d/%s+counter@%d/%s", choice.Limit, units.FormatDuration(h.window), burst, units.FormatDuration(short)))
		}
	}
	specs, err := limiter.ParseList(names) // only these have a keyed form whose memory can be told
	if err != nil {
		return nil, err
	}
	return specs, possible(measure.Plan{Contestants: specs, Limits: []limiter.Limit{{Max: choice.Limit, Window: choice.WindowNS}}})
}

// The sizes of what is measured for each candidate.
const (
	heldClients = 20_000
	heldMost    = 4_000_000 // requests
	timedKeys   = 100_000
)

// measure judges the candidates on the traffic, attacks them, and measures what they cost.
func (h *chooser) measure(ctx context.Context, c *console, choice *results.Choice, t *chosenTraffic, specs []limiter.Spec) error {
	limit := limiter.Limit{Max: choice.Limit, Window: choice.WindowNS}
	plan := measure.Plan{Contestants: specs, Limits: []limiter.Limit{limit}}
	progress := c.meter(h.progress, "steps", int64(3+len(specs)))
	defer progress.stop()
	tallies, err := t.judge(ctx, plan)
	if err != nil {
		return err
	}
	tallies[0].Fill(&t.run)
	t.run.Limit, t.run.WindowNS = limit.Max, limit.Window
	progress.add(1)
	attacked, err := attack(ctx, plan)
	if err != nil {
		return err
	}
	progress.add(1)
	ns, err := h.times(ctx, specs, limit, choice.Clients)
	if err != nil {
		return err
	}
	progress.add(1)
	for i := range t.run.Algorithms {
		a := &t.run.Algorithms[i]
		k := results.Candidate{
			Name: a.Name, Refused: share(a.Refused, a.Requests), OverAdmitted: share(a.OverAdmitted, a.Requests), OverRefused: share(a.OverRefused, a.Requests),
			ClientsRefused: share(a.ClientsRefused, t.run.Clients), PeakRatio: peakOf(a, limit), AttackedRatio: peakOf(&attacked[i], limit), NsPerOp: ns[a.Name],
		}
		if a.Bound != nil {
			ratio := float64(*a.Bound) / float64(limit.Max)
			k.BoundRatio = &ratio
		}
		typical := max(min(t.typical, limit.Max), 1)
		if k.BytesPerClient, err = cost.HoldTold(specs[i], limit, min(heldClients, max(heldMost/typical, 1)), typical); err != nil {
			return fmt.Errorf("%s: %w", a.Name, err)
		}
		full, err := cost.HoldTold(specs[i], limit, min(heldClients, max(heldMost/limit.Max, 100)), min(limit.Max, heldMost/100))
		if err != nil {
			return fmt.Errorf("%s: %w", a.Name, err)
		}
		k.MemoryBytes = max(full, k.BytesPerClient) * float64(choice.Clients)
		choice.Candidates = append(choice.Candidates, k)
		progress.add(1)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func share(n, of int64) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// peakOf is the worst window in limits; of several limits together, by the main one.
func peakOf(a *results.Algorithm, limit limiter.Limit) float64 {
	for _, l := range a.Limits {
		if l.Limit == limit.Max && l.WindowNS == limit.Window {
			return float64(l.PeakWindow) / float64(l.Limit)
		}
	}
	return a.PeakRatio
}

// attack has an adversary who knows limit and window try each candidate.
func attack(ctx context.Context, plan measure.Plan) ([]results.Algorithm, error) {
	limit := plan.Limits[0]
	w := generators.Workload{Pattern: "end", Clients: 1, PerWindow: float64(limit.Max), Window: limit.Window, Span: 4 * limit.Window, Max: limit.Max, Seed: 1}
	traffic, err := w.Compile()
	if err != nil {
		return nil, err
	}
	tallies, err := measure.Run(ctx, traffic, plan, measure.Options{})
	if err != nil {
		return nil, err
	}
	var run results.Run
	tallies[0].Fill(&run)
	return run.Algorithms, nil
}

// times measures the time of a decision of each candidate, in turns.
func (h *chooser) times(ctx context.Context, specs []limiter.Spec, limit limiter.Limit, clients int64) (map[string]float64, error) {
	var contestants []cost.Contestant
	for _, spec := range specs {
		contestant, err := cost.NewContestant(spec, limit)
		if err != nil {
			return nil, err
		}
		contestants = append(contestants, contestant)
	}
	load := cost.Load{Keys: min(clients, timedKeys), Order: "zipf", Refused: "asis", Clock: "own"}
	if load.Keys < 2 {
		load.Order = "uniform"
	}
	speeds, _, err := cost.Speed(ctx, contestants, []cost.Load{load}, cost.Options{Rounds: 3, SampleNS: int64(10 * time.Millisecond), Seed: h.seed})
	if err != nil {
		return nil, err
	}
	ns := map[string]float64{}
	for name, lines := range speeds {
		ns[name] = math.NaN()
		for _, s := range lines {
			if s.Goroutines == 1 {
				ns[name] = s.NsPerOp
			}
		}
	}
	return ns, nil
}
