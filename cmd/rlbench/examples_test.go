package main

import (
	"context"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestExamples runs every example of every command's help, in order, in a folder of the command's own.
func TestExamples(t *testing.T) {
	c := &console{stdout: io.Discard, stderr: io.Discard}
	all := []*cobra.Command{rootCommand()}
	for _, command := range commands {
		all = append(all, command(c))
	}
	for _, cmd := range all {
		if cmd.Example == "" && cmd.Name() != "version" {
			t.Errorf("rlbench %s has no example in its help", cmd.Name())
		}
		t.Run(cmd.Name(), func(t *testing.T) {
			dir := t.TempDir()
			for line := range strings.Lines(cmd.Example) {
				sh := exec.CommandContext(t.Context(), "sh", "-c", line)
				sh.Dir = dir
				if out, err := sh.CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", strings.TrimSpace(line), err, out)
				}
			}
		})
	}
}

func TestStatus(t *testing.T) {
	for _, test := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{hint(errWanting, "x"), 1},
		{hint(context.Canceled, "x"), 2},
		{hint(errInterrupted, "x"), 130},
	} {
		if got := status(test.err); got != test.want {
			t.Errorf("status(%v) = %d, want %d", test.err, got, test.want)
		}
	}
}
