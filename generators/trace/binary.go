package trace

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// A binary trace is a file that holds a log's requests as a run, in blocks that are checksummed and indexed, and what was seen
// of the log. docs/trace-format.md describes it.
const (
	binaryMagic   = "\x89RLT\r\n\x1a\n" // a transfer as text spoils it
	binaryVersion = 1
	binaryEnd     = "RLTend\r\n"

	binaryHead    = len(binaryMagic) + 4
	binaryTrailer = 8 + 8 + 8 + len(binaryEnd)
	frameHead     = 4 + 8
	indexEntry    = 8 + 4 + 8

	binaryBlock = 64 << 10 // bytes, about
	mostBlock   = 16 << 20
)

// A binaryTrace is one that is open for reading.
type binaryTrace struct {
	file  *os.File
	name  string
	end   int64 // of the blocks
	index []binaryIndex
	stats Stats
	sum   uint64 // Stats.Digest
}

// A binaryIndex is where a block's first client begins.
type binaryIndex struct {
	offset int64  // of the block in the file
	begin  uint32 // of the client in the block
	hash   uint64 // of its key
}

// WriteBinary writes the trace in the binary format.
func (t *Trace) WriteBinary(ctx context.Context, to io.Writer) error {
	f := &frameWriter{w: to}
	f.write([]byte(binaryMagic))
	f.write(binary.LittleEndian.AppendUint32(nil, binaryVersion))
	var index []byte
	var w *runWriter
	w = newRunWriter(binaryBlock, func(data []byte) error {
		if w.first >= 0 {
			index = binary.LittleEndian.AppendUint64(index, uint64(f.n))
			index = binary.LittleEndian.AppendUint32(index, uint32(w.first))
			index = binary.LittleEndian.AppendUint64(index, w.hash)
		}
		f.frame(data)
		return f.err
	})
	s := t.sorter()
	defer t.release(s)
	for shard := range t.Shards() {
		if err := ctx.Err(); err != nil {
			return err
		}
		m, err := t.open(ctx, s, shard)
		switch {
		case err != nil:
			return err
		case m == nil:
			s.write(w)
		default:
			if err := m.write(ctx, w); err != nil {
				return err
			}
		}
	}
	if err := w.close(); err != nil {
		return err
	}
	stats, err := json.Marshal(storedStats(t.stats))
	if err != nil {
		return err
	}
	at := binary.LittleEndian.AppendUint64(nil, uint64(f.n))
	f.frame(index)
	at = binary.LittleEndian.AppendUint64(at, uint64(f.n))
	f.frame(stats)
	f.write(at)
	f.write(binary.LittleEndian.AppendUint64(nil, xxhash.Sum64(at)))
	f.write([]byte(binaryEnd))
	return f.err
}

// A frameWriter counts what it writes and keeps the first error.
type frameWriter struct {
	w   io.Writer
	n   int64
	err error
}

func (f *frameWriter) write(data []byte) {
	if f.err == nil {
		var n int
		n, f.err = f.w.Write(data)
		f.n += int64(n)
	}
}

func (f *frameWriter) frame(data []byte) {
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(data)))
	f.write(binary.LittleEndian.AppendUint64(head, xxhash.Sum64(data)))
	f.write(data)
}

// statsVersion1 is Stats in a binary trace.
type statsVersion1 struct {
	Format          string   `json:"format"`
	Lines           int64    `json:"lines"`
	Parsed          int64    `json:"parsed"`
	Skipped         int64    `json:"skipped"`
	Ignored         int64    `json:"ignored"`
	Filtered        int64    `json:"filtered"`
	Late            int64    `json:"late"`
	WorstStepBackNS int64    `json:"worst_step_back_ns"`
	FirstNS         int64    `json:"first_ns"`
	LastNS          int64    `json:"last_ns"`
	ResolutionNS    int64    `json:"resolution_ns"`
	Costly          bool     `json:"costly"`
	Digest          string   `json:"digest"`
	Warnings        []string `json:"warnings"`
}

func storedStats(s Stats) statsVersion1 {
	return statsVersion1{s.Format, s.Lines, s.Parsed, s.Skipped, s.Ignored, s.Filtered, s.Late, s.WorstStepBackNS, s.FirstNS, s.LastNS,
		s.ResolutionNS, s.Costly, s.Digest, s.Warnings}
}

// isBinary reports whether the file is a binary trace by its first bytes. What is no regular file is not touched.
func isBinary(name string) bool {
	info, err := os.Stat(name)
	if name == "-" || err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	var magic [4]byte
	_, err = io.ReadFull(f, magic[:])
	return err == nil && string(magic[:]) == binaryMagic[:4]
}

