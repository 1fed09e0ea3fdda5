package keyed

import (
	"sync"
	"sync/atomic"
)

// A directory finds the segment that holds a hash. It is extendible hashing: the hash's first bits choose an entry, several
// entries may lead to one segment, and a segment that is too big is replaced by two, each with one more bit of prefix.
// So a table grows, shrinks and is cleaned one segment at a time.
type directory[S any] struct {
	now atomic.Pointer[level[S]]

	mu       sync.Mutex // for changes
	segments atomic.Int64
}

// A level is the directory at one depth: 2^(63-shift) entries.
type level[S any] struct {
	shift   uint8
	entries []atomic.Pointer[S]
}

// A place is the part of the hash space that a segment covers: the hashes that share the first depth bits with prefix,
// whose other bits are 0.
type place struct {
	prefix uint64
	depth  uint8
}

// half returns the half of the place with that next bit.
func (p place) half(bit uint64) place {
	return place{p.prefix | bit<<(63-p.depth), p.depth + 1}
}

// buddy returns the other half of whole, and whole; the depth must not be 0.
func (p place) buddy() (other, whole place) {
	bit := uint64(1) << (64 - p.depth)
	return place{p.prefix ^ bit, p.depth}, place{p.prefix &^ bit, p.depth - 1}
}

// next returns where the hash space continues behind the place; 0 at the end.
func (p place) next() uint64 { return p.prefix + 1<<(64-p.depth) }

// holds reports whether the hash belongs there.
func (p place) holds(hash uint64) bool { return (hash^p.prefix)>>(64-p.depth) == 0 }

func (d *directory[S]) init(first *S) {
	l := &level[S]{shift: 63, entries: make([]atomic.Pointer[S], 1)}
	l.entries[0].Store(first)
	d.now.Store(l)
	d.segments.Store(1)
}

func (d *directory[S]) of(hash uint64) *S {
	l := d.now.Load()
	return l.entries[hash>>1>>(l.shift&63)].Load()
}

// replace puts one segment at its place, which several may have held so far.
func (d *directory[S]) replace(at place, by *S) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.put(at, by)
}

// split puts two segments at the halves of a place.
func (d *directory[S]) split(at place, low, high *S) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if l := d.now.Load(); at.depth == 63-l.shift {
		deeper := &level[S]{shift: l.shift - 1, entries: make([]atomic.Pointer[S], 2*len(l.entries))}
		for i := range deeper.entries {
			deeper.entries[i].Store(l.entries[i/2].Load())
		}
		d.now.Store(deeper)
	}
	d.put(at.half(0), low)
	d.put(at.half(1), high)
	d.segments.Add(1)
}

// merge puts one segment where two halves were.
func (d *directory[S]) merge(whole place, by *S) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.put(whole, by)
	d.segments.Add(-1)
}

func (d *directory[S]) put(at place, s *S) {
	l := d.now.Load()
	from := at.prefix >> 1 >> l.shift
	for i := range uint64(1) << (63 - l.shift - at.depth) {
		l.entries[from+i].Store(s)
	}
}

// halve gives up a level that no segment needs.
func (d *directory[S]) halve() {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.now.Load()
	if len(l.entries) == 1 {
		return
	}
	for i := 0; i < len(l.entries); i += 2 {
		if l.entries[i].Load() != l.entries[i+1].Load() {
			return
		}
	}
	flatter := &level[S]{shift: l.shift + 1, entries: make([]atomic.Pointer[S], len(l.entries)/2)}
	for i := range flatter.entries {
		flatter.entries[i].Store(l.entries[2*i].Load())
	}
	d.now.Store(flatter)
}

// bytes is what the directory itself takes.
func (d *directory[S]) bytes() int64 { return 8 * int64(len(d.now.Load().entries)) }
