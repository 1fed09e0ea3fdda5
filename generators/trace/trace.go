// Package trace reads request traces: access logs and CSV files, plain or compressed, into the requests of each client.
//
// Each format is a file of this package and a line in Formats. What a line of a log says beyond client, time and cost
// is not kept, so memory does not depend on the length of lines.
package trace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Options say how to read. The zero value detects the format and takes the default columns.
type Options struct {
	// Format is a name from Formats, or "auto" or "" to detect it from the first lines of each file, or a line with named
	// fields: $client - - [$time] "$request" $_, or what stands behind nginx's log_format or Apache's LogFormat.
	Format string

	// TimeUnit is the unit of times that are plain numbers: s, ms, us or ns; "" tells it from their size (seconds, from
	// 1e11 milliseconds, from 1e14 microseconds, from 1e17 nanoseconds).
	TimeUnit string

	// TimeZone is that of times without an offset: UTC, an offset such as +01:00, or a name such as Europe/Berlin.
	TimeZone string

	// TimeField and CostField name a field: a column of a CSV file by its name or its number, from 1, a path into JSON
	// lines, a field of any format. "" takes the format's own; in CSV files the columns named timestamp and cost, or the
	// first and the third. A CostField of "none" makes every cost 1.
	//
	// KeyField says who a client is: client (or "") as the format has it, ip/24, ip/64 or ip/24/64 for the network of its address,
	// ip for the address alone, forwarded for the first address of X-Forwarded-For, or a field, header:NAME among them; several joined by
	// + are one key. In CSV files "" is the column named key, or the second.
	TimeField, KeyField, CostField string

	// Where is what a request must say to count: NAME=VALUE or NAME!=VALUE, several separated by commas; VALUE* is any that
	// begins so, and one in double quotes is taken as it stands. Others are ignored.
	Where string

	key   []keyPart
	where []condition
	zone  *time.Location

	// AllowTruncated takes what was read of an input that ends early (cut gzip, read error) instead of failing.
	AllowTruncated bool

	// Part of Parts, numbered from 0, takes only the clients of that range of the hash of keys; Parts 0 takes all. Only, if it is
	// not "", takes only the client of that key. Stats are of the whole input nevertheless.
	Part, Parts int
	Only        string

	// Memory is how many bytes may be used, about; below 1 means 512 MiB. Beyond, requests are kept in a temporary file in
	// TempDir, or the system's folder for them if that is "". Spilling, if not nil, is called before the file is made, from the goroutine that
	// called Load, with its folder and how large it will be, about; 0 if that is not known. The result depends on none of them.
	Memory   int64
	TempDir  string
	Spilling func(folder string, size int64)

	Shards  int       // parts that the clients are divided into; below 1 means enough. The result does not depend on it
	Workers int       // goroutines that parse, and that may visit; below 1 means GOMAXPROCS. The result does not depend on it
	Stdin   io.Reader // what the file name "-" reads

	// Progress, if not nil, is called now and then from the goroutine that called Load, with the bytes read so far, as
	// they lie on disk, and their total; total is 0 if it is not known.
	Progress func(done, total int64)
}

// Stats say what was read, and how well. Lines = Parsed + Skipped + Ignored, always.
type Stats struct {
	Files           []string
	Format          string // the name of the format that was given or found
	Lines           int64
	Parsed          int64 // requests
	Skipped         int64 // lines that can't be read, or have no client or no time
	Ignored         int64 // blank, comment, header, no request though the server's own, left out by Options.Where
	Filtered        int64 // those of them that Options.Where left out
	Late            int64 // requests with a time below the largest one seen so far in their file
	WorstStepBackNS int64 // how far the latest of them lies below that largest time, at most 2^63-1
	FirstNS, LastNS int64 // the earliest and the latest request
	ResolutionNS    int64 // the largest power of ten, at most a second, that divides every time
	Costly          bool  // some request's cost is not 1
	Digest          string
	Warnings        []string
	Bad             []BadLine // the first skipped lines
}

// A BadLine is a skipped line. Text is its beginning, quoted and escaped as in Go, so that it is safe to print.
type BadLine struct {
	File   string
	Line   int64 // from 1
	Reason string
	Text   string
}

func (b BadLine) String() string {
	return fmt.Sprintf("%s:%d: %s in %s", b.File, b.Line, b.Reason, b.Text)
}

// badLinesKept is how many skipped lines Stats shows.
const badLinesKept = 5

// A Visitor is shown a client. It reads the client's requests in time order, those of equal time in input order, by read,
// which fills times with Unix nanoseconds and costs, unless it is nil, with costs, and returns how many; 0 at the end.
// read is valid during the call only.
type Visitor = func(key string, read func(times, costs []int64) (int, error)) error

// A Trace holds the requests of a log by shard: ranges of the hash of the client's key. They are packed (the key and two bytes
// or so for each request), in memory or in a temporary file. Only a shard that is visited is unpacked, and one that is larger
// than the memory for it is sorted on disk, so that memory depends neither on the length of the log nor on how much of it is
// one client's. A Trace must be closed.
type Trace struct {
	stats    Stats
	division division
	store    *store         // nil if it was read from binary traces
	binaries []*binaryTrace // nil if it was read from logs
	budget   int64          // bytes for a sorter
	mostRuns int

	mu      sync.Mutex
	sorters []*sorter // that nobody uses
}

