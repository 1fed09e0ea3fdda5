package generators

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
)

var someWorkload = Workload{Pattern: "poisson", Clients: 10, PerWindow: 5, Window: testWindow, Span: 10 * testWindow, Max: 100, Seed: 1}

func TestCompileErrors(t *testing.T) {
	for want, change := range map[string]func(*Workload){
		"0 clients":                          func(w *Workload) { w.Clients = 0 },
		"requests per client":                func(w *Workload) { w.PerWindow = 0 },
		"NaN requests":                       func(w *Workload) { w.PerWindow = math.NaN() },
		"+Inf requests":                      func(w *Workload) { w.PerWindow = math.Inf(1) },
		"a window of":                        func(w *Workload) { w.Window = 0 },
		"a span of":                          func(w *Workload) { w.Span = -1 },
		"a limit of 0":                       func(w *Workload) { w.Max = 0 },
		"no pattern":                         func(w *Workload) { w.Pattern = " " },
		"did you mean poisson?":              func(w *Workload) { w.Pattern = "poison" },
		"did you mean diurnal?":              func(w *Workload) { w.Pattern = "0.5 poisson + 0.5 diurnel" },
		"add up to 0.9":                      func(w *Workload) { w.Pattern = "0.5 poisson + 0.4 end" },
		"no weight before \"end\"":           func(w *Workload) { w.Pattern = "0.5 poisson + end" },
		"the weight \"x\"":                   func(w *Workload) { w.Pattern = "x poisson" },
		"the weight \"-1\"":                  func(w *Workload) { w.Pattern = "-1 poisson + 2 end" },
		"an empty part":                      func(w *Workload) { w.Pattern = "1 poisson +" },
		"takes no argument":                  func(w *Workload) { w.Pattern = "poisson:3" },
		"nothing behind the colon":           func(w *Workload) { w.Pattern = "front:" },
		"\"0\" is not a share":               func(w *Workload) { w.Pattern = "front:0" },
		"\"1.01\" is not a share":            func(w *Workload) { w.Pattern = "back:1.01" },
		"\"NaN\" is not a share":             func(w *Workload) { w.Pattern = "back:NaN" },
		"only misalign=D":                    func(w *Workload) { w.Pattern = "end:2s" },
		"misalign: \"2\"":                    func(w *Workload) { w.Pattern = "end:misalign=2" },
		"between 1 and 20":                   func(w *Workload) { w.Pattern = "retry:0" },
		"write for example at:":              func(w *Workload) { w.Pattern = "at" },
		"arrival 2, \"x\"":                   func(w *Workload) { w.Pattern = "at:0s,x" },
		"an arrival of cost 2":               func(w *Workload) { w.Pattern = "at:0s:cost=2" },
		"an arrival before 0s":               func(w *Workload) { w.Pattern = "at:-1s" },
		"did you mean lognormal?":            func(w *Workload) { w.Rates = "log-normal(1)" },
		"write lognormal(sigma)":             func(w *Workload) { w.Rates = "lognormal" },
		"write constant":                     func(w *Workload) { w.Rates = "constant(1)" },
		"write pareto(alpha)":                func(w *Workload) { w.Rates = "pareto(2" },
		"\"x\" is not a number":              func(w *Workload) { w.Rates = "zipf(x)" },
		"alpha must lie above 1":             func(w *Workload) { w.Rates = "pareto(1)" },
		"sigma must lie between":             func(w *Workload) { w.Rates = "lognormal(-1)" },
		"s must lie between":                 func(w *Workload) { w.Rates = "zipf(11)" },
		"\"1e999\" is not a number: write z": func(w *Workload) { w.Rates = "zipf(1e999)" },
	} {
		w := someWorkload
		change(&w)
		if _, err := w.Compile(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want one with %q", err, want)
		}
	}
}

