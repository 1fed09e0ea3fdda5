// Package cost measures what a limiter costs: the time of a decision, from one client to ten million, alone and on all
// cores; the longest one; the memory of a client; what it leaves to the garbage collector.
//
// It is the one package of measurement that reads a clock. Whatever is compared is measured in turns, round by round, so
// that a machine that changes its speed meanwhile does so for all, and every figure comes with what was really done:
// how many clients asked, how much was refused.
package cost

import (
	"fmt"
	"math/rand/v2"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/keyed"
)

// A Contestant is a limiter of many clients, ready to be made.
type Contestant struct {
	Name  string
	Limit limiter.Limit

	// New makes it under some limit. It reads its own clock.
	New func(limiter.Limit) (limiter.Keyed, error)

	// Told says that what New makes is a *keyed.Limiter[string], which can be told the time.
	Told bool

	spec limiter.Spec
}

// Baseline is the name of the contestant that admits all and keeps nothing: what the measurement itself costs.
const Baseline = "allow-all"

type baseline struct{}

func (baseline) Allow(key string) bool { return key[0] != 0 }

// NewContestant returns the contestant of a spec under the run's limit: an algorithm of package limiter in the keyed form,
// or somebody else's library. It fails for what can't be called in this process.
func NewContestant(spec limiter.Spec, run limiter.Limit) (Contestant, error) {
	c := Contestant{Name: spec.String(), Limit: run, spec: spec}
	if limits := spec.Limits(run); len(limits) == 1 {
		c.Limit = limits[0]
	}
	foreign, ok := spec.Foreign()
	switch {
	case ok && foreign.Keyed == nil:
		return Contestant{}, fmt.Errorf("%s can't be measured here: it is no library of this program", spec)
	case ok:
		c.New = foreign.Keyed
	case c.Name == Baseline:
		c.New = func(limiter.Limit) (limiter.Keyed, error) { return baseline{}, nil }
	default:
		c.Told = true
		c.New = func(l limiter.Limit) (limiter.Keyed, error) { return newKeyed[string](spec, l, nil) }
	}
	return c, nil
}

// newKeyed makes the keyed form for as many clients as there are.
func newKeyed[K keyed.Key](spec limiter.Spec, run limiter.Limit, clock func() int64) (*keyed.Limiter[K], error) {
	return keyed.New[K](spec, run, keyed.Options{MaxClients: -1, Clock: clock})
}

// A Load is under which conditions time is measured.
type Load struct {
	Keys    int64
	Order   string // of the clients: Orders
	Refused string // Refusals
	Clock   string // Clocks
}

// What a Load may be made of.
var (
	Orders   = []string{"uniform", "zipf"}
	Refusals = []string{"asis", "none", "half", "all"}
	Clocks   = []string{"own", "told", "batch"}
)

func (l Load) String() string {
	return fmt.Sprintf("%d keys, %s, refused %s, clock %s", l.Keys, l.Order, l.Refused, l.Clock)
}

// Possible reports whether a contestant can be measured so: only ours can be told the time.
func (l Load) Possible(c *Contestant) bool { return l.Clock == "own" || c.Told }

// Options say how much is measured.
type Options struct {
	Rounds   int           // how often all are measured in turn; at least 6 for a 95 % interval
	SampleNS int64         // about how long one measurement takes
	Seed     uint64        // of the orders
	Progress func(n int64) // told of measurements done; may be nil
}

func (o *Options) tell() {
	if o.Progress != nil {
		o.Progress(1)
	}
}

// shuffled returns 0 to n-1 in another order for each round, so that nobody always comes after the same one.
func shuffled(n int, seed uint64, round int) []int {
	return rand.New(rand.NewPCG(seed, uint64(round))).Perm(n)
}

// appendKey appends the text of client i: an IPv4 address. Neighbours in number are strangers in text.
func appendKey(b []byte, i uint32) []byte {
	i = i*2654435761 + 12345 // odd: one to one
	for shift := 24; shift >= 0; shift -= 8 {
		b = appendByte(b, byte(i>>shift))
		if shift > 0 {
			b = append(b, '.')
		}
	}
	return b
}

func appendByte(b []byte, v byte) []byte {
	if v >= 100 {
		b = append(b, '0'+v/100)
	}
	if v >= 10 {
		b = append(b, '0'+v/10%10)
	}
	return append(b, '0'+v%10)
}
