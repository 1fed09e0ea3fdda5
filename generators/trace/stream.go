package trace

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	blockSize = 256 << 10 // fits a core's cache
	longest   = 1 << 20   // a longer line is skipped
	shown     = 200       // bytes kept of a skipped line
)

// A stream turns files into blocks of whole lines: one goroutine reads and decompresses, others parse, and ordered gives
// the blocks in input order, each to be taken once it is parsed. The number of blocks is bounded.
type stream struct {
	ctx        context.Context
	files      []string
	format     *Format // nil until it is detected
	options    Options
	ordered    chan *block
	unparsed   chan *block
	free       chan *block
	made       int
	bytesTotal int64 // 0 if not known

	before     parser // of the file before
	compressed counter
}

// A block is whole lines of one file and, once parsed, their requests.
type block struct {
	file      int
	parser    parser
	format    *Format
	data      []byte // lines, each but the file's last with its line end
	partial   []byte // the beginning of one more line that can't be read, for the reason why; nil if there is none
	why       verdict
	err       error // why nothing more follows
	early     bool  // err is the end of this file before its time; other files may follow
	bytesRead int64

	parsed chan struct{}
	lines  lines
	packed packed
}

// newStream starts to read. Blocks are packed too, unless division is nil.
func newStream(ctx context.Context, files []string, format *Format, o Options, division *division) *stream {
	blocks := 2*o.Workers + 4
	s := &stream{
		ctx: ctx, files: files, format: format, options: o,
		ordered: make(chan *block, blocks), unparsed: make(chan *block, blocks), free: make(chan *block, blocks),
		bytesTotal: totalSize(files),
	}
	go s.readAll()
	for range o.Workers {
		go func() {
			var r record
			for b := range s.unparsed {
				if ctx.Err() == nil {
					b.lines.parse(b, &r)
					if division != nil {
						b.packed.pack(&b.lines, division)
					}
				}
				b.parsed <- struct{}{}
			}
		}()
	}
	return s
}

// totalSize returns the bytes of all files, or 0 if one of them does not tell.
func totalSize(files []string) (total int64) {
	for _, name := range files {
		info, err := os.Stat(name)
		if name == "-" || err != nil || !info.Mode().IsRegular() {
			return 0
		}
		total += info.Size()
	}
	return total
}

func (s *stream) readAll() {
	defer close(s.ordered)
	defer close(s.unparsed)
	for i := range s.files {
		if !s.readFile(i) {
			return
		}
	}
}

// readFile sends the blocks of a file, or returns false if reading is over.
func (s *stream) readFile(file int) bool {
	in, done, err := s.open(s.files[file])
	if err != nil {
		return s.fail(file, err)
	}
	defer done()
	s.compressed = counter{r: in, n: s.compressed.n}
	plain, finish, err := decompress(&s.compressed)
	if err != nil {
		return s.endEarly(file, err)
	}
	defer finish()
	src := &source{r: decode(plain), longest: longest}
	head, ok := s.readHead(file, src)
	if !ok {
		return false
	}
	p, err := s.choose(s.files[file], head)
	if err != nil {
		return s.fail(file, err)
	}
	for _, b := range head {
		b.parser, p = p, after(p, b.data)
		if !s.send(b) {
			return false
		}
	}
	for src.err == nil {
		b := s.next(file, src)
		if b == nil {
			return false
		}
		b.parser, p = p, after(p, b.data)
		if !s.send(b) {
			return false
		}
	}
	s.remember(p)
	return src.err == io.EOF || s.endEarly(file, src.err)
}

// next reads a block, or returns nil if ctx is done.
func (s *stream) next(file int, src *source) *block {
	b := s.get(file)
	if b != nil {
		src.fill(b)
	}
	return b
}

// get takes a block that nobody uses, or returns nil if ctx is done.
func (s *stream) get(file int) (b *block) {
	if s.made < cap(s.free) {
		select {
		case b = <-s.free:
		default:
			s.made++
			b = &block{data: make([]byte, 0, blockSize), parsed: make(chan struct{}, 1)}
		}
	} else {
		select {
		case b = <-s.free:
		case <-s.ctx.Done():
			return nil
		}
	}
	*b = block{file: file, data: b.data[:0], parsed: b.parsed, lines: b.lines, packed: b.packed}
	return b
}

// take returns the next block, parsed, or nil at the end. It does not wait for a read when ctx is done.
func (s *stream) take() (*block, error) {
	select {
	case b, ok := <-s.ordered:
		if ok {
			<-b.parsed
		}
		return b, s.ctx.Err()
	case <-s.ctx.Done():
		return nil, s.ctx.Err()
	}
}

