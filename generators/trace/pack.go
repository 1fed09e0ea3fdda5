package trace

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Requests on their way from a log to their shard are packed in segments, each with the requests of one block and one shard in
// input order:
//
//	uvarint  number of requests
//	byte     the unit of times, 10^n ns, and 16 if costs follow
//	varint   the first time, in units
//	then for each request: uvarint key length, key, varint units since the request before it [, uvarint cost]
const withCosts = 16

// mostShards is what packing can number.
const mostShards = 1 << 14

// A division says which clients take part and how they are divided into shards: by ranges of the hash of their keys, so that the
// shards of any division follow one another in the order of hashes.
type division struct {
	part, parts uint64 // only part of parts; 0 of 0 is all
	shards      uint64
	only        string // only the client of this key; "" is all
}

// place returns the client's shard, or shards if it takes no part. Apart from only, it ascends with the hash within a part.
func (d *division) place(hash uint64, key []byte) uint64 {
	if d.only != "" && string(key) != d.only {
		return d.shards
	}
	if d.parts > 1 {
		part, within := bits.Mul64(hash, d.parts)
		if part != d.part {
			return d.shards
		}
		hash = within
	}
	shard, _ := bits.Mul64(hash, d.shards)
	return shard
}

// position numbers the shards of all parts in the order of hashes.
func (d *division) position(hash uint64) uint64 {
	part, within := uint64(0), hash
	if d.parts > 1 {
		part, within = bits.Mul64(hash, d.parts)
	}
	shard, _ := bits.Mul64(within, d.shards)
	return part*d.shards + shard
}

// A packed is what the requests of a block came to: their segments, one after the other, and their sums.
type packed struct {
	segments []byte
	ends     []int   // of each shard's segment; an empty one has no bytes
	counts   []int32 // requests of each shard
	places   []uint16
	order    []int32 // requests by shard

	begin           int64 // the time of the first request
	first, last     int64 // the earliest and the latest
	resolution      int64
	late, worstBack int64 // as if begin were the first time of the file
	digest          uint64
	costly          bool
}

// pack packs what l holds.
func (p *packed) pack(l *lines, d *division) {
	p.segments = p.segments[:0]
	p.ends = append(p.ends[:0], make([]int, d.shards)...)
	p.counts = append(p.counts[:0], make([]int32, d.shards+1)...)
	p.costly = false
	if len(l.times) == 0 {
		return
	}
	p.sum(l)
	p.sort(l, d)
	p.encode(l)
}

// sum adds up what does not depend on who takes part.
func (p *packed) sum(l *lines) {
	p.begin, p.first, p.last, p.resolution = l.times[0], l.times[0], l.times[0], 1e9
	p.late, p.worstBack = 0, 0
	most, digest := l.times[0], uint64(0)
	for i, t := range l.times {
		if t < most {
			p.late++
			p.worstBack = max(p.worstBack, stepBack(most, t))
			p.first = min(p.first, t)
		}
		most = max(most, t)
		for t%p.resolution != 0 {
			p.resolution /= 10
		}
		cost := int64(1)
		if len(l.costs) > 0 {
			cost = l.costs[i]
			p.costly = p.costly || cost != 1
		}
		digest += requestDigest(l.hashes[i], t, cost)
	}
	p.last, p.digest = most, digest
}

// requestDigest mixes what a request is into 64 bits.
func requestDigest(hash uint64, t, cost int64) uint64 {
	h := (hash ^ uint64(t)*0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>29 + uint64(cost)) * 0x94d049bb133111eb
	return h ^ h>>32
}

// sort orders the requests by shard.
func (p *packed) sort(l *lines, d *division) {
	n := len(l.times)
	if cap(p.places) < n {
		p.places, p.order = make([]uint16, n+n/2), make([]int32, n+n/2)
	}
	p.places, p.order = p.places[:n], p.order[:n]
	if d.only == "" && d.parts <= 1 {
		for i, hash := range l.hashes {
			shard, _ := bits.Mul64(hash, d.shards)
			p.places[i] = uint16(shard)
			p.counts[shard]++
		}
	} else {
		from := 0
		for i, hash := range l.hashes {
			shard := d.place(hash, l.keys[from:l.ends[i]])
			from = l.ends[i]
			p.places[i] = uint16(shard)
			p.counts[shard]++
		}
	}
	next := int32(0)
	starts := p.ends // for a while
	for s := range starts {
		starts[s] = int(next)
		next += p.counts[s]
	}
	for i, s := range p.places {
		if int(s) < len(starts) {
			p.order[starts[s]] = int32(i)
			starts[s]++
		}
	}
}

