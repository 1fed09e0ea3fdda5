// Package examples_test runs the examples, each in its own module, as their readers would.
package examples_test

import (
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// In an outsider's module `go test -bench` shows her limiter beside ours and a library's, with what each costs and how it
// decides. The exact log is never wrong, her counter is on bursts around a window's end, and none goes above its bound.
func TestBenchmark(t *testing.T) {
	bench := exec.Command("go", "test", "-run", "^$", "-benchtime", "1x",
		"-bench", "Limiters/./^(accuracy|memory|time)$/^(pattern=end|clients=.*|keys=1)$", ".")
	bench.Dir = "benchmark"
	out, err := bench.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	metrics := map[string]float64{}
	pair := regexp.MustCompile(`([0-9.e+-]+) (\S+)`)
	for line := range strings.Lines(string(out)) {
		name, values, ok := strings.Cut(line, " ")
		if !ok || !strings.HasPrefix(name, "BenchmarkLimiters/") {
			continue
		}
		limiter := strings.Split(name, "/")[1]
		for _, m := range pair.FindAllStringSubmatch(values, -1) {
			if metrics[limiter+" "+m[2]], err = strconv.ParseFloat(m[1], 64); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, limiter := range []string{"mine", "counter", "log", "peer:httprate", "peer:x-time-rate"} {
		for _, unit := range []string{"ns/op", "B/client", "refused-%", "over-admitted-%", "over-refused-%", "peak/limit"} {
			if _, ok := metrics[limiter+" "+unit]; !ok {
				t.Errorf("%s has no %s\n%s", limiter, unit, out)
			}
		}
		if peak := metrics[limiter+" peak/limit"]; peak < 1 || peak > 2 {
			t.Errorf("%s: %g of the limit in a window", limiter, peak)
		}
		if b := metrics[limiter+" B/client"]; b < 8 || b > 1000 {
			t.Errorf("%s: %g bytes for a client", limiter, b)
		}
	}
	if wrong := metrics["log over-admitted-%"] + metrics["log over-refused-%"]; wrong != 0 {
		t.Errorf("the exact log is wrong on %g %%", wrong)
	}
	if metrics["mine over-admitted-%"] < 10 {
		t.Errorf("mine over-admits %g %%: an attack at the window's end finds more", metrics["mine over-admitted-%"])
	}
}
