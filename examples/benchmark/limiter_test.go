package limiter

import (
	"testing"
	"time"

	rl "github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/measure/cost/benchtest"
	"github.com/rlbench/rlbench/targets"
)

func BenchmarkLimiters(b *testing.B) {
	candidates := []benchtest.Candidate{{
		Name: "mine",
		New:  func(l rl.Limit) (rl.Keyed, error) { return New(l.Max, time.Duration(l.Window)), nil },
		Told: func(l rl.Limit) (benchtest.Told, error) { return New(l.Max, time.Duration(l.Window)), nil },
	}}
	for _, text := range []string{"counter", "log", "peer:httprate", "peer:x-time-rate"} {
		spec, err := targets.Specs.Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		if c, ok := benchtest.Spec(spec); ok {
			candidates = append(candidates, c)
		}
	}
	benchtest.Run(b, candidates...)
}
