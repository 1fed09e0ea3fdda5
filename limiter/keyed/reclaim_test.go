package keyed_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/keyed"
)

// Clients that keep asking are never forgotten: their decisions stay those of the single limiter while ten times as many come
// and leave. Those that have left are, by nothing but the requests of the others, and their memory comes back.
func TestOnlyThoseWhoLeftAreForgotten(t *testing.T) {
	const active, leaving, window = 3_000, 30_000, 10 * second
	run := limiter.Limit{Max: 4, Window: window}
	for _, text := range []string{"counter", "fixed", "gcra", "gcra:burst=20", "log", "buckets:4"} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			made := create[uint64](t, text, run, keyed.Options{})
			judge := newSingles[uint64](t, text, run)
			ask := func(key uint64, now int64) {
				if got, want := made.AllowAt(key, now, 1), judge.allow(key, now, 1); got != want {
					t.Fatalf("client %d at %d: admitted %v, the single limiter %v", key, now, got, want)
				}
			}
			now := int64(1e18)
			for k := range uint64(leaving) {
				ask(active+k, now+int64(k))
			}
			full := made.Bytes()
			// Four windows to be idle, four for the sweeper's round, and the bucket of burst 20 takes five to be full.
			for range 30 {
				for k := range uint64(active) {
					now += window / 2 / active
					ask(k, now)
				}
			}
			if n := made.Clients(); n != active {
				t.Errorf("%d clients are remembered, %d are active", n, active)
			}
			few := create[uint64](t, text, run, keyed.Options{})
			for range 8 {
				for k := range uint64(active) {
					now += window / 2 / active
					few.AllowAt(k, now, 1)
				}
			}
			if made.Bytes() > few.Bytes()*3/2 || made.Bytes() > full/5 {
				t.Errorf("%d bytes are left of %d; a limiter that has only seen the active takes %d", made.Bytes(), full, few.Bytes())
			}
		})
	}
}

// Reclaim alone brings everything back once all have left.
func TestReclaimWithoutRequests(t *testing.T) {
	const window = 10 * second
	for _, text := range []string{"counter", "gcra", "log", "buckets:4"} {
		made := create[uint64](t, text, limiter.Limit{Max: 5, Window: window}, keyed.Options{})
		empty := made.Bytes()
		for k := range uint64(50_000) {
			made.AllowAt(k, 0, 1)
		}
		made.AllowAt(0, 20*window, 1) // tells the time
		for range 12 {                // each round can halve the number of segments
			for !made.Reclaim(20 * window) {
			}
		}
		if n := made.Clients(); n != 1 {
			t.Errorf("%s: %d clients are remembered, one has asked of late", text, n)
		}
		if made.Bytes() > empty+4096 {
			t.Errorf("%s: %d bytes for one client, %d for none", text, made.Bytes(), empty)
		}
	}
}

