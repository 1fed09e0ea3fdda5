package cost

import (
	"math"
	"net/netip"
	"testing"
)

func TestKeysAreAddresses(t *testing.T) {
	seen := map[string]bool{}
	for i := range uint32(100_000) {
		key := string(appendKey(nil, i))
		if _, err := netip.ParseAddr(key); err != nil {
			t.Fatal(err)
		}
		if seen[key] {
			t.Fatalf("%s comes twice", key)
		}
		seen[key] = true
	}
}

// Keys, numbers and clients of a stream are the same ones, and as many as distinct says.
func TestStream(t *testing.T) {
	for _, order := range Orders {
		s := NewStream(5000, order, 3)
		seen := map[uint32]bool{}
		for i, c := range s.clients {
			if s.keys[i] != string(appendKey(nil, c)) || s.numbers[i] != number(c) {
				t.Fatalf("request %d is of client %d, by key %s", i, c, s.keys[i])
			}
			seen[c] = true
			if i == 999 {
				if got := s.distinct(5000, 1000); got != int64(len(seen)) {
					t.Errorf("%s: %d distinct in 1000, counted %d", order, len(seen), got)
				}
			}
		}
		if got := s.distinct(5000, 1<<40); got != int64(len(seen)) {
			t.Errorf("%s: %d distinct, counted %d", order, len(seen), got)
		}
	}
}

// The k-th most frequent client asks in proportion to k^-1.1.
func TestZipf(t *testing.T) {
	const keys = 2000
	s := NewStream(keys, "zipf", 1)
	counts := make([]float64, keys)
	for _, c := range s.clients {
		counts[c]++
	}
	var norm float64
	for k := 1.0; k <= keys; k++ {
		norm += math.Pow(k, -zipfS)
	}
	most := 0.0
	for _, n := range counts {
		most = max(most, n)
	}
	if want := float64(len(s.clients)) / norm; math.Abs(most/want-1) > 0.02 {
		t.Errorf("the most frequent client asks %g times, %g by the law", most, want)
	}
}

// Whatever the distribution, a constant is itself at every quantile, and none lies outside what was seen.
func TestQuantiles(t *testing.T) {
	l := newLatency()
	for range 1000 {
		record(l.singles, 500_123)
	}
	q := l.quantiles()
	for _, v := range []float64{q.P50, q.P90, q.P99, q.P999} {
		if math.Abs(v/500_123-1) > 0.01 {
			t.Errorf("%g at a quantile of a constant 500123", v)
		}
	}
	if math.Abs(q.Max/500_123-1) > 0.01 || q.Decisions != 1000 || q.Batch != 1 {
		t.Errorf("%+v", q)
	}
	record(l.singles, -5)
	record(l.singles, math.MaxInt64)
	if l.singles.TotalCount() != 1002 {
		t.Error("values out of range are lost")
	}
}
