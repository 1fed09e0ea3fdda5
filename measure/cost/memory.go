package cost

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/keyed"
	"github.com/rlbench/rlbench/results"
)

// A MemoryPlan is a population whose memory is measured.
type MemoryPlan struct {
	Clients int64
	Used    int64 // requests of each client in a window; Limit.Max makes every client full
}

// States of a population, in the order in which they are measured. A full one is measured alone.
const (
	OneWindow   = "one window"
	BothWindows = "both windows"
	AllLeft     = "all left"
	Full        = "full"
)

// Memory measures what a contestant holds for clients: with requests in one window, in two in a row, and after all have
// left. It belongs into a process of its own, since it takes all live heap to be the contestant's. One that can be told
// the time takes the limit's own window; others wait on the clock, for some windows of a few seconds each.
func Memory(c Contestant, p MemoryPlan) ([]results.Memory, error) {
	m := meter{limit: c.Limit, plan: p}
	if !c.Told {
		window, err := waitingWindow(c, p)
		if err != nil {
			return nil, err
		}
		m.limit.Window = window
	}
	m.heap, m.rss = live()
	if c.Told {
		return m.told(c)
	}
	return m.waiting(c)
}

// waitingWindow is long enough to serve all clients in half of it.
func waitingWindow(c Contestant, p MemoryPlan) (int64, error) {
	l, err := c.New(c.Limit)
	if err != nil {
		return 0, err
	}
	n := min(p.Clients, 100_000)
	began := time.Now()
	serve(l, n, p.Used)
	took := float64(time.Since(began)) * float64(p.Clients) / float64(n)
	seconds := max(1, int64(4*took/1e9)+1)
	return seconds * int64(time.Second), nil
}

func serve(l limiter.Keyed, clients, used int64) {
	var scratch []byte
	var key string
	for range used {
		for i := range uint32(clients) {
			key, scratch = fresh(scratch, i)
			l.Allow(key)
		}
	}
}

// A meter measures a population against the process as it was before.
type meter struct {
	limit limiter.Limit
	plan  MemoryPlan
	heap  uint64
	rss   int64
	found []results.Memory
}

// live returns the live heap and the resident memory, in bytes; the latter is 0 where the system does not tell.
func live() (heap uint64, rss int64) {
	runtime.GC()
	debug.FreeOSMemory()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, residentBytes()
}

// residentBytes reads the process's resident memory from the proc file system.
func residentBytes() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

func (m *meter) measure(state string, l any) {
	heap, rss := live()
	clients := float64(m.plan.Clients)
	found := results.Memory{
		Clients: m.plan.Clients, Limit: m.limit.Max, WindowNS: m.limit.Window, Used: m.plan.Used, State: state,
		HeapBytes: float64(int64(heap)-int64(m.heap)) / clients,
	}
	if rss > 0 && m.rss > 0 {
		perClient := float64(rss-m.rss) / clients
		found.RSSBytes = &perClient
	}
	if k, ok := l.(*keyed.Limiter[string]); ok {
		account, remembered := float64(k.Bytes())/clients, k.Clients()
		found.AccountBytes, found.Remembered = &account, &remembered
	}
	var times []float64
	for range 5 {
		began := time.Now()
		runtime.GC()
		times = append(times, float64(time.Since(began))/1e6)
	}
	slices.Sort(times)
	found.CollectionMS = times[2]
	runtime.KeepAlive(l)
	m.found = append(m.found, found)
}

// told goes through the states with told times.
func (m *meter) told(c Contestant) ([]results.Memory, error) {
	made, err := c.New(m.limit)
	if err != nil {
		return nil, err
	}
	l := made.(*keyed.Limiter[string])
	window := m.limit.Window
	begin := 1000 * window
	if m.plan.Used == m.limit.Max {
		m.serveTold(l, begin)
		m.measure(Full, l)
		return m.found, nil
	}
	m.serveTold(l, begin)
	m.measure(OneWindow, l)
	m.serveTold(l, begin+window)
	m.measure(BothWindows, l)
	l.AllowAt("the last one", begin+6*window, 1)
	for range 2 { // the first round may have begun before they left
		for !l.Reclaim(begin + 6*window) {
		}
	}
	m.measure(AllLeft, l)
	return m.found, nil
}

// serveTold spreads every client's requests over a window, each in its own way.
func (m *meter) serveTold(l *keyed.Limiter[string], begin int64) {
	var scratch []byte
	var key string
	gap := max(m.limit.Window/m.plan.Used, 0)
	for j := range m.plan.Used {
		for i := range uint32(m.plan.Clients) {
			key, scratch = fresh(scratch, i)
			jitter := int64(0)
			if gap > 1 {
				jitter = int64((number(i) ^ uint64(j)*0xd6e8feb86659fd93) >> 16 % uint64(gap))
			}
			l.AllowAt(key, begin+j*gap+jitter, 1)
		}
	}
}

// waiting goes through the states on the clock, from the beginning of a window on, so that windows counted from the first
// request and windows counted from midnight are the same.
func (m *meter) waiting(c Contestant) ([]results.Memory, error) {
	begin := nextWindow(time.Now(), m.limit.Window)
	time.Sleep(time.Until(begin))
	l, err := c.New(m.limit)
	if err != nil {
		return nil, err
	}
	serve(l, m.plan.Clients, m.plan.Used)
	if took := time.Since(begin); took > time.Duration(m.limit.Window) {
		return nil, fmt.Errorf("serving %d clients took %s, longer than the window of %s: the machine is too busy, try again",
			m.plan.Clients, took.Round(time.Millisecond), time.Duration(m.limit.Window))
	}
	m.measure(OneWindow, l)
	time.Sleep(time.Until(begin.Add(time.Duration(m.limit.Window))))
	serve(l, m.plan.Clients, m.plan.Used)
	m.measure(BothWindows, l)
	// Let them leave, with somebody asking now and then, as whoever cleans up on a request needs.
	for left := time.Now().Add(3 * time.Duration(m.limit.Window)); time.Now().Before(left); time.Sleep(50 * time.Millisecond) {
		l.Allow("the last one")
	}
	m.measure(AllLeft, l)
	return m.found, nil
}

func nextWindow(now time.Time, window int64) time.Time {
	into := now.UnixNano() % window
	return now.Add(time.Duration(window - into))
}

// Held is what a contestant holds in the process at hand, which has other things on its heap: less exact than Memory.
type Held struct {
	BytesPerClient float64
	Collection     time.Duration
}

// Hold has so many clients ask once and measures the live heap before and after.
func Hold(c Contestant, clients int64) (Held, error) {
	before, _ := live()
	l, err := c.New(c.Limit)
	if err != nil {
		return Held{}, err
	}
	serve(l, clients, 1)
	after, _ := live()
	began := time.Now()
	runtime.GC()
	h := Held{float64(int64(after)-int64(before)) / float64(clients), time.Since(began)}
	runtime.KeepAlive(l)
	return h, nil
}

// HoldTold is what one of our algorithms holds for each of so many clients when every one makes so many requests in a
// window, spread over it: of live heap, in the process at hand.
func HoldTold(spec limiter.Spec, limit limiter.Limit, clients, used int64) (bytesPerClient float64, err error) {
	before, _ := live()
	l, err := newKeyed[string](spec, limit, nil)
	if err != nil {
		return 0, err
	}
	m := meter{limit: limit, plan: MemoryPlan{Clients: clients, Used: used}}
	m.serveTold(l, 1000*limit.Window)
	after, _ := live()
	runtime.KeepAlive(l)
	return float64(int64(after)-int64(before)) / float64(clients), nil
}
