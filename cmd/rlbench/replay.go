package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/rlbench/rlbench/generators/trace"
	"github.com/rlbench/rlbench/internal/units"
	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/measure"
	"github.com/rlbench/rlbench/results"
	"github.com/rlbench/rlbench/targets"
)

// A logReplay is `rlbench replay` as its flags have it.
type logReplay struct {
	read       trace.Options
	algorithms []string
	limits     []int64
	windows    []int64 // ns
	edge       limiter.Edge
	placement  string
	reorder    string
	sweep      bool
	workforce
	output
}

func replayCommand(c *console) *cobra.Command {
	r := &logReplay{
		algorithms: []string{defaultAlgorithms}, limits: []int64{100}, windows: []int64{60e9},
		placement: "asis", reorder: "all", workforce: workforce{workers: int64(runtime.GOMAXPROCS(0))},
	}
	cmd := &cobra.Command{
		Use:   "replay FILE...",
		Short: "Judge limiters on the requests of your own logs",
		Long: `Replay reads access logs or CSV files, plain or compressed, and judges every
limiter on each client's requests, as run does. Several files are one log; - is
standard input. The format is told by itself (rlbench list formats shows all);
lines that can't be read are counted, and the first of them shown.

Requests are decided in the order of their times, those of one time in the order
of the input. Times are taken as they stand; where they are whole seconds, as in
most logs, --placement band shows how much hangs on where in its second a
request came, and a window below 100 s gets a warning.

A CSV file has the columns timestamp, key and, if need be, cost; --time, --key
and --cost name others, and fields of any other format: what a format has, the
error for a wrong name says. --format takes a line with named fields, such as
'$client - - [$time] "$request" $_', nginx's log_format or Apache's LogFormat.

Each client is judged apart, and --key says who one is: ip/24 or ip/64 for the
network of its address, forwarded for the first address of X-Forwarded-For, a
header, a path, a field, or several joined by +. --where looks at one endpoint.`,
		Example: `  rlbench replay access.log access.log.1.gz --limit 60,100
  rlbench replay access.log --sweep -a log,counter --plots plots
  zcat access.log.1.gz | rlbench replay - --limit 60 --window 10s,1m
  rlbench replay access.log --key ip/24 --where 'path=/login,method=POST'
  rlbench replay events.csv --time at --key user --cost tokens --limit 40k`,
		Args: inputs("log files, plain or compressed"),
		RunE: func(cmd *cobra.Command, files []string) error { return r.run(cmd.Context(), c, files) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	algorithmsFlag(cmd, &r.algorithms, defaultAlgorithms)
	take(flags, &r.limits, "limit", "COUNTS", "requests per window, one or several: 60,100 (100)", listOf(positive(units.ParseCount)))
	take(flags, &r.windows, "window", "DURATIONS", "length of the window, one or several; each with every limit (1m)", listOf(positive(units.ParseDuration)))
	flags.BoolVar(&r.sweep, "sweep", false, "in place of --limit: many limits, from one that half of the clients exceed to one that none does")
	edgeFlag(flags, &r.edge)
	flags.StringVar(&r.read.KeyField, "key", "client", keyUsage)
	readingFlags(flags, &r.read)
	take(flags, &r.placement, "placement", "HOW", "where within the log's resolution requests are put: asis, even, random, front, back; "+
		"band tries all and shows each figure as low..high (asis)", readPlacement)
	take(flags, &r.reorder, "reorder", "HOW", "all: the whole input is sorted by time (all)", oneOf("all"))
	r.workforce.flags(flags)
	r.output.flags(flags)
	r.plotsFlag(flags)
	complete(cmd, "format", formatNames)
	return cmd
}

func formatNames() []string {
	names := []string{"auto"}
	for _, f := range trace.Formats {
		names = append(names, f.Name)
	}
	return names
}

func (r *logReplay) run(ctx context.Context, c *console, files []string) (err error) {
	if err := r.output.check(r.shard); err != nil {
		return err
	}
	defer limitMemory(r.read)()
	plan, err := r.plan()
	if err != nil {
		return err
	}
	log, err := r.load(ctx, c, files)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	if r.sweep {
		if plan.Limits, err = r.sweepLimits(ctx, log); err != nil {
			return err
		}
		if err := possible(plan); err != nil {
			return err
		}
	}
	file, measured := r.judge(ctx, c, log, plan)
	if file == nil || measured != nil && !errors.Is(measured, errInterrupted) {
		return measured
	}
	if err := r.write(c, file); err != nil {
		return err
	}
	return measured
}

// plan has every limit with every window, limits outermost.
func (r *logReplay) plan() (measure.Plan, error) {
	plan := measure.Plan{Edge: r.edge}
	var err error
	if plan.Contestants, err = targets.Specs.ParseList(r.algorithms); err != nil {
		return plan, err
	}
	for _, l := range r.limits {
		for _, w := range r.windows {
			plan.Limits = append(plan.Limits, limiter.Limit{Max: l, Window: w})
		}
	}
	return plan, possible(plan)
}

// sweepLimits are the limits that the log's clients make worth looking at, for one window after the other.
func (r *logReplay) sweepLimits(ctx context.Context, log *trace.Trace) (limits []limiter.Limit, err error) {
	if r.shard.Count > 0 {
		return nil, hint(errors.New("--sweep finds limits from all clients, and --shard has some of them only"), "name limits, which all shards then have: --limit 10,100,1k")
	}
	peaks, err := measure.Peaks(ctx, log, r.windows, measure.Options{Workers: int(r.workers)})
	if err != nil {
		return nil, unlessInterrupted(ctx, err)
	}
	for i, w := range r.windows {
		for _, l := range peaks[i].Sweep() {
			limits = append(limits, limiter.Limit{Max: l, Window: w})
		}
	}
	return limits, nil
}

// load reads the logs.
func (r *logReplay) load(ctx context.Context, c *console, files []string) (*trace.Trace, error) {
	r.read.Workers = int(r.workers)
	r.read.Part, r.read.Parts = r.shard.Index, r.shard.Count
	return c.load(ctx, files, r.read, r.progress)
}

// judge replays the log once for all limits, and again for each further placement. When it is interrupted it returns what was
// measured, with errInterrupted.
func (r *logReplay) judge(ctx context.Context, c *console, log *trace.Trace, plan measure.Plan) (*results.File, error) {
	s := log.Stats()
	file := c.newFile()
	file.Warnings = append(append(file.Warnings, s.Warnings...), r.coarse(s)...)
	if r.shard.Count > 0 {
		file.Part = &results.Part{Shard: r.shard, ConfigDigest: r.digest(plan, s)}
	}
	placements := trace.Placements
	if r.placement != band {
		placements = []trace.Placement{trace.Placement(r.placement)}
	}
	progress := c.meter(r.progress, "requests", s.Parsed/int64(max(r.shard.Count, 1))*int64(len(placements)))
	defer progress.stop()
	traffic := results.NewTrafficTally()
	for i, placement := range placements {
		o := measure.Options{Workers: int(r.workers), Shard: r.shard, Progress: progress.add}
		if placement == trace.AsIs {
			o.Traffic = traffic
		} else if i == 0 { // what the log is like is told of its times as they stand
			var err error
			if traffic, err = measure.Survey(ctx, log, measure.Options{Workers: int(r.workers), Shard: r.shard}); err != nil {
				return nil, unlessInterrupted(ctx, err)
			}
		}
		tallies, err := measure.Replay(ctx, log.Place(placement), plan, o)
		switch {
		case err != nil && !errors.Is(err, context.Canceled):
			return nil, err
		case i == 0:
			for k, tally := range tallies {
				add(file, r.describe(plan.Limits[k], s, traffic), tally)
			}
		case err != nil: // what was measured of this placement is no figure of the whole
			forgetBands(file)
		default:
			widen(file, tallies)
		}
		if err != nil {
			break
		}
	}
	if file.Part != nil {
		file.Part.Traffic = traffic
	}
	return interrupted(ctx, file, progress)
}

// unlessInterrupted says that nothing was measured if that is why.
func unlessInterrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: nothing has been measured yet", errInterrupted)
	}
	return err
}

