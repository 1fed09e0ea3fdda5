package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rlbench/rlbench/generators"
	"github.com/rlbench/rlbench/internal/units"
	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/measure"
	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
	"github.com/rlbench/rlbench/targets"
)

// A trafficRun is `rlbench run` as its flags have it.
type trafficRun struct {
	scenario string
	changes  generators.Overrides
	edge     limiter.Edge
	workforce
	output
}

func runCommand(c *console) *cobra.Command {
	r := &trafficRun{workforce: workforce{workers: int64(runtime.GOMAXPROCS(0))}}
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Judge limiters on generated traffic",
		Long: `Run makes the traffic of a scenario, gives every limiter the same requests, and
judges each decision: against the limiter's own history (mistakes), and against
the exact log on the same arrivals (consequences). It prints the average and the
worst window side by side, and how far each estimate is from the true count.

A scenario is built in (rlbench list scenarios shows them) or a TOML file. The
flags change every stage of it. Without one, it is all patterns at nine tenths
of the limit, or the one of --pattern at several loads. The same seed gives the
same requests on every machine, for any number of workers and shards.

Numbers may be written 1e6, 10k, 400M or 1_000_000; durations 60s, 1m30s or 30d.
Ctrl-C ends the run early: what was measured so far is printed and saved, marked
as partial. A second Ctrl-C leaves at once.`,
		Example: `  rlbench run
  rlbench run --pattern poisson --load 0.9 --clients 1k -a log,buckets:6
  rlbench run --scenario cloudflare --scale 0.01 -o r.json --plots plots
  rlbench run --scenario worst-case --limit 20 --window 1s`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return r.run(cmd.Context(), c) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&r.scenario, "scenario", "", "a built-in scenario's `NAME`, or a file NAME.toml (patterns, at load 0.9 only)")
	algorithmsFlag(cmd, &r.changes.Algorithms, "the scenario's")
	take(flags, &r.changes.Limits, "limit", "COUNTS", "requests per window, one or several: 60,100", listOf(positive(units.ParseCount)))
	take(flags, &r.changes.Window, "window", "DURATION", "length of the window", given(units.ParseDuration))
	take(flags, &r.changes.Clients, "clients", "COUNT", "how many clients there are", given(units.ParseCount))
	take(flags, &r.changes.Span, "span", "DURATION", "simulated time (60 windows in most scenarios)", given(units.ParseDuration))
	take(flags, &r.changes.Load, "load", "NUMBER", "mean requests per client and window as a share of the limit", given(readNumber))
	take(flags, &r.changes.Requests, "requests", "COUNT", "how many requests are expected in all, in place of --load", given(units.ParseCount))
	take(flags, &r.changes.Pattern, "pattern", "PATTERN", `how each client's requests come: poisson, or a mix such as "0.99 poisson + 0.01 end"`, given(asItIs))
	take(flags, &r.changes.Rates, "rates", "SPREAD", "how the clients' mean rates differ: constant, lognormal(0.8), ...", given(asItIs))
	take(flags, &r.changes.Scale, "scale", "NUMBER", "multiplies the number of clients", given(readNumber))
	take(flags, &r.changes.Seed, "seed", "COUNT", "another seed gives other random numbers", given(readSeed))
	edgeFlag(flags, &r.edge)
	r.workforce.flags(flags)
	r.output.flags(flags)
	r.plotsFlag(flags)
	complete(cmd, "pattern", generators.PatternNames)
	complete(cmd, "scenario", scenarioNames)
	return cmd
}

func asItIs(text string) (string, error) { return text, nil }

func scenarioNames() (names []string) {
	for _, s := range generators.Scenarios {
		names = append(names, s.Name)
	}
	return names
}

