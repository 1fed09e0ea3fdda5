package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rlbench/rlbench/report"
	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

func reportCommand(c *console) *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "report FILE...",
		Short: "Show result files again: as tables or as plots",
		Long: `Report shows what result files hold. Without -o it prints their tables. The name
after -o says the form by its ending; a folder (DIR/) gets all plots; rlbench
list reporters shows the forms. Runs of several files are shown together.`,
		Example: `  rlbench run --pattern poisson -o results.json
  rlbench report results.json
  rlbench report results.json -o plots/`,
		Args: inputs("result files, as -o writes them"),
		RunE: func(_ *cobra.Command, names []string) error {
			reporter, err := reporterFor(to)
			if err != nil {
				return err
			}
			files, err := c.read(names)
			if err != nil {
				return err
			}
			return c.report(reporter, to, together(files))
		},
	}
	cmd.Flags().StringVarP(&to, "output", "o", "-", "write `FILE` or DIR/; - prints the tables")
	return cmd
}

// reporterFor finds the form by the name of the output.
func reporterFor(to string) (report.Reporter, error) {
	ending := filepath.Ext(to)
	if to == "-" {
		ending = ".txt"
	} else if info, err := os.Stat(to); err == nil && info.IsDir() || strings.HasSuffix(to, "/") || strings.HasSuffix(to, string(filepath.Separator)) {
		ending = ""
	} else if ending == "" {
		return report.Reporter{}, hint(fmt.Errorf("no form of report in the name %q", to), "a folder ends in a slash: -o %s/", to)
	}
	var endings []string
	for _, r := range report.Reporters {
		if r.Ext == ending {
			return r, nil
		}
		if r.Ext == "" {
			endings = append(endings, "DIR/")
		} else {
			endings = append(endings, r.Ext)
		}
	}
	return report.Reporter{}, hint(fmt.Errorf("no report ends in %s", ending), "there are %s", strings.Join(endings, ", "))
}

// report writes it.
func (c *console) report(r report.Reporter, to string, f *results.File) (err error) {
	if r.Folder != nil {
		names, err := r.Folder(to, f)
		if err == nil {
			c.note("wrote %s in %s", human.Plural(int64(len(names)), "file"), to)
		}
		return err
	}
	w := c.stdout
	if to != "-" {
		file, failed := os.Create(to)
		if failed != nil {
			return fmt.Errorf("writing the report: %w", failed)
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		w = file
	}
	out := bufio.NewWriter(w)
	if err := r.Stream(out, f); err != nil {
		return err
	}
	return out.Flush()
}

// read reads result files; - is standard input.
func (c *console) read(names []string) ([]*results.File, error) {
	var files []*results.File
	for _, name := range names {
		if name != "-" {
			f, err := results.Read(name)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
			continue
		}
		f, err := results.Decode(c.stdin)
		if err != nil {
			return nil, fmt.Errorf("reading results: standard input: %w", err)
		}
		files = append(files, f)
	}
	return files, nil
}

// together joins the runs of several files into one.
func together(files []*results.File) *results.File {
	all := *files[0]
	for _, f := range files[1:] {
		all.Part = nil
		all.Partial = all.Partial || f.Partial
		all.Runs = append(all.Runs[:len(all.Runs):len(all.Runs)], f.Runs...)
		for _, w := range f.Warnings {
			all.Warnings = appendNew(all.Warnings, w)
		}
	}
	return &all
}
