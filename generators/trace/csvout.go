package trace

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
)

// WriteCSV reads files as Load does and writes each request as a line of CSV, timestamp in seconds, key and cost, behind a header:
// in the order of the input, or client by client where that is binary traces. Load reads the same requests from it.
func WriteCSV(ctx context.Context, files []string, o Options, to io.Writer) (Stats, error) {
	out := bufio.NewWriterSize(to, 256<<10)
	if _, err := out.WriteString(timeName + "," + keyName + "," + costName + "\n"); err != nil {
		return Stats{}, err
	}
	var line []byte
	stats, err := scan(ctx, files, o, func(key []byte, t, cost int64) error {
		if i := bytes.IndexByte(key, '\n'); i >= 0 {
			return fmt.Errorf("the key %q has a line end, and a field of CSV ends on its line: convert to a binary trace (.rlt)", key)
		}
		line = appendSeconds(line[:0], t)
		line = append(line, ',')
		line = appendField(line, key)
		line = append(line, ',')
		line = strconv.AppendInt(line, cost, 10)
		line = append(line, '\n')
		_, err := out.Write(line)
		return err
	})
	if err != nil {
		return stats, err
	}
	return stats, out.Flush()
}

// appendSeconds writes a time in seconds, exactly, with as many decimals as it needs.
func appendSeconds(b []byte, t int64) []byte {
	size := uint64(t)
	if t < 0 {
		b, size = append(b, '-'), -size
	}
	b = strconv.AppendUint(b, size/1e9, 10)
	rest := size % 1e9
	if rest == 0 {
		return b
	}
	b = append(b, '.')
	for unit := uint64(1e8); rest > 0; unit /= 10 {
		b = append(b, '0'+byte(rest/unit))
		rest %= unit
	}
	return b
}

// appendField quotes a field if it would be read otherwise without.
func appendField(b, field []byte) []byte {
	if !bytes.ContainsAny(field, "\",\r") && len(bytes.TrimSpace(field)) == len(field) {
		return append(b, field...)
	}
	b = append(b, '"')
	b = append(b, bytes.ReplaceAll(field, []byte(`"`), []byte(`""`))...)
	return append(b, '"')
}

// scan calls visit with every request of files. The key is valid during the call only.
func scan(ctx context.Context, files []string, o Options, visit func(key []byte, t, cost int64) error) (Stats, error) {
	if isBinary(files[0]) {
		return scanBinaries(ctx, files, o, visit)
	}
	format, err := o.check(files)
	if err != nil {
		return Stats{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newStream(ctx, files, format, o, &division{shards: 1})
	c := newPartition(files, nil)
	for {
		b, err := s.take()
		if err != nil {
			return c.stats, err
		}
		if b == nil {
			return c.finish()
		}
		if err := c.add(b, o.AllowTruncated); err != nil {
			return c.stats, err
		}
		if err := b.lines.each(visit); err != nil {
			return c.stats, err
		}
		if o.Progress != nil {
			o.Progress(b.bytesRead, s.bytesTotal)
		}
		s.release(b)
	}
}

func (l *lines) each(visit func(key []byte, t, cost int64) error) error {
	from := 0
	for i, t := range l.times {
		cost := int64(1)
		if len(l.costs) > 0 {
			cost = l.costs[i]
		}
		if err := visit(l.keys[from:l.ends[i]], t, cost); err != nil {
			return err
		}
		from = l.ends[i]
	}
	return nil
}

func scanBinaries(ctx context.Context, files []string, o Options, visit func(key []byte, t, cost int64) error) (stats Stats, err error) {
	t, err := Load(ctx, files, o)
	if err != nil {
		return stats, err
	}
	defer t.Close()
	times, costs := make([]int64, 512), make([]int64, 512)
	for shard := range t.Shards() {
		err := t.Visit(ctx, shard, func(key string, read func(times, costs []int64) (int, error)) error {
			for {
				n, err := read(times, costs)
				if n == 0 || err != nil {
					return err
				}
				for i, at := range times[:n] {
					if err := visit([]byte(key), at, costs[i]); err != nil {
						return err
					}
				}
				if err := ctx.Err(); err != nil {
					return err
				}
			}
		})
		if err != nil {
			return t.Stats(), err
		}
	}
	return t.Stats(), nil
}
