package keyed

import (
	"encoding/binary"
	"math/bits"
)

// The log's times are a stream of half bytes (nibbles). A record is one admitted cost unit or more at one instant:
//
//	n delta                 cost 1, the n nibbles of delta ns after the record before, n <= 14
//	15 k cost-1  n delta    the same for a larger cost, k nibbles
//
// n and k take a nibble each, numbers come with their low nibble first. So a request takes half a byte if it is as old
// as the one before and 4.5 bytes if the one before is half a second older; nothing is rounded.

const (
	costMark = 15
	mostWait = 1<<56 - 1 // delta
)

// nibblesOf returns how many nibbles a number takes, 0 none.
func nibblesOf(v uint64) uint { return uint(bits.Len64(v)+3) / 4 }

// get returns the nibbles from pos on, up to 15 of them; the buffer must go on for 8 bytes.
func get(b []byte, pos uint) uint64 {
	return binary.LittleEndian.Uint64(b[pos/2:]) >> (4 * (pos & 1))
}

// put writes the lowest n nibbles of v, at most 15, and leaves its neighbours as they are.
func put(b []byte, pos uint, v uint64, n uint) {
	b = b[pos/2:]
	shift := 4 * (pos & 1)
	mask := (uint64(1)<<(4*n) - 1) << shift
	binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)&^mask|v<<shift&mask)
}

// A record and how many nibbles it takes.
type record struct {
	delta uint64
	cost  int64
	size  uint
}

func readRecord(b []byte, pos uint) record {
	r := record{cost: 1}
	v := get(b, pos)
	if v&15 == costMark {
		k := uint(v >> 4 & 15)
		r.cost = int64(v>>8&(1<<(4*k)-1)) + 1
		r.size = 2 + k
		v = get(b, pos+r.size)
	}
	n := uint(v & 15)
	r.delta = v >> 4 & (1<<(4*n) - 1)
	r.size += 1 + n
	return r
}

func recordSize(delta uint64, cost int64) uint {
	size := 1 + nibblesOf(delta)
	if cost > 1 {
		size += 2 + nibblesOf(uint64(cost-1))
	}
	return size
}

func writeRecord(b []byte, pos uint, delta uint64, cost int64) {
	if cost > 1 {
		k := nibblesOf(uint64(cost - 1))
		put(b, pos, uint64(cost-1)<<8|uint64(k)<<4|costMark, 2+k)
		pos += 2 + k
	}
	n := nibblesOf(delta)
	put(b, pos, delta<<4|uint64(n), 1+n)
}

// fullNibbles is the most that limit records of cost 1 can take: their deltas add up to at most the window, and the dearest
// way to divide it gives them all as many nibbles as it lasts for, and some one more.
func fullNibbles(limit, window uint64) uint64 {
	least := func(n uint) uint64 { // delta of n nibbles
		if n == 0 {
			return 0
		}
		return 1 << (4 * (n - 1))
	}
	total, left := limit, window
	for n := uint(1); n <= 14; n++ {
		step := least(n) - least(n-1)
		longer := min(limit, left/step)
		total += longer
		left -= longer * step
		if longer < limit {
			break
		}
	}
	return total
}