// openBinaries opens binary traces; it returns nil if there are none among the files.
func openBinaries(files []string, o *Options) (list []*binaryTrace, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, closeBinaries(list))
			list = nil
		}
	}()
	for i, name := range files {
		switch is := isBinary(name); {
		case is && i > 0 && list == nil:
			return nil, fmt.Errorf("%s is a binary trace, the files before it are not: convert them too, or read them apart", name)
		case !is && list != nil:
			return list, fmt.Errorf("%s is no binary trace, the files before it are: convert it too, or read them apart", displayName(name))
		case !is:
			continue
		}
		if err := o.noReading(name); err != nil {
			return list, err
		}
		b, err := openBinary(name)
		if err != nil {
			return list, err
		}
		list = append(list, b)
	}
	return list, nil
}

// noReading is the error of options that say how to read a log.
func (o *Options) noReading(name string) error {
	for _, set := range []struct{ flag, value, otherwise string }{
		{"--format", o.Format, "auto"}, {"--time", o.TimeField, ""}, {"--key", o.KeyField, "client"}, {"--cost", o.CostField, ""}, {"--time-unit", o.TimeUnit, ""},
		{"--time-zone", o.TimeZone, ""}, {"--where", o.Where, ""},
	} {
		if set.value != "" && set.value != set.otherwise {
			return fmt.Errorf("%s is a binary trace, whose clients, times and costs are fixed: leave out %s %s, or give it when converting", name, set.flag, set.value)
		}
	}
	return nil
}

func closeBinaries(list []*binaryTrace) (err error) {
	for _, b := range list {
		err = errors.Join(err, b.file.Close())
	}
	return err
}

// blocks returns how many blocks there are, about.
func blocks(list []*binaryTrace) (n int) {
	for _, b := range list {
		n += len(b.index)
	}
	return n
}

func openBinary(name string) (*binaryTrace, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	b := &binaryTrace{file: f, name: name}
	if err := b.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	return b, nil
}

var errCut = errors.New("the end of the binary trace is missing: it was cut, or is still being written; convert the log again")

// open reads all but the blocks.
func (b *binaryTrace) open() error {
	info, err := b.file.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	head := make([]byte, binaryHead)
	if _, err := b.file.ReadAt(head, 0); err != nil {
		return errCut
	}
	if string(head[:len(binaryMagic)]) != binaryMagic {
		return errors.New("the binary trace is spoilt, as by a transfer as text: copy it again, byte by byte")
	}
	if v := binary.LittleEndian.Uint32(head[len(binaryMagic):]); v != binaryVersion {
		return fmt.Errorf("a binary trace of version %d; this program reads version %d: convert the log again", v, binaryVersion)
	}
	trailer := make([]byte, binaryTrailer)
	if size < int64(binaryHead+binaryTrailer) {
		return errCut
	}
	if _, err := b.file.ReadAt(trailer, size-int64(binaryTrailer)); err != nil {
		return err
	}
	if string(trailer[24:]) != binaryEnd || binary.LittleEndian.Uint64(trailer[16:]) != xxhash.Sum64(trailer[:16]) {
		return errCut
	}
	index, stats := binary.LittleEndian.Uint64(trailer), binary.LittleEndian.Uint64(trailer[8:])
	last := uint64(size - int64(binaryTrailer))
	if stats > last || index > stats || index < uint64(binaryHead) || index+frameHead > stats || stats+frameHead > last {
		return errDamaged
	}
	b.end = int64(index)
	data, err := b.frame(b.end, int64(stats), int(stats-index))
	if err != nil {
		return err
	}
	if err := b.readIndex(data); err != nil {
		return err
	}
	if data, err = b.frame(int64(stats), int64(last), int(last-stats)); err != nil {
		return err
	}
	return b.readStats(data)
}

// frame reads the frame at an offset, of at most most bytes; none reaches beyond end.
func (b *binaryTrace) frame(offset, end int64, most int) ([]byte, error) {
	var head [frameHead]byte
	if offset+frameHead > end {
		return nil, errDamaged
	}
	if _, err := b.file.ReadAt(head[:], offset); err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(head[:]))
	if n > int64(most) || n > end-offset-frameHead {
		return nil, b.spoilt(offset)
	}
	data := make([]byte, n)
	if _, err := b.file.ReadAt(data, offset+frameHead); err != nil {
		return nil, err
	}
	if xxhash.Sum64(data) != binary.LittleEndian.Uint64(head[4:]) {
		return nil, b.spoilt(offset)
	}
	return data, nil
}

func (b *binaryTrace) spoilt(offset int64) error {
	return fmt.Errorf("the binary trace is damaged in the block at byte %d, whose checksum is wrong: copy it again, or convert the log again", offset)
}

