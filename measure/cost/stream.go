package cost

import (
	"math/rand/v2"
	"strings"
)

// A Stream is who asks, in order, with the keys laid out in that order, so that reading a key is no cache miss.
type Stream struct {
	clients []uint32
	keys    []string
	numbers []uint64 // the same clients by 64-bit keys
}

// streamLength is how many requests a stream has before it begins anew.
const streamLength = 1 << 20

// zipfS is the exponent of the zipf order: the k-th most frequent client asks in proportion to k^-1.1.
const zipfS = 1.1

// NewStream returns one of so many clients in one of Orders.
func NewStream(keys int64, order string, seed uint64) *Stream {
	n := streamLength
	if keys <= 1000 {
		n = 1 << 16
	}
	rng := rand.New(rand.NewPCG(seed, uint64(keys)))
	next := func() uint32 { return uint32(rng.Uint64N(uint64(keys))) }
	if order == "zipf" {
		zipf := rand.NewZipf(rng, zipfS, 1, uint64(keys-1))
		scattered := rng.Perm(int(keys))
		next = func() uint32 { return uint32(scattered[zipf.Uint64()]) }
	}
	s := &Stream{clients: make([]uint32, n), keys: make([]string, n), numbers: make([]uint64, n)}
	var text []byte
	ends := make([]int, n)
	for i := range s.clients {
		c := next()
		s.clients[i] = c
		s.numbers[i] = number(c)
		text = appendKey(text, c)
		ends[i] = len(text)
	}
	all := string(text)
	begin := 0
	for i, end := range ends {
		s.keys[i] = all[begin:end]
		begin = end
	}
	return s
}

// number is the 64-bit key of a client, spread over the whole range.
func number(c uint32) uint64 { return (uint64(c) + 1) * 0x9e3779b97f4a7c15 }

// distinct returns how many clients ask within the first n requests.
func (s *Stream) distinct(keys, n int64) (count int64) {
	seen := make([]uint64, keys/64+1)
	for _, c := range s.clients[:min(n, int64(len(s.clients)))] {
		if seen[c/64]>>(c%64)&1 == 0 {
			seen[c/64] |= 1 << (c % 64)
			count++
		}
	}
	return count
}

// fresh returns a copy of a client's key, as every request brings one.
func fresh(scratch []byte, c uint32) (string, []byte) {
	scratch = appendKey(scratch[:0], c)
	return strings.Clone(string(scratch)), scratch
}
