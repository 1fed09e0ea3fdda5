package trace

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Comma-separated values, one request a line:
//
//	timestamp,key[,cost]
//
// Fields may be quoted as in RFC 4180; a quoted field ends on its line. The timestamp is RFC 3339 with an offset, or a
// number; the key is taken as it stands, blanks and control bytes included; the cost is a whole number, and 1 if empty.
//
// A header is a line of names before the first row, with as many fields; the same line again, as in joined files, is a
// header too. Without --time, --key and --cost, columns named timestamp, key and cost are taken, then for the time the first
// column and for the key the second, and for the cost the third if the others are the first two and a header names no
// more. A file without a header has the columns of the file before it.
type csv struct {
	time, key, cost int // columns, from 0; cost is -1 if there is none
	unit            int
	header          []byte
	columns         bool // whether a header decided the columns, of this file or of one before
}

const (
	timeName = "timestamp"
	keyName  = "key"
	costName = "cost"
)

func openCSV(head [][]byte, o *Options, before parser) (parser, error) {
	p := &csv{unit: unitDigits[o.TimeUnit]}
	var names []string
	p.header, names = findHeader(head, o, p.unit)
	if b, ok := before.(*csv); ok && names == nil && b.columns {
		p.time, p.key, p.cost, p.columns = b.time, b.key, b.cost, true
		return p, nil
	}
	p.columns = names != nil
	var err error
	if p.time, err = column(names, "time", o.TimeField, timeName, 0); err != nil {
		return nil, err
	}
	keyField := o.KeyField
	if keyField == "client" && !slices.Contains(names, "client") {
		keyField = ""
	}
	if p.key, err = column(names, "key", keyField, keyName, 1); err != nil {
		return nil, err
	}
	if p.cost, err = p.costColumn(names, o.CostField); err != nil {
		return nil, err
	}
	if p.time == p.key || p.time == p.cost {
		return nil, fmt.Errorf("column %d would be the time and something else: name the columns with --time, --key and --cost", p.time+1)
	}
	return p, nil
}

func (p *csv) costColumn(names []string, field string) (int, error) {
	if field == "none" {
		return -1, nil
	}
	if field != "" || slices.ContainsFunc(names, func(s string) bool { return strings.EqualFold(s, costName) }) {
		return column(names, "cost", field, costName, 2)
	}
	if p.time < 2 && p.key < 2 && (names == nil || len(names) == 3) {
		return 2, nil
	}
	return -1, nil
}

// column finds the number of a column: by the user's field, a name or a number from 1, else by the usual name, else the
// usual number. names is nil if there is no header.
func column(names []string, flag, field, usual string, number int) (int, error) {
	if field == "" {
		for i, name := range names {
			if strings.EqualFold(name, usual) {
				return i, nil
			}
		}
		return number, nil
	}
	if i := slices.Index(names, field); i >= 0 {
		return i, nil
	}
	if n, err := strconv.ParseUint(field, 10, 16); err == nil && n > 0 {
		return int(n) - 1, nil
	}
	if names == nil {
		return 0, fmt.Errorf("no header names a column %q: give its number, such as --%s %d", field, flag, number+1)
	}
	return 0, fmt.Errorf("the header has no column %q: --%s takes one of %s, or a number from 1", field, flag, strings.Join(names, ", "))
}

// findHeader looks for the header before the first row, preferring a line that has a wanted name.
func findHeader(head [][]byte, o *Options, unit int) (header []byte, names []string) {
	var f fields
	var lines [][]byte
	width := 0 // of the first row
	for _, line := range head {
		if f.split(line) != request {
			continue
		}
		if slices.ContainsFunc(f.list, func(b []byte) bool { _, why := parseTime(b, unit); return why == request }) {
			width = len(f.list)
			break
		}
		if !slices.ContainsFunc(f.list, func(b []byte) bool { return !isName(b) }) {
			lines = append(lines, line)
		}
	}
	wanted := []string{timeName, keyName, costName, o.TimeField, o.KeyField, o.CostField}
	best := -1
	for _, line := range lines {
		f.split(line)
		if width > 0 && len(f.list) != width {
			continue
		}
		n := 0
		candidate := make([]string, len(f.list))
		for i, b := range f.list {
			candidate[i] = string(bytes.TrimSpace(b))
			if slices.ContainsFunc(wanted, func(s string) bool { return strings.EqualFold(s, candidate[i]) }) {
				n++
			}
		}
		if n > best && (n > 0 || width > 0) {
			best, header, names = n, bytes.Clone(line), candidate
		}
	}
	return header, names
}

