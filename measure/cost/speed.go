package cost

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/perf/benchmath"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/keyed"
	"github.com/rlbench/rlbench/results"
)

// Speed measures every contestant under every load, with one goroutine and, where there are more cores, with as many as
// there are, and returns each contestant's lines in the order of the loads, and how long the reference took meanwhile. When
// the context ends it returns what was measured so far, together with the context's error.
//
// In each round each contestant is made anew, told all clients and then measured, in an order of its own; a collection
// before and a hundredth of the sample as warm-up are not counted.
func Speed(ctx context.Context, contestants []Contestant, loads []Load, o Options) (speeds map[string][]results.Speed, reference []float64, err error) {
	lines := newLines(contestants, loads)
	for round := range o.Rounds {
		for _, load := range loads {
			s := NewStream(load.Keys, load.Order, o.Seed)
			reference = append(reference, referenceNS())
			for _, i := range shuffled(len(contestants), o.Seed, round) {
				c := &contestants[i]
				if !load.Possible(c) {
					continue
				}
				if ctx.Err() != nil {
					return summed(lines), reference, ctx.Err()
				}
				if err := lines.measure(c, load, s, o); err != nil {
					return nil, nil, fmt.Errorf("%s: %w", c.Name, err)
				}
				o.tell()
			}
		}
	}
	return summed(lines), reference, nil
}

// Samples returns how many measurements Speed makes, for a progress bar.
func Samples(contestants []Contestant, loads []Load, o Options) (n int64) {
	for i := range contestants {
		for _, load := range loads {
			if load.Possible(&contestants[i]) {
				n += int64(o.Rounds)
			}
		}
	}
	return n
}

type lineKey struct {
	contestant string
	load       Load
	goroutines int
}

// A line gathers the samples of one contestant under one load.
type line struct {
	key      lineKey
	count    int64 // decisions of one sample
	ns       []float64
	refused  int64
	requests int64
	distinct int64
	allocs   uint64
	latency  latency
}

type lines struct {
	all   []*line
	index map[lineKey]*line
}

func newLines(contestants []Contestant, loads []Load) *lines {
	l := &lines{index: map[lineKey]*line{}}
	for i := range contestants {
		for _, load := range loads {
			if !load.Possible(&contestants[i]) {
				continue
			}
			for _, g := range goroutines() {
				line := &line{key: lineKey{contestants[i].Name, load, g}, latency: newLatency()}
				l.all, l.index[line.key] = append(l.all, line), line
			}
		}
	}
	return l
}

func goroutines() []int {
	if n := runtime.GOMAXPROCS(0); n > 1 {
		return []int{1, n}
	}
	return []int{1}
}

// measure takes one sample for each number of goroutines.
func (l *lines) measure(c *Contestant, load Load, s *Stream, o Options) error {
	limit := c.Limit
	if load.Refused != "asis" {
		var err error
		if limit, err = limitFor(c, load, s); err != nil {
			return err
		}
	}
	d, err := newDecider(c, load, limit, s)
	if err != nil {
		return err
	}
	if load.Refused == "half" {
		d.settle(limit.Window, load.Clock != "own")
	}
	for _, g := range goroutines() {
		line := l.index[lineKey{c.Name, load, g}]
		if line.count == 0 {
			line.count = calibrate(d, g, o.SampleNS)
		}
		runtime.GC()
		line.sample(d, g, s)
		if g == 1 && load.Clock == "own" {
			line.latency.sample(d, line.ns[len(line.ns)-1])
		}
	}
	return nil
}

// settle goes on for two windows, by the time that the limiter goes by, until admissions of the past count as they will.
func (d *Decider) settle(window int64, told bool) {
	if told {
		d.parallel(1, 2*window/toldStep)
		return
	}
	for began := time.Now(); time.Since(began) < 2*time.Duration(window); {
		d.parallel(1, 1<<12)
	}
}

