package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/rlbench/rlbench/limiter"
)

// The tests start this program as rlbench does: the test binary is it when this is set.
const asProgram = "HEAVY_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintf(os.Stderr, "heavy: %v\n", err)
			os.Exit(2)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func program(args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), asProgram+"=1")
	return c
}

// talk sends all lines and returns the answers.
func talk(t *testing.T, name, lines string) []string {
	t.Helper()
	c := program(name)
	var problems bytes.Buffer
	c.Stdin, c.Stderr = strings.NewReader(lines), &problems
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, problems.Bytes())
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

// A reference is what one client should be told.
type reference func(t, cost int64) bool

// references say what each library truly is, without it.
var references = map[string]func(limiter.Limit) reference{
	"juju":          ticking,
	"echo":          textbook("token-bucket"),
	"fiber":         wholeSecondsOf(textbook("fixed:count=all:align=restart")),
	"fiber-sliding": wholeSecondsOf(roundedUp),
}

func textbook(text string) func(limiter.Limit) reference {
	return func(limit limiter.Limit) reference {
		spec, err := limiter.Parse(text)
		if err != nil {
			panic(err)
		}
		l, err := spec.New(limit)
		if err != nil {
			panic(err)
		}
		return l.Allow
	}
}

func wholeSecondsOf(rule func(limiter.Limit) reference) func(limiter.Limit) reference {
	return func(limit limiter.Limit) reference {
		r := rule(limit)
		return func(t, cost int64) bool { return r(t-t%int64(time.Second), cost) }
	}
}

// ticking is a full bucket into which a token falls at each multiple of W/L since the client's first request.
func ticking(limit limiter.Limit) reference {
	interval := limit.Window / limit.Max
	var start, last, tokens int64
	begun := false
	return func(t, cost int64) bool {
		if cost == 0 {
			return true
		}
		if !begun {
			begun, start, last, tokens = true, t, 0, limit.Max
		}
		tick := (t - start) / interval
		tokens, last = min(limit.Max, tokens+tick-last), tick
		if tokens < cost {
			return false
		}
		tokens -= cost
		return true
	}
}

// roundedUp counts all requests by windows that begin with the first request after a window without any, the last window's
// count weighted and rounded up.
func roundedUp(limit limiter.Limit) reference {
	w := limit.Window
	var origin int64
	var counts map[int64]int64
	latest := int64(-1)
	return func(t, cost int64) bool {
		if cost == 0 {
			return true
		}
		window := (t - origin) / w
		if counts == nil || window > latest+1 {
			origin, counts, window = t, map[int64]int64{}, 0
		}
		latest = window
		counts[window]++
		rest := w - (t - origin - window*w)
		return (counts[window-1]*rest+w-1)/w+counts[window] <= limit.Max
	}
}

// stream makes requests of a few clients around the limit, times ascending, in steps of 1/512 s so that floating point is
// exact.
func stream(r *rand.Rand, limit limiter.Limit, costs bool) (requests []limiter.Request) {
	const grid = 1953125
	t := r.Int64N(10*limit.Window/grid) * grid
	for range 200 {
		switch r.IntN(6) {
		case 0:
		case 1:
			t += limit.Window / limit.Max
		case 2, 3:
			t += r.Int64N(2*limit.Window/limit.Max/grid+1) * grid
		case 4:
			t += limit.Window - t%limit.Window + (r.Int64N(3)-1)*grid
		case 5:
			t += r.Int64N(3*limit.Window/grid) * grid
		}
		for n := 1 + r.Int64N(4*limit.Max)*r.Int64N(2); n > 0; n-- {
			q := limiter.Request{Key: fmt.Sprint("10.0.0.", r.IntN(3)), Time: t, Cost: 1}
			if costs && r.IntN(4) == 0 {
				q.Cost = r.Int64N(limit.Max + 2)
			}
			requests = append(requests, q)
		}
	}
	return requests
}

// Through the protocol, in a process of its own, each library decides as its rule.
func TestLibrariesDecideAsTheirRule(t *testing.T) {
	for i := range Peers {
		p := &Peers[i]
		t.Run(p.Name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, 6))
			var lines strings.Builder
			var want []string
			admitted := 0
			for range 20 {
				limit := limiter.Limit{Max: 1 << r.IntN(5), Window: 16 * int64(time.Second)}
				fmt.Fprintf(&lines, "config limit=%d window_ns=%d\n", limit.Max, limit.Window)
				want = append(want, "ok")
				clients := map[string]reference{}
				for _, q := range stream(r, limit, p.Costs) {
					fmt.Fprintln(&lines, q.Time, q.Key, q.Cost)
					if clients[q.Key] == nil {
						clients[q.Key] = references[p.Name](limit)
					}
					answer := "0"
					if clients[q.Key](q.Time, q.Cost) {
						answer = "1"
						admitted++
					}
					want = append(want, answer)
				}
			}
			got := talk(t, p.Name, lines.String())
			asked := strings.Split(lines.String(), "\n")
			if len(got) != len(want) {
				t.Fatalf("%d answers to %d lines", len(got), len(want))
			}
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("line %d, %s: answered %q, want %q", i, asked[i], got[i], want[i])
				}
			}
			if share := float64(admitted) / float64(len(want)); share < 0.2 || share > 0.9 {
				t.Errorf("%d of %d requests admitted: the streams test too little", admitted, len(want))
			}
		})
	}
}

