// Package gunzip decompresses gzip data (RFC 1951 and 1952) faster than general libraries do: it decodes with a 64-bit bit buffer
// and two-level tables, and copies in steps of 16 bytes. Compressed logs can't be read by several at once, so its speed is
// the speed of reading them.
package gunzip

import (
	"compress/gzip"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

const (
	inputSize  = 64 << 10
	padding    = 16       // readable zeros behind the input
	history    = 32 << 10 // how far back a match reaches
	outputSize = history + 256<<10
	slack      = 258 + 16 // the longest match, and what copying writes beyond it
)

var errCorrupt = errors.New("gzip: its compressed data is corrupt")

// A Reader decompresses one gzip file, of one or several members. Everything that was decompressed before an error is read before
// the error is.
type Reader struct {
	src    io.Reader
	srcErr error // io.EOF, or why src can't be read
	in     []byte
	pos    int // of the next byte that is not in bits
	end    int // of the input

	bits  uint64
	nbits uint // valid bits; bits above them are those of the bytes that follow, or 0

	out    []byte
	from   int // out[from:to] is not read yet
	to     int
	member int // where the member begins in out, or 0

	block    func(*Reader) error // what decodes the block at hand; nil between blocks
	final    bool                // it is the member's last
	stored   int                 // bytes of a stored block that are left
	crc      uint32
	size     uint32
	err      error
	literals *table
	dists    *table
	dynamic  [2]table
	lengths  [maxLiterals + maxDists]uint8
}

// NewReader reads the first member's header.
func NewReader(src io.Reader) (*Reader, error) {
	r := &Reader{src: src, in: make([]byte, inputSize+padding), out: make([]byte, outputSize+slack)}
	if err := r.header(); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return r, nil
}

// Read implements io.Reader. Data that ends early gives io.ErrUnexpectedEOF, data behind the last member that is no other
// one gzip.ErrHeader, and a wrong checksum or length gzip.ErrChecksum.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for r.from == r.to {
		if r.err != nil {
			return 0, r.err
		}
		r.err = r.step()
	}
	n := copy(p, r.out[r.from:r.to])
	r.from += n
	return n, nil
}

// step decompresses something, once all before it is read.
func (r *Reader) step() error {
	if r.to >= outputSize {
		r.member = max(r.member-(r.to-history), 0)
		copy(r.out, r.out[r.to-history:r.to])
		r.from, r.to = history, history
	}
	if r.block == nil {
		if r.final {
			return r.trailer()
		}
		return r.blockHeader()
	}
	begin := r.to
	err := r.block(r)
	r.crc = crc32.Update(r.crc, crc32.IEEETable, r.out[begin:r.to])
	r.size += uint32(r.to - begin)
	return err
}

// fill makes sure that there are n bytes of input, at most padding, unless it ends before.
func (r *Reader) fill(n int) {
	for r.end-r.pos < n && r.srcErr == nil {
		if r.pos > 8 { // the 8 bytes before pos may be in bits only, and be given back
			r.end = copy(r.in, r.in[r.pos-8:r.end])
			r.pos = 8
		}
		var k int
		k, r.srcErr = r.src.Read(r.in[r.end:inputSize])
		r.end += k
		clear(r.in[r.end : r.end+padding])
	}
}

// ended is why there is no more input.
func (r *Reader) ended() error {
	if r.srcErr == io.EOF || r.srcErr == nil {
		return io.ErrUnexpectedEOF
	}
	return r.srcErr
}

// refill makes at least 56 bits available, of which those behind the end of the input are 0.
func (r *Reader) refill() {
	if r.nbits >= 56 {
		return
	}
	r.fill(8)
	at := min(r.pos, r.end+padding-8) // beyond it there are zeros only
	r.bits |= binary.LittleEndian.Uint64(r.in[at:]) << r.nbits
	r.pos += int((63 - r.nbits) >> 3)
	r.nbits |= 56
}

// over reports whether bits were taken that the input does not have.
func (r *Reader) over() bool { return r.pos-int(r.nbits>>3) > r.end }

// take takes n bits, at most 32.
func (r *Reader) take(n uint) (v uint32, err error) {
	r.refill()
	v = uint32(r.bits & (1<<n - 1))
	r.bits, r.nbits = r.bits>>n, r.nbits-n
	if r.over() {
		return 0, r.ended()
	}
	return v, nil
}

// align goes to the next whole byte and gives buffered ones back to the input.
func (r *Reader) align() {
	r.pos -= int(r.nbits >> 3)
	r.bits, r.nbits = 0, 0
}

// byte returns the next byte of input, between blocks and members.
func (r *Reader) byte() (byte, error) {
	r.fill(1)
	if r.pos >= r.end {
		if r.srcErr == io.EOF {
			return 0, io.EOF
		}
		return 0, r.ended()
	}
	r.pos++
	return r.in[r.pos-1], nil
}

// header reads a member's header; io.EOF is the end of the input before it.
func (r *Reader) header() error {
	var head [10]byte
	for i := range head {
		b, err := r.byte()
		if err != nil {
			if err == io.EOF && i > 0 {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		if head[i] = b; i == 0 && b != 0x1f || i == 1 && b != 0x8b || i == 2 && b != 8 {
			return gzip.ErrHeader
		}
	}
	flags := head[3]
	if flags&0xe0 != 0 {
		return gzip.ErrHeader
	}
	skip := func(n int) error {
		for ; n > 0; n-- {
			if _, err := r.byte(); err != nil {
				return io.ErrUnexpectedEOF
			}
		}
		return nil
	}
	if flags&4 != 0 {
		low, err := r.byte()
		high, err2 := r.byte()
		if err != nil || err2 != nil {
			return io.ErrUnexpectedEOF
		}
		if err := skip(int(low) | int(high)<<8); err != nil {
			return err
		}
	}
	for _, flag := range []byte{8, 16} { // name and comment
		for flags&flag != 0 {
			b, err := r.byte()
			if err != nil {
				return io.ErrUnexpectedEOF
			}
			if b == 0 {
				break
			}
		}
	}
	if flags&2 != 0 {
		if err := skip(2); err != nil {
			return err
		}
	}
	r.crc, r.size, r.final, r.member = 0, 0, false, r.to
	return nil
}

// trailer checks a member and goes to the next one.
func (r *Reader) trailer() error {
	r.align()
	var tail [8]byte
	for i := range tail {
		b, err := r.byte()
		if err != nil {
			return r.ended()
		}
		tail[i] = b
	}
	if binary.LittleEndian.Uint32(tail[:]) != r.crc || binary.LittleEndian.Uint32(tail[4:]) != r.size {
		return gzip.ErrChecksum
	}
	return r.header()
}
