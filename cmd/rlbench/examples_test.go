package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// shortened are flags that make the examples of a command that measures time a matter of seconds; the last of each counts.
var shortened = map[string]string{"choose": " -a log,counter --load 0.1", "bench": " --keys 1,1000 --sample 100us --rounds 1 --parts accuracy,speed"}

// TestExamples runs every example of every command's help, in order, in a folder of the command's own.
func TestExamples(t *testing.T) {
	c := &console{stdout: io.Discard, stderr: io.Discard}
	all := []*cobra.Command{rootCommand()}
	for _, command := range commands {
		cmd := command(c)
		all = append(append(all, cmd), cmd.Commands()...)
	}
	for _, cmd := range all {
		if cmd.Hidden {
			continue
		}
		if cmd.Example == "" && cmd.Name() != "version" {
			t.Errorf("rlbench %s has no example in its help", cmd.Name())
		}
		t.Run(cmd.Name(), func(t *testing.T) {
			dir := t.TempDir()
			writeLogs(t, dir)
			for line := range strings.Lines(cmd.Example) {
				sh := exec.CommandContext(t.Context(), "sh", "-c", strings.TrimSpace(line)+shortened[cmd.Name()])
				sh.Dir = dir
				if out, err := sh.CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", strings.TrimSpace(line), err, out)
				}
			}
		})
	}
}

// writeLogs makes the files that the examples name.
func writeLogs(t *testing.T, dir string) {
	t.Helper()
	line := `198.51.100.7 - - [10/Oct/2025:13:55:36 +0000] "GET / HTTP/1.1" 200 2326 "-" "curl/8.0"` + "\n"
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	if _, err := zip.Write([]byte(strings.Repeat(line, 3))); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"access.log": line + strings.Replace(line, "GET /", "POST /login", 1), "access.log.1.gz": packed.String(),
		"events.csv": "at,user,tokens\n0.5,ann,30000\n2.25,ann,20000\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
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
