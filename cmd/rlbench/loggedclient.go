package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/rlbench/rlbench/generators"
	"github.com/rlbench/rlbench/generators/trace"
	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

// A loggedClient is one client of a log, whose requests are to be decided step by step.
type loggedClient struct {
	file, key string
	read      trace.Options
	input     *results.Input // once loaded
}

func (l *loggedClient) flags(flags *pflag.FlagSet) {
	flags.StringVar(&l.file, "trace", "", "take the arrivals of one client of a log `FILE`, plain, compressed or binary; - is standard input")
	flags.StringVar(&l.key, "key", "", "the `CLIENT` of --trace")
	flags.StringVar(&l.read.KeyField, "key-field", "client", "who a client of --trace is, as --key of replay says: client, ip/64, forwarded, or a `FIELD`")
	readingFlags(flags, &l.read)
}

// check refuses what is given for nothing, or missing.
func (l *loggedClient) check(arrivals []generators.Arrival) error {
	switch {
	case l.file != "" && arrivals != nil:
		return errors.New("both --at and --trace are given: the arrivals come from one of them")
	case l.file != "" && l.key == "":
		return hint(fmt.Errorf("which client of %s? no --key is given", l.file), "`rlbench trace stat %s` shows the busiest", l.file)
	case l.file == "" && l.key != "":
		return hint(fmt.Errorf("--key %s is the client of a log, and there is none", l.key), "give --trace FILE too")
	}
	return nil
}

// mostDecisions is how many a timeline keeps.
const mostDecisions = 1_000_000

// load reads the client's requests.
func (l *loggedClient) load(ctx context.Context, c *console) (arrivals []generators.Arrival, err error) {
	l.read.Only = l.key
	log, err := c.load(ctx, []string{l.file}, l.read, "auto")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	times, costs := make([]int64, 1024), make([]int64, 1024)
	for shard := range log.Shards() {
		err := log.Visit(ctx, shard, func(_ string, read func(times, costs []int64) (int, error)) error {
			for {
				n, err := read(times, costs)
				if n == 0 || err != nil {
					return err
				}
				if len(arrivals)+n > mostDecisions {
					return fmt.Errorf("client %s has more than %s requests, too many for a table: use replay", l.key, human.Commas(mostDecisions))
				}
				for i, t := range times[:n] {
					arrivals = append(arrivals, generators.Arrival{Time: t, Cost: costs[i]})
				}
			}
		})
		if err != nil {
			return nil, unlessInterrupted(ctx, err)
		}
	}
	if arrivals == nil {
		return nil, hint(fmt.Errorf("no request of client %s in %s", l.key, l.file), "`rlbench trace stat %s` shows the busiest", l.file)
	}
	l.input = lines(log.Stats())
	return arrivals, nil
}

// fromZero is a run of decisions on a log with times since the first of them, for plots; any other run as it is.
func fromZero(r *results.Run) *results.Run {
	if r.Input == nil {
		return r
	}
	moved := *r
	moved.Decisions = slices.Clone(r.Decisions)
	for i := range moved.Decisions {
		moved.Decisions[i].TNS -= r.Decisions[0].TNS
	}
	return &moved
}
