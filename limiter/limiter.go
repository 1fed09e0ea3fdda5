// Package limiter holds the rate-limiting algorithms that rlbench judges: one file per algorithm, one table of them all.
//
// An algorithm here is the state of one client and is told the time; nothing in this package reads a clock, and no
// floating-point number takes part in a decision. Times are int64 nanoseconds, limits and costs are whole cost units.
package limiter

// A Limiter decides the requests of one client. It is not safe for concurrent use.
type Limiter interface {
	// Allow decides one request of the given cost at the time now and counts it as the algorithm's rule says.
	// A time before the last one seen counts as that last one. A cost of 0 is admitted and changes nothing; a
	// negative cost is refused and changes nothing (callers reject it earlier, as a usage error).
	Allow(now, cost int64) bool

	// Reset forgets everything, so that the next request is the first of a new client. It keeps allocated memory.
	Reset()
}

// A Limit is "at most Max cost units in any window of Window nanoseconds". Both are at least 1.
type Limit struct {
	Max    int64
	Window int64
}

// A Count is what a limiter holds against its client at some instant, exactly:
// Whole + Part*Num/Window cost units, with 0 <= Num <= Window. For the counter Whole is this window's count, Part the
// last window's and Num the rest of the current window; for a log Part is 0.
type Count struct {
	Whole, Part, Num int64
}

// A Viewer tells what it holds against its client. It is an optional extra of a Limiter, found by assertion.
type Viewer interface {
	// Count returns what a request at the time now would find, before that request is counted. It changes nothing.
	Count(now int64) Count
}

// An Estimator has an estimate of the number of requests in the last window, whatever it decides: the open-loop figure
// that is compared with the exact count. It is an optional extra of a Limiter, found by assertion.
type Estimator interface {
	Viewer

	// Observe counts a run of requests of one client in time order, each as if it had been admitted, and writes into
	// after[i] the count right after request i (that request included). A nil costs means that every cost is 1.
	// Neither Whole nor Part may exceed the largest cost that any window of the limit's length has held so far.
	// It must not be mixed with Allow between two Resets.
	Observe(times, costs []int64, after []Count)
}
