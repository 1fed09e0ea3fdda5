package keyed_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/keyed"
)

const second = int64(1e9)

func parse(t testing.TB, text string) limiter.Spec {
	t.Helper()
	s, err := limiter.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func create[K keyed.Key](t testing.TB, text string, l limiter.Limit, o keyed.Options) *keyed.Limiter[K] {
	t.Helper()
	made, err := keyed.New[K](parse(t, text), l, o)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// singles are the oracle: one limiter of package limiter for each client.
type singles[K comparable] struct {
	t    testing.TB
	spec limiter.Spec
	run  limiter.Limit
	by   map[K]limiter.Limiter
}

func newSingles[K comparable](t testing.TB, text string, run limiter.Limit) *singles[K] {
	return &singles[K]{t, parse(t, text), run, map[K]limiter.Limiter{}}
}

func (s *singles[K]) allow(key K, now, cost int64) bool {
	one := s.by[key]
	if one == nil {
		var err error
		if one, err = s.spec.New(s.run); err != nil {
			s.t.Fatal(err)
		}
		s.by[key] = one
	}
	return one.Allow(now, cost)
}

// packed are the specs that have a table of their own, and what goes into the general one.
var packed = []string{
	"counter", "fixed", "fixed:count=all", "gcra", "gcra:burst=20", "token-bucket", "leaky-bucket:burst=3", "log", "log:open",
}

func specs() []string {
	all := append([]string(nil), packed...)
	for _, a := range limiter.Table {
		all = append(all, a.Examples...)
	}
	return all
}

func limits() *rapid.Generator[limiter.Limit] {
	return rapid.Custom(func(t *rapid.T) limiter.Limit {
		return limiter.Limit{
			Max: rapid.OneOf(rapid.Int64Range(1, 12), rapid.SampledFrom([]int64{
				5, 60, 100, 1000, 2047, 2048, 10_000, 1<<18 - 1, 1 << 18, 1e6, 1 << 40, math.MaxInt64})).Draw(t, "limit"),
			Window: rapid.OneOf(rapid.SampledFrom([]int64{
				1_000_000, 1_000_003, second, 60 * second, 3600 * second, 86400 * second, 30 * 86400 * second, 1 << 50, 1 << 60}),
				rapid.Int64Range(1_000_000, 1_000_100), rapid.Int64Range(1, 1000)).Draw(t, "window"),
		}
	})
}

// Each client's decisions are those of the single-client algorithm, whoever asks in between and in whatever order: times
// of one client stand still, go back and step by shares and multiples of the window; those of different clients lie apart.
func TestDecisionsOfEachClient(t *testing.T) {
	for _, text := range specs() {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			options := keyed.Options{}
			if strings.Contains(text, "align=") {
				options.Idle = 1 << 62 // to forget a client is to forget where its windows begin
			}
			rapid.Check(t, func(r *rapid.T) {
				l := limits().Draw(r, "limit")
				if l.Window < 1000 {
					l.Window *= 1000
				}
				w := l.Window
				made, err := keyed.New[uint64](parse(t, text), l, options)
				if err != nil {
					r.Skip(err)
				}
				judge := newSingles[uint64](t, text, l)
				start := rapid.SampledFrom([]int64{0, 1e18, -5, -w, 3*w/2 + 7}).Draw(r, "start")
				now := start
				step := rapid.OneOf(
					rapid.SampledFrom([]int64{0, 0, 1, w / 2, w - 1, w, w + 1, 2 * w}),
					rapid.Int64Range(0, w), rapid.Int64Range(0, max(1, w/max(1, min(l.Max, w)))),
				)
				back := rapid.SampledFrom([]int64{0, 0, 0, 1, w / 3, w})
				cost := rapid.OneOf(rapid.SampledFrom([]int64{1, 1, 1, 1, 0, 2, 17, l.Max/2 + 1, l.Max}), rapid.Int64Range(1, max(1, l.Max/3)))
				key := rapid.Uint64Range(0, 5)
				total := int64(0)
				for i := range rapid.IntRange(1, 60).Draw(r, "requests") {
					if d := step.Draw(r, "step"); now < math.MaxInt64/4-2*d {
						now += d
					}
					k, c := key.Draw(r, "key"), cost.Draw(r, "cost")
					if c > math.MaxInt64/4-total {
						c = 1
					}
					total += c
					at := max(now-back.Draw(r, "back"), start)
					if got, want := made.AllowAt(k, at, c), judge.allow(k, at, c); got != want {
						r.Fatalf("request %d: client %d at %d of cost %d: admitted %v, the single limiter %v", i, k, at, c, got, want)
					}
				}
			})
		})
	}
}

// Many clients: segments grow, split, are cleaned and join again while decisions stay those of the single-client algorithm.
// Keys are strings, asked one by one and in batches; clients come in waves, so that most of the early ones have left at the end.
func TestManyClients(t *testing.T) {
	const clients, requests = 20_000 / keyed.Scale, 200_000 / keyed.Scale
	for _, text := range append(packed, "buckets:4", "multi:counter@3/1s+log@5/10s") {
		for _, l := range []limiter.Limit{{Max: 3, Window: 2 * second}, {Max: 3000, Window: 7 * second}} {
			t.Run(fmt.Sprintf("%s@%d", text, l.Max), func(t *testing.T) {
				t.Parallel()
				made := create[string](t, text, l, keyed.Options{})
				judge := newSingles[string](t, text, l)
				rng := newRand(7)
				now, most := int64(1e18), int64(0)
				for done := 0; done < requests; {
					n := min(1+rng.IntN(200/keyed.Scale), requests-done)
					keys, times, costs := make([]string, n), make([]int64, n), make([]int64, n)
					for i := range keys {
						now += int64(rng.Uint64N(uint64(120 * second / requests)))
						wave := uint64(done+i) * clients / requests
						keys[i] = fmt.Sprint("client ", wave+rng.Uint64N(1+rng.Uint64N(clients/2)))
						times[i], costs[i] = now, int64(rng.Uint64N(uint64(l.Max/2+1)))
					}
					got := make([]bool, n)
					if done%2 == 0 {
						made.AllowBatch(keys, times, costs, got)
					} else {
						for i, k := range keys {
							got[i] = made.AllowAt(k, times[i], costs[i])
						}
					}
					for i, k := range keys {
						if want := judge.allow(k, times[i], costs[i]); got[i] != want {
							t.Fatalf("request %d: %s at %d of cost %d: admitted %v, the single limiter %v", done+i, k, times[i], costs[i], got[i], want)
						}
					}
					done += n
					most = max(most, made.Clients())
				}
				if int(most) == len(judge.by) {
					t.Errorf("of %d clients none has been reclaimed", most)
				}
				t.Logf("%d clients, at most %d at once, %d at the end, %d bytes", len(judge.by), most, made.Clients(), made.Bytes())
			})
		}
	}
}