// calibrate returns how many decisions take about that long, a power of two.
func calibrate(d *Decider, goroutines int, ns int64) int64 {
	for n := int64(1 << 10); ; n *= 2 {
		began := time.Now()
		d.parallel(goroutines, n)
		if took := int64(time.Since(began)); took >= ns/2 || n >= 1<<32 {
			return n
		}
	}
}

func (l *line) sample(d *Decider, goroutines int, s *Stream) {
	d.parallel(goroutines, l.count/100)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	admitted := d.parallel(goroutines, l.count)
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	done := l.count / int64(goroutines) * int64(goroutines)
	l.ns = append(l.ns, float64(took)/float64(done))
	l.refused += done - admitted
	l.requests += done
	l.allocs += after.Mallocs - before.Mallocs
	l.distinct = max(l.distinct, s.distinct(l.key.load.Keys, done))
}

// A Decider has one contestant decide the requests of a stream.
type Decider struct {
	stream *Stream
	decide func(n, from int, now int64) (admitted int64) // n requests from that one of the stream on; told times begin at now
	at     int
	now    int64
}

// NewDecider makes a contestant that knows all clients of the load, under its own limit.
func NewDecider(c Contestant, load Load, s *Stream) (*Decider, error) {
	return newDecider(&c, load, c.Limit, s)
}

// Decide makes n decisions with so many goroutines, which divide them, and returns how many requests were admitted.
func (d *Decider) Decide(goroutines int, n int64) (admitted int64) {
	rest := n % int64(goroutines)
	return d.parallel(goroutines, n-rest) + d.parallel(1, rest)
}

func newDecider(c *Contestant, load Load, limit limiter.Limit, s *Stream) (*Decider, error) {
	d := &Decider{stream: s}
	if load.Clock == "batch" {
		return d, d.batches(c, load, limit)
	}
	l, err := c.New(limit)
	if err != nil {
		return nil, err
	}
	var scratch []byte
	var key string
	var told *keyed.Limiter[string]
	if load.Clock == "told" {
		told = l.(*keyed.Limiter[string])
	}
	for i := range uint32(load.Keys) {
		if key, scratch = fresh(scratch, i); told != nil {
			told.AllowAt(key, 0, 1)
		} else {
			l.Allow(key)
		}
	}
	d.decide = func(n, from int, _ int64) (admitted int64) {
		keys := s.keys
		for i := from; n > 0; n-- {
			if i == len(keys) {
				i = 0
			}
			if l.Allow(keys[i]) {
				admitted++
			}
			i++
		}
		return admitted
	}
	if told != nil {
		d.decide = func(n, from int, now int64) (admitted int64) {
			keys := s.keys
			for i := from; n > 0; n-- {
				if i == len(keys) {
					i = 0
				}
				if now += toldStep; told.AllowAt(keys[i], now, 1) {
					admitted++
				}
				i++
			}
			return admitted
		}
	}
	return d, nil
}

// toldStep is the told time between two requests: 20 million a second.
const toldStep = 50

// batchSize is how many requests a batch call gets.
const batchSize = 1024

// batches prepares the batch call, by 64-bit keys.
func (d *Decider) batches(c *Contestant, load Load, limit limiter.Limit) error {
	l, err := newKeyed[uint64](c.spec, limit, nil)
	if err != nil {
		return err
	}
	for i := range uint32(load.Keys) {
		l.AllowAt(number(i), 0, 1)
	}
	s := d.stream
	d.decide = func(n, from int, now int64) (admitted int64) {
		var times [batchSize]int64
		var admit [batchSize]bool
		for n > 0 {
			k := min(n, batchSize, len(s.numbers)-from)
			for i := range k {
				now += toldStep
				times[i] = now
			}
			l.AllowBatch(s.numbers[from:from+k], times[:k], nil, admit[:k])
			for _, a := range admit[:k] {
				if a {
					admitted++
				}
			}
			n -= k
			if from += k; from == len(s.numbers) {
				from = 0
			}
		}
		return admitted
	}
	return nil
}

