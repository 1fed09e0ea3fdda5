package gunzip

import (
	"encoding/binary"
	"math/bits"
)

const (
	maxLiterals = 288
	maxDists    = 32
	maxBits     = 15 // of a code
)

// An entry of a table says what a code stands for:
//
//	bits 0-7    the length of the code; 0 for bits that no code begins with
//	bits 8-11   how many extra bits follow
//	bits 13-15  the kind
//	bits 16-31  the literal, the base of the length or distance, or where the subtable begins
const (
	isLiteral = 1 << 15
	isEnd     = 1 << 14
	isSub     = 1 << 13
)

const (
	tableBits = 11 // that the first level is indexed by
	subBits   = maxBits - tableBits
)

// A table decodes a Huffman code. Longer codes than tableBits go on in a subtable.
type table struct {
	entries [1<<tableBits + maxLiterals<<subBits]uint32
}

// look returns the entry of the code that the bits begin with.
func (t *table) look(b uint64) uint32 {
	e := t.entries[b&(1<<tableBits-1)]
	if e&isSub != 0 {
		e = t.entries[uint64(e>>16)+b>>tableBits&(1<<subBits-1)]
	}
	return e
}

// build makes the table of a canonical code, given by the lengths of its symbols' codes. Like other decoders it takes only
// complete codes, one code of one bit, and none at all.
func (t *table) build(lengths []uint8, symbols []uint32) bool {
	var count [maxBits + 1]int
	longest := 0
	for _, n := range lengths {
		count[n]++
		longest = max(longest, int(n))
	}
	clear(t.entries[:1<<tableBits])
	if longest == 0 {
		return true
	}
	var next [maxBits + 2]int
	code := 0
	for n := 1; n <= longest; n++ {
		next[n] = code
		code += count[n]
		if code > 1<<n {
			return false
		}
		code <<= 1
	}
	if code >>= 1; code != 1<<longest && !(longest == 1 && code == 1) {
		return false
	}
	free := 1 << tableBits // where the next subtable begins
	for symbol, n := range lengths {
		if n == 0 {
			continue
		}
		reversed := int(bits.Reverse16(uint16(next[n])) >> (16 - n))
		next[n]++
		e := symbols[symbol] | uint32(n)
		if n <= tableBits {
			for i := reversed; i < 1<<tableBits; i += 1 << n {
				t.entries[i] = e
			}
			continue
		}
		first := &t.entries[reversed&(1<<tableBits-1)]
		if *first == 0 {
			*first = uint32(free)<<16 | isSub
			clear(t.entries[free : free+1<<subBits])
			free += 1 << subBits
		}
		sub := t.entries[*first>>16:]
		for i := reversed >> tableBits; i < 1<<subBits; i += 1 << (n - tableBits) {
			sub[i] = e
		}
	}
	return true
}

// literalSymbols and distSymbols are entries without the lengths of their codes; those of symbols that must not occur are 0.
var (
	literalSymbols [maxLiterals]uint32
	distSymbols    [maxDists]uint32
	lengthSymbols  [19]uint32 // of the code that codes the lengths of codes
	fixedLiterals  table
	fixedDists     table
)

func init() {
	for i := range 256 {
		literalSymbols[i] = isLiteral | uint32(i)<<16
	}
	literalSymbols[256] = isEnd
	base := uint32(3)
	for i := range 28 {
		extra := uint32(max(i/4-1, 0))
		literalSymbols[257+i] = base<<16 | extra<<8
		base += 1 << extra
	}
	literalSymbols[285] = 258 << 16
	base = 1
	for i := range 30 {
		extra := uint32(max(i/2-1, 0))
		distSymbols[i] = base<<16 | extra<<8
		base += 1 << extra
	}
	for i := range lengthSymbols {
		lengthSymbols[i] = uint32(i) << 16
	}
	var lengths [maxLiterals]uint8
	for i := range lengths {
		switch {
		case i < 144:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		case i < 280:
			lengths[i] = 7
		default:
			lengths[i] = 8
		}
	}
	fixedLiterals.build(lengths[:], literalSymbols[:])
	for i := range maxDists {
		lengths[i] = 5
	}
	fixedDists.build(lengths[:maxDists], distSymbols[:])
}