func (r *trafficRun) run(ctx context.Context, c *console) error {
	if err := r.output.check(r.shard); err != nil {
		return err
	}
	if _, err := targets.Specs.ParseList(r.changes.Algorithms); err != nil {
		return err
	}
	r.setDefaults()
	scenario, err := generators.FindScenario(r.scenario)
	if err != nil {
		return hint(err, "`rlbench list scenarios` describes what is built in")
	}
	if scenario, err = scenario.With(r.changes); err != nil {
		return err
	}
	jobs, err := jobsOf(scenario, r.edge)
	if err != nil {
		return err
	}
	c.note("%s", r.announce(scenario.Name, jobs))
	file, measured := r.judge(ctx, c, scenario, jobs)
	if measured != nil && !errors.Is(measured, errInterrupted) {
		return measured
	}
	if err := r.write(c, file); err != nil {
		return err
	}
	return measured
}

// setDefaults chooses the first answer of somebody who named no scenario: every pattern, at one load.
func (r *trafficRun) setDefaults() {
	if r.scenario != "" {
		return
	}
	r.scenario = "patterns"
	if r.changes.Load == nil && r.changes.Requests == nil && r.changes.Pattern == nil {
		load := 0.9
		r.changes.Load = &load
	}
}

// A job is a stage that is ready to run.
type job struct {
	stage    generators.Stage
	traffic  *generators.Traffic
	plan     measure.Plan
	expected float64 // requests
}