// encode writes the segments.
func (p *packed) encode(l *lines) {
	const most = 3 * binary.MaxVarintLen64 // of a request, and of a segment's head
	if size := len(l.keys) + most*(len(l.times)+len(p.ends)); cap(p.segments) < size {
		p.segments = make([]byte, size)
	}
	out := p.segments[:cap(p.segments)]
	unit := p.resolution
	if p.last-p.first < 0 { // distances overflow, and wrap only if whole nanoseconds count
		unit = 1
	}
	n, order := 0, p.order
	for s := range p.ends {
		if count := int(p.counts[s]); count > 0 {
			n += binary.PutUvarint(out[n:], uint64(count))
			out[n] = exponent(unit)
			if p.costly {
				out[n] |= withCosts
			}
			n++
			before := l.times[order[0]]
			n += binary.PutVarint(out[n:], before/unit)
			for _, i := range order[:count] {
				from := 0
				if i > 0 {
					from = l.ends[i-1]
				}
				key := l.keys[from:l.ends[i]]
				n += putUvarint(out[n:], uint64(len(key)))
				n += copy(out[n:], key)
				if t := l.times[i]; t == before {
					out[n] = 0
					n++
				} else {
					n += binary.PutVarint(out[n:], (t-before)/unit)
					before = t
				}
				if p.costly {
					n += putUvarint(out[n:], uint64(l.costs[i]))
				}
			}
			order = order[count:]
		}
		p.ends[s] = n
	}
	p.segments = out[:n]
}

func putUvarint(b []byte, v uint64) int {
	if v < 0x80 {
		b[0] = byte(v)
		return 1
	}
	return binary.PutUvarint(b, v)
}

// exponent returns n for 10^n.
func exponent(unit int64) (n byte) {
	for ; unit > 1; unit /= 10 {
		n++
	}
	return n
}

// lateAfter returns how many of the block's requests are late, and the worst step back, when most is the largest time of the
// file before it.
func (p *packed) lateAfter(most int64, times []int64) (late, worstBack int64) {
	if most <= p.begin {
		return p.late, p.worstBack
	}
	for _, t := range times {
		if t < most {
			late++
			worstBack = max(worstBack, stepBack(most, t))
		} else {
			most = t
		}
	}
	return late, worstBack
}

// A segmentReader unpacks segments.
type segmentReader struct {
	data  []byte
	left  int
	unit  int64
	costs bool
	time  int64
}

// next returns the next request. ok is false at the end of the data, or where it is damaged.
func (r *segmentReader) next() (key []byte, t, cost int64, ok bool) {
	if r.left == 0 && !r.head() {
		return nil, 0, 0, false
	}
	r.left--
	n, size := uvarint(r.data)
	if size <= 0 || n > uint64(len(r.data)-size) {
		return nil, 0, 0, false
	}
	key, r.data = r.data[size:size+int(n)], r.data[size+int(n):]
	delta, size := uvarint(r.data)
	if size <= 0 {
		return nil, 0, 0, false
	}
	r.data = r.data[size:]
	if delta != 0 {
		r.time += zigzag(delta) * r.unit
	}
	cost = 1
	if r.costs {
		n, size := uvarint(r.data)
		if size <= 0 {
			return nil, 0, 0, false
		}
		cost, r.data = int64(n), r.data[size:]
	}
	return key, r.time, cost, true
}

// head reads the head of a segment.
func (r *segmentReader) head() bool {
	n, size := uvarint(r.data)
	if size <= 0 || n == 0 || n > math.MaxInt32 || len(r.data) <= size {
		return false
	}
	flags := r.data[size]
	r.data = r.data[size+1:]
	r.costs = flags&withCosts != 0
	if flags &^= withCosts; int(flags) >= len(powers) {
		return false
	}
	r.unit = powers[flags]
	base, size := uvarint(r.data)
	if size <= 0 {
		return false
	}
	r.left, r.data = int(n), r.data[size:]
	r.time = zigzag(base) * r.unit
	return true
}

var powers = [...]int64{1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9}

func zigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

func uvarint(b []byte) (uint64, int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	return binary.Uvarint(b)
}
