package keyed_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/keyed"
)

// BenchmarkDecision costs one decision at 100 per minute, all clients known before the clock runs:
//
//	go test -bench 'Decision/counter/1e6/zipf/own/string/1$' ./limiter/keyed
//
// The parts of a name are algorithm, clients, order, clock, kind of key, goroutines. The clock is the limiter's own,
// told (read from an atomic variable), or batch: told in calls of 64 requests. Keys lie in memory in the order of the
// requests, so that to read one is no cache miss. B/client is by account. quiet-ns/op is what the fastest tenth of the
// stretches of 1,024 decisions takes at the most, for a machine that others are at work on; with several goroutines it
// holds as far as they really run side by side.
func BenchmarkDecision(b *testing.B) {
	for _, algorithm := range []string{"counter", "log", "gcra"} {
		for _, clients := range sizes() {
			for _, order := range []string{"uniform", "zipf"} {
				b.Run(fmt.Sprintf("%s/%s/%s", algorithm, clients, order), func(b *testing.B) {
					for _, clock := range []string{"own", "told", "batch"} {
						for _, g := range goroutines() {
							b.Run(fmt.Sprintf("%s/string/%d", clock, g), func(b *testing.B) {
								cost(b, algorithm, stringsOf(traffic(clients, order)), number(clients), clock, g)
							})
							b.Run(fmt.Sprintf("%s/uint64/%d", clock, g), func(b *testing.B) {
								cost(b, algorithm, traffic(clients, order), number(clients), clock, g)
							})
						}
					}
				})
			}
		}
	}
}

// sizes are the numbers of clients; with -short only those that take no time to enrol.
func sizes() []string {
	if testing.Short() {
		return []string{"1", "1e3"}
	}
	return []string{"1", "1e3", "1e6", "1e7"}
}

func goroutines() []int {
	if n := runtime.GOMAXPROCS(0); n > 1 {
		return []int{1, n}
	}
	return []int{1}
}

func number(text string) int {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return int(n)
}

const (
	perCall = 64
	stretch = 1024
)

func cost[K keyed.Key](b *testing.B, algorithm string, requests []K, clients int, clock string, goroutines int) {
	var told atomic.Int64
	told.Store(time.Now().UnixNano())
	made := create[K](b, algorithm, limiter.Limit{Max: 100, Window: 60 * second}, keyed.Options{})
	enrollAll(made, clients, told.Load())
	share := (b.N + goroutines - 1) / goroutines
	ask := asker(made, clock, &told)
	stretches := make([][]float64, goroutines)
	var done sync.WaitGroup
	b.ReportAllocs()
	b.ResetTimer()
	for g := range goroutines {
		from := g * len(requests) / goroutines &^ (stretch - 1)
		done.Go(func() {
			for n := 0; n < share; n += stretch {
				begun := time.Now()
				ask(requests[(from+n)&(len(requests)-1):][:min(stretch, share-n)])
				if share-n >= stretch {
					stretches[g] = append(stretches[g], float64(time.Since(begun))/stretch)
				}
			}
		})
	}
	done.Wait()
	b.StopTimer()
	if all := slices.Concat(stretches...); len(all) > 0 {
		slices.Sort(all)
		b.ReportMetric(all[len(all)/10]/float64(goroutines), "quiet-ns/op")
	}
	b.ReportMetric(float64(made.Bytes())/float64(made.Clients()), "B/client")
}

// asker returns what sends a stretch of requests.
func asker[K keyed.Key](made *keyed.Limiter[K], clock string, told *atomic.Int64) func([]K) {
	switch clock {
	case "own":
		return func(keys []K) {
			for _, k := range keys {
				made.Allow(k)
			}
		}
	case "told":
		return func(keys []K) {
			for _, k := range keys {
				made.AllowAt(k, told.Load(), 1)
			}
		}
	}
	return func(keys []K) {
		var times [perCall]int64
		var admitted [perCall]bool
		for len(keys) > 0 {
			n, now := min(perCall, len(keys)), told.Load()
			for i := range times {
				times[i] = now
			}
			made.AllowBatch(keys[:n], times[:n], nil, admitted[:n])
			keys = keys[n:]
		}
	}
}

// enrollAll lets every client ask once.
func enrollAll[K keyed.Key](made *keyed.Limiter[K], clients int, now int64) {
	var keys [perCall]K
	var times [perCall]int64
	var admitted [perCall]bool
	for from := 0; from < clients; from += perCall {
		n := min(perCall, clients-from)
		for i := range n {
			keys[i], times[i] = keyOf[K](uint64(from+i)), now
		}
		made.AllowBatch(keys[:n], times[:n], nil, admitted[:n])
	}
}

// keyOf is a client's key: a number, or an address as text.
func keyOf[K keyed.Key](client uint64) K {
	var k K
	switch p := any(&k).(type) {
	case *uint64:
		*p = client * 0x9e3779b97f4a7c15
	case *string:
		*p = string(address(nil, client))
	}
	return k
}

func address(b []byte, client uint64) []byte {
	ip := uint32(client*0x9e3779b1 + 0x0a000000)
	for shift := 24; shift >= 0; shift -= 8 {
		b = strconv.AppendUint(b, uint64(ip>>shift&255), 10)
		if shift > 0 {
			b = append(b, '.')
		}
	}
	return b
}

var traffics sync.Map // by clients and order

// traffic returns keys in the order of requests, a power of two of them.
func traffic(clients, order string) []uint64 {
	name := clients + " " + order
	if keys, ok := traffics.Load(name); ok {
		return keys.([]uint64)
	}
	n := uint64(number(clients))
	keys := make([]uint64, 1<<21)
	if n > 1e6 {
		keys = make([]uint64, 1<<23)
	}
	rng := newRand(1)
	zipf := rand.NewZipf(rng, 1.1, 1, n-1)
	for i := range keys {
		client := uint64(0)
		if order == "zipf" {
			client = zipf.Uint64() * 7_368_787 % n // scattered: a prime
		} else {
			client = rng.Uint64N(n)
		}
		keys[i] = keyOf[uint64](client)
	}
	traffics.Store(name, keys)
	return keys
}

// stringsOf returns the addresses of the clients, side by side in memory.
func stringsOf(keys []uint64) []string {
	if made, ok := traffics.Load(&keys[0]); ok {
		return made.([]string)
	}
	const inverse = 0xf1de83e19937733d // of keyOf's factor
	var text []byte
	ends := make([]int, len(keys))
	for i, key := range keys {
		text = address(text, key*inverse)
		ends[i] = len(text)
	}
	made, from := make([]string, len(keys)), 0
	for i, end := range ends {
		made[i] = unsafe.String(&text[from], end-from)
		from = end
	}
	traffics.Store(&keys[0], made)
	return made
}
