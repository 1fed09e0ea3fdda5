package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A hinted error also says what to try next, on a line of its own.
type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }

// hint adds what to try next to an error; nil stays nil.
func hint(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return hinted{err, fmt.Sprintf(format, args...)}
}

func hintOf(err error) string {
	var h hinted
	if errors.As(err, &h) {
		return h.hint
	}
	return ""
}

// flagError says what is wrong with a flag as the command line has it, and how it is right.
func flagError(cmd *cobra.Command, err error) error {
	var (
		unknown *pflag.NotExistError
		bare    *pflag.ValueRequiredError
		invalid *pflag.InvalidValueError
	)
	see := fmt.Sprintf("`%s --help` shows all flags", cmd.CommandPath())
	switch {
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		if unknown.GetSpecifiedShortnames() != "" {
			return hint(fmt.Errorf("%s has no flag -%s", cmd.CommandPath(), name), "%s", see)
		}
		err := fmt.Errorf("%s has no flag --%s", cmd.CommandPath(), name)
		if near := nearestFlag(cmd, name); near != "" {
			return hint(err, "did you mean --%s? %s", near, see)
		}
		return hint(err, "%s", see)
	case errors.As(err, &bare):
		return hint(fmt.Errorf("--%s needs a value", bare.GetFlag().Name), "%s", see)
	case errors.As(err, &invalid):
		return hint(fmt.Errorf("--%s: %w", invalid.GetFlag().Name, invalid.Unwrap()), "%s", see)
	}
	return hint(err, "%s", see)
}

// nearestFlag returns the command's flag that was most likely meant, "" if none is close.
func nearestFlag(cmd *cobra.Command, name string) string {
	best, distance := "", 1+len(name)/3
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if d := levenshtein.ComputeDistance(strings.ToLower(name), f.Name); d <= distance {
			best, distance = f.Name, d-1
		}
	})
	return best
}

// knownCommand refuses what is left when no command has that name.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Errorf("there is no command %q", args[0])
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return hint(err, "did you mean `%s %s`?", cmd.CommandPath(), strings.Join(near, "` or `"+cmd.CommandPath()+" "))
	}
	if cmd.HasParent() {
		return hint(err, "`%s --help` shows its commands", cmd.CommandPath())
	}
	return hint(err, "`rlbench help` shows all commands")
}

// noArguments refuses arguments where there are only flags: what is left over was meant for one of them.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return hint(fmt.Errorf("%s takes flags only, and %q is none", cmd.CommandPath(), args[0]), "`%s --help` shows all flags", cmd.CommandPath())
}

// inputs demands at least one file.
func inputs(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return nil
		}
		return hint(fmt.Errorf("%s: no input: name %s", cmd.CommandPath(), what), "- is standard input; `%s --help` has examples", cmd.CommandPath())
	}
}
