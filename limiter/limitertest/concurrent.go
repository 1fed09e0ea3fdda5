package limitertest

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rlbench/rlbench/limiter"
)

// Allow is a limiter within this process, safe for concurrent use: whether a request of that client, of cost 1, is admitted. A
// limiter that reads a clock of its own ignores now, which is in nanoseconds.
type Allow func(key string, now int64) bool

// A concurrency is one way in which goroutines meet.
type concurrency struct {
	name string
	run  func(fresh func(limiter.Limit) Allow) (admitted, want int64)
}

// hour is a window that no test outlives, so that a limiter with a clock of its own neither begins another one nor refills.
const hour = 3_600_000_000_000

var concurrencies = []concurrency{
	{"many at once for a new client", func(fresh func(limiter.Limit) Allow) (int64, int64) {
		allow := fresh(limiter.Limit{Max: 10, Window: hour})
		return together(25, func(int) int64 { return ask(allow, "fresh", 0, 1) }), 10
	}},
	{"many at once for a client with one request left", func(fresh func(limiter.Limit) Allow) (int64, int64) {
		allow := fresh(limiter.Limit{Max: 10, Window: hour})
		used := ask(allow, "nearly full", 0, 9)
		return used + together(16, func(int) int64 { return ask(allow, "nearly full", 0, 1) }), 10
	}},
	{"several goroutines that ask again and again", func(fresh func(limiter.Limit) Allow) (int64, int64) {
		allow := fresh(limiter.Limit{Max: 100, Window: hour})
		return together(8, func(int) int64 { return ask(allow, "busy", 0, 40) }), 100
	}},
	{"many clients, each from several goroutines", func(fresh func(limiter.Limit) Allow) (int64, int64) {
		allow := fresh(limiter.Limit{Max: 3, Window: hour})
		return together(8, func(int) (n int64) {
			for i := range 50 {
				n += ask(allow, fmt.Sprintf("client-%d", i), 0, 2)
			}
			return n
		}), 150
	}},
	{"a busy client while new ones come", func(fresh func(limiter.Limit) Allow) (int64, int64) {
		allow := fresh(limiter.Limit{Max: 20, Window: hour})
		return together(8, func(g int) (n int64) {
			for i := range 60 {
				allow(fmt.Sprintf("visitor-%d-%d", g, i), 0)
				n += ask(allow, "busy", 0, 1)
			}
			return n
		}), 20
	}},
}

// ask sends n requests and counts those admitted.
func ask(allow Allow, key string, now int64, n int) (admitted int64) {
	for range n {
		if allow(key, now) {
			admitted++
		}
	}
	return admitted
}

// together starts n goroutines behind a barrier and adds up what they got.
func together(n int, work func(g int) int64) int64 {
	var ready, done sync.WaitGroup
	var sum atomic.Int64
	start := make(chan struct{})
	ready.Add(n)
	for g := range n {
		done.Go(func() {
			ready.Done()
			<-start
			sum.Add(work(g))
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
	return sum.Load()
}

// Concurrent has goroutines meet at a limiter, again and again, and returns the first fault, nil if there is none: exactly
// the limit must be admitted, whoever comes first. fresh starts afresh under a limit whose window is an hour. It takes a
// second or two at most; under the race detector it finds races that no count shows.
func Concurrent(fresh func(limit limiter.Limit) Allow) *Fault {
	const rounds = 100
	for _, c := range concurrencies {
		for range rounds {
			admitted, want := c.run(fresh)
			if admitted == want {
				continue
			}
			direction := TooMuch
			if admitted < want {
				direction = TooLittle
			}
			return &Fault{
				Kind: KindRace, Direction: direction,
				Why: fmt.Sprintf("%s: %d were admitted where the limit leaves room for %d", c.name, admitted, want),
			}
		}
	}
	return nil
}

// RunConcurrent is Concurrent as a test. Run it with -race too.
func RunConcurrent(t *testing.T, fresh func(limit limiter.Limit) Allow) {
	t.Helper()
	if f := Concurrent(fresh); f != nil {
		t.Errorf("%s: %s: %s", f.Kind, f.Direction, f.Why)
	}
}

// Forgets says what is wrong with how a limiter forgets clients that left, nil if nothing is: of the memory that 20,000 clients
// took no more than half may be kept once they have been silent for ten windows while a few others were active, and one
// that was at its limit all the time must not be forgotten. fresh starts afresh under a limit; the limiter must take the time from
// its callers.
func Forgets(fresh func(limit limiter.Limit) Allow) *Fault {
	const clients, window = 20_000, 60_000_000_000
	before := heap()
	allow := fresh(limiter.Limit{Max: 5, Window: window})
	for i := range clients {
		allow(fmt.Sprintf("client-%d", i), int64(i))
	}
	full := heap() - before
	busy := int64(0)
	for i := range int64(4000) {
		now := window + i*(10*window/4000)
		allow(fmt.Sprintf("regular-%d", i%7), now)
		if i >= 3900 {
			busy += ask(allow, "busy", now, 1)
		}
	}
	left := heap() - before
	runtime.KeepAlive(allow)
	switch {
	case busy > 5:
		return &Fault{Kind: KindDropped, Direction: TooMuch, Why: fmt.Sprintf("a client at its limit got %d of 5 while others left", busy)}
	case left > full/2:
		return &Fault{Kind: KindLeak, Why: fmt.Sprintf("%d clients took %d bytes, and %d are still taken long after they left", clients, full, left)}
	}
	return nil
}

// heap is what is alive on the heap.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
