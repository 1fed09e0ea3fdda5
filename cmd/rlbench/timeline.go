package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/rlbench/rlbench/generators"
	"github.com/rlbench/rlbench/internal/units"
	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/measure"
	"github.com/rlbench/rlbench/report/plot"
	"github.com/rlbench/rlbench/results"
	"github.com/rlbench/rlbench/targets"
)

// timelineAlgorithms are the contestants of a timeline where no others are named: as many as stand side by side.
const timelineAlgorithms = "log,counter,fixed"

func timelineCommand(c *console) *cobra.Command {
	var (
		algorithms = []string{timelineAlgorithms}
		limit      = limiter.Limit{Max: 100, Window: 60e9}
		edge       limiter.Edge
		arrivals   []generators.Arrival
		drawing    string
		out        output
		log        loggedClient
	)
	cmd := &cobra.Command{
		Use:   "timeline --at ARRIVALS | --trace FILE --key CLIENT",
		Short: "Decide given requests, or one client's of a log, one by one",
		Long: `Timeline gives one client's requests at given times to each limiter and prints
the table of decisions as a textbook has it: when, how many, the window looked
back on, what each limiter had counted, and its answer.

Arrivals are times separated by commas: "5s*2" is two requests at 5 s,
"59s..60s*100" a hundred spread evenly from 59 s to just before 60 s, and
"10s:cost=3" one that costs 3.

With --trace they are those of one client of a log, and each decision is told
with its reason in numbers: "refused: 0.36*70+40+1 > 65".`,
		Example: `  rlbench timeline --limit 5 --window 30s --at "0s,5s*2,15s*2,25s,35s,40s*3"
  rlbench timeline --limit 5 --window 30s --at "0s*5,33s,36s" -a log,counter
  rlbench timeline --trace access.log --key 198.51.100.7 --limit 1 -a counter
  rlbench timeline --limit 9 --at "59s..60s*9,60s..61s*9" --plot edge.svg`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := log.check(arrivals); err != nil {
				return err
			}
			if arrivals == nil && log.file == "" {
				return hint(errors.New("a timeline of what? no arrivals are given"), `give --at, for example --at "0s,5s*2,15s*2", or --trace FILE --key CLIENT`)
			}
			if err := out.check(results.Shard{}); err != nil {
				return err
			}
			specs, err := targets.Specs.ParseList(algorithms)
			if err != nil {
				return err
			}
			file := c.newFile()
			key := measure.TimelineKey
			if log.file != "" {
				key = log.key
				if arrivals, err = log.load(cmd.Context(), c); err != nil {
					return err
				}
			}
			run, err := measure.Timeline(measure.Plan{Contestants: specs, Limits: []limiter.Limit{limit}, Edge: edge}, key, arrivals)
			if err != nil {
				return err
			}
			run.Input = log.input
			file.Runs = append(file.Runs, run)
			if drawing != "" {
				if err := plot.Timeline(drawing, fromZero(&run)); err != nil {
					return err
				}
				c.note("drew %s", drawing)
			}
			return out.write(c, file)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	take(flags, &arrivals, "at", "ARRIVALS", `when requests come: "0s,5s*2,59s..60s*100,61s:cost=3"`, generators.ParseArrivals)
	log.flags(flags)
	algorithmsFlag(cmd, &algorithms, timelineAlgorithms)
	take(flags, &limit.Max, "limit", "COUNT", "requests per window (100)", positive(units.ParseCount))
	take(flags, &limit.Window, "window", "DURATION", "length of the window (60s)", positive(units.ParseDuration))
	edgeFlag(flags, &edge)
	flags.StringVar(&drawing, "plot", "", "draw the decisions into `FILE`.png or FILE.svg")
	out.flags(flags)
	return cmd
}
