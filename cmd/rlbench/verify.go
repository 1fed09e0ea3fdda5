package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/rlbench/rlbench/internal/units"
	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/limitertest"
	"github.com/rlbench/rlbench/targets"
)

// A verification is what `rlbench verify` is asked to do.
type verification struct {
	promise *limitertest.Promise
	options limitertest.Options
	timeout int64
	budget  int64
	form    string // table, json or markdown
	json    bool   // short for form json
	junit   string
}

// A verified limiter is a spec with what was found out; err is why it could not be judged at all.
type verified struct {
	spec   limiter.Spec
	limit  limiter.Limit
	report limitertest.Report
	err    error
}

func verifyCommand(c *console) *cobra.Command {
	v := verification{timeout: 10e9, budget: 2500e6, form: "table"}
	v.options.Limit = limiter.Limit{Max: 100, Window: 60e9}
	cmd := &cobra.Command{
		Use:   "verify SPEC...",
		Short: "Find out whether a limiter keeps its promise",
		Long: `Verify has a limiter decide sequences of requests and compares each decision with
what the limiter promises: one of rlbench's own algorithms its rule, any other
what --promise says. Without a promise verify finds out which rule fits and then
holds the limiter to that. A limiter is seen through its answers alone.

A fault is shown as the smallest sequence that proves it: as a table, as a
command, and as a Go test. Other settings than --limit and --window are tried as
well, if the limiter can have them.

Exit status 0: nothing breaks a promise; 1: something does, or crashes, hangs or
answers rubbish; 2: a limiter can't be started.`,
		Example: `  rlbench verify counter
  rlbench verify --promise at-most:199 counter
  rlbench verify --quick --worst fixed gcra:burst=20 --limit 10 --window 1s`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return hint(fmt.Errorf("%s: which limiter?", cmd.CommandPath()), "name one, for example `rlbench verify counter`; `rlbench list specs` shows all")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			specs, err := targets.Specs.ParseList(args)
			if err != nil {
				return err
			}
			if v.json {
				v.form = "json"
			}
			v.options.Timeout, v.options.Budget = time.Duration(v.timeout), time.Duration(v.budget)
			return v.run(cmd.Context(), c, specs)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	take(flags, &v.promise, "promise", "SPEC", "what the limiters promise: a spec, or at-most:N for no more than N in any window", given(limitertest.ParsePromise))
	take(flags, &v.options.Limit.Max, "limit", "COUNT", "requests per window (100)", positive(units.ParseCount))
	take(flags, &v.options.Limit.Window, "window", "DURATION", "length of the window (60s)", positive(units.ParseDuration))
	flags.BoolVar(&v.options.Worst, "worst", false, "search for the arrivals that get most out of the limiter, and for the\nwell-behaved client that is refused most")
	flags.BoolVar(&v.options.Quick, "quick", false, "fewer settings and shorter sequences")
	take(flags, &v.options.Probes, "probes", "NAMES", "only these probes, separated by commas (all; rlbench list probes shows them)", listOf(oneOf(probeNames()...)))
	take(flags, &v.options.Seed, "seed", "N", "of the random sequences (0)", readSeed)
	take(flags, &v.timeout, "timeout", "DURATION", "for an answer, before a limiter counts as hung (10s)", positive(units.ParseDuration))
	take(flags, &v.budget, "budget", "DURATION", "for each probe, after which its other sequences are left out (2.5s)", positive(units.ParseDuration))
	flags.BoolVar(&v.json, "json", false, "print the verdicts as JSON instead of tables")
	take(flags, &v.form, "form", "FORM", "table, json, or markdown, one row for each limiter (table)", oneOf("table", "json", "markdown"))
	flags.StringVar(&v.junit, "junit", "", "write the verdicts as JUnit XML into `FILE`")
	return cmd
}

func probeNames() (names []string) {
	for _, p := range limitertest.Probes {
		names = append(names, p.Name)
	}
	return names
}

func (v *verification) run(ctx context.Context, c *console, specs []limiter.Spec) error {
	var all []verified
	out := bufio.NewWriter(c.stdout)
	for _, spec := range specs {
		one := v.verify(ctx, spec)
		if ctx.Err() != nil {
			break
		}
		all = append(all, one)
		switch {
		case v.form == "markdown" && len(all) == 1:
			fmt.Fprint(out, markdownHead)
			fallthrough
		case v.form == "markdown":
			markdownRow(out, &one)
		case v.form == "table":
			if len(all) > 1 {
				fmt.Fprintln(out)
			}
			writeVerified(out, &one)
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	if v.form == "json" {
		if err := errors.Join(encodeVerified(out, tool(), c.command, all), out.Flush()); err != nil {
			return err
		}
	}
	if v.junit != "" {
		if err := keepJUnit(v.junit, all); err != nil {
			return err
		}
		c.note("wrote %s", v.junit)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%w after %d of %d limiters", errInterrupted, len(all), len(specs))
	}
	return judged(all)
}

// verify judges one limiter. An algorithm of ours promises its own rule if nothing else is asked for.
func (v *verification) verify(ctx context.Context, spec limiter.Spec) verified {
	one := verified{spec: spec, limit: v.options.Limit}
	foreign, isForeign := spec.Foreign()
	if isForeign && foreign.RealTime != "" {
		one.err = hint(fmt.Errorf("%s can't be judged in virtual time: %s", spec, foreign.RealTime), "`rlbench probe` judges servers in real time")
		return one
	}
	options, promise := v.options, limitertest.Promise{}
	if own := spec.Limits(one.limit); len(own) == 1 && own[0] != one.limit {
		one.limit, options.Only = own[0], true
	}
	options.Limit = one.limit
	switch {
	case v.promise != nil:
		promise = *v.promise
	case !isForeign:
		if promise, one.err = limitertest.ParsePromise(spec.String()); one.err != nil {
			return one
		}
	}
	one.report, one.err = limitertest.Verify(ctx, spec.Open, promise, options)
	if one.err != nil {
		one.err = fmt.Errorf("%s: %w", spec, one.err)
	}
	return one
}

// judged makes an exit status of all verdicts: a limiter that could not be judged weighs more than one that breaks a promise.
func judged(all []verified) error {
	broken := 0
	var failed []error
	for _, one := range all {
		if one.err != nil {
			failed = append(failed, one.err)
		} else if one.report.Verdict == limitertest.Breaks {
			broken++
		}
	}
	if err := errors.Join(failed...); err != nil {
		return err
	}
	if broken > 0 {
		return fmt.Errorf("%w: %d of %d limiters break their promise", errWanting, broken, len(all))
	}
	return nil
}

// keepJUnit writes the verdicts for continuous integration.
func keepJUnit(name string, all []verified) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("writing JUnit XML: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return encodeJUnit(f, all)
}