// Stats returns what Load saw. Digest is a hash of every request's key, time and cost; it does not depend on their order, nor on
// files or workers.
func (t *Trace) Stats() Stats { return t.stats }

// Shards returns how many shards there are.
func (t *Trace) Shards() int { return int(t.division.shards) }

// Costly reports whether some request's cost is not 1.
func (t *Trace) Costly() bool { return t.stats.Costly }

// Visit calls visit with each client of a shard, in an order that is not specified. It may be called from as many goroutines as
// Options.Workers said. Errors are those of ctx, of visit, and of the temporary file.
func (t *Trace) Visit(ctx context.Context, shard int, visit Visitor) error {
	s := t.sorter()
	defer t.release(s)
	m, err := t.open(ctx, s, shard)
	switch {
	case err != nil:
		return err
	case m != nil:
		return m.visit(visit)
	}
	return s.visit(visit)
}

func (t *Trace) sorter() *sorter {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(t.sorters)
	if n == 0 {
		return &sorter{budget: t.budget}
	}
	s := t.sorters[n-1]
	t.sorters = t.sorters[:n-1]
	return s
}

func (t *Trace) release(s *sorter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sorters = append(t.sorters, s)
}

// Close removes the temporary file, if there is one, and closes others.
func (t *Trace) Close() error {
	if t.store != nil {
		return t.store.spill.close()
	}
	return closeBinaries(t.binaries)
}

// leastBudget is what a sorter gets even where there is less memory: shorter runs are not worth their file.
const leastBudget = 32 << 10

// defaultMemory is Options.Memory if it is not given.
const defaultMemory = 512 << 20

// Load reads files, in the order given, as if they were one input sorted by time, ties in input order. The name "-" is
// o.Stdin. Compression (gzip, zstd) is told by content. Lines longer than 1 MiB are skipped.
//
// Errors are those of ctx, of the temporary file, and of the input or o: a file that can't be opened or ends early, no format
// recognised or more than one, files of different formats, more lines skipped than read, no request at all. They name
// the file, how far reading came, and the remedy.
func Load(ctx context.Context, files []string, o Options) (t *Trace, err error) {
	anyShards := o.Shards < 1
	format, err := o.check(files)
	if err != nil {
		return nil, err
	}
	d := division{part: uint64(o.Part), parts: uint64(o.Parts), shards: uint64(o.Shards), only: o.Only}
	if binaries, err := openBinaries(files, &o); err != nil || binaries != nil {
		if err != nil {
			return nil, err
		}
		if anyShards { // to find where a shard begins takes reading a block, so small files are cut into few
			d.shards = min(d.shards, uint64(max(blocks(binaries), 2*o.Workers)))
		}
		return &Trace{stats: addStats(files, binaries), division: d, binaries: binaries}, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newStream(ctx, files, format, o, &d)
	var done int64
	temporary := &spill{dir: o.TempDir}
	defer func() {
		if err != nil {
			err = errors.Join(err, temporary.close())
		}
	}()
	c := newPartition(files, newStore(o.Memory/2, o.Shards, temporary, func(held int64) {
		if o.Spilling != nil {
			o.Spilling(temporary.folder(), expected(held, done, s.bytesTotal))
		}
	}))
	for {
		b, err := s.take()
		if err != nil {
			return nil, err
		}
		if b == nil {
			break
		}
		done = b.bytesRead
		if err := c.add(b, o.AllowTruncated); err != nil {
			return nil, err
		}
		if o.Progress != nil {
			o.Progress(b.bytesRead, s.bytesTotal)
		}
		s.release(b)
	}
	stats, err := c.finish()
	if err != nil {
		return nil, err
	}
	c.store.free = nil
	free := o.Memory - c.store.used
	return &Trace{store: c.store, stats: stats, division: d, budget: max(free/int64(2*o.Workers), leastBudget), mostRuns: mostRuns}, nil
}

// expected returns how large the temporary file will be, when so many packed bytes came of the first done of total bytes; 0 if
// total is not known.
func expected(packed, done, total int64) int64 {
	return int64(float64(packed) * float64(total) / float64(max(done, 1)))
}

// check completes the options and finds the format, nil for "auto".
func (o *Options) check(files []string) (*Format, error) {
	if o.Workers < 1 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Shards < 1 {
		o.Shards = max(64, 16*o.Workers)
	}
	o.Shards = min(o.Shards, mostShards)
	if o.Memory < 1 {
		o.Memory = defaultMemory
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no input: name at least one file, or - for standard input")
	}
	stdins := 0
	for _, name := range files {
		if name == "-" {
			stdins++
		}
	}
	if stdins > 1 {
		return nil, fmt.Errorf("standard input (-) can be read only once")
	}
	if stdins == 1 && o.Stdin == nil {
		return nil, fmt.Errorf("there is no standard input to read")
	}
	if _, ok := unitDigits[o.TimeUnit]; !ok {
		return nil, fmt.Errorf("unknown time unit %q: give --time-unit s, ms, us or ns", o.TimeUnit)
	}
	if err := o.parse(); err != nil {
		return nil, err
	}
	if o.Format == "" || o.Format == "auto" {
		return nil, nil
	}
	if isLayout(o.Format) {
		return newLayout(o.Format)
	}
	f := formatNamed(o.Format)
	if f == nil {
		return nil, fmt.Errorf("unknown format %q: --format takes auto, %s, or a line with named fields such as $client", o.Format, strings.Join(formatNames(), ", "))
	}
	return f, nil
}
