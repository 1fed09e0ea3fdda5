package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/measure/cost"
	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
	"github.com/rlbench/rlbench/targets"
)

// A memoryPlan is one process that measures memory; as JSON it is that process's only argument.
type memoryPlan struct {
	Spec    string
	Limit   limiter.Limit
	Plan    cost.MemoryPlan
	Clients int64 // that are wanted; more than the plan's are scaled up by account

	algorithm int
}

const (
	// usedOf100 is how much of its limit a client uses in a window where it isn't full: a tenth.
	usedShare = 10
	// mostFull bounds the requests that are made to fill all clients.
	mostFull = 20_000_000
	// leastMeasured clients are too few to tell their memory from the process's own.
	leastMeasured = 1000
)

// memoryPlans are the processes to start: for each number of clients, and for each limit at which all are full.
func (b *bench) memoryPlans(contestants []cost.Contestant) (plans []memoryPlan) {
	for i := range contestants {
		c := &contestants[i]
		if c.Name == cost.Baseline {
			continue
		}
		for _, n := range b.keys {
			if n < leastMeasured {
				continue
			}
			used := max(c.Limit.Max/usedShare, 1)
			if !c.Told {
				used = min(used, 2) // in real time; a client's state is the same
			}
			plans = append(plans, memoryPlan{c.Name, b.limit, cost.MemoryPlan{Clients: n, Used: used}, n, i})
		}
		most := slices.Max(b.keys)
		if !c.Told || most < leastMeasured || c.Limit != b.limit {
			continue
		}
		for _, limit := range b.full {
			n := max(min(most, mostFull/limit), leastMeasured)
			l := limiter.Limit{Max: limit, Window: b.limit.Window}
			plans = append(plans, memoryPlan{c.Name, l, cost.MemoryPlan{Clients: n, Used: limit}, most, i})
		}
	}
	return plans
}

// memory starts a process for each plan, one after the other.
func (b *bench) memory(ctx context.Context, c *console, run *results.Run, plans []memoryPlan, o cost.Options) error {
	for _, p := range plans {
		found, err := p.start(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		a := &run.Algorithms[p.algorithm]
		if err != nil {
			c.note("the memory of %s with %s clients was not measured: %v", a.Name, human.Count(p.Plan.Clients), err)
		}
		a.Cost.Memory = append(a.Cost.Memory, found...)
		for _, m := range found {
			if m.State == cost.Full && p.Clients > m.Clients && m.AccountBytes != nil {
				m.Clients, m.HeapBytes, m.RSSBytes, m.CollectionMS, m.Remembered, m.ByAccount = p.Clients, *m.AccountBytes, nil, 0, nil, true
				a.Cost.Memory = append(a.Cost.Memory, m)
			}
		}
		o.Progress(1)
	}
	return nil
}

// benchMemoryName is the command that the started process runs.
const benchMemoryName = "bench-memory"

func (p *memoryPlan) start(ctx context.Context) ([]results.Memory, error) {
	program, err := os.Executable() // itself
	if err != nil {
		return nil, err
	}
	argument, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	var out, complaint bytes.Buffer
	cmd := exec.CommandContext(ctx, program, benchMemoryName, string(argument))
	cmd.Args[0] = "rlbench"
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		if text := strings.TrimSpace(complaint.String()); text != "" {
			return nil, fmt.Errorf("%w: %s", err, strings.TrimPrefix(text, "rlbench: "))
		}
		return nil, err
	}
	var found []results.Memory
	if err := json.Unmarshal(out.Bytes(), &found); err != nil {
		return nil, fmt.Errorf("the process that measures memory: %w", err)
	}
	return found, nil
}

// benchMemoryCommand is for bench alone: it measures one plan in a process that has done nothing else.
func benchMemoryCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:    benchMemoryName,
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			var p memoryPlan
			if err := json.Unmarshal([]byte(args[0]), &p); err != nil {
				return fmt.Errorf("this command is for rlbench bench alone: %w", err)
			}
			spec, err := targets.Specs.Parse(p.Spec)
			if err != nil {
				return err
			}
			contestant, err := cost.NewContestant(spec, p.Limit)
			if err != nil {
				return err
			}
			found, err := cost.Memory(contestant, p.Plan)
			if err != nil {
				return err
			}
			return json.NewEncoder(c.stdout).Encode(found)
		},
	}
}
