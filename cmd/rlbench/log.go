package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/spf13/pflag"

	"github.com/rlbench/rlbench/generators/trace"
	"github.com/rlbench/rlbench/internal/units"
	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

// keyUsage is the help of --key.
const keyUsage = "who a client is: client, ip/24, ip/64, forwarded, header:NAME, path, method+path, or any `FIELD`; + joins several"

// readingFlags adds the flags that say how logs are read, but for the one that says who a client is.
func readingFlags(flags *pflag.FlagSet, o *trace.Options) {
	o.Memory = defaultMemory
	take(flags, &o.Memory, "memory", "SIZE", "memory to use, about; requests that need more of it go to a temporary file (512MiB)", positive(units.ParseBytes))
	formatFlags(flags, o)
}

// defaultMemory is what is used without --memory.
const defaultMemory = 512 << 20

// formatFlags adds those that say what a line of a log means.
func formatFlags(flags *pflag.FlagSet, o *trace.Options) {
	flags.StringVar(&o.Format, "format", "auto", "the format of all files, by `NAME`, or a line with named fields, as of nginx or Apache")
	flags.StringVar(&o.TimeField, "time", "", "the `FIELD` that holds the time: a column's name or number, a path into JSON")
	flags.StringVar(&o.CostField, "cost", "", "the `FIELD` that holds the cost, such as bytes; none makes every cost 1")
	flags.StringVar(&o.Where, "where", "", "take only requests with `FIELD=VALUE`, FIELD!=VALUE or FIELD=BEGINNING*; commas join several")
	flags.StringVar(&o.TimeUnit, "time-unit", "", "s, ms, us or ns: the `UNIT` of times that are plain numbers (told by their size)")
	flags.StringVar(&o.TimeZone, "time-zone", "", "the `ZONE` of times without an offset: UTC, +01:00 or a name such as Europe/Berlin")
	flags.BoolVar(&o.AllowTruncated, "allow-truncated", false, "take what could be read of an input that ends early")
}

// load reads the logs and says what became of their lines.
func (c *console) load(ctx context.Context, files []string, o trace.Options, how string) (*trace.Trace, error) {
	progress := c.meter(how, "bytes", 0)
	o.Stdin, o.Progress = c.stdin, progress.set
	o.Spilling = func(folder string, size int64) {
		c.note("%s", spilling(folder, size, o.Memory))
	}
	log, err := trace.Load(ctx, files, o)
	progress.stop()
	if ctx.Err() != nil {
		var left error
		if log != nil {
			left = log.Close()
		}
		return nil, errors.Join(fmt.Errorf("%w while reading: nothing has been measured yet", errInterrupted), left)
	}
	if err != nil {
		return nil, err
	}
	c.account(files, log.Stats())
	return log, nil
}

// spilling says before a temporary file is made how large it will be.
func spilling(folder string, size, memory int64) string {
	text := fmt.Sprintf("the requests need more than half of --memory %s: the rest goes to a temporary file in %s", units.FormatBytes(memory), folder)
	if size > 0 {
		text += fmt.Sprintf(", about %s", units.FormatBytes(size))
	}
	return text + ", which is removed in the end"
}

// accounts says that no line was lost, and how far out of order they were.
func accounts(s trace.Stats) string {
	text := fmt.Sprintf("%s lines = %s parsed + %s skipped + %s ignored", human.Commas(s.Lines), human.Commas(s.Parsed), human.Commas(s.Skipped), human.Commas(s.Ignored))
	if s.Filtered > 0 {
		text += fmt.Sprintf(" (%s left out by --where)", human.Commas(s.Filtered))
	}
	if s.Late == 0 {
		return text + "; in order"
	}
	return fmt.Sprintf("%s; %s late, the worst by %s", text, human.Commas(s.Late), units.FormatDuration(s.WorstStepBackNS))
}

// limitMemory tells the garbage collector of --memory, since it waits for twice what is held otherwise. undo takes that back.
func limitMemory(o trace.Options) (undo func()) {
	before := debug.SetMemoryLimit(max(o.Memory/8*7, 64<<20)) // the rest is for what the collector does not count
	return func() { debug.SetMemoryLimit(before) }
}

// input is what a result file says of logs.
func input(s trace.Stats, traffic *results.TrafficTally) *results.Input {
	in := lines(s)
	in.Traffic = traffic.Traffic(s.LastNS-s.FirstNS, s.ResolutionNS)
	return in
}

// lines is the same without what the traffic is like.
func lines(s trace.Stats) *results.Input {
	return &results.Input{
		Files: s.Files, Format: s.Format, Lines: s.Lines, Parsed: s.Parsed, Skipped: s.Skipped, Ignored: s.Ignored,
		Late: s.Late, WorstStepBackNS: s.WorstStepBackNS, FirstNS: s.FirstNS, Digest: s.Digest,
	}
}
