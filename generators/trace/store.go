package trace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// A store keeps packed requests by shard: in memory as long as they fit, then on disk.
type store struct {
	budget  int64 // bytes in memory
	used    int64
	chunk   int // bytes of the largest chunks
	shards  []shardData
	free    [][]byte // chunks of the largest size
	spill   *spill
	onSpill func(held int64) // called before the first byte is written, with the bytes in memory
}

// A shardData is the packed requests of a shard: what lies on disk comes before what is in memory. A segment lies
// within one chunk.
type shardData struct {
	requests int64
	extents  []extent
	chunks   [][]byte
}

func newStore(budget int64, shards int, s *spill, onSpill func(held int64)) *store {
	chunk := int(min(max(budget/int64(2*shards), 1<<10), 256<<10))
	return &store{budget: budget, chunk: chunk, shards: make([]shardData, shards), spill: s, onSpill: onSpill}
}

// add appends a segment to a shard.
func (s *store) add(shard int, segment []byte, requests int64) error {
	d := &s.shards[shard]
	d.requests += requests
	n := len(d.chunks)
	if n == 0 || cap(d.chunks[n-1])-len(d.chunks[n-1]) < len(segment) {
		if s.used > s.budget {
			if err := s.write(); err != nil {
				return err
			}
		}
		d.chunks = append(d.chunks, s.take(d, len(segment)))
		n = len(d.chunks)
	}
	d.chunks[n-1] = append(d.chunks[n-1], segment...)
	return nil
}

// take returns an empty chunk. The first ones of a shard are small, so that a small trace is.
func (s *store) take(d *shardData, least int) []byte {
	size := s.chunk
	if n := len(d.chunks); n < 8 && len(d.extents) == 0 {
		size = min(size, 1<<(10+n))
	}
	if size == s.chunk && least <= size && len(s.free) > 0 {
		c := s.free[len(s.free)-1]
		s.free = s.free[:len(s.free)-1]
		s.used += int64(cap(c))
		return c[:0]
	}
	c := make([]byte, 0, max(size, least))
	s.used += int64(cap(c))
	return c
}

// write moves everything to disk.
func (s *store) write() error {
	if s.onSpill != nil {
		s.onSpill(s.used)
		s.onSpill = nil
	}
	for i := range s.shards {
		d := &s.shards[i]
		for _, c := range d.chunks {
			e, err := s.spill.append(c)
			if err != nil {
				return err
			}
			d.extents = append(d.extents, e)
			if cap(c) == s.chunk {
				s.free = append(s.free, c)
			}
		}
		d.chunks = nil
	}
	s.used = 0
	return nil
}

// each calls visit with each chunk of a shard, in order. What it gets is valid during the call only.
func (s *store) each(shard int, buf []byte, visit func([]byte) error) ([]byte, error) {
	d := &s.shards[shard]
	for _, e := range d.extents {
		if cap(buf) < e.size {
			buf = make([]byte, max(e.size, s.chunk))
		}
		if err := s.spill.read(e, buf[:e.size]); err != nil {
			return buf, err
		}
		if err := visit(buf[:e.size]); err != nil {
			return buf, err
		}
	}
	for _, c := range d.chunks {
		if err := visit(c); err != nil {
			return buf, err
		}
	}
	return buf, nil
}

// An extent is a part of the spill.
type extent struct {
	offset int64
	size   int
}

// A spill is a temporary file. It is made when the first byte is written to it, and has no name from then on where the system
// can do that, so that it vanishes however the program ends.
type spill struct {
	dir  string
	once sync.Once
	err  error // of making the file
	file *os.File
	path string // "" once the name is gone
	end  atomic.Int64
}

// open makes the file, once.
func (s *spill) open() error {
	s.once.Do(func() {
		if s.file, s.err = os.CreateTemp(s.dir, "rlbench-*.spill"); s.err != nil {
			return
		}
		if s.path = s.file.Name(); os.Remove(s.path) == nil {
			s.path = ""
		}
	})
	if s.err != nil {
		return s.failed("made", s.err)
	}
	return nil
}

// append writes data to the end.
func (s *spill) append(data []byte) (extent, error) {
	if err := s.open(); err != nil {
		return extent{}, err
	}
	e := extent{s.end.Add(int64(len(data))) - int64(len(data)), len(data)}
	if _, err := s.file.WriteAt(data, e.offset); err != nil {
		return extent{}, s.failed("written", err)
	}
	return e, nil
}

func (s *spill) read(e extent, into []byte) error {
	if _, err := s.file.ReadAt(into, e.offset); err != nil {
		return s.failed("read", err)
	}
	return nil
}

func (s *spill) failed(what string, err error) error {
	return fmt.Errorf("the temporary file in %s can't be %s: %w; let TMPDIR name a folder with more room, or raise --memory", s.folder(), what, err)
}

func (s *spill) folder() string {
	if s.dir == "" {
		return os.TempDir()
	}
	return filepath.Clean(s.dir)
}

// close removes the file.
func (s *spill) close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.path != "" {
		err = errors.Join(err, os.Remove(s.path))
	}
	s.file = nil
	return err
}
