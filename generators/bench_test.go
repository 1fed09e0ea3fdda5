package generators

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkPattern is the time per request of each pattern, by blocks of 512 where it does not depend on decisions. Every
// other decision is a refusal for the ones that do.
func BenchmarkPattern(b *testing.B) {
	for _, p := range Patterns {
		for _, text := range p.Examples {
			b.Run(text, func(b *testing.B) {
				const window = int64(60e9)
				w := Workload{Pattern: text, Clients: 1 << 40, PerWindow: 100, Window: window, Span: 60 * window, Max: 100, Seed: 1}
				traffic, err := w.Compile()
				if err != nil {
					b.Fatal(err)
				}
				player, buf := traffic.NewPlayer(), make([]int64, 512)
				face := Face{Max: 100, Window: window, Worst: func() []int64 { return worstOfTests }}
				b.ReportAllocs()
				n := 0
				for client := int64(0); n < b.N; client++ {
					source := player.Open(client, face)
					if filler, ok := source.(Filler); ok {
						for k := 512; k == 512; n += k {
							k = filler.Fill(buf)
						}
						continue
					}
					for _, ok := source.Next(false); ok; _, ok = source.Next(n%2 == 0) {
						n++
					}
				}
			})
		}
	}
}

var worstOfTests = []int64{0, 0, 59e9, 59e9, 60e9, 60e9}

// BenchmarkExponential compares the two ways to an exponential variate.
func BenchmarkExponential(b *testing.B) {
	b.Run("own", func(b *testing.B) {
		r, sum := rand.NewPCG(1, 2), 0.0
		for range b.N {
			sum += exponential(r)
		}
		sink = sum
	})
	b.Run("math/rand/v2", func(b *testing.B) {
		r, sum := rand.New(rand.NewPCG(1, 2)), 0.0
		for range b.N {
			sum += r.ExpFloat64()
		}
		sink = sum
	})
}

var sink float64
