package trace

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/cespare/xxhash/v2"
)

// A run is clients in ascending order of their keys' hashes, then of the keys, each with its requests in time order:
//
//	uvarint  key length, key
//	uvarint  number of requests
//	byte     the unit of times, 10^n ns, and 16 if costs follow
//	varint   the first time, in units, then for each other request uvarint units since the one before it
//	         each with uvarint cost behind it if costs follow

// A runWriter writes a run in pieces of about the buffer's size.
type runWriter struct {
	buf   []byte
	limit int
	flush func(data []byte) error
	err   error

	first int    // where in buf the first client begins, -1 if none does
	hash  uint64 // of its key

	unit  int64
	costs bool
	last  int64 // the time before
	units int64 // the same in units
	begun bool
}

func newRunWriter(limit int, flush func(data []byte) error) *runWriter {
	return &runWriter{buf: make([]byte, 0, limit+64), limit: limit, flush: flush, first: -1}
}

// client begins a client of n requests. All of its times are multiples of unit.
func (w *runWriter) client(key []byte, n, unit int64, costs bool) {
	if w.first < 0 {
		w.first, w.hash = len(w.buf), xxhash.Sum64(key)
	}
	w.buf = binary.AppendUvarint(w.buf, uint64(len(key)))
	w.buf = append(w.buf, key...)
	w.buf = binary.AppendUvarint(w.buf, uint64(n))
	flags := exponent(unit)
	if costs {
		flags |= withCosts
	}
	w.buf = append(w.buf, flags)
	w.unit, w.costs, w.begun = unit, costs, false
}

// requests appends some of the client's requests. costs is nil if they are 1.
func (w *runWriter) requests(times, costs []int64) {
	for i, t := range times {
		if t == w.last && w.begun {
			w.buf = append(w.buf, 0)
		} else if units := t / w.unit; w.begun {
			w.buf = binary.AppendUvarint(w.buf, uint64(units)-uint64(w.units))
			w.last, w.units = t, units
		} else {
			w.buf = binary.AppendVarint(w.buf, units)
			w.last, w.units, w.begun = t, units, true
		}
		if w.costs {
			cost := int64(1)
			if costs != nil {
				cost = costs[i]
			}
			w.buf = binary.AppendUvarint(w.buf, uint64(cost))
		}
		if len(w.buf) >= w.limit {
			w.write()
		}
	}
}

func (w *runWriter) write() {
	if w.err == nil {
		w.err = w.flush(w.buf)
	}
	w.buf, w.first = w.buf[:0], -1
}

// close writes what is left.
func (w *runWriter) close() error {
	if len(w.buf) > 0 {
		w.write()
	}
	return w.err
}

// unitOf returns the largest power of ten, at most 1e9, that divides all times.
func unitOf(times []int64) int64 {
	unit := int64(1e9)
	for _, t := range times {
		for t%unit != 0 {
			unit /= 10
		}
		if unit == 1 {
			break
		}
	}
	return unit
}

// A runReader reads a run.
type runReader struct {
	more func(buf []byte) ([]byte, error) // appends the next bytes of the run to buf; io.EOF at its end
	data []byte                           // not yet read, the rest of buf
	buf  []byte
	end  error
	name string // of the file, for errors

	// accept, if not nil, says of a client whether it is wanted: 0; below 0 it is not, above 0 nor is any that follows.
	accept func(hash uint64, key []byte) int
	finest int64 // times are multiples of it
	free   bool  // every cost is 1

	key   []byte // of the client at hand
	hash  uint64
	left  int64 // requests of it not yet read
	unit  int64
	costs bool
	units int64
	begun bool

	index int // among the runs that are merged
}

var errDamaged = errors.New("what it holds makes no sense, so it is damaged: make it again")

// need makes the next n bytes available, or as many as there are.
func (r *runReader) need(n int) error {
	for len(r.data) < n && r.end == nil {
		r.buf = append(r.buf[:0], r.data...)
		r.buf, r.end = r.more(r.buf)
		r.data = r.buf
	}
	if r.end != nil && r.end != io.EOF {
		return r.end
	}
	return nil
}