func (r *Reader) blockHeader() error {
	head, err := r.take(3)
	if err != nil {
		return err
	}
	r.final = head&1 == 1
	switch head >> 1 {
	case 0:
		r.align()
		var size [4]byte
		for i := range size {
			if size[i], err = r.byte(); err != nil {
				return r.ended()
			}
		}
		n := binary.LittleEndian.Uint16(size[:])
		if n != ^binary.LittleEndian.Uint16(size[2:]) {
			return errCorrupt
		}
		r.stored, r.block = int(n), (*Reader).copyStored
	case 1:
		r.literals, r.dists, r.block = &fixedLiterals, &fixedDists, (*Reader).inflate
	case 2:
		r.literals, r.dists, r.block = &r.dynamic[0], &r.dynamic[1], (*Reader).inflate
		return r.readCodes()
	default:
		return errCorrupt
	}
	return nil
}

func (r *Reader) copyStored() error {
	if r.stored == 0 {
		r.block = nil
		return nil
	}
	r.fill(1)
	n := copy(r.out[r.to:outputSize], r.in[r.pos:min(r.pos+r.stored, r.end)])
	if n == 0 {
		return r.ended()
	}
	r.pos, r.to, r.stored = r.pos+n, r.to+n, r.stored-n
	return nil
}

// lengthOrder is the order in which the lengths of the code of lengths are given.
var lengthOrder = [...]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// readCodes reads the codes of a block that brings its own.
func (r *Reader) readCodes() error {
	head, err := r.take(14)
	if err != nil {
		return err
	}
	literals, dists, n := int(head&31)+257, int(head>>5&31)+1, int(head>>10)+4
	if literals > 286 || dists > 30 {
		return errCorrupt
	}
	var short [19]uint8
	for _, i := range lengthOrder[:n] {
		v, err := r.take(3)
		if err != nil {
			return err
		}
		short[i] = uint8(v)
	}
	t := &r.dynamic[0]
	if !t.build(short[:], lengthSymbols[:]) {
		return errCorrupt
	}
	lengths := r.lengths[:literals+dists]
	for i := 0; i < len(lengths); {
		r.refill()
		e := t.look(r.bits)
		if e&0xff == 0 {
			return r.corrupt()
		}
		if _, err := r.take(uint(e & 0xff)); err != nil {
			return err
		}
		symbol, repeat, value := e>>16, uint32(1), uint8(e>>16)
		switch symbol {
		case 16:
			if i == 0 {
				return errCorrupt
			}
			repeat, err = r.take(2)
			repeat, value = repeat+3, lengths[i-1]
		case 17:
			repeat, err = r.take(3)
			repeat, value = repeat+3, 0
		case 18:
			repeat, err = r.take(7)
			repeat, value = repeat+11, 0
		}
		if err != nil {
			return err
		}
		if int(repeat) > len(lengths)-i {
			return errCorrupt
		}
		for range repeat {
			lengths[i] = value
			i++
		}
	}
	if lengths[256] == 0 || !r.dynamic[0].build(lengths[:literals], literalSymbols[:]) || !r.dynamic[1].build(lengths[literals:], distSymbols[:]) {
		return errCorrupt
	}
	return nil
}

// corrupt is the error of bits that no code begins with: at the end of the input they may just be missing.
func (r *Reader) corrupt() error {
	if r.srcErr != nil && r.pos-int(r.nbits>>3)+2 > r.end {
		return r.ended()
	}
	return errCorrupt
}

// inflate decodes until the block ends or the output is full.
func (r *Reader) inflate() error {
	for r.to < outputSize {
		r.fill(padding)
		if r.end-r.pos >= padding {
			if done, err := r.inflateFast(); done || err != nil {
				return err
			}
			continue
		}
		if done, err := r.inflateOne(); done || err != nil {
			return err
		}
	}
	return nil
}