// parallel divides n requests among goroutines that begin together at different places of the stream.
func (d *Decider) parallel(goroutines int, n int64) (admitted int64) {
	if goroutines == 1 {
		admitted = d.decide(int(n), d.at, d.now)
		d.now += n * toldStep
		d.at = (d.at + int(n)) % len(d.stream.keys)
		return admitted
	}
	var wg sync.WaitGroup
	sums := make([]int64, goroutines*8) // a cache line each
	for g := range goroutines {
		wg.Go(func() {
			sums[g*8] = d.decide(int(n)/goroutines, (d.at+g*len(d.stream.keys)/goroutines)%len(d.stream.keys), d.now)
		})
	}
	wg.Wait()
	d.now += n / int64(goroutines) * toldStep
	d.at = (d.at + int(n)/goroutines) % len(d.stream.keys)
	for g := range goroutines {
		admitted += sums[g*8]
	}
	return admitted
}

// limitFor returns a limit under which about the wanted share is refused.
func limitFor(c *Contestant, load Load, s *Stream) (limiter.Limit, error) {
	free := limiter.Limit{Max: 250_000, Window: int64(time.Second)}
	if load.Keys < 100 {
		free.Window = 5 * int64(time.Millisecond)
	}
	switch load.Refused {
	case "none":
		return free, nil
	case "all":
		return limiter.Limit{Max: 1, Window: int64(time.Hour)}, nil
	}
	d, err := newDecider(c, load, free, s)
	if err != nil {
		return limiter.Limit{}, err
	}
	n := calibrate(d, 1, int64(20*time.Millisecond))
	began := time.Now()
	d.parallel(1, n)
	perKey := float64(n) / time.Since(began).Seconds() / float64(load.Keys)
	if load.Clock != "own" {
		perKey = 1e9 / toldStep / float64(load.Keys)
	}
	window := max(0.005, 10/perKey) // ten requests of a client or more
	return limiter.Limit{Max: int64(math.Ceil(perKey * window / 2)), Window: int64(window * 1e9)}, nil
}

// summed turns samples into lines.
func summed(l *lines) map[string][]results.Speed {
	all := map[string][]results.Speed{}
	for _, line := range l.all {
		if len(line.ns) == 0 {
			continue
		}
		k := line.key
		s := results.Speed{
			Keys: k.load.Keys, Order: k.load.Order, Refused: k.load.Refused, Clock: k.load.Clock, Goroutines: k.goroutines,
			Distinct: line.distinct, Requests: line.requests, SampleRequests: line.count,
			RefusedShare: float64(line.refused) / float64(line.requests),
			AllocsPerOp:  float64(line.allocs) / float64(line.requests),
			Samples:      line.ns,
		}
		s.NsPerOp, s.NsPerOpCI = Median(line.ns)
		s.Latency = line.latency.quantiles()
		all[k.contestant] = append(all[k.contestant], s)
	}
	return all
}

// Median returns the median and its 95 % interval, which takes six samples or more.
func Median(samples []float64) (median float64, ci *results.CI) {
	sample := benchmath.NewSample(slices.Clone(samples), &benchmath.DefaultThresholds)
	summary := benchmath.AssumeNothing.Summary(sample, 0.95)
	if !math.IsInf(summary.Lo, 0) && !math.IsInf(summary.Hi, 0) && summary.Confidence >= 0.95 {
		ci = &results.CI{summary.Lo, summary.Hi}
	}
	return summary.Center, ci
}

// referenceNS times a step of a fixed piece of arithmetic: how far several such times lie apart is the machine's own noise.
func referenceNS() float64 {
	const steps = 1 << 22
	began, x := time.Now(), uint64(1)
	for range steps {
		x = x*6364136223846793005 + 1442695040888963407
	}
	took := time.Since(began)
	if x == 0 { // never: keeps the loop
		took++
	}
	return float64(took) / steps
}