// isName reports whether b can be the name of a column.
func isName(b []byte) bool {
	b = bytes.TrimSpace(b)
	first, _ := utf8.DecodeRune(b)
	if !unicode.IsLetter(first) && first != '_' && first != '@' || len(b) > 64 || !utf8.Valid(b) {
		return false
	}
	return !bytes.ContainsFunc(b, func(c rune) bool { return !unicode.IsGraphic(c) })
}

func (p *csv) parse(line []byte, r *record) verdict {
	if p.header != nil && bytes.Equal(line, p.header) {
		return ignored
	}
	if why := p.parseTimeAndKey(line, r); why != request {
		return why
	}
	r.cost = 1
	if p.cost >= 0 && p.cost < len(r.fields.list) {
		var ok bool
		if r.cost, ok = parseCost(r.fields.list[p.cost]); !ok {
			return badCost
		}
	}
	return request
}

func (p *csv) parseTimeAndKey(line []byte, r *record) (why verdict) {
	if why := r.fields.split(line); why != request {
		return why
	}
	f := r.fields.list
	if p.time >= len(f) {
		return noColumn
	}
	if r.time, why = parseTime(f[p.time], p.unit); why != request {
		return why
	}
	if p.key >= len(f) {
		return noColumn
	}
	if r.key = f[p.key]; len(r.key) == 0 {
		return noClient
	}
	return request
}

func (p *csv) fits(line []byte, r *record) bool { return p.parseTimeAndKey(line, r) == request }

// parseTime reads a timestamp of a CSV file, with blanks around it.
func parseTime(b []byte, unit int) (ns int64, why verdict) {
	b = bytes.Trim(b, " \t")
	if ns, why = parseNumber(b, unit); why != noTime {
		return ns, why
	}
	return parseRFC3339(b)
}

// parseCost reads a whole number from 0 to 2^63-1, with blanks around it.
func parseCost(b []byte) (cost int64, ok bool) {
	b = bytes.Trim(b, " \t")
	if len(b) == 0 {
		return 1, true
	}
	for _, c := range b {
		d := int64(c - '0')
		if d > 9 || cost > (1<<63-1-d)/10 {
			return 0, false
		}
		cost = cost*10 + d
	}
	return cost, true
}

// fields are those of one line of a CSV file.
type fields struct {
	list  [][]byte
	plain []byte // the texts of fields with doubled quotes in them
}

// split cuts a line at its commas and takes off quotes.
func (f *fields) split(line []byte) verdict {
	f.list, f.plain = f.list[:0], f.plain[:0]
	if bytes.IndexByte(line, '"') < 0 {
		for {
			i := bytes.IndexByte(line, ',')
			if i < 0 {
				f.list = append(f.list, line)
				return request
			}
			f.list = append(f.list, line[:i])
			line = line[i+1:]
		}
	}
	for {
		field, rest, why := f.next(line)
		if why != request {
			return why
		}
		f.list = append(f.list, field)
		if len(rest) == 0 {
			return request
		}
		if rest[0] != ',' {
			return badQuote
		}
		line = rest[1:]
	}
}

// next cuts one field off. Doubled quotes become single ones, which needs memory of its own.
func (f *fields) next(b []byte) (field, rest []byte, why verdict) {
	if len(b) == 0 || b[0] != '"' {
		n := bytes.IndexByte(b, ',')
		if n < 0 {
			n = len(b)
		}
		if bytes.IndexByte(b[:n], '"') >= 0 {
			return nil, nil, badQuote
		}
		return b[:n], b[n:], request
	}
	b = b[1:]
	from := len(f.plain)
	for {
		n := bytes.IndexByte(b, '"')
		if n < 0 {
			return nil, nil, openQuote
		}
		doubled := n+1 < len(b) && b[n+1] == '"'
		if !doubled && from == len(f.plain) {
			return b[:n], b[n+1:], request
		}
		f.plain = append(f.plain, b[:n]...)
		b = b[n+1:]
		if !doubled {
			return f.plain[from:len(f.plain):len(f.plain)], b, request
		}
		f.plain = append(f.plain, '"')
		b = b[1:]
	}
}
