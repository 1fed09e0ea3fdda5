package trace

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// A partition puts blocks together, in input order, and their requests into the store.
type partition struct {
	store *store // nil keeps nothing
	stats Stats
	seen  survey
	sum   uint64 // of the requests' digests

	file  int   // of the last block
	lines int64 // of that file so far
	most  int64 // the largest time of that file so far
}

func newPartition(files []string, s *store) *partition {
	return &partition{store: s, file: -1, seen: newSurvey(), stats: Stats{
		Files: slices.Clone(files), FirstNS: math.MaxInt64, LastNS: math.MinInt64, ResolutionNS: 1e9,
	}}
}

// add takes the requests of a block over.
func (c *partition) add(b *block, allowTruncated bool) error {
	name := displayName(c.stats.Files[b.file])
	if b.file != c.file {
		c.file, c.lines, c.most = b.file, 0, math.MinInt64
	}
	if b.format != nil {
		c.stats.Format = b.format.Name
	}
	l := &b.lines
	for _, bad := range l.bad {
		if len(c.stats.Bad) < badLinesKept {
			c.stats.Bad = append(c.stats.Bad, BadLine{name, c.lines + bad.number, reasons[bad.why], bad.text})
		}
	}
	c.lines += l.total
	c.stats.Lines += l.total
	c.stats.Skipped += l.skipped
	c.stats.Ignored += l.ignored
	c.stats.Filtered += l.filtered
	c.seen.add(b)
	c.stats.Parsed += int64(len(l.times))
	if err := c.addRequests(b); err != nil {
		return err
	}
	switch {
	case b.err == nil:
	case !b.early:
		return b.err
	case !allowTruncated:
		return fmt.Errorf("%s ends early, after line %d (%w): --allow-truncated takes what is there", name, c.lines, because(b.err))
	default:
		c.stats.Warnings = append(c.stats.Warnings, fmt.Sprintf("%s ends early, after line %d (%v)", name, c.lines, because(b.err)))
	}
	return nil
}

// because puts the error of a cut or spoilt file in words.
func because(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("its compressed data is cut: %w", err)
	case errors.Is(err, gzip.ErrHeader):
		return fmt.Errorf("what follows is not gzip data: %w", err)
	}
	return err
}

func (c *partition) addRequests(b *block) error {
	p := &b.packed
	if len(b.lines.times) == 0 {
		return nil
	}
	late, worst := p.lateAfter(c.most, b.lines.times)
	s := &c.stats
	s.Late += late
	s.WorstStepBackNS = max(s.WorstStepBackNS, worst)
	c.most = max(c.most, p.last)
	s.FirstNS, s.LastNS = min(s.FirstNS, p.first), max(s.LastNS, p.last)
	s.ResolutionNS = min(s.ResolutionNS, p.resolution)
	s.Costly = s.Costly || p.costly
	c.sum += p.digest
	if c.store == nil {
		return nil
	}
	from := 0
	for shard, end := range p.ends {
		if end > from {
			if err := c.store.add(shard, p.segments[from:end], int64(p.counts[shard])); err != nil {
				return err
			}
			from = end
		}
	}
	return nil
}

// finish returns what was seen, or says why it is not good enough.
func (c *partition) finish() (Stats, error) {
	s := &c.stats
	first := ""
	if len(s.Bad) > 0 {
		first = "; the first: " + s.Bad[0].String()
	}
	s.Warnings = append(s.Warnings, c.seen.warnings(s.Parsed)...)
	switch {
	case s.Parsed == 0 && s.Filtered > 0:
		return *s, fmt.Errorf("no request in %s of %s is as --where says: %s are not", plural(int(s.Lines), "line"), fileList(s.Files), plural(int(s.Filtered), "request"))
	case s.Parsed == 0 && s.Skipped == 0:
		return *s, fmt.Errorf("no request in %s of %s: name a log that has some", plural(int(s.Lines), "line"), fileList(s.Files))
	case s.Parsed+s.Filtered < s.Skipped && 2*c.seen.why[noKey] > s.Skipped:
		return *s, fmt.Errorf("more requests of %s have nothing in a field of the key (%d) than have (%d): leave them out with --where 'FIELD!=', or name another --key",
			fileList(s.Files), c.seen.why[noKey], s.Parsed)
	case s.Parsed+s.Filtered < s.Skipped:
		return *s, fmt.Errorf("more lines skipped (%d) than read (%d) of %s as format %s: name the right one with --format%s",
			s.Skipped, s.Parsed, fileList(s.Files), s.Format, first)
	}
	s.Digest = fmt.Sprintf("%016x", c.sum)
	return *s, nil
}

func fileList(files []string) string {
	if len(files) == 1 {
		return displayName(files[0])
	}
	return plural(len(files), "file")
}
