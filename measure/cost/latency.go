package cost

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/rlbench/rlbench/results"
)

// A latency is the distribution of single decisions, or of batches of them where one is shorter than the clock can tell.
type latency struct {
	singles, batches *hdrhistogram.Histogram
	batch            int
}

const (
	latencyDigits = 2 // so that a bin is at most 1 % wide
	latencyTop    = int64(time.Minute)
	// A distribution is of batches if a decision takes less than so many readings of the clock.
	clocksPerDecision = 10
	// latencyDecisions are timed one by one in each round.
	latencyDecisions = 50_000
)

func newLatency() latency {
	return latency{hdrhistogram.New(1, latencyTop, latencyDigits), hdrhistogram.New(1, latencyTop, latencyDigits), 1}
}

// ClockNS is what two readings of the clock with nothing between them show, the median of many.
func ClockNS() int64 {
	h := hdrhistogram.New(1, latencyTop, latencyDigits)
	start := time.Now()
	for range 100_000 {
		began := time.Since(start)
		record(h, int64(time.Since(start)-began))
	}
	return h.ValueAtQuantile(50)
}

var clockNS = sync.OnceValue(ClockNS)

func record(h *hdrhistogram.Histogram, ns int64) {
	if err := h.RecordValue(min(max(ns, 1), latencyTop)); err != nil {
		panic(err) // the value is within the range
	}
}

// sample times decisions one by one, and in batches if one takes about ns.
func (l *latency) sample(d *Decider, ns float64) {
	start := time.Now()
	for range latencyDecisions {
		began := time.Since(start)
		d.parallel(1, 1)
		record(l.singles, int64(time.Since(start)-began))
	}
	if ns >= clocksPerDecision*float64(clockNS()) {
		return
	}
	if l.batch == 1 {
		for float64(l.batch)*ns < clocksPerDecision*float64(clockNS()) {
			l.batch *= 2
		}
	}
	for range latencyDecisions / l.batch {
		began := time.Since(start)
		d.parallel(1, int64(l.batch))
		record(l.batches, int64(time.Since(start)-began))
	}
}

// quantiles returns nil if nothing was timed.
func (l *latency) quantiles() *results.Latency {
	if l.singles.TotalCount() == 0 {
		return nil
	}
	q := &results.Latency{Batch: 1, ClockNS: clockNS(), Decisions: l.singles.TotalCount(), Max: float64(l.singles.Max())}
	h := l.singles
	if l.batches.TotalCount() > 0 {
		h, q.Batch = l.batches, l.batch
	}
	at := func(quantile float64) float64 {
		return float64(min(max(h.ValueAtQuantile(quantile), h.Min()), h.Max())) / float64(q.Batch)
	}
	q.P50, q.P90, q.P99, q.P999 = at(50), at(90), at(99), at(99.9)
	return q
}
