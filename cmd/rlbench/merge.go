package main

import (
	"github.com/spf13/cobra"

	"github.com/rlbench/rlbench/results"
)

func mergeCommand(c *console) *cobra.Command {
	var (
		partial bool
		out     output
	)
	cmd := &cobra.Command{
		Use:   "merge PART...",
		Short: "Put the parts of a sharded run together",
		Long: `Merge adds up the parts that --shard wrote. The runs of the whole are the same,
byte for byte, as those of the run without shards. Parts that come twice, belong
to another run, or are no parts at all are refused; so are missing ones, unless
--partial says that some may be: the result is then marked as partial.`,
		Example: `  rlbench run --pattern poisson --shard 0/2 -o part0.json
  rlbench run --pattern poisson --shard 1/2 -o part1.json
  rlbench merge part0.json part1.json -o whole.json`,
		Args: inputs("the parts that --shard wrote"),
		RunE: func(_ *cobra.Command, names []string) error {
			if err := out.check(results.Shard{}); err != nil {
				return err
			}
			parts, err := c.read(names)
			if err != nil {
				return err
			}
			whole, err := results.Merge(parts, names, partial)
			if err != nil {
				return err
			}
			whole.Command = c.command
			return out.write(c, whole)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	out.flags(flags)
	out.plotsFlag(flags)
	flags.BoolVar(&partial, "partial", false, "accept missing and interrupted parts, and mark the result as partial")
	return cmd
}