// band is the placement that is all of them.
const band = "band"

func readPlacement(text string) (string, error) {
	if text == band {
		return band, nil
	}
	p, err := trace.ParsePlacement(text)
	if err != nil {
		err = fmt.Errorf("%w, %s", err, band)
	}
	return string(p), err
}

// widen adds what came of another placement.
func widen(file *results.File, tallies []*results.Tally) {
	for i, tally := range tallies {
		var placed results.Run
		tally.Fill(&placed)
		file.Runs[i].Widen(&placed)
	}
	if file.Part != nil {
		file.Part.Placed = append(file.Part.Placed, tallies)
	}
}

func forgetBands(file *results.File) {
	for i := range file.Runs {
		file.Runs[i].ForgetBands()
	}
	if file.Part != nil {
		file.Part.Placed = nil
	}
}

// describe is a run without its figures.
func (r *logReplay) describe(limit limiter.Limit, s trace.Stats, traffic *results.TrafficTally) results.Run {
	return results.Run{
		Scenario: "replay", Limit: limit.Max, WindowNS: limit.Window, SpanNS: s.LastNS - s.FirstNS, Edge: r.edge.String(),
		Placement: r.placement, Input: input(s, traffic),
	}
}

// coarse says which windows can't be judged well at the log's resolution.
func (r *logReplay) coarse(s trace.Stats) (warnings []string) {
	for _, w := range r.windows {
		if w/100 >= s.ResolutionNS {
			continue
		}
		text := fmt.Sprintf("the log's times are multiples of %s, which is coarse for a window of %s: ",
			units.FormatDuration(s.ResolutionNS), units.FormatDuration(w))
		hint := "; --placement band shows how much"
		if w <= s.ResolutionNS {
			text += "all requests of a window look as if they came at once, so that a limit for it can't be judged"
			hint += " is open"
		} else {
			text += "where in them requests came is not known, and decides"
		}
		if r.placement != band {
			text += hint
		}
		warnings = append(warnings, text)
	}
	return warnings
}

// digest is a digest of everything that decides the figures, but for the shard.
func (r *logReplay) digest(plan measure.Plan, s trace.Stats) string {
	var specs []string
	for _, spec := range plan.Contestants {
		specs = append(specs, spec.String())
	}
	return digest(struct {
		Schema, Input            string
		Algorithms               []string
		Limits                   []limiter.Limit
		Edge, Placement, Reorder string
	}{results.Schema, s.Digest, specs, plan.Limits, plan.Edge.String(), r.placement, r.reorder})
}
