package rlbench_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/measure/cost/benchtest"
	"github.com/rlbench/rlbench/targets"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("test.bench"); f != nil && f.Value.String() != "" {
		fmt.Print(benchtest.Units)
	}
	if testing.Short() {
		benchtest.Keys = []int64{1, 1000}
	}
	os.Exit(m.Run())
}

// BenchmarkAlgorithms walks the table of algorithms: go test -bench Algorithms/counter
func BenchmarkAlgorithms(b *testing.B) {
	for _, a := range limiter.Table {
		for _, text := range a.Examples[:1] {
			spec, err := limiter.Parse(text)
			if err != nil {
				b.Fatal(err)
			}
			c, ok := benchtest.Spec(spec)
			if !ok {
				b.Fatalf("%s can't be benchmarked", text)
			}
			benchtest.Run(b, c)
		}
	}
}

// BenchmarkPeers walks the libraries that rlbench knows: go test -bench Peers
func BenchmarkPeers(b *testing.B) {
	for _, k := range targets.Kinds {
		if k.List == nil {
			continue
		}
		for _, e := range k.List() {
			spec, err := targets.Specs.Parse(k.Prefix + ":" + e.Name)
			if err != nil {
				b.Fatal(err)
			}
			if c, ok := benchtest.Spec(spec); ok {
				benchtest.Run(b, c)
			}
		}
	}
}
