package keyed

import (
	"math"
	"testing"

	"github.com/rlbench/rlbench/limiter"
)

// A call looks at one segment and its other half at the most, however many there are: here a hundred thousand, all of whose
// clients have left. What it looks at is counted, not timed.
func TestSweepTakesOneSegmentACall(t *testing.T) {
	const window, clients = 1_000_000_000, 1_100_000 / Scale
	spec, err := limiter.Parse("counter")
	if err != nil {
		t.Fatal(err)
	}
	l, err := New[uint64](spec, limiter.Limit{Max: 5, Window: window}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	table := l.table.(*words)
	table.mostLines = 4
	for k := range uint64(clients) {
		l.AllowAt(k, 0, 1)
	}
	if n := table.directory.segments.Load(); n < 100_000/Scale {
		t.Fatalf("%d segments, want %d", n, 100_000/Scale)
	}
	now, most := int64(100*window), 0
	for rounds := 0; rounds < 30 && (l.Clients() > 1 || table.directory.segments.Load() > 1); {
		from := table.directory.of(table.hand)
		before, clients, began := table.directory.segments.Load(), l.Clients(), table.hand
		now += leastPause
		if table.period/before > leastPause {
			now += table.period / before
		}
		l.AllowAt(1, now, 1)
		touched := len(from.slots())
		if other := before - table.directory.segments.Load(); other > 1 || other < 0 {
			t.Fatalf("one call has merged %d segments", other)
		} else if other == 1 {
			touched *= 2
		}
		most = max(most, touched)
		if table.hand != from.next() && table.hand != began {
			t.Fatalf("the hand went from %x to %x, the segment ends at %x", began, table.hand, from.next())
		}
		if gone := clients - l.Clients(); gone > int64(touched) {
			t.Fatalf("one call has forgotten %d clients of %d slots", gone, touched)
		}
		if table.hand == 0 {
			rounds++
		}
	}
	if most > 2*2*4*lineSlots {
		t.Errorf("one call looked at %d slots", most)
	}
	if n, segments := l.Clients(), table.directory.segments.Load(); n != 1 || segments != 1 {
		t.Errorf("%d clients in %d segments are left of one that asks", n, segments)
	}
}

// No two numbers have one hash, but for 0 and 1: mix can be undone.
func TestNumbersNeverCollide(t *testing.T) {
	inverse := func(odd uint64) uint64 { // by Newton's steps
		x := odd
		for range 6 {
			x *= 2 - odd*x
		}
		return x
	}
	unfold := func(h uint64) uint64 { return h ^ h>>32 }
	for _, a := range []uint64{0, 1, 0x1234567890abcdef, math.MaxUint64} {
		for _, b := range []uint64{0, 7, 0xfedcba0987654321} {
			for i := range uint64(2000) {
				key := i * i * 0x1000100010001 >> (i % 60)
				h := mix(key, a, b)
				back := unfold(unfold(h)*inverse(0xd6e8feb86659fd93)^b)*inverse(0x9e3779b97f4a7c15) ^ a
				if back != key {
					t.Fatalf("%x becomes %x, which came from %x", key, h, back)
				}
			}
		}
	}
}
