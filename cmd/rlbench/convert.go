package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rlbench/rlbench/generators/trace"
	"github.com/rlbench/rlbench/internal/units"
	"github.com/rlbench/rlbench/report/human"
)

func traceConvertCommand(c *console) *cobra.Command {
	var (
		read    trace.Options
		workers = int64(runtime.GOMAXPROCS(0))
		how, to string
	)
	cmd := &cobra.Command{
		Use:   "convert FILE... -o FILE.rlt|FILE.csv",
		Short: "Make a fast binary trace of a log, or CSV",
		Long: `Convert reads logs as replay does and writes their requests, clients, times and
costs, to one file: a binary trace (.rlt), which is small and replays several
times faster with the very same figures, or CSV (.csv; - is standard output).
What is not needed to judge limiters, such as paths and agents, is left out.`,
		Example: `  rlbench trace convert access.log access.log.*.gz -o access.rlt
  rlbench replay access.rlt --limit 60,100
  rlbench trace convert access.log -o - | head`,
		Args: inputs("log files, plain or compressed"),
		RunE: func(cmd *cobra.Command, files []string) error {
			read.Workers = int(workers)
			return c.convert(cmd.Context(), files, to, read, how)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVarP(&to, "output", "o", "", "write `FILE`.rlt or FILE.csv; - is CSV on standard output")
	flags.StringVar(&read.KeyField, "key", "client", keyUsage)
	readingFlags(flags, &read)
	take(flags, &workers, "workers", "COUNT", "goroutines that work at once; the file does not depend on it (one for each core)", positive(units.ParseCount))
	progressFlag(flags, &how)
	complete(cmd, "format", formatNames)
	return cmd
}

func (c *console) convert(ctx context.Context, files []string, to string, read trace.Options, how string) error {
	switch {
	case to == "":
		return hint(errors.New("convert to what? no output is given"), "give -o FILE.rlt or -o FILE.csv")
	case to == "-":
		return c.convertCSV(ctx, files, read, how, c.stdout)
	case strings.EqualFold(filepath.Ext(to), ".csv"):
		return c.make(to, func(w io.Writer) error { return c.convertCSV(ctx, files, read, how, w) })
	case strings.EqualFold(filepath.Ext(to), ".rlt"):
		return c.make(to, func(w io.Writer) error { return c.convertBinary(ctx, files, read, how, w) })
	}
	return hint(fmt.Errorf("no form of trace in the name %q", to), "a binary trace ends in .rlt, CSV in .csv")
}

func (c *console) convertCSV(ctx context.Context, files []string, read trace.Options, how string, w io.Writer) error {
	progress := c.meter(how, "bytes", 0)
	read.Stdin, read.Progress = c.stdin, progress.set
	stats, err := trace.WriteCSV(ctx, files, read, w)
	progress.stop()
	if err != nil {
		return unlessInterrupted(ctx, err)
	}
	c.account(files, stats)
	c.warn(stats)
	return nil
}

func (c *console) convertBinary(ctx context.Context, files []string, read trace.Options, how string, w io.Writer) (err error) {
	defer limitMemory(read)()
	log, err := c.load(ctx, files, read, how)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	c.warn(log.Stats())
	out := bufio.NewWriterSize(w, 1<<20)
	if err := log.WriteBinary(ctx, out); err != nil {
		return unlessInterrupted(ctx, err)
	}
	return out.Flush()
}

// warn says what may be wrong with how a log was read.
func (c *console) warn(s trace.Stats) {
	for _, warning := range s.Warnings {
		c.note("warning: %s", warning)
	}
}

// make writes a file beside the name and renames it, so that the name holds the old content or the new, never a half.
func (c *console) make(name string, write func(io.Writer) error) (err error) {
	if special(name) {
		device, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(device), device.Close())
	}
	if err := writable(filepath.Dir(name)); err != nil {
		return fmt.Errorf("no trace can be written to %s: %w", name, err)
	}
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	if err := errors.Join(write(file), file.Chmod(0o644), file.Close()); err != nil {
		return err
	}
	if err := os.Rename(file.Name(), name); err != nil {
		return err
	}
	if info, err := os.Stat(name); err == nil {
		c.note("wrote %s, %s", name, units.FormatBytes(info.Size()))
	}
	return nil
}

// account says what was read, and what became of its lines.
func (c *console) account(files []string, s trace.Stats) {
	for _, bad := range s.Bad {
		c.note("skipped %s", bad)
	}
	if more := s.Skipped - int64(len(s.Bad)); more > 0 && len(s.Bad) > 0 {
		c.note("skipped %s", human.Plural(more, "more line"))
	}
	c.note("%s: %s, %s; %s", strings.Join(files, ", "), s.Format, human.Plural(s.Parsed, "request"), accounts(s))
}
