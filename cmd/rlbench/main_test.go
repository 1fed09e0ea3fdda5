package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	if raceDetector {
		testscript.Main(plain{m}, nil)
	}
	testscript.Main(m, map[string]func(){"rlbench": main})
}

// A plain test run gives scripts and examples a program built without the race detector, under which each of their several
// hundred processes would take ten times as long; what runs in the tests' own process has it.
type plain struct{ *testing.M }

func (p plain) Run() int {
	dir, err := os.MkdirTemp("", "rlbench-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if out, err := exec.Command("go", "build", "-race=false", "-o", filepath.Join(dir, "rlbench"), ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building rlbench: %v\n%s", err, out)
		return 1
	}
	if err := os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return p.M.Run()
}

// TestScripts runs testdata/script/*.txtar, one file for each behaviour.
func TestScripts(t *testing.T) {
	traces, err := filepath.Abs("../../testdata/traces")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("TRACES", traces)
			env.Setenv("ESC", "\x1b")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"status":    statusIs,
			"interrupt": interrupt,
			"fits":      fits,
			"hints":     hints,
			"json":      query,
			"sameruns":  sameRuns,
		},
	})
}

// status N COMMAND ARGS... runs a command, which must end with the exit status N.
func statusIs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := exitStatus(ts.Exec(args[1], args[2:]...)); got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func exitStatus(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return -1
}

// interrupt COMMAND ARGS... runs a command, sends it the signal of a Ctrl-C once it has said what it is about to do, and
// demands that it ends with the status of an interruption.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	path := ""
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, args[0])); err == nil {
			path = filepath.Join(dir, args[0])
			break
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Stdout = ts.Stdout()
	stderr, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	lines, sent := bufio.NewScanner(stderr), false
	for lines.Scan() {
		fmt.Fprintln(ts.Stderr(), lines.Text())
		if !sent && strings.Contains(lines.Text(), "requests;") {
			ts.Check(cmd.Process.Signal(os.Interrupt))
			sent = true
		}
	}
	if got := exitStatus(cmd.Wait()); !sent || got != exitInterrupted {
		ts.Fatalf("exit status %d, want %d; signal sent: %t", got, exitInterrupted, sent)
	}
}

// fits FILE... demands that no line is wider than 80 columns, and that there is no control byte but the line feed.
func fits(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		text := ts.ReadFile(name)
		if text == "" {
			ts.Fatalf("%s is empty", name)
		}
		for i, line := range strings.Split(text, "\n") {
			if n := utf8.RuneCountInString(line); n > 80 {
				ts.Fatalf("%s:%d is %d columns wide: %q", name, i+1, n, line)
			}
			if strings.ContainsFunc(line, func(r rune) bool { return r < 0x20 || r == 0x7f }) {
				ts.Fatalf("%s:%d holds a control byte: %q", name, i+1, line)
			}
		}
	}
}

// hints TEXT demands that standard error is an error of ours, and after it a hint that holds the text.
func hints(ts *testscript.TestScript, _ bool, args []string) {
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile("stderr"), "\n"), "\n")
	n := len(lines)
	if n < 2 || !strings.HasPrefix(lines[n-2], "rlbench: ") || strings.HasPrefix(lines[n-2], "rlbench: hint:") {
		ts.Fatalf("no error before the hint: %q", lines)
	}
	if last := lines[n-1]; !strings.HasPrefix(last, "rlbench: hint: ") || !strings.Contains(last, args[0]) {
		ts.Fatalf("no hint with %q: %q", args[0], last)
	}
}

// json FILE PATH VALUE demands a value within a JSON file: runs.0.algorithms.1.peak_window is a path.
func query(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: json FILE PATH VALUE")
	}
	decoder := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	decoder.UseNumber()
	var value any
	ts.Check(decoder.Decode(&value))
	if _, err := decoder.Token(); err != io.EOF {
		ts.Fatalf("%s: more than one JSON value", args[0])
	}
	for step := range strings.SplitSeq(args[1], ".") {
		switch v := value.(type) {
		case map[string]any:
			inner, ok := v[step]
			if !ok {
				ts.Fatalf("%s: no %q in %s", args[0], step, args[1])
			}
			value = inner
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(v) {
				ts.Fatalf("%s: no element %q in %s", args[0], step, args[1])
			}
			value = v[i]
		default:
			ts.Fatalf("%s: nothing within %v for %q in %s", args[0], v, step, args[1])
		}
	}
	got, err := json.Marshal(value)
	ts.Check(err)
	if (strings.Trim(string(got), `"`) == args[2]) == neg {
		ts.Fatalf("%s: %s is %s, want %s (negated: %t)", args[0], args[1], got, args[2], neg)
	}
}

// sameruns FILE FILE demands that the runs of two result files are the same bytes.
func sameRuns(ts *testscript.TestScript, neg bool, args []string) {
	runs := make([]string, 2)
	for i := range runs {
		var f struct{ Runs json.RawMessage }
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[i])), &f))
		runs[i] = string(f.Runs)
	}
	if len(runs[0]) < 100 {
		ts.Fatalf("%s holds no run worth comparing", args[0])
	}
	if (runs[0] == runs[1]) == neg {
		ts.Fatalf("runs of %s and %s: equal is %t", args[0], args[1], !neg)
	}
}
