package keyed_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/keyed"
)

// An asked is a request of one client.
type asked struct{ now, cost int64 }

// Remaining and RetryAfter are taken at their word by limiters that have seen the same: that much is admitted and one more is
// not; after that long a request is admitted, a nanosecond earlier it is not, and any time later it is again.
func TestRemainingAndRetryAfterHold(t *testing.T) {
	for _, text := range specs() {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			spec := parse(t, text)
			rapid.Check(t, func(r *rapid.T) {
				run := limits().Draw(r, "limit")
				if _, err := spec.New(run); err != nil {
					r.Skip(err)
				}
				w := run.Window
				now := rapid.SampledFrom([]int64{0, 1e18, -3*w/2 - 5}).Draw(r, "start")
				step := rapid.OneOf(rapid.SampledFrom([]int64{0, 1, w - 1, w, w + 1}), rapid.Int64Range(0, w))
				cost := rapid.OneOf(rapid.SampledFrom([]int64{1, 1, run.Max/2 + 1, run.Max, 20}), rapid.Int64Range(1, max(1, run.Max/3)))
				var history []asked
				for range rapid.IntRange(0, 25).Draw(r, "requests") {
					if d := step.Draw(r, "step"); now < math.MaxInt64/2-d {
						now += d
					}
					history = append(history, asked{now, min(cost.Draw(r, "cost"), math.MaxInt64/64)})
				}
				if d := step.Draw(r, "pause"); now < math.MaxInt64/2-d {
					now += d
				}
				lived := func() *keyed.Limiter[uint64] {
					l, err := keyed.New[uint64](spec, run, keyed.Options{})
					if err != nil {
						r.Fatal(err)
					}
					for _, h := range history {
						l.AllowAt(1, h.now, h.cost)
					}
					return l
				}
				told := lived()
				left := told.RemainingAt(1, now)
				if left < math.MaxInt64 && lived().AllowAt(1, now, left+1) {
					r.Fatalf("%d remain, but %d are admitted", left, left+1)
				}
				if left > 0 && !lived().AllowAt(1, now, left) {
					r.Fatalf("%d remain, but are refused", left)
				}
				want := cost.Draw(r, "wanted")
				wait, ever := told.RetryAfterAt(1, now, want)
				later := rapid.Int64Range(0, 3*min(w, math.MaxInt64/16)).Draw(r, "later")
				switch {
				case !ever:
					if lived().AllowAt(1, now+later, want) {
						r.Fatalf("never, but %d is admitted after %d", want, later)
					}
					return
				case now > math.MaxInt64-wait-later:
					return // beyond all time
				case !lived().AllowAt(1, now+wait, want):
					r.Fatalf("%d is refused after a wait of %d", want, wait)
				case wait > 0 && lived().AllowAt(1, now+wait-1, want):
					r.Fatalf("%d is admitted before the wait of %d", want, wait)
				case !lived().AllowAt(1, now+wait+later, want):
					r.Fatalf("%d is refused %d after the wait of %d", want, later, wait)
				}
			})
		})
	}
}

// A bucket is the token bucket in fractions, with a limit that changes: what is used of it stays used, up to the new
// capacity.
type bucket struct {
	limit, window int64
	used          *big.Rat
	clock         int64
}

func (b *bucket) advance(now int64) {
	leaked := new(big.Rat).Mul(big.NewRat(now-b.clock, b.window), big.NewRat(b.limit, 1))
	b.clock = now
	if b.used.Sub(b.used, leaked); b.used.Sign() < 0 {
		b.used = new(big.Rat)
	}
}

func (b *bucket) allow(now, cost int64) bool {
	b.advance(now)
	after := new(big.Rat).Add(b.used, big.NewRat(cost, 1))
	if after.Cmp(big.NewRat(b.limit, 1)) > 0 {
		return false
	}
	b.used = after
	return true
}

func (b *bucket) setLimit(limit, now int64) {
	b.advance(now)
	b.limit = limit
	if most := big.NewRat(limit, 1); b.used.Cmp(most) > 0 {
		b.used = most
	}
}

// The limits all divide the window, so that the bucket's unit of time is exact under each.
func TestBucketsKeepWhatIsUsed(t *testing.T) {
	const window = 60 * second
	for _, text := range []string{"gcra", "token-bucket", "leaky-bucket"} {
		rapid.Check(t, func(r *rapid.T) {
			limit := rapid.SampledFrom([]int64{1, 10, 50, 100, 1000, 60_000})
			first := limit.Draw(r, "first limit")
			made := create[uint64](t, text, limiter.Limit{Max: first, Window: window}, keyed.Options{})
			judge := &bucket{first, window, new(big.Rat), 0}
			now := int64(0)
			for i := range rapid.IntRange(1, 60).Draw(r, "steps") {
				now += rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, window/8)).Draw(r, "step")
				if rapid.IntRange(0, 9).Draw(r, "change") == 0 {
					n := limit.Draw(r, "limit")
					if err := made.SetLimitAt(n, now); err != nil {
						r.Fatal(err)
					}
					judge.setLimit(n, now)
				}
				cost := rapid.Int64Range(1, judge.limit).Draw(r, "cost")
				if got, want := made.AllowAt(1, now, cost), judge.allow(now, cost); got != want {
					r.Fatalf("%s, request %d of cost %d at %d: admitted %v, want %v", text, i, cost, now, got, want)
				}
			}
		})
	}
}

// The counts of counter, fixed and log stay, so that after a change a request is decided as if the limit had always been the
// new one and just that had been admitted: the judge is asked for what the limiter under test has admitted.
func TestCountsStayWhenTheLimitChanges(t *testing.T) {
	const window = 10 * second
	for _, text := range []string{"counter", "fixed", "log", "log:open"} {
		rapid.Check(t, func(r *rapid.T) {
			limit := rapid.Int64Range(1, 300)
			current := limit.Draw(r, "first limit")
			made := create[uint64](t, text, limiter.Limit{Max: current, Window: window}, keyed.Options{})
			now := 7*window + 1
			var admitted []asked
			for range rapid.IntRange(1, 50).Draw(r, "steps") {
				now += rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, window)).Draw(r, "step")
				if rapid.IntRange(0, 5).Draw(r, "change") == 0 {
					current = limit.Draw(r, "limit")
					if err := made.SetLimitAt(current, now); err != nil {
						r.Fatal(err)
					}
				}
				cost := rapid.Int64Range(1, current).Draw(r, "cost")
				want := fitsAfter(text, admitted, window, current, asked{now, cost})
				if got := made.AllowAt(1, now, cost); got != want {
					r.Fatalf("%s: cost %d at %d under a limit of %d: admitted %v, want %v", text, cost, now, current, got, want)
				}
				if want {
					admitted = append(admitted, asked{now, cost})
				}
			}
		})
	}
}

// fitsAfter is the rule of an algorithm, from all that was ever admitted.
func fitsAfter(text string, admitted []asked, window, limit int64, q asked) bool {
	start := q.now - q.now%window
	sum := func(from, to int64) (n int64) { // both included
		for _, a := range admitted {
			if a.now >= from && a.now <= to {
				n += a.cost
			}
		}
		return n
	}
	switch text {
	case "fixed":
		return sum(start, q.now)+q.cost <= limit
	case "log":
		return sum(q.now-window, q.now)+q.cost <= limit
	case "log:open":
		return sum(q.now-window+1, q.now)+q.cost <= limit
	case "counter":
		weighted := sum(start-window, start-1) * (start + window - q.now)
		return weighted+(sum(start, q.now)+q.cost)*window <= limit*window
	}
	panic(fmt.Sprint("no rule for ", text))
}
