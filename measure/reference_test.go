package measure_test

import (
	"math"
	"math/rand/v2"
	"testing"
)

// plain is what the engine is measured against: the same work written down the obvious way, one client after another,
// ring buffers of times and floating-point errors. Nothing in it is clever and nothing is wrong.
type plain struct {
	limit, window int64

	counterAt, counterPrev, counterCur int64 // the counter
	log, own, all                      ring  // the exact log; what the counter admitted; all arrivals
	estAt, estPrev, estCur             int64 // the counter over all arrivals

	requests, overAdmitted, overRefused, looser, stricter, misjudged, peak int64
	errors, bias                                                           float64
}

type ring struct {
	times      []int64
	head, size int
}

func (r *ring) push(t int64) {
	if r.size == len(r.times) {
		grown := make([]int64, max(16, 2*len(r.times)))
		for i := range r.size {
			grown[i] = r.times[(r.head+i)%len(r.times)]
		}
		r.times, r.head = grown, 0
	}
	r.times[(r.head+r.size)&(len(r.times)-1)] = t
	r.size++
}

func (r *ring) dropBefore(t int64) {
	for r.size > 0 && r.times[r.head] < t {
		r.head = (r.head + 1) & (len(r.times) - 1)
		r.size--
	}
}

func roll(at, prev, cur *int64, index int64) {
	switch index - *at {
	case 0:
	case 1:
		*prev, *cur = *cur, 0
	default:
		*prev, *cur = 0, 0
	}
	*at = index
}

func (p *plain) request(t, first int64) {
	index := t / p.window
	rest := p.window - t%p.window
	roll(&p.counterAt, &p.counterPrev, &p.counterCur, index)
	counter := p.counterPrev*rest+(p.counterCur+1)*p.window <= p.limit*p.window
	if counter {
		p.counterCur++
	}
	p.log.dropBefore(t - p.window)
	log := int64(p.log.size) < p.limit
	if log {
		p.log.push(t)
	}
	p.own.dropBefore(t - p.window)
	fits := int64(p.own.size)+1 <= p.limit
	if counter {
		p.own.push(t)
	}
	p.all.dropBefore(t - p.window)
	p.all.push(t)
	real := float64(p.all.size)
	roll(&p.estAt, &p.estPrev, &p.estCur, index)
	p.estCur++
	est := float64(p.estPrev)*float64(rest)/float64(p.window) + float64(p.estCur)

	p.requests++
	p.peak = max(p.peak, int64(p.own.size))
	switch {
	case counter && !fits:
		p.overAdmitted++
	case !counter && fits:
		p.overRefused++
	}
	switch {
	case counter && !log:
		p.looser++
	case !counter && log:
		p.stricter++
	}
	if (est > float64(p.limit)) != (real > float64(p.limit)) {
		p.misjudged++
	}
	if t-first >= p.window {
		p.errors += math.Abs(est-real) / real
		p.bias += (est - real) / real
	}
}

func (p *plain) client(rng *rand.Rand, perWindow float64, span int64) {
	p.log.size, p.own.size, p.all.size = 0, 0, 0
	p.counterPrev, p.counterCur, p.estPrev, p.estCur = 0, 0, 0, 0
	gap := float64(p.window) / perWindow
	first := int64(-1)
	for t := int64(rng.ExpFloat64() * gap); t < span; t += int64(rng.ExpFloat64() * gap) {
		if first < 0 {
			first = t
		}
		p.request(t, first)
	}
}

// BenchmarkPlain is the plain program on the traffic of BenchmarkRun; compare the two in one run, by their ns/request.
func BenchmarkPlain(b *testing.B) {
	const window = int64(60e9)
	rng := rand.New(rand.NewPCG(1, 2))
	p := &plain{limit: 550, window: window}
	for p.requests < int64(b.N) {
		p.client(rng, 27*math.Exp(0.8*rng.NormFloat64()-0.32), 55*window)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(p.requests), "ns/request")
}
