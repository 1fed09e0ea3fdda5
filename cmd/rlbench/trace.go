package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/rlbench/rlbench/generators/trace"
	"github.com/rlbench/rlbench/internal/units"
	"github.com/rlbench/rlbench/measure"
	"github.com/rlbench/rlbench/report"
	"github.com/rlbench/rlbench/results"
)

// traceSchema is the version of what `rlbench trace stat --json` prints.
const traceSchema = "rlbench.trace/v1"

func traceCommand(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trace",
		Short: "Look at a log, or make a fast one of it",
		Long: `Trace looks at logs without judging anybody: stat says what their requests are
like, convert makes a binary trace of them, which replays several times faster,
or CSV.`,
		Example: `  rlbench trace stat access.log
  rlbench trace convert access.log -o access.rlt`,
		Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(traceStatCommand(c), traceConvertCommand(c))
	return cmd
}

func traceStatCommand(c *console) *cobra.Command {
	var (
		read    trace.Options
		workers = int64(runtime.GOMAXPROCS(0))
		how     string
		asJSON  bool
	)
	cmd := &cobra.Command{
		Use:   "stat FILE...",
		Short: "Say what the requests of a log are like",
		Long: `Stat reads logs as replay does and prints what their requests are like: how many
clients and how busy, what share the busiest have, how bursty each is and the
most that one sent in a second, ten seconds and a minute, the resolution of the
log's times, and how far out of order it is.`,
		Example: `  rlbench trace stat access.log
  rlbench trace stat access.log access.log.*.gz --json`,
		Args: inputs("log files, plain or compressed"),
		RunE: func(cmd *cobra.Command, files []string) error {
			read.Workers = int(workers)
			return c.stat(cmd.Context(), files, read, how, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&read.KeyField, "key", "client", keyUsage)
	readingFlags(flags, &read)
	take(flags, &workers, "workers", "COUNT", "goroutines that work at once; figures do not depend on it (one for each core)", positive(units.ParseCount))
	progressFlag(flags, &how)
	flags.BoolVar(&asJSON, "json", false, "print JSON instead of tables")
	complete(cmd, "format", formatNames)
	return cmd
}

func (c *console) stat(ctx context.Context, files []string, read trace.Options, how string, asJSON bool) (err error) {
	defer limitMemory(read)()
	log, err := c.load(ctx, files, read, how)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	progress := c.meter(how, "requests", log.Stats().Parsed)
	traffic, err := measure.Survey(ctx, log, measure.Options{Workers: read.Workers, Progress: progress.add})
	progress.stop()
	if err != nil {
		return unlessInterrupted(ctx, err)
	}
	in := input(log.Stats(), traffic)
	out := bufio.NewWriter(c.stdout)
	if asJSON {
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", " ")
		err = encoder.Encode(struct {
			Schema   string         `json:"schema"`
			Input    *results.Input `json:"input"`
			Warnings []string       `json:"warnings"`
		}{traceSchema, in, append([]string{}, log.Stats().Warnings...)})
	} else {
		for _, warning := range log.Stats().Warnings {
			c.note("warning: %s", warning)
		}
		err = report.Input(out, in)
	}
	if err != nil {
		return err
	}
	return out.Flush()
}