func TestModel(t *testing.T) {
	w := Workload{Pattern: "0.99 front:0.2 + 0.01 end", Rates: "lognormal(0.8)", Clients: 270_000, PerWindow: 27, Window: testWindow, Span: 55 * testWindow, Max: 500, Seed: 3}
	want := "270,000 independent clients, on average 27 requests per client and window of 1m, for 55m: requests come " +
		"from 99 % of the clients at random within the first 20 % of every aligned window, and from 1 % of the clients as an adversary would: the " +
		"limit in the last 1 % of a window, then as much as is let through in the next, then none for a while; the clients' mean rates are spread " +
		"lognormally with sigma 0.8; seed 3"
	if got := w.Model(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	w = Workload{Pattern: "at:0s,5s*2", Clients: 1, PerWindow: 1, Window: testWindow, Span: testWindow, Max: 1}
	if got, want := w.Model(), "1 client, for 1m: requests come at 0s,5s*2; seed 0"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	for _, p := range Patterns {
		for _, text := range p.Examples {
			w.Pattern = text
			if said := w.Model(); strings.Contains(said, "%!") || !strings.Contains(said, "requests come ") {
				t.Errorf("%s: %q", text, said)
			}
		}
	}
}

// TestMix demands each pattern's share of the clients, the same clients whatever the rates, and one pattern per client.
func TestMix(t *testing.T) {
	w := someWorkload
	w.Pattern, w.Clients = "0.2 at:1s + 0 at:2s + 0.3 at:3s + 0.5 end", 100_000
	traffic := compile(t, w)
	if !traffic.Closed() {
		t.Error("a mix with adversaries is not closed-loop")
	}
	player := traffic.NewPlayer()
	counts := map[int64]float64{}
	for i := range w.Clients {
		if player.ClosedLoop(i) {
			counts[0]++
			continue
		}
		at, _ := player.Open(i, testFace).Next(true)
		counts[at/second]++
	}
	for at, share := range map[int64]float64{0: 0.5, 1: 0.2, 2: 0, 3: 0.3} {
		n := float64(w.Clients)
		if math.Abs(counts[at]-n*share) > 5*math.Sqrt(n*share*(1-share)) {
			t.Errorf("%v clients have the pattern of weight %v", counts[at], share)
		}
	}
	w.Pattern = "1 poisson + 0 end"
	if compile(t, w).Closed() {
		t.Error("a mix without adversaries is closed-loop")
	}
}

// TestExtremes demands an end and times within the span wherever sums and products could overflow.
func TestExtremes(t *testing.T) {
	for _, pattern := range examples(true) {
		for _, w := range []Workload{
			{PerWindow: 1e-300, Window: 1, Span: math.MaxInt64},
			{PerWindow: 1e-18, Window: 1e6, Span: math.MaxInt64},
			{PerWindow: 3, Window: math.MaxInt64, Span: math.MaxInt64},
			{PerWindow: 3, Window: math.MaxInt64 / 2, Span: math.MaxInt64},
			{PerWindow: 1e15, Window: math.MaxInt64, Span: 40_000},
			{PerWindow: 1e5, Window: 1000, Span: 1},
			{PerWindow: 0.5, Window: 1, Span: 1000},
		} {
			w.Pattern, w.Clients, w.Max = pattern, 20, 1
			if strings.HasPrefix(pattern, "bursty") && w.Window < 1000 || strings.Contains(pattern, "+") {
				continue
			}
			player := compile(t, w).NewPlayer()
			for i := range w.Clients {
				source, before := player.Open(i, testFace), int64(0)
				n := 0
				for at, ok := source.Next(true); ok; at, ok = source.Next(true) {
					if at < before || at >= w.Span {
						t.Fatalf("%s, %g per %d: a request at %d after one at %d", pattern, w.PerWindow, w.Window, at, before)
					}
					before = at
					if n++; n > 1_000_000 {
						t.Fatalf("%s, %g per %d: no end", pattern, w.PerWindow, w.Window)
					}
				}
			}
		}
	}
}

// TestSameEverywhere compares the requests of every pattern and every spread with digests made on another architecture, one
// that has a fused multiply-add.
func TestSameEverywhere(t *testing.T) {
	var text strings.Builder
	digest := func(pattern, rates string) {
		w := Workload{Pattern: pattern, Rates: rates, Clients: 300, PerWindow: 21.7, Window: testWindow, Span: 37*testWindow + 12345, Max: 30, Seed: 20}
		player := compile(t, w).NewPlayer()
		h, n := xxhash.New(), 0
		for i := range w.Clients {
			for _, at := range one(player, i) {
				h.Write(binary.LittleEndian.AppendUint64(nil, uint64(at)))
				n++
			}
			h.Write([]byte{0})
		}
		fmt.Fprintf(&text, "%s %s: %d requests, %016x\n", pattern, rates, n, h.Sum64())
	}
	for _, pattern := range examples(false) {
		digest(pattern, "constant")
	}
	for _, p := range Spreads {
		for _, rates := range p.Examples {
			digest("poisson", rates)
		}
	}
	want, err := os.ReadFile("testdata/digests.txt")
	if err != nil {
		t.Fatal(err)
	}
	if text.String() != string(want) {
		t.Errorf("requests have changed:\n%s\nwant\n%s", text.String(), want)
	}
}