// With as many clients as are allowed, newcomers fare as the policy says and those who are known keep their state.
func TestBoundOnClients(t *testing.T) {
	const most, limit, window = 1000, 3, 10 * second
	for _, text := range []string{"counter", "gcra", "log", "buckets:4"} {
		for _, policy := range []keyed.Policy{keyed.Refuse, keyed.Admit, keyed.Evict} {
			t.Run(fmt.Sprint(text, policy), func(t *testing.T) {
				made := create[uint64](t, text, limiter.Limit{Max: limit, Window: window}, keyed.Options{MaxClients: most, Full: policy})
				known := newSingles[uint64](t, text, limiter.Limit{Max: limit, Window: window})
				now := int64(100 * window)
				for k := range uint64(most) {
					made.AllowAt(k, now, 1)
					known.allow(k, now, 1)
				}
				if made.Clients() != most {
					t.Fatalf("%d clients, want %d", made.Clients(), most)
				}
				// The known ask once more in the next window, but for a quarter.
				for k := range uint64(most * 3 / 4) {
					made.AllowAt(k, now+window, 1)
					known.allow(k, now+window, 1)
				}
				now += window + 1
				for k := range uint64(50) {
					newcomer := 1_000_000 + k
					left, admitted := made.RemainingAt(newcomer, now), 0
					_, ever := made.RetryAfterAt(newcomer, now, 1)
					for range limit + 2 {
						if made.AllowAt(newcomer, now, 1) {
							admitted++
						}
					}
					want := map[keyed.Policy]int{keyed.Refuse: 0, keyed.Admit: limit + 2, keyed.Evict: limit}[policy]
					if admitted != want || ever != (want > 0) || left != min(limit, int64(want)) {
						t.Fatalf("newcomer %d: %d admitted, %d remain, ever %v; want %d", k, admitted, left, ever, want)
					}
				}
				if made.Clients() > most {
					t.Errorf("%d clients, at most %d are allowed", made.Clients(), most)
				}
				if policy != keyed.Evict && made.Clients() != most {
					t.Errorf("%d clients are left of %d", made.Clients(), most)
				}
				lost := 0 // evicted are those who did not ask
				for k := range uint64(most * 3 / 4) {
					if made.AllowAt(k, now+1, limit-1) != known.allow(k, now+1, limit-1) {
						lost++
					}
				}
				if lost > 0 {
					t.Errorf("%d clients that keep asking have lost their state", lost)
				}
				// All leave, and there is room again.
				now += 20 * window
				admitted := 0
				for k := range uint64(most) {
					if made.AllowAt(2_000_000+k, now+int64(k)*window/100, 1) {
						admitted++
					}
				}
				if admitted < most*3/4 {
					t.Errorf("%d of %d newcomers are admitted after all others have left", admitted, most)
				}
			})
		}
	}
}

// Told times may be anything, in any order; nothing stalls, nothing fails, and no client gets more than its limit at once.
func TestAnyTimes(t *testing.T) {
	for _, text := range specs() {
		if text == "allow-all" {
			continue
		}
		for _, window := range []int64{1_000_000, 60 * second, 1 << 61} {
			spec := parse(t, text)
			run := limiter.Limit{Max: 4, Window: window}
			made, err := keyed.New[string](spec, run, keyed.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for round, now := range []int64{0, math.MinInt64, 17, math.MaxInt64, 0, math.MaxInt64 - 1, -1, math.MinInt64 + 1, 1 << 62} {
				for k := range 40 {
					key := fmt.Sprint(round%3, " ", k)
					made.AllowAt(key, now, 1)
					if left := made.RemainingAt(key, now); left < 0 {
						t.Fatalf("%s: %d remain at %d", text, left, now)
					}
					if d, _ := made.RetryAfterAt(key, now, 2); d < 0 && now >= 0 {
						t.Fatalf("%s: retry at %d after %d", text, now, d)
					}
					made.Reclaim(now)
				}
			}
		}
	}
}

// Without a told time the clock is the wall clock's, or the one given; both go forward.
func TestClock(t *testing.T) {
	now := int64(42)
	run := limiter.Limit{Max: 2, Window: int64(time.Hour)}
	made := create[string](t, "log", run, keyed.Options{Clock: func() int64 { return now }})
	if !made.Allow("a") || !made.AllowN("a", 1) || made.Allow("a") || made.AllowN("a", -1) || !made.AllowN("a", 0) {
		t.Error("a limit of 2 is not kept")
	}
	d, ever := made.RetryAfter("a", 1)
	if d != time.Hour+1 || !ever {
		t.Errorf("retry after %s, want an hour and a nanosecond", d)
	}
	now += int64(d)
	if made.Remaining("a") != 2 || !made.Allow("a") {
		t.Error("refused after the wait")
	}
	own := create[string](t, "log", run, keyed.Options{})
	before := time.Now().UnixNano()
	at := own.Now()
	if later := own.Now(); at < before-int64(time.Second) || at > before+int64(time.Minute) || later < at {
		t.Errorf("the time is %d and then %d, the wall clock %d", at, later, before)
	}
}
