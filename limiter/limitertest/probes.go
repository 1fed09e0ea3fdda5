package limitertest

import "github.com/rlbench/rlbench/limiter"

// A Probe is one row of Probes: a family of sequences that a kind of fault can't survive.
type Probe struct {
	Name    string
	Catches string // what faults
	Why     string // why that matters to whoever runs the limiter
	Draws   bool   // some of its sequences depend on the seed; those of all others are the same for every seed
	run     func(*check)
}

// Probes lists all probes in the order in which they run, the simplest first. To add one, write its function in the file of
// its family and add its row here.
var Probes = []Probe{
	{
		Name: "same-time", Catches: "requests of one instant taken for one; the last permit given twice or withheld",
		Why: "front ends send whole pages of requests within one tick of the clock",
		run: sameTime,
	},
	{
		Name: "every-window", Catches: "windows after the first that are one short, one over, or skipped",
		Why: "a test of a single window passes",
		run: everyWindow,
	},
	{
		Name: "idle-gap", Catches: "a last window that is never forgotten, weights below zero, clients locked out for good",
		Why: "clients pause, for a moment or for a night",
		run: idleGap,
	},
	{
		Name: "steady", Catches: "lifetimes renewed by each request, entries that never leave, fractions that get lost",
		Why: "a client that stays below its limit must never be refused",
		run: steady,
	},
	{
		Name: "saturation", Catches: "a sustained rate that is not the limit; state thrown away while it is in use",
		Why: "a client that always asks for more shows what the limiter really yields",
		run: saturation,
	},
	{
		Name: "spacing", Catches: "periodic clients that are starved or let through because of their period",
		Why: "pollers and cron jobs are strictly periodic",
		run: spacing,
	},
	{
		Name: "next-window", Catches: "a last window that is dropped too early, weighed wrongly, or cut to an integer",
		Why: "what one window used up is still owed in the next",
		run: nextWindow,
	},
	{
		Name: "two-bursts", Catches: "two full bursts less than a window apart, whatever anchors the windows",
		Why: "an attacker finds the seam between two windows",
		run: twoBursts,
	},
	{
		Name: "boundary", Catches: "requests exactly on the edge of a window, and the tick before and after",
		Why: "periodic traffic at exactly the permitted rate meets the edge each time",
		run: boundary,
	},
	{
		Name: "refused", Catches: "refused requests that count; entries counted before they are trimmed",
		Why: "a client that is refused tries again, and must get in when its time has come",
		run: refused,
	},
	{
		Name: "costs", Catches: "costs above the limit that pass, costs taken for 1, a cost of 0 that is charged or refused",
		Why:   "the heaviest request is the one worth limiting",
		Draws: true, run: costs,
	},
	{
		Name: "backwards", Catches: "an older time that earns the same time twice, or locks the client out",
		Why:   "callers take the time before they get the lock",
		Draws: true, run: backwards,
	},
	{
		Name: "late-start", Catches: "time 0 taken for never; clocks of 32 bits; times in floating point",
		Why: "a test begins at 0, a server in the billions of seconds",
		run: lateStart,
	},
	{
		Name: "keys", Catches: "clients mixed up: hashed together, cut short, folded, or pushed out by others",
		Why: "one client must not pay for another, nor escape by another's traffic",
		run: keys,
	},
	{
		Name: "clean-up", Catches: "state of a busy client that is removed when others leave",
		Why: "a limiter that forgets idle clients must know which are idle",
		run: cleanUp,
	},
	{
		Name: "limits", Catches: "counts that overflow 8, 16, 31, 32 or 53 bits, rings that are too short",
		Why: "a large limit must not be none, or all",
		run: limits,
	},
	{
		Name: "windows", Catches: "windows cut to seconds or minutes, units mixed up, products that overflow",
		Why: "the window that nobody tried is the one in production",
		run: windows,
	},
	{
		Name: "odd-rates", Catches: "rates that do not divide: intervals cut to an integer, rates taken upside down",
		Why: "17 per 30 s is as good a limit as 10 per 1 s",
		run: oddRates,
	},
	{
		Name: "long-idle", Catches: "limit times idle time beyond 64 bits",
		Why: "after a night of silence the first request must pass",
		run: longIdle,
	},
	{
		Name: "random", Catches: "whatever else differs from the promise, decision by decision",
		Why:   "nobody thinks of every sequence",
		Draws: true, run: randomSequences,
	},
	{
		Name: "retry-after", Catches: "a waiting time after which the client is refused again",
		Why: "polite clients obey it",
		run: retryAfter,
	},
	{
		Name: "remaining", Catches: "a number of requests left that is not what the client gets",
		Why: "clients pace themselves by it",
		run: remaining,
	},
	{
		Name: "limit-change", Catches: "a new limit that is ignored, or that forgets what was used",
		Why: "limits are changed under attack, while clients are active",
		run: limitChange,
	},
}

// few are settings that every probe uses.
var few = []limiter.Limit{
	{Max: 1, Window: 10e9}, {Max: 2, Window: 1e9}, {Max: 3, Window: 1e9}, {Max: 5, Window: 30e9}, {Max: 10, Window: 60e9},
}

// more are further ones for the whole suite.
var more = []limiter.Limit{
	{Max: 1, Window: 1e9}, {Max: 4, Window: 400e6}, {Max: 7, Window: 61e9}, {Max: 17, Window: 30e9}, {Max: 20, Window: 5e9},
	{Max: 64, Window: 3600e9}, {Max: 180, Window: 180e9},
}

// usual returns the settings of most probes.
func (c *check) usual() []setting {
	if c.quick {
		return c.settings(few...)
	}
	return c.settings(append(append([]limiter.Limit{}, few...), more...)...)
}

// starts are the instants at which sequences begin: zero, a multiple of the window, and one that is none.
func (c *check) starts(window int64) []int64 {
	if window > 1<<50 {
		return []int64{0, window / 3}
	}
	return []int64{0, 10 * window, 10*window + window/3}
}