// jobsOf makes sure of all stages before the first one runs.
func jobsOf(scenario generators.Scenario, edge limiter.Edge) ([]job, error) {
	var jobs []job
	for i, stage := range scenario.Stages {
		j, err := newJob(stage, edge)
		if err != nil {
			return nil, fmt.Errorf("scenario %s, stage %d: %w", scenario.Name, i+1, err)
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

func newJob(stage generators.Stage, edge limiter.Edge) (job, error) {
	j := job{stage: stage, plan: measure.Plan{Edge: edge}}
	workload, err := stage.Workload()
	if err != nil {
		return job{}, err
	}
	if j.traffic, err = workload.Compile(); err != nil {
		return job{}, err
	}
	if j.plan.Contestants, err = targets.Specs.ParseList(stage.Algorithms); err != nil {
		return job{}, err
	}
	for _, l := range stage.Limits {
		j.plan.Limits = append(j.plan.Limits, limiter.Limit{Max: l, Window: stage.Window})
	}
	if err := possible(j.plan); err != nil {
		return job{}, err
	}
	j.expected = expected(j.traffic, j.plan)
	return j, nil
}

// expected is how many requests will be decided, about: those of closed-loop clients once for each contestant.
func expected(traffic *generators.Traffic, plan measure.Plan) float64 {
	w := traffic.Workload()
	if w.Pattern == "worst" {
		var sum int
		for _, spec := range plan.Contestants {
			for _, limit := range plan.Limits {
				sum += len(spec.Worst(limit))
			}
		}
		return float64(sum) * float64(w.Clients)
	}
	requests := float64(w.Clients) * w.PerWindow * float64(w.Span) / float64(w.Window)
	return requests * (1 + closedShare(traffic)*float64(len(plan.Contestants)*len(plan.Limits)-1))
}

// possible refuses a plan with a contestant that can't work under one of the limits.
func possible(plan measure.Plan) error {
	for _, spec := range plan.Contestants {
		if _, ok := spec.Foreign(); ok {
			continue // measure starts it
		}
		for _, limit := range plan.Limits {
			if _, err := spec.New(limit); err != nil {
				return fmt.Errorf("%s: %w", spec, err)
			}
		}
	}
	return nil
}

// closedShare is the share of clients who go by the decisions, so that each contestant plays them anew; of the first thousand.
func closedShare(traffic *generators.Traffic) float64 {
	player, n, closed := traffic.NewPlayer(), min(traffic.Workload().Clients, 1000), 0
	for k := range n {
		if player.ClosedLoop(k) {
			closed++
		}
	}
	return float64(closed) / float64(n)
}

// share is how many requests the shard has of all jobs, about.
func (r *trafficRun) share(jobs []job) int64 {
	var sum float64
	for _, j := range jobs {
		sum += j.expected
	}
	return int64(min(sum/float64(max(r.shard.Count, 1)), 1<<62))
}

// announce says in a line what is about to be done.
func (r *trafficRun) announce(name string, jobs []job) string {
	var runs, clients int64
	var limits, specs []string
	for _, j := range jobs {
		runs += int64(len(j.plan.Limits))
		clients += j.stage.Clients
		for _, l := range j.plan.Limits {
			limits = appendNew(limits, fmt.Sprintf("%s/%s", human.Count(l.Max), units.FormatDuration(l.Window)))
		}
		for _, s := range j.plan.Contestants {
			specs = appendNew(specs, s.String())
		}
	}
	part := ""
	if r.shard.Count > 0 {
		part = fmt.Sprintf(" (shard %s of them)", r.shard)
	}
	return fmt.Sprintf("%s: %s, %s%s, about %s requests; limit %s; %s",
		name, human.Plural(runs, "run"), human.Plural(clients, "client"), part, human.Count(r.share(jobs)),
		strings.Join(limits, ", "), strings.Join(specs, ", "))
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// judge runs the jobs one after the other. When it is interrupted it returns what was measured, with errInterrupted.
func (r *trafficRun) judge(ctx context.Context, c *console, scenario generators.Scenario, jobs []job) (*results.File, error) {
	file := c.newFile()
	if r.shard.Count > 0 {
		file.Part = &results.Part{Shard: r.shard, ConfigDigest: runDigest(scenario, r.edge)}
	}
	progress := c.meter(r.progress, "requests", r.share(jobs))
	defer progress.stop()
	options := measure.Options{Workers: int(r.workers), Shard: r.shard, Progress: progress.add}
	for _, j := range jobs {
		if ctx.Err() != nil && file.Part == nil {
			break // a part keeps its shape: the runs that were not reached stay empty in it
		}
		tallies, err := measure.Run(ctx, j.traffic, j.plan, options)
		if err != nil && !errors.Is(err, context.Canceled) {
			return nil, err
		}
		for i, tally := range tallies {
			if file.Part == nil && err != nil && tally.Clients == 0 {
				continue
			}
			run := describe(scenario.Name, j, i)
			add(file, run, tally)
		}
	}
	return interrupted(ctx, file, progress)
}

// interrupted marks the file, and says so, if the work was cut short.
func interrupted(ctx context.Context, file *results.File, progress *meter) (*results.File, error) {
	if ctx.Err() == nil {
		return file, nil
	}
	file.Partial = true
	file.Warnings = append(file.Warnings, fmt.Sprintf("interrupted after about %.0f %% of the work", 100*progress.share()))
	return file, errInterrupted
}

// describe is the run of a job's limit without its figures.
func describe(scenario string, j job, limit int) results.Run {
	w := j.traffic.Workload()
	rates := w.Rates
	if rates == "" {
		rates = "constant"
	}
	load := w.PerWindow / float64(j.plan.Limits[limit].Max)
	return results.Run{
		Scenario: scenario, Pattern: w.Pattern, Limit: j.plan.Limits[limit].Max, WindowNS: w.Window, Seed: &w.Seed,
		SpanNS: w.Span, Load: &load, Rates: rates, Edge: j.plan.Edge.String(), Placement: "asis", Model: w.Model(),
	}
}

// add puts a measured run into the file, and into its part if it is one.
func add(file *results.File, run results.Run, tally *results.Tally) {
	if file.Part != nil {
		shard := file.Part.Shard.String()
		run.Shard = &shard
		file.Part.Tallies = append(file.Part.Tallies, tally)
	}
	tally.Fill(&run)
	file.Runs = append(file.Runs, run)
}

// runDigest is a digest of everything that decides the figures of a run, but for the shard.
func runDigest(scenario generators.Scenario, edge limiter.Edge) string {
	return digest(struct {
		Schema, Scenario string
		Stages           []generators.Stage
		Edge             string
	}{results.Schema, scenario.Name, scenario.Stages, edge.String()})
}

// digest returns the SHA-256 of the settings as JSON, in hexadecimal.
func digest(settings any) string {
	data, err := json.Marshal(settings)
	if err != nil {
		panic(err) // settings are plain data
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
