package examples_test

import (
	"context"
	"os/exec"
	"testing"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/limitertest"
	"github.com/rlbench/rlbench/targets/command"
)

// The programs behind the command protocol keep their promises, but for the one that is wrong on purpose.
func TestPrograms(t *testing.T) {
	for _, test := range []struct {
		program []string
		promise string
		want    string
	}{
		{[]string{"python3", "command/log.py"}, "log", limitertest.Keeps},
		{[]string{"node", "command/counter.js"}, "counter", limitertest.Keeps},
		{[]string{"node", "command/counter.js", "wrong"}, "counter", limitertest.Breaks},
	} {
		if _, err := exec.LookPath(test.program[0]); err != nil {
			t.Errorf("%v: install it, on Debian with apt-get install python3 nodejs", err)
			continue
		}
		promise, err := limitertest.ParsePromise(test.promise)
		if err != nil {
			t.Fatal(err)
		}
		open := func(ctx context.Context) (limiter.Target, error) {
			return command.Open(ctx, test.program[0], test.program[1:]...)
		}
		report, err := limitertest.Verify(context.Background(), open, promise, limitertest.Options{Quick: true})
		if err != nil {
			t.Fatal(err)
		}
		if report.Verdict != test.want {
			t.Errorf("%v: %s, want %s", test.program, report.Verdict, test.want)
		}
	}
}
