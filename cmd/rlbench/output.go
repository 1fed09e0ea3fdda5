package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/rlbench/rlbench/report"
	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/report/plot"
	"github.com/rlbench/rlbench/results"
)

// An output is where results go.
type output struct {
	file  string // the result file; "" is none, - is standard output in place of the table
	json  bool
	plots string // folder; "" is none
}

func (o *output) flags(flags *pflag.FlagSet) {
	flags.StringVarP(&o.file, "output", "o", "", "write the result `FILE` (JSON); - is standard output")
	flags.BoolVar(&o.json, "json", false, "print the result file on standard output instead of the table")
}

func (o *output) plotsFlag(flags *pflag.FlagSet) {
	flags.StringVar(&o.plots, "plots", "", "draw plots into the folder `DIR`, as PNG and SVG")
}

// check finds out before any work whether its results could be kept, as those of a shard must be.
func (o *output) check(shard results.Shard) error {
	if shard.Count > 0 && o.file == "" && !o.json {
		return hint(fmt.Errorf("--shard %s: a part is of use only if it is kept", shard), "give -o FILE.json too")
	}
	if o.file != "" && o.file != "-" {
		if info, err := os.Stat(o.file); err == nil && info.IsDir() {
			return hint(fmt.Errorf("%s is a folder, and the result is a file", o.file), "give -o %s", filepath.Join(o.file, "results.json"))
		}
		if !special(o.file) {
			if err := writable(filepath.Dir(o.file)); err != nil {
				return fmt.Errorf("no result can be written to %s: %w", o.file, err)
			}
		}
	}
	if o.plots == "" {
		return nil
	}
	dir := filepath.Clean(o.plots)
	for {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("no plots can be written into %s: %s is no folder", o.plots, dir)
		}
		if err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			return fmt.Errorf("no plots can be written into %s: %w", o.plots, err)
		}
		dir = filepath.Dir(dir)
	}
	if err := writable(dir); err != nil {
		return fmt.Errorf("no plots can be written into %s: %w", o.plots, err)
	}
	return nil
}

// writable tries to make a file in the folder.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".rlbench.*")
	if err != nil {
		var path *os.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return hint(fmt.Errorf("the folder %s: %w", dir, err), "make the folder first, or name another")
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// write keeps the result file, draws the plots, and prints the file or its tables; standard output comes last, since
// whoever reads it may leave early.
func (o *output) write(c *console, f *results.File) error {
	if o.file != "" && o.file != "-" {
		if err := o.keep(f); err != nil {
			return err
		}
		c.note("wrote %s", o.file)
	}
	if o.plots != "" {
		names, err := plot.Write(o.plots, f)
		if err != nil {
			return err
		}
		c.note("drew %s in %s", human.Plural(int64(len(names)), "plot file"), o.plots)
	}
	show := report.Text
	if o.json || o.file == "-" {
		show = results.Encode
		for _, warning := range f.Warnings { // which tables begin with
			c.note("warning: %s", warning)
		}
	}
	out := bufio.NewWriter(c.stdout)
	if err := show(out, f); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return failed(f)
}

// failed returns an error if a contestant did not answer to the end.
func failed(f *results.File) error {
	for _, r := range f.Runs {
		for _, a := range r.Algorithms {
			if a.Failure != "" {
				return hint(fmt.Errorf("%s: %s", a.Name, a.Failure), "the figures of the others are whole")
			}
		}
	}
	return nil
}

// keep writes the result file.
func (o *output) keep(f *results.File) (err error) {
	if !special(o.file) {
		return results.Write(o.file, f)
	}
	device, err := os.OpenFile(o.file, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("writing results: %w", err)
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	return results.Encode(device, f)
}

// special reports whether there is a device or a pipe of that name, which is written to and never replaced.
func special(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular()
}

// newFile begins a result file.
func (c *console) newFile() *results.File {
	return &results.File{Schema: results.Schema, Tool: tool(), Command: c.command, Warnings: []string{}, Runs: []results.Run{}}
}
