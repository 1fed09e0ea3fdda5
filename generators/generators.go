// Package generators makes request traffic: seeded, pure, the same on every machine for the same seed.
//
// A Pattern is how one client's requests lie in time; a Workload is a population of clients with rates and a mix of
// patterns; a Scenario is a named list of workloads. Clients are independent of each other, so any worker and any
// shard can make any client by itself, from the seed and the client's number.
//
// # Scenario files
//
// A scenario file is TOML: a name, a doc, and one [[stage]] table for each workload.
//
//	name = "office-hours"
//	doc = "A public API by day, with a few clients who try what they can get."
//
//	[[stage]]
//	pattern = "0.99 diurnal + 0.01 end"
//	rates = "lognormal(0.8)"     # constant
//	clients = "2k"               # 1000
//	load = 0.4                   # or per_window = 40, or requests = 1e6: one of the three must be given
//	limit = 100                  # or a list, [60, 100]; 100
//	window = "60s"               # "60s"
//	span = "24h"                 # 60 windows
//	seed = 1                     # 1
//	label = "by day"             # ""
//	algorithms = ["log", "counter"]   # log, counter, fixed, gcra
//
// Behind # stands what holds if a key is left out; pattern must be given. Counts are numbers, or strings as on the command line;
// durations are strings. Unknown keys are errors. testdata/office-hours.toml is a whole example.
package generators

import "math/rand/v2"

// A Client is what a pattern needs to know to make the requests of one client.
type Client struct {
	Rand *rand.PCG // seeded for this client alone
	Rate float64   // mean requests per Window, > 0
	Span int64     // requests lie in [0, Span), nanoseconds

	// The limit that the client faces. Patterns that lie in aligned windows use Window; the closed-loop ones know Max too.
	Window int64
	Max    int64

	// Worst is the contestant's own worst sequence, times in ascending order; only the pattern "worst" reads it.
	Worst []int64
}

// A Source makes the requests of one client at a time, in time order. Start begins a client; a Source is reused for one
// client after another and must not carry anything over.
type Source interface {
	Start(c Client)

	// Next returns the time of the client's next request. admitted is the decision on the one before it (ignored on the
	// first call, and always by open-loop patterns). ok is false when the client sends no more.
	Next(admitted bool) (t int64, ok bool)
}

// A Filler is a Source whose requests do not depend on decisions. Fill writes the next times into buf and returns how
// many; fewer than len(buf) means that the client sends no more. Next and Fill can be mixed.
type Filler interface {
	Source
	Fill(buf []int64) int
}

// meanGap returns the mean distance of two requests in nanoseconds, finite.
func (c Client) meanGap() float64 { return min(float64(c.Window)/c.Rate, 1e300) }
