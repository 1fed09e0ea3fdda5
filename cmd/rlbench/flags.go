package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rlbench/rlbench/internal/units"
	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/results"
)

// A quantity is the value of a flag in one of the command line's forms.
type quantity[T any] struct {
	to    *T
	form  string // COUNT, DURATION, ...: for the help
	read  func(string) (T, error)
	shown string // as given; "" until then
}

func (q *quantity[T]) Set(text string) error {
	value, err := q.read(text)
	if err != nil {
		return err
	}
	*q.to, q.shown = value, text
	return nil
}

func (q *quantity[T]) String() string { return q.shown }
func (q *quantity[T]) Type() string   { return q.form }

// take adds a flag that is read into to, which keeps its value until the flag is given.
func take[T any](flags *pflag.FlagSet, to *T, name, form, usage string, read func(string) (T, error)) {
	flags.Var(&quantity[T]{to: to, form: form, read: read}, name, usage)
}

// given makes a reader's result a pointer, nil being "not given".
func given[T any](read func(string) (T, error)) func(string) (*T, error) {
	return func(text string) (*T, error) {
		value, err := read(text)
		return &value, err
	}
}

// listOf reads what read does, several separated by commas.
func listOf[T comparable](read func(string) (T, error)) func(string) ([]T, error) {
	return func(text string) ([]T, error) {
		var all []T
		for item := range strings.SplitSeq(text, ",") {
			value, err := read(strings.TrimSpace(item))
			if err != nil {
				return nil, err
			}
			for _, v := range all {
				if v == value {
					return nil, fmt.Errorf("%s comes twice: keep one", strings.TrimSpace(item))
				}
			}
			all = append(all, value)
		}
		return all, nil
	}
}

func readNumber(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%q is not a number such as 0.9 or 2", text)
	}
	return x, nil
}

func readSeed(text string) (uint64, error) {
	if seed, err := strconv.ParseUint(text, 10, 64); err == nil {
		return seed, nil
	}
	seed, err := units.ParseCount(text)
	return uint64(seed), err
}

// positive reads a count or a duration that is at least 1.
func positive(read func(string) (int64, error)) func(string) (int64, error) {
	return func(text string) (int64, error) {
		n, err := read(text)
		if err == nil && n < 1 {
			err = fmt.Errorf("%s is too small: it must be above 0", text)
		}
		return n, err
	}
}

// readShard reads i/n.
func readShard(text string) (results.Shard, error) {
	index, count, ok := strings.Cut(text, "/")
	i, errI := strconv.Atoi(index)
	n, errN := strconv.Atoi(count)
	if !ok || errI != nil || errN != nil {
		return results.Shard{}, fmt.Errorf("%q is not a shard such as 0/4", text)
	}
	if n < 1 || i < 0 || i >= n {
		return results.Shard{}, fmt.Errorf("there is no shard %s: of n shards the first is 0/n and the last (n-1)/n", text)
	}
	return results.Shard{Index: i, Count: n}, nil
}

// oneOf reads one of several words.
func oneOf(words ...string) func(string) (string, error) {
	return func(text string) (string, error) {
		for _, w := range words {
			if text == w {
				return w, nil
			}
		}
		return "", fmt.Errorf("%q is not one of %s", text, strings.Join(words, ", "))
	}
}

// defaultAlgorithms are the contestants where no others are named.
const defaultAlgorithms = "log,counter,fixed,gcra"

// algorithmsFlag adds -a. What to holds stays until the flag is given, and otherwise says what that is.
func algorithmsFlag(cmd *cobra.Command, to *[]string, otherwise string) {
	before := *to
	cmd.Flags().StringArrayVarP(to, "algorithms", "a", nil,
		fmt.Sprintf("the limiters to judge, `SPECS` separated by commas; may be repeated (%s; rlbench list specs shows all)", otherwise))
	*to = before
	complete(cmd, "algorithms", limiter.Names)
}

// edgeFlag adds --edge.
func edgeFlag(flags *pflag.FlagSet, to *limiter.Edge) {
	take(flags, to, "edge", "EDGE", "closed or open: whether a request exactly one window old counts (closed)", limiter.ParseEdge)
}

// A workforce is who does the work: the flags of that name and how far it has got.
type workforce struct {
	workers  int64
	shard    results.Shard
	progress string
}

func (w *workforce) flags(flags *pflag.FlagSet) {
	take(flags, &w.workers, "workers", "COUNT", "goroutines that work at once; figures do not depend on it (one for each core)", positive(units.ParseCount))
	take(flags, &w.shard, "shard", "I/N", "do only the part I of N, numbered from 0; rlbench merge puts them together", readShard)
	progressFlag(flags, &w.progress)
}

func progressFlag(flags *pflag.FlagSet, to *string) {
	*to = "auto"
	take(flags, to, "progress", "HOW", "auto, bar, plain or none: how progress is shown on standard error (auto)", oneOf("auto", "bar", "plain", "none"))
}

// complete offers names for a flag in a shell.
func complete(cmd *cobra.Command, flag string, names func() []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return names(), cobra.ShellCompDirectiveDefault
	})
	if err != nil {
		panic(err) // the flag does not exist
	}
}