func (s *stream) release(b *block) { s.free <- b }

// send hands a block to whoever parses, and to ordered. It returns false if ctx is done.
func (s *stream) send(b *block) bool {
	b.format, b.bytesRead = s.format, s.compressed.n
	s.unparsed <- b // there is room for every block
	s.ordered <- b
	return s.ctx.Err() == nil
}

// endEarly says that a file ends before its time.
func (s *stream) endEarly(file int, err error) bool {
	b := s.get(file)
	if b == nil {
		return false
	}
	b.parser, b.err, b.early = empty{}, err, true
	return s.send(b)
}

// fail ends the stream with an error that is not about what was read.
func (s *stream) fail(file int, err error) bool {
	if b := s.get(file); b != nil {
		b.parser, b.err = empty{}, err
		s.send(b)
	}
	return false
}

func (s *stream) open(name string) (r io.Reader, done func(), err error) {
	if name == "-" {
		return s.options.Stdin, func() {}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, nil, fmt.Errorf("%s is a directory: name the files in it", name)
	}
	return f, func() { f.Close() }, nil
}

type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// decompress tells compression by the first bytes. done frees what it holds.
func decompress(r io.Reader) (plain io.Reader, done func(), err error) {
	in := bufio.NewReaderSize(r, 64<<10)
	magic, err := in.Peek(4)
	if err != nil && err != io.EOF {
		return nil, nil, err
	}
	switch {
	case string(magic) == binaryMagic[:4]:
		return nil, nil, errors.New("a binary trace is read from a file, not through a pipe or compressed: name the file itself")
	case bytes.HasPrefix(magic, []byte("\x1f\x8b")):
		z, err := gzip.NewReader(in)
		return z, func() {}, err
	case bytes.Equal(magic, []byte("\x28\xb5\x2f\xfd")), len(magic) == 4 && magic[0]&0xf0 == 0x50 && string(magic[1:]) == "\x2a\x4d\x18":
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1)) // in this goroutine
		if err != nil {
			return nil, nil, err
		}
		return z, z.Close, nil
	}
	return in, func() {}, nil
}

// A source cuts a file into blocks.
type source struct {
	r        io.Reader
	longest  int    // bytes of a line
	rest     []byte // read, but not in a block yet
	err      error  // io.EOF, or why reading ended early
	begun    bool
	skipping bool // within a line that is too long
}

// fill reads into b.data until it is full of whole lines, or the file ends.
func (s *source) fill(b *block) {
	b.data = append(b.data, s.rest...)
	s.rest = s.rest[:0]
	for s.err == nil {
		for len(b.data) < cap(b.data) && s.err == nil {
			n, err := s.r.Read(b.data[len(b.data):cap(b.data)])
			b.data, s.err = b.data[:len(b.data)+n], err
		}
		s.mark(b)
		if s.skip(b); len(b.data) < cap(b.data) || s.err != nil {
			continue
		}
		if n := wholeLines(b.data); n > 0 {
			b.data, s.rest = b.data[:n], append(s.rest, b.data[n:]...)
			return
		}
		if len(b.data) > s.longest+1 { // a line end may take two bytes
			b.partial, b.why = bytes.Clone(b.data[:min(len(b.data), shown)]), tooLong
			b.data, s.skipping = b.data[:0], true
			return
		}
		grown := make([]byte, len(b.data), min(2*cap(b.data), s.longest+2))
		copy(grown, b.data)
		b.data = grown
	}
	if s.err != io.EOF {
		if n := bytes.LastIndexByte(b.data, '\n') + 1; n < len(b.data) {
			b.partial, b.why = bytes.Clone(b.data[n:min(len(b.data), n+shown)]), cutOff
			b.data = b.data[:n]
		}
	}
}

// mark takes the UTF-8 byte order mark off the beginning of a file.
func (s *source) mark(b *block) {
	if !s.begun {
		s.begun = true
		if mark := []byte("\xef\xbb\xbf"); bytes.HasPrefix(b.data, mark) {
			b.data = append(b.data[:0], b.data[len(mark):]...)
		}
	}
}

// skip takes off what is left of a line that is too long.
func (s *source) skip(b *block) {
	if s.skipping {
		n := bytes.IndexByte(b.data, '\n') + 1
		s.skipping = n == 0
		if n == 0 {
			n = len(b.data)
		}
		b.data = append(b.data[:0], b.data[n:]...)
	}
}
