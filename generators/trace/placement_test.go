package trace

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// placedAt is where the definition puts request k of n at time t, in fractions.
func placedAt(p Placement, t, resolution int64, k, n int) int64 {
	offset := new(big.Rat)
	width := big.NewRat(resolution, 1)
	if p == Front || p == Back {
		width.Quo(width, big.NewRat(10, 1))
	}
	offset.Mul(width, big.NewRat(int64(k), int64(n)))
	whole := new(big.Int).Div(offset.Num(), offset.Denom()).Int64()
	switch p {
	case AsIs:
		return t
	case Back:
		return t + resolution - resolution/10 + whole
	}
	return t + whole
}

// Requests are where the definition of each placement has them, in their order, with their costs, whoever places them.
func TestPlacements(t *testing.T) {
	for _, step := range []int64{1e9, 1e6, 10, 1} {
		rng := rand.New(rand.NewPCG(uint64(step), 1))
		var b strings.Builder
		for range 4000 {
			at := step * rng.Int64N(40)
			fmt.Fprintf(&b, "%d.%09d,client-%d,%d\n", at/1e9, at%1e9, rng.IntN(3)*rng.IntN(20), rng.IntN(9))
		}
		fmt.Fprintf(&b, "%d.%09d,once,1\n", step/1e9, step%1e9) // so that the resolution is the step
		names := write(t, []byte(b.String()))
		whole := load(t, Options{}, names...)
		if whole.stats.ResolutionNS != step {
			t.Fatalf("resolution %d, want %d", whole.stats.ResolutionNS, step)
		}
		for _, p := range Placements {
			first := placed(t, p, Options{Shards: 1, Workers: 1}, names...)
			for key, list := range contents(whole) {
				got := first[key]
				if len(got) != len(list) {
					t.Fatalf("%s: %d requests of %d", p, len(got), len(list))
				}
				for i, k := 0, 0; i < len(list); i++ {
					n := 0
					for _, e := range list {
						if e.time == list[i].time {
							n++
						}
					}
					if i > 0 && list[i].time == list[i-1].time {
						k++
					} else {
						k = 0
					}
					want := event{key, placedAt(p, list[i].time, step, k, n), list[i].cost}
					if step < 10 {
						want.time = list[i].time
					}
					if p == Random && step >= 10 {
						if d := got[i].time - list[i].time; d < 0 || d >= step || i > 0 && got[i].time < got[i-1].time {
							t.Fatalf("%s: request %d of %s is at %d, the log has %d", p, i, key, got[i].time, list[i].time)
						}
						want.time = got[i].time
					}
					if got[i] != want {
						t.Fatalf("%s, step %d: request %d of %s is %v, want %v", p, step, i, key, got[i], want)
					}
				}
			}
			for _, o := range []Options{{Shards: 7, Memory: 1}, {Shards: 64, Workers: 3}} {
				if !placed(t, p, o, names...).equal(first) {
					t.Errorf("%s: other requests with %d shards", p, o.Shards)
				}
			}
		}
	}
}

// placed reads a log as placed, in pieces of odd sizes.
func placed(t *testing.T, p Placement, o Options, names ...string) byClient {
	t.Helper()
	tr, err := Load(context.Background(), names, o)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	b := byClient{}
	times, costs := make([]int64, 7), make([]int64, 7)
	for shard := range tr.Shards() {
		err := tr.Place(p).Visit(context.Background(), shard, func(key string, read func(times, costs []int64) (int, error)) error {
			for {
				n, err := read(times, costs)
				if n == 0 || err != nil {
					return err
				}
				for i := range n {
					b[key] = append(b[key], event{key, times[i], costs[i]})
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// Random placement is uniform: of many requests a tenth lies in each tenth of the second.
func TestRandomPlacementIsUniform(t *testing.T) {
	var b strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&b, "%d,a\n", i/4)
	}
	var tenths [10]int
	for _, e := range placed(t, Random, Options{}, write(t, []byte(b.String()))...)["a"] {
		tenths[e.time%1e9/1e8]++
	}
	if least, most := slices.Min(tenths[:]), slices.Max(tenths[:]); least < 1850 || most > 2150 { // 2000, and 3.5 deviations of 42
		t.Errorf("by tenths of a second: %d", tenths)
	}
}
