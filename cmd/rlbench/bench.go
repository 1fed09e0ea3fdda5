package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rlbench/rlbench/generators"
	"github.com/rlbench/rlbench/internal/units"
	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/measure"
	"github.com/rlbench/rlbench/measure/cost"
	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
	"github.com/rlbench/rlbench/targets"
)

// The parts of a bench, in the order in which they are measured.
const (
	partAccuracy = "accuracy"
	partSpeed    = "speed"
	partMemory   = "memory"
	partStalls   = "stalls"
	partPatterns = "patterns"
)

var benchParts = []string{partAccuracy, partSpeed, partMemory, partStalls, partPatterns}

// A bench is `rlbench bench` as its flags have it.
type bench struct {
	algorithms []string
	limit      limiter.Limit
	keys       []int64
	orders     []string
	refused    []string
	clocks     []string
	full       []int64 // limits at which every client is full
	parts      []string
	rounds     int64
	sample     int64
	seed       uint64
	quick      bool
	progress   string
	output
}

func benchCommand(c *console) *cobra.Command {
	b := &bench{
		limit: limiter.Limit{Max: 100, Window: int64(time.Minute)}, keys: []int64{1, 1e3, 1e6}, orders: cost.Orders,
		refused: []string{"asis"}, clocks: []string{"own"}, full: []int64{5, 100, 1000, 10_000}, parts: benchParts,
		rounds: 6, sample: int64(50 * time.Millisecond), seed: 1,
	}
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure what limiters cost in time and memory",
		Long: `Bench measures the time of a decision and the memory of a client: of rlbench's own
algorithms in their keyed form, which is made for use, and of other people's
libraries. All take turns, round by round, so that a machine that is busy
meanwhile is so for everybody; medians come with 95 % intervals, and each line
with what was really done: how many keys asked, and the share refused.

Memory is that of a fresh process after a forced collection. Stalls are the longest
decision while clients come and go. Patterns are traffic merged in time order.`,
		Example: `  rlbench bench --quick
  rlbench bench -a counter,log,buckets:8 --keys 1,1e6
  rlbench bench --parts speed --clock own,told,batch --keys 1e7
  rlbench bench --parts speed --refused none,half,all -o bench.json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return b.run(cmd.Context(), c) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	algorithmsFlag(cmd, &b.algorithms, "those of most use, and all libraries that rlbench has")
	take(flags, &b.keys, "keys", "COUNTS", "how many clients there are (1,1e3,1e6)", listOf(readKeys))
	take(flags, &b.limit.Max, "limit", "COUNT", "requests per window (100)", positive(units.ParseCount))
	take(flags, &b.limit.Window, "window", "DURATION", "length of the window (60s)", positive(units.ParseDuration))
	take(flags, &b.orders, "order", "ORDERS", "in which clients ask: uniform,zipf (both)", listOf(oneOf(cost.Orders...)))
	take(flags, &b.refused, "refused", "SHARES", "asis (by the limit), none, half, all (asis)", listOf(oneOf(cost.Refusals...)))
	take(flags, &b.clocks, "clock", "CLOCKS", "own; told with each request; told, by 64-bit keys, in a batch (own)", listOf(oneOf(cost.Clocks...)))
	take(flags, &b.full, "full", "COUNTS", "limits for the memory of clients that use all of it (5,100,1e3,1e4)", listOf(positive(units.ParseCount)))
	take(flags, &b.parts, "parts", "PARTS", "what to measure ("+strings.Join(benchParts, ",")+")", listOf(oneOf(benchParts...)))
	take(flags, &b.rounds, "rounds", "COUNT", "how often all are measured in turn (6, the least for an interval)", positive(units.ParseCount))
	take(flags, &b.sample, "sample", "DURATION", "about how long one measurement takes (50ms)", positive(units.ParseDuration))
	take(flags, &b.seed, "seed", "COUNT", "another seed gives other orders", readSeed)
	flags.BoolVar(&b.quick, "quick", false, "at most 1e5 keys, short samples, no stalls and no patterns")
	progressFlag(flags, &b.progress)
	b.output.flags(flags)
	b.plotsFlag(flags)
	return cmd
}

// mostKeys is what fits memory in every form that is measured.
const mostKeys = 20_000_000

func readKeys(text string) (int64, error) {
	n, err := positive(units.ParseCount)(text)
	if err == nil && n > mostKeys {
		err = fmt.Errorf("%s are too many clients to hold at once: take up to %s", text, human.Count(mostKeys))
	}
	return n, err
}

func (b *bench) run(ctx context.Context, c *console) error {
	if err := b.output.check(results.Shard{}); err != nil {
		return err
	}
	if b.quick {
		b.hurry()
	}
	specs, contestants, err := b.contestants()
	if err != nil {
		return err
	}
	file := c.newFile()
	file.Runs = []results.Run{b.describe(specs)}
	run := &file.Runs[0]
	loads := b.loads()
	options := cost.Options{Rounds: int(b.rounds), SampleNS: b.sample, Seed: b.seed}
	plans := b.memoryPlans(contestants)
	c.note("bench: %s, %s, limit %s/%s; %s", human.Plural(int64(len(contestants)), "limiter"), strings.Join(b.parts, ", "),
		human.Count(b.limit.Max), units.FormatDuration(b.limit.Window), joined(specs))
	progress := c.meter(b.progress, "measurements", b.measurements(contestants, loads, plans, options))
	options.Progress = progress.add
	err = b.measure(ctx, c, run, specs, contestants, loads, plans, options)
	progress.stop()
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	file, stopped := interrupted(ctx, file, progress)
	if err := b.write(c, file); err != nil {
		return err
	}
	return stopped
}

func joined(specs []limiter.Spec) string {
	names := make([]string, len(specs))
	for i, s := range specs {
		names[i] = s.String()
	}
	return strings.Join(names, ", ")
}

// hurry makes the bench a matter of a minute.
func (b *bench) hurry() {
	const most = 100_000
	var keys []int64
	for _, n := range b.keys {
		if n = min(n, most); !slices.Contains(keys, n) {
			keys = append(keys, n)
		}
	}
	b.keys, b.sample = keys, min(b.sample, int64(10*time.Millisecond))
	b.parts = slices.DeleteFunc(slices.Clone(b.parts), func(part string) bool { return part == partStalls || part == partPatterns })
}

// benchAlgorithms are ours that are measured where no others are named; all libraries follow.
const benchAlgorithms = "allow-all,counter,log,gcra,fixed"

func (b *bench) contestants() ([]limiter.Spec, []cost.Contestant, error) {
	names := b.algorithms
	if names == nil {
		names = []string{benchAlgorithms}
		for _, k := range targets.Kinds {
			if k.Prefix != "peer" {
				continue
			}
			for _, e := range k.List() {
				names = append(names, "peer:"+e.Name)
			}
		}
	}
	specs, err := targets.Specs.ParseList(names)
	if err != nil {
		return nil, nil, err
	}
	var contestants []cost.Contestant
	for _, spec := range specs {
		contestant, err := cost.NewContestant(spec, b.limit)
		if err != nil {
			return nil, nil, err
		}
		if _, err := contestant.New(contestant.Limit); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", spec, err)
		}
		contestants = append(contestants, contestant)
	}
	return specs, contestants, nil
}

func (b *bench) loads() (loads []cost.Load) {
	for _, clock := range b.clocks {
		for _, refused := range b.refused {
			for _, keys := range b.keys {
				for _, order := range b.orders {
					if keys == 1 && order != b.orders[0] {
						continue // one client has no order
					}
					loads = append(loads, cost.Load{Keys: keys, Order: order, Refused: refused, Clock: clock})
				}
			}
		}
	}
	return loads
}

func (b *bench) does(part string) bool { return slices.Contains(b.parts, part) }

// describe is the run without figures.
func (b *bench) describe(specs []limiter.Spec) results.Run {
	run := results.Run{
		Scenario: "bench", Limit: b.limit.Max, WindowNS: b.limit.Window, Seed: &b.seed, Edge: limiter.Closed.String(), Placement: "asis",
		Bench: &results.Bench{Rounds: int(b.rounds), SampleNS: b.sample, Reference: []float64{}},
	}
	for _, spec := range specs {
		l := spec.Limits(b.limit)[0]
		run.Algorithms = append(run.Algorithms, results.Algorithm{Name: spec.String(), Limit: l.Max, WindowNS: l.Window, Cost: &results.Cost{}})
	}
	return run
}

// judged is the traffic for the figure beside the costs: how often each is wrong.
func (b *bench) judged() generators.Workload {
	return generators.Workload{
		Pattern: "poisson", Clients: 200, PerWindow: 0.9 * float64(b.limit.Max), Window: b.limit.Window, Span: 60 * b.limit.Window,
		Max: b.limit.Max, Seed: b.seed,
	}
}

// merged is the traffic of a pattern with as many clients as are to be kept alive, over two windows, at a limit that
// clients come near with few requests.
func (b *bench) merged(pattern string) generators.Workload {
	const limit = 5
	return generators.Workload{
		Pattern: pattern, Clients: slices.Max(b.keys), PerWindow: 0.9 * limit, Window: b.limit.Window, Span: 2 * b.limit.Window,
		Max: limit, Seed: b.seed,
	}
}

func (b *bench) measurements(contestants []cost.Contestant, loads []cost.Load, plans []memoryPlan, o cost.Options) (n int64) {
	if b.does(partSpeed) {
		n += cost.Samples(contestants, loads, o)
	}
	if b.does(partMemory) {
		n += int64(len(plans))
	}
	if b.does(partStalls) {
		n += int64(len(contestants))
	}
	if b.does(partPatterns) {
		n += int64(len(cost.Patterns))
	}
	return n
}

// measure fills the run part by part. When it is interrupted, what was measured stays.
func (b *bench) measure(ctx context.Context, c *console, run *results.Run, specs []limiter.Spec, contestants []cost.Contestant, loads []cost.Load, plans []memoryPlan, o cost.Options) error {
	defer func() {
		for i := range run.Algorithms {
			run.Algorithms[i].Cost.Summarize()
		}
	}()
	run.Bench.ClockNS = cost.ClockNS()
	if b.does(partAccuracy) {
		if err := b.judge(ctx, run, specs); err != nil {
			return err
		}
	}
	if b.does(partSpeed) {
		speeds, reference, err := cost.Speed(ctx, contestants, loads, o)
		run.Bench.Reference = append(run.Bench.Reference, reference...)
		for i := range run.Algorithms {
			a := &run.Algorithms[i]
			a.Cost.Speed = speeds[a.Name]
		}
		if err != nil {
			return err
		}
	}
	if b.does(partMemory) {
		if err := b.memory(ctx, c, run, plans, o); err != nil {
			return err
		}
	}
	if b.does(partStalls) {
		for i := range contestants {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			runtime.GC()
			stall, err := cost.Stall(contestants[i], slices.Max(b.keys), 3)
			if err != nil {
				return fmt.Errorf("%s: %w", contestants[i].Name, err)
			}
			run.Algorithms[i].Cost.Stall = &stall
			o.Progress(1)
		}
	}
	if b.does(partPatterns) {
		if err := b.patterns(ctx, run, contestants, o); err != nil {
			return err
		}
	}
	return nil
}

// judge says how often each contestant is wrong, as far as it can be judged.
func (b *bench) judge(ctx context.Context, run *results.Run, specs []limiter.Spec) error {
	workload := b.judged()
	traffic, err := workload.Compile()
	if err != nil {
		return err
	}
	var judged []limiter.Spec
	for _, spec := range specs {
		if foreign, ok := spec.Foreign(); !ok || foreign.RealTime == "" {
			judged = append(judged, spec)
		}
	}
	if len(judged) == 0 {
		return nil
	}
	tallies, err := measure.Run(ctx, traffic, measure.Plan{Contestants: judged, Limits: []limiter.Limit{b.limit}}, measure.Options{Workers: runtime.GOMAXPROCS(0)})
	if err != nil {
		return err
	}
	before := run.Algorithms
	tallies[0].Fill(run)
	byName := map[string]results.Algorithm{}
	for _, a := range run.Algorithms {
		byName[a.Name] = a
	}
	for i := range before {
		if a, ok := byName[before[i].Name]; ok {
			a.Cost = before[i].Cost
			before[i] = a
		}
	}
	load := workload.PerWindow / float64(b.limit.Max)
	run.Algorithms, run.Pattern, run.Load, run.SpanNS, run.Rates, run.Model = before, workload.Pattern, &load, workload.Span, "constant", workload.Model()
	return nil
}

func (b *bench) patterns(ctx context.Context, run *results.Run, contestants []cost.Contestant, o cost.Options) error {
	var told []cost.Contestant
	for _, c := range contestants {
		if !c.Told {
			continue
		}
		c.Limit = limiter.Limit{Max: b.merged("uniform").Max, Window: b.limit.Window}
		told = append(told, c)
	}
	for _, pattern := range cost.Patterns {
		found, err := cost.Pattern(ctx, told, b.merged(pattern), cost.Options{Seed: b.seed})
		for i := range run.Algorithms {
			a := &run.Algorithms[i]
			if p, ok := found[a.Name]; ok {
				a.Cost.Patterns = append(a.Cost.Patterns, p)
			}
		}
		if err != nil {
			return err
		}
		o.Progress(1)
	}
	return nil
}
