// Rlbench judges rate limiters: it gives each the same requests, generated or from logs, and says what it let through that
// it should not have, what it refused without need, and how bad the worst window was.
//
// `rlbench help` describes the commands. Results go to standard output; progress, notes and errors go to standard error.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/rlbench/rlbench/report/human"
)

// commands is the table of all commands. To add one, write a file with its constructor and add it here.
var commands = []func(*console) *cobra.Command{
	runCommand,
	timelineCommand,
	verifyCommand,
	replayCommand,
	traceCommand,
	chooseCommand,
	benchCommand,
	benchMemoryCommand,
	mergeCommand,
	reportCommand,
	listCommand,
	versionCommand,
}

// The exit statuses. None has a soft meaning.
const (
	exitDone        = 0
	exitWanting     = 1   // measured, and found wanting: a gate or a conformance check failed
	exitUnusable    = 2   // bad usage, unusable input, or results that could not be kept
	exitInterrupted = 130 // by a signal; what was measured so far has been saved, marked as partial
)

var (
	errWanting     = errors.New("found wanting")
	errInterrupted = errors.New("interrupted")
)

func main() {
	ctx := interruptible(context.Background())
	os.Exit(run(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program but for the process around it. args begins with the program's name; the result is the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	c := &console{
		stdin: stdin, stdout: stdout, stderr: stderr,
		command: append([]string{"rlbench"}, args[1:]...), pause: 10 * time.Second,
	}
	return c.run(ctx)
}

// A console is one call of the program and what it has of the outside world.
type console struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	command        []string      // the command line, program name first
	pause          time.Duration // between two plain lines of progress
}

func (c *console) run(ctx context.Context) int {
	root := rootCommand()
	root.SetArgs(c.command[1:])
	root.SetIn(c.stdin)
	root.SetOut(c.stdout)
	root.SetErr(c.stderr)
	for _, command := range commands {
		root.AddCommand(command(c))
	}
	err := root.ExecuteContext(ctx)
	if err != nil {
		c.note("%v", err)
		if hint := hintOf(err); hint != "" {
			c.note("hint: %s", hint)
		}
	}
	return status(err)
}

// status is the one place where an error becomes an exit status.
func status(err error) int {
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.Is(err, errWanting):
		return exitWanting
	}
	return exitUnusable
}

// note prints a message for people on standard error. Whatever a log or a file name put into it can't drive the terminal.
func (c *console) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
			line = human.Escape(line)
		}
		fmt.Fprintf(c.stderr, "rlbench: %s\n", line)
	}
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "rlbench",
		Short: "Judge rate limiters: traffic in, verdict out",
		Long: `rlbench judges rate limiters. Every algorithm gets the same requests, generated
or from your own logs, and each decision is held against the exact rule: what
was let through that should not have been, what was refused without need, how
bad the worst window was, and how far the estimate is from the true count.

Results go to standard output, progress and notes to standard error.

Exit status: 0 done; 1 measured and found wanting; 2 bad usage or unusable
input; 130 interrupted (what was measured so far is saved, marked as partial).`,
		Example: `  rlbench run
  rlbench timeline --limit 5 --window 30s --at "0s,5s*2,15s*2,25s,35s,40s*3"
  rlbench replay access.log --limit 60 --window 1m`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          knownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SuggestionsMinimumDistance = 2
	root.SetUsageTemplate(usageTemplate)
	root.SetVersionTemplate("rlbench {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	return root
}

// usageTemplate is what stands below a command's description; nothing in it is wider than a terminal.
const usageTemplate = `Usage:
  {{.UseLine}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} [command]

Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsagesWrapped 80 | trimTrailingWhitespaces}}{{end}}
`