// An answer comes at once if nothing else was sent.
func TestAnswersDoNotWait(t *testing.T) {
	c := program("juju")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewScanner(out)
	for _, exchange := range [][2]string{
		{"config limit=1 window_ns=5", "ok"},
		{"0 a 1", "1"},
		{"1 a 1", "0"},
		{"config limit=6 window_ns=5", "unsupported"},
		{"config limit=1 window_ns=5", "ok"},
		{"1 a 1", "1"},
	} {
		if _, err := io.WriteString(in, exchange[0]+"\n"); err != nil {
			t.Fatal(err)
		}
		if !answers.Scan() || answers.Text() != exchange[1] {
			t.Fatalf("%s: %q, want %q", exchange[0], answers.Text(), exchange[1])
		}
	}
	in.Close()
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}

func TestUnusableInput(t *testing.T) {
	for lines, want := range map[string]string{
		"what\n":                              "line 1",
		"config limit=1 window_ns=5\n0 a x\n": "line 2",
		"config limit=x window_ns=5\n":        "limit",
		"0 a 1\n":                             "before it was configured",
		"config limit=5 window_ns=5\nnow client 1\n": "the time",
	} {
		c := program("juju")
		c.Stdin = strings.NewReader(lines)
		out, err := c.CombinedOutput()
		if c.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), want) {
			t.Errorf("%q: %v, %s", lines, err, out)
		}
	}
	c := program("jujube")
	if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), "jujube") {
		t.Errorf("%v, %s", err, out)
	}
}

// admitted returns how many requests are.
func admitted(t *testing.T, name string, limit limiter.Limit, times []int64) (n int) {
	var lines strings.Builder
	fmt.Fprintf(&lines, "config limit=%d window_ns=%d\n", limit.Max, limit.Window)
	for _, at := range times {
		fmt.Fprintln(&lines, at, "client", 1)
	}
	for _, answer := range talk(t, name, lines.String())[1:] {
		if answer == "1" {
			n++
		}
	}
	return n
}

const second = int64(time.Second)

// Refused requests count with fiber, so that a client slightly over the limit gets nothing any more.
func TestFiberStarves(t *testing.T) {
	limit := limiter.Limit{Max: 100, Window: 4 * second}
	var times, late []int64
	for i := range int64(1100) { // 110 in 4 s
		times = append(times, i*4*second/110)
		if times[i] >= 2*limit.Window {
			late = append(late, times[i])
		}
	}
	all := admitted(t, "fiber-sliding", limit, times)
	early := admitted(t, "fiber-sliding", limit, times[:len(times)-len(late)])
	if all != early {
		t.Errorf("%d admitted after the second window, want none", all-early)
	}
}

// With a window of a second the weight is always 1, so that a client below the limit is refused most of what it asks.
func TestFiberInSeconds(t *testing.T) {
	limit := limiter.Limit{Max: 100, Window: second}
	var times []int64
	for i := range int64(900) { // 90 a second
		times = append(times, i*second/90)
	}
	if got := admitted(t, "fiber-sliding", limit, times); got > 200 {
		t.Errorf("%d of 900 admitted at 0.9 times the limit", got)
	}
	for _, name := range []string{"fiber", "fiber-sliding"} {
		if got := talk(t, name, "config limit=5 window_ns=500000000\n"); got[0] != "unsupported" {
			t.Errorf("%s in half a second: %s", name, got)
		}
	}
}

// A token of juju's falls on a grid: after one taken late in an interval another comes at its end.
func TestJujuGrid(t *testing.T) {
	limit := limiter.Limit{Max: 1, Window: second}
	if got := admitted(t, "juju", limit, []int64{0, 1999e6, 2001e6}); got != 3 {
		t.Errorf("%d of 3 admitted, two of them 2 ms apart", got)
	}
}

// BenchmarkAllow is one decision on the real clock over a thousand clients, nearly all refused.
func BenchmarkAllow(b *testing.B) {
	keys := make([]string, 1000)
	for i := range keys {
		keys[i] = fmt.Sprintf("10.0.%d.%d", i/256, i%256)
	}
	for i := range Peers {
		p := &Peers[i]
		b.Run(p.Name, func(b *testing.B) {
			l, err := p.New(limiter.Limit{Max: 100, Window: 60 * second})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			admitted, next := 0, 0
			for b.Loop() {
				if l.Allow(keys[next%len(keys)]) {
					admitted++
				}
				next++
			}
			b.ReportMetric(100*float64(admitted)/float64(next), "%admitted")
		})
	}
}