// inflateOne decodes one literal or match near the end of the input.
func (r *Reader) inflateOne() (done bool, err error) {
	r.refill()
	e := r.literals.look(r.bits)
	if e&0xff == 0 {
		return false, r.corrupt()
	}
	r.bits, r.nbits = r.bits>>(e&63), r.nbits-uint(e&63)
	switch {
	case r.over():
		return false, r.ended()
	case e&isLiteral != 0:
		r.out[r.to] = byte(e >> 16)
		r.to++
		return false, nil
	case e&isEnd != 0:
		r.block = nil
		return true, nil
	case e>>16 == 0:
		return false, errCorrupt
	}
	length, err := r.take(uint(e >> 8 & 15))
	if err != nil {
		return false, err
	}
	length += e >> 16
	r.refill()
	e = r.dists.look(r.bits)
	if e&0xff == 0 {
		return false, r.corrupt()
	}
	r.bits, r.nbits = r.bits>>(e&63), r.nbits-uint(e&63)
	if r.over() {
		return false, r.ended()
	}
	dist, err := r.take(uint(e >> 8 & 15))
	if err != nil {
		return false, err
	}
	if e>>16 == 0 || int(dist+e>>16) > r.to-r.member {
		return false, errCorrupt
	}
	r.to = repeat(r.out, r.to, int(dist+e>>16), int(length))
	return false, nil
}

// repeat copies length bytes from dist bytes before to. It may write up to 15 bytes beyond.
func repeat(out []byte, to, dist, length int) int {
	end := to + length
	if dist >= 16 {
		for from := to - dist; to < end; from, to = from+16, to+16 {
			*(*[16]byte)(out[to:]) = *(*[16]byte)(out[from:])
		}
		return end
	}
	for from := to - dist; to < end; {
		to += copy(out[to:end], out[from:to])
	}
	return end
}

// inflateFast decodes as long as there is plenty of input and output. done says that the block has ended.
func (r *Reader) inflateFast() (done bool, err error) {
	in, pos, last := r.in, r.pos, r.end-padding
	out, to := r.out, r.to
	b, n := r.bits, r.nbits
	literals, dists := r.literals, r.dists
loop:
	for pos <= last && to < outputSize {
		// 56 bits are enough for three literals, or for a match: 15+5 bits of length and 15+13 of distance.
		b |= binary.LittleEndian.Uint64(in[pos:]) << (n & 63)
		pos += int((63 - n) >> 3)
		n |= 56
		e := literals.look(b)
		if e&isLiteral != 0 {
			b, n = b>>(e&63), n-uint(e&63)
			out[to] = byte(e >> 16)
			to++
			if e = literals.look(b); e&isLiteral != 0 {
				b, n = b>>(e&63), n-uint(e&63)
				out[to] = byte(e >> 16)
				to++
				if e = literals.look(b); e&isLiteral != 0 {
					b, n = b>>(e&63), n-uint(e&63)
					out[to] = byte(e >> 16)
					to++
					continue
				}
			}
			b |= binary.LittleEndian.Uint64(in[pos:]) << (n & 63)
			pos += int((63 - n) >> 3)
			n |= 56
		}
		b, n = b>>(e&63), n-uint(e&63)
		if e&isEnd != 0 {
			r.block, done = nil, true
			break loop
		}
		if e>>16 == 0 {
			err = errCorrupt
			break loop
		}
		extra := e >> 8 & 15
		length := int(e>>16 + uint32(b&(1<<extra-1)))
		b, n = b>>extra, n-uint(extra)
		e = dists.look(b)
		b, n = b>>(e&63), n-uint(e&63)
		extra = e >> 8 & 15
		dist := int(e>>16 + uint32(b&(1<<extra-1)))
		b, n = b>>extra, n-uint(extra)
		if e>>16 == 0 || dist > to-r.member {
			err = errCorrupt
			break loop
		}
		to = repeat(out, to, dist, length)
	}
	r.pos, r.to, r.bits, r.nbits = pos, to, b, n
	return done, err
}
