package keyed_test

import (
	"math/bits"
	"strings"
	"testing"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/keyed"
)

// Keys that somebody has chosen so that a simple hash fails are told apart and fill the table as evenly as others.
func TestHostileKeys(t *testing.T) {
	const clients = 60_000 / keyed.Scale
	for name, key := range map[string]func(uint64) uint64{
		"counting":          func(i uint64) uint64 { return i },
		"high bits only":    func(i uint64) uint64 { return i << 44 },
		"multiples of 2^16": func(i uint64) uint64 { return i << 16 },
		"reversed":          bits.Reverse64,
		"golden":            func(i uint64) uint64 { return i * 0xf1de83e19937733d }, // undoes a well-known factor
		"downwards":         func(i uint64) uint64 { return -i },
	} {
		hostile(t, name, clients, key)
	}
	for name, key := range map[string]func(uint64) string{
		"long prefix": func(i uint64) string { return strings.Repeat("x", 300) + string(address(nil, i)) },
		"long suffix": func(i uint64) string { return string(address(nil, i)) + strings.Repeat("x", 300) },
		"zeros":       func(i uint64) string { return strings.Repeat("\x00", int(i%8192)) + string(rune('a'+i/8192)) },
		"empty or not": func(i uint64) string {
			return string(address(nil, i))[min(i, 1)*0:][:min(i, 1)*uint64(len(address(nil, i)))]
		},
	} {
		hostile(t, name, clients, key)
	}
}

func hostile[K keyed.Key](t *testing.T, name string, clients uint64, key func(uint64) K) {
	t.Helper()
	for _, text := range []string{"counter", "log"} {
		made := create[K](t, text, limiter.Limit{Max: 2, Window: second}, keyed.Options{})
		for _, want := range []bool{true, true, false} {
			for i := range clients {
				if got := made.AllowAt(key(i), 5, 1); got != want {
					t.Fatalf("%s, %s: client %d: admitted %v, want %v", name, text, i, got, want)
				}
			}
		}
		if n := made.Clients(); n != int64(clients) {
			t.Errorf("%s, %s: %d clients of %d", name, text, n, clients)
		}
		if each := float64(made.Bytes()) / float64(clients); text == "counter" && each > 24 {
			t.Errorf("%s: %.1f bytes a client", name, each)
		}
	}
}