func (b *binaryTrace) readIndex(data []byte) error {
	if len(data)%indexEntry != 0 {
		return errDamaged
	}
	for ; len(data) > 0; data = data[indexEntry:] {
		e := binaryIndex{int64(binary.LittleEndian.Uint64(data)), binary.LittleEndian.Uint32(data[8:]), binary.LittleEndian.Uint64(data[12:])}
		if n := len(b.index); e.offset < int64(binaryHead) || e.offset >= b.end || n > 0 && (e.offset <= b.index[n-1].offset || e.hash < b.index[n-1].hash) {
			return errDamaged
		}
		b.index = append(b.index, e)
	}
	return nil
}

func (b *binaryTrace) readStats(data []byte) error {
	var v statsVersion1
	if err := json.Unmarshal(data, &v); err != nil {
		return errDamaged
	}
	sum, err := strconv.ParseUint(v.Digest, 16, 64)
	if err != nil || !slices.Contains(powers[:], v.ResolutionNS) || v.Parsed < 1 || v.Skipped < 0 || v.Filtered < 0 || v.Ignored < v.Filtered || v.Late < 0 ||
		v.Lines != v.Parsed+v.Skipped+v.Ignored || v.FirstNS > v.LastNS {
		return errDamaged
	}
	b.sum = sum
	b.stats = Stats{
		Format: v.Format, Lines: v.Lines, Parsed: v.Parsed, Skipped: v.Skipped, Ignored: v.Ignored, Filtered: v.Filtered, Late: v.Late, WorstStepBackNS: v.WorstStepBackNS,
		FirstNS: v.FirstNS, LastNS: v.LastNS, ResolutionNS: v.ResolutionNS, Costly: v.Costly, Digest: v.Digest, Warnings: v.Warnings,
	}
	return nil
}

// addStats adds up what was seen of the logs that binary traces were made from.
func addStats(files []string, list []*binaryTrace) Stats {
	s := list[0].stats
	s.Files, s.Warnings = slices.Clone(files), slices.Clone(s.Warnings)
	sum := list[0].sum
	for _, b := range list[1:] {
		o := &b.stats
		if o.Format != s.Format {
			s.Format = "mixed"
		}
		s.Lines, s.Parsed, s.Skipped, s.Ignored, s.Late = s.Lines+o.Lines, s.Parsed+o.Parsed, s.Skipped+o.Skipped, s.Ignored+o.Ignored, s.Late+o.Late
		s.Filtered += o.Filtered
		s.WorstStepBackNS = max(s.WorstStepBackNS, o.WorstStepBackNS)
		s.FirstNS, s.LastNS = min(s.FirstNS, o.FirstNS), max(s.LastNS, o.LastNS)
		s.ResolutionNS, s.Costly = min(s.ResolutionNS, o.ResolutionNS), s.Costly || o.Costly
		s.Warnings = append(s.Warnings, o.Warnings...)
		sum += b.sum
	}
	s.Digest = fmt.Sprintf("%016x", sum)
	return s
}

// mergeBinaries merges a shard of the binary traces, in their order.
func (t *Trace) mergeBinaries(shard int) (*merger, error) {
	runs := make([]*runReader, len(t.binaries))
	for i, b := range t.binaries {
		runs[i] = b.shard(&t.division, shard)
	}
	return newMerger(runs)
}

// shard reads the clients of a shard.
func (b *binaryTrace) shard(d *division, shard int) *runReader {
	wanted := d.part*d.shards + uint64(shard)
	// The first of them begins behind the last block whose first client comes before them.
	at := max(sort.Search(len(b.index), func(i int) bool { return d.position(b.index[i].hash) >= wanted })-1, 0)
	r := &runReader{name: b.name, finest: b.stats.ResolutionNS, free: !b.stats.Costly, end: io.EOF}
	r.accept = func(hash uint64, key []byte) int {
		switch position := d.position(hash); {
		case position > wanted:
			return 1
		case position < wanted, d.only != "" && string(key) != d.only:
			return -1
		}
		return 0
	}
	if at >= len(b.index) {
		return r
	}
	offset, skip := b.index[at].offset, int(b.index[at].begin)
	r.end = nil
	r.more = func(buf []byte) ([]byte, error) {
		if offset >= b.end {
			return buf, io.EOF
		}
		data, err := b.frame(offset, b.end, mostBlock)
		if err == nil && skip > len(data) {
			err = errDamaged
		}
		if err != nil {
			return buf, fmt.Errorf("%s: %w", b.name, err)
		}
		offset += frameHead + int64(len(data))
		data, skip = data[skip:], 0
		return append(buf, data...), nil
	}
	return r
}
