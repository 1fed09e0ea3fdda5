package cost

import (
	"time"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/results"
)

// Stall looks for the longest decision while clients come and go: for so many seconds of traffic, under a window of half a
// second, new clients arrive all the time and old ones leave, about as many as given at once. The machine itself is
// measured in turns with it, every few milliseconds.
func Stall(c Contestant, clients int64, seconds float64) (results.Stall, error) {
	const window = int64(time.Second / 2)
	l, err := c.New(limiter.Limit{Max: c.Limit.Max, Window: window})
	if err != nil {
		return results.Stall{}, err
	}
	s := results.Stall{Clients: clients}
	keys := newKeys(clients)
	var machine limiter.Keyed = baseline{}
	start := time.Now()
	total := time.Duration(seconds * float64(time.Second))
	// In a second the clients of one window and its successor come once each.
	for begin := time.Duration(0); begin < total; begin = time.Since(start) {
		const slice = 2048
		from := int64(float64(begin) / float64(2*window) * float64(clients))
		longest := int64(0)
		for i := range int64(slice) {
			key := keys.of(from + i*clients/slice)
			began := time.Since(start)
			l.Allow(key)
			longest = max(longest, int64(time.Since(start)-began))
		}
		s.LongestNS = max(s.LongestNS, longest)
		s.Decisions += slice
		longest = 0
		for i := range int64(slice) {
			key := keys.of(from + i*clients/slice)
			began := time.Since(start)
			machine.Allow(key)
			longest = max(longest, int64(time.Since(start)-began))
		}
		s.MachineNS = max(s.MachineNS, longest)
	}
	return s, nil
}

// keys are the keys of a population that moves on: client n has the n-th, modulo four populations.
type keyRing []string

func newKeys(clients int64) keyRing {
	k := make(keyRing, 4*clients)
	var scratch []byte
	for i := range k {
		k[i], scratch = fresh(scratch, uint32(i))
	}
	return k
}

func (k keyRing) of(i int64) string { return k[i%int64(len(k))] }
