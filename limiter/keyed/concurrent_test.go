package keyed_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/keyed"
)

const askers = 64

// together runs a function on 64 goroutines.
func together(f func(asker int)) {
	var all sync.WaitGroup
	for i := range askers {
		all.Go(func() { f(i) })
	}
	all.Wait()
}

// everyAlgorithm that has a limit of its own to keep.
var everyAlgorithm = append([]string{"buckets:4", "counter:count=all", "log:count=all", "fixed:align=restart", "multi:counter+log"}, packed...)

// At one instant exactly as much is admitted as a client alone would be, however many ask at once, of however few keys.
func TestExactlyTheLimitAtOneInstant(t *testing.T) {
	const limit, perAsker = 500, 60
	for _, text := range everyAlgorithm {
		for _, keys := range []uint64{1, 5} {
			made := create[uint64](t, text, limiter.Limit{Max: limit, Window: second}, keyed.Options{})
			judge := newSingles[uint64](t, text, limiter.Limit{Max: limit, Window: second})
			want := int64(0)
			for judge.allow(0, 7*second+1, 1) {
				want++
			}
			admitted := make([]atomic.Int64, keys)
			together(func(int) {
				for i := range perAsker * keys {
					if made.AllowAt(i%keys, 7*second+1, 1) {
						admitted[i%keys].Add(1)
					}
				}
			})
			for k := range admitted {
				if got := admitted[k].Load(); got != want {
					t.Errorf("%s, %d keys: client %d got %d, alone it would get %d", text, keys, k, got, want)
				}
			}
		}
	}
}

// An admission that happened at some time between two readings of the shared clock.
type admission struct{ from, to int64 }

// While a shared clock advances, no window holds more than the algorithm promises, and demand that never ends takes the
// limit of every window. A request is told a time that may be old when it is decided, so that an admission counts for
// the windows that hold all of the time from before until after the call.
func TestNoWindowHoldsMoreThanPromised(t *testing.T) {
	const limit, step, perAsker = 50, 1_000_000, 600
	run := limiter.Limit{Max: limit, Window: 1000 * step}
	for _, text := range everyAlgorithm {
		t.Run(text, func(t *testing.T) {
			made := create[string](t, text, run, keyed.Options{})
			var clock atomic.Int64
			clock.Store(5*run.Window + 3)
			begun := clock.Load()
			admitted := make([][]admission, askers)
			together(func(asker int) {
				for range perAsker {
					now := clock.Add(step)
					if made.AllowAt("hot", now, 1) {
						admitted[asker] = append(admitted[asker], admission{now, clock.Load()})
					}
				}
			})
			all := slices.Concat(admitted...)
			bound, ok := parse(t, text).Bound(run)
			if !ok {
				bound = limit // a multi with a log
			}
			for _, first := range all {
				held := int64(0)
				for _, a := range all {
					if a.from >= first.from && a.to <= first.from+run.Window {
						held++
					}
				}
				if held > bound {
					t.Fatalf("the window from %d holds %d, more than %d", first.from, held, bound)
				}
			}
			// A request finds the latest time told, at most one step for each other asker behind the clock.
			windows := (clock.Load() - begun) / (run.Window + askers*step)
			if least := (windows - 1) * limit; int64(len(all)) < least && !countsAll(text) && text != "leaky-bucket:burst=3" && text != "gcra:burst=20" {
				t.Errorf("%d admitted in %d windows", len(all), windows)
			}
		})
	}
}

func countsAll(text string) bool {
	return text == "counter:count=all" || text == "fixed:count=all" || text == "log:count=all"
}

// A limit that changes under the askers neither loses nor invents what is used: at one instant all changes together admit what
// the largest limit does.
func TestLimitChangesWhileOthersAsk(t *testing.T) {
	const small, large, now = 300, 700, 9 * second
	for _, text := range []string{"counter", "fixed", "fixed:count=all", "log", "log:open"} {
		made := create[uint64](t, text, limiter.Limit{Max: small, Window: second}, keyed.Options{})
		var admitted [3]atomic.Int64
		ask := func(n int) {
			for i := range n {
				if made.AllowAt(uint64(i%3), now, 1) {
					admitted[i%3].Add(1)
				}
			}
		}
		var changes sync.WaitGroup
		changes.Go(func() {
			for i := range 200 {
				if err := made.SetLimitAt([]int64{small, large}[i%2], now); err != nil {
					t.Error(err)
				}
			}
		})
		together(func(int) { ask(90) })
		changes.Wait()
		if text == "fixed:count=all" { // what was refused under the small limit counts
			continue
		}
		ask(3 * large)
		for k := range admitted {
			if got := admitted[k].Load(); got != large {
				t.Errorf("%s: client %d got %d under limits of %d and %d", text, k, got, small, large)
			}
		}
	}
}

// Clients come, are asked for by many, leave and are forgotten while others ask: none gets more than its limit, and
// every table survives growing, splitting, joining and being full under the race detector.
func TestChurn(t *testing.T) {
	const limit, perAsker = 3, 1000
	for _, text := range []string{"counter", "log", "gcra", "buckets:4"} {
		for _, policy := range []keyed.Policy{keyed.Refuse, keyed.Admit, keyed.Evict} {
			most := int64(-1)
			if policy != keyed.Refuse {
				most = 2000
			}
			made := create[uint64](t, text, limiter.Limit{Max: limit, Window: second}, keyed.Options{MaxClients: most, Full: policy})
			var clock atomic.Int64
			granted := make([]map[uint64]int, askers)
			together(func(asker int) {
				granted[asker] = map[uint64]int{}
				for i := range uint64(perAsker) {
					now := clock.Add(second / 2000)
					key := uint64(now)/uint64(20*second)*1_000_000 + i*7%5000
					if made.AllowAt(key, now, 1) {
						granted[asker][key]++
					}
					made.RemainingAt(key, now)
				}
			})
			if n := made.Clients(); policy != keyed.Refuse && n > most {
				t.Errorf("%s: %d clients, at most %d are allowed", text, n, most)
			}
			if policy != keyed.Refuse {
				continue
			}
			total := map[uint64]int{}
			for _, g := range granted {
				for k, n := range g {
					total[k] += n
				}
			}
			for k, n := range total { // a key is asked for during 20 windows and a little more
				if n > 2*limit*22 {
					t.Fatalf("%s: client %d got %d", text, k, n)
				}
			}
		}
	}
}