// next goes to the next client that is wanted. What is left of the one at hand is passed over.
func (r *runReader) next() (ok bool, err error) {
	for {
		if ok, err = r.header(); err == errDamaged {
			err = fmt.Errorf("%s: %w", r.name, err)
		}
		if !ok || err != nil || r.accept == nil {
			return ok, err
		}
		if wanted := r.accept(r.hash, r.key); wanted >= 0 {
			return wanted == 0, nil
		}
	}
}

// header reads up to the first request of the next client.
func (r *runReader) header() (ok bool, err error) {
	for r.left > 0 {
		var times, costs [64]int64
		if _, err := r.read(times[:], costs[:]); err != nil {
			return false, err
		}
	}
	if err := r.need(2*binary.MaxVarintLen64 + 1); err != nil || len(r.data) == 0 {
		return false, err
	}
	n, size := binary.Uvarint(r.data)
	if size <= 0 || n > math.MaxInt32 {
		return false, errDamaged
	}
	if err := r.need(size + int(n) + binary.MaxVarintLen64 + 1); err != nil {
		return false, err
	}
	if len(r.data)-size < int(n) {
		return false, errDamaged
	}
	key := r.data[size : size+int(n)]
	hash := xxhash.Sum64(key)
	if hash < r.hash || hash == r.hash && bytes.Compare(key, r.key) <= 0 && len(r.key) > 0 {
		return false, errDamaged
	}
	r.key, r.hash, r.data = append(r.key[:0], key...), hash, r.data[size+int(n):]
	count, size := binary.Uvarint(r.data)
	if size <= 0 || count == 0 || count > math.MaxInt64 || len(r.data) <= size {
		return false, errDamaged
	}
	flags := r.data[size]
	r.data = r.data[size+1:]
	r.left, r.begun, r.costs = int64(count), false, flags&withCosts != 0
	if flags &^= withCosts; int(flags) >= len(powers) {
		return false, errDamaged
	}
	if r.unit = powers[flags]; r.unit < r.finest || r.costs && r.free {
		return false, errDamaged
	}
	return true, nil
}

// read reads the next requests of the client at hand into times and costs, and returns how many; 0 at its end.
func (r *runReader) read(times, costs []int64) (n int, err error) {
	if n, err = r.decode(times, costs); err == errDamaged {
		err = fmt.Errorf("%s: %w", r.name, err)
	}
	return n, err
}

func (r *runReader) decode(times, costs []int64) (n int, err error) {
	most := int(min(int64(len(times)), r.left))
	least, greatest := math.MinInt64/r.unit, math.MaxInt64/r.unit // of units
	for n < most {
		if len(r.data) < 2*binary.MaxVarintLen64 {
			if err := r.need(2 * binary.MaxVarintLen64); err != nil {
				return 0, err
			}
		}
		v, size := uvarint(r.data)
		if size <= 0 {
			return 0, errDamaged
		}
		r.data = r.data[size:]
		before := r.units
		if r.begun {
			r.units = int64(uint64(before) + v)
		} else {
			before, r.units, r.begun = math.MinInt64, zigzag(v), true
		}
		if r.units < before || r.units < least || r.units > greatest {
			return 0, errDamaged
		}
		times[n], costs[n] = r.units*r.unit, 1
		if r.costs {
			v, size := uvarint(r.data)
			if size <= 0 || v > math.MaxInt64 {
				return 0, errDamaged
			}
			costs[n], r.data = int64(v), r.data[size:]
		}
		n++
	}
	r.left -= int64(n)
	return n, nil
}

// compare compares the client at hand with another run's.
func (r *runReader) compare(o *runReader) int {
	if c := cmp.Compare(r.hash, o.hash); c != 0 {
		return c
	}
	return bytes.Compare(r.key, o.key)
}

// extentReader returns what a runReader takes to read a run from a spill.
func extentReader(s *spill, list []extent, size int) func(buf []byte) ([]byte, error) {
	read := 0 // bytes of list[0]
	return func(buf []byte) ([]byte, error) {
		if len(list) == 0 {
			return buf, io.EOF
		}
		n := min(size, list[0].size-read)
		from := len(buf)
		if cap(buf) < from+n {
			buf = append(make([]byte, 0, from+max(n, size)), buf...)
		}
		buf = buf[:from+n]
		if err := s.read(extent{list[0].offset + int64(read), n}, buf[from:]); err != nil {
			return buf[:from], err
		}
		if read += n; read == list[0].size {
			list, read = list[1:], 0
		}
		return buf, nil
	}
}
