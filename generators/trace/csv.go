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
// Semicolons or tabs may separate them too. Fields may be quoted as in RFC 4180; a quoted field ends on its line. The
// timestamp is a number, RFC 3339 or 02/Jan/2006:15:04:05 -0700, in brackets or not; the key is taken as it stands, blanks
// and control bytes included; the cost is a whole number, and 1 if empty.
//
// A header is a line of names before the first row, with as many fields; the same line again, as in joined files, is a
// header too. Without --time, --key and --cost, columns named timestamp, key and cost are taken, then for the time the first
// column and for the key the second, and for the cost the third if the others are the first two, a header names no
// more, and neither --key nor --where names it. A file without a header has the columns of the file before it.
type csv struct {
	time, key, cost int // columns, from 0; cost is -1 if there is none
	separator       byte
	clock           clock
	header          []byte
	names           []string // of the columns; nil if no header has named them
}

const (
	timeName = "timestamp"
	keyName  = "key"
	costName = "cost"
)

func openCSV(head [][]byte, o *Options, before parser) (parser, error) {
	p, err := openSeparated(separatorOf(head, o.clock()), head, o, before)
	return p, err
}

func openTSV(head [][]byte, o *Options, before parser) (parser, error) {
	if b, ok := before.(tsv); ok {
		before = b.csv
	}
	if !slices.ContainsFunc(head, func(line []byte) bool { return bytes.IndexByte(line, '\t') >= 0 }) {
		return tsv{&csv{separator: '\t', clock: o.clock(), key: 1, cost: 2}}, nil
	}
	p, err := openSeparated('\t', head, o, before)
	return tsv{p}, err
}

// separatorOf returns what separates the fields of the first line that has a time; a comma if none has.
func separatorOf(head [][]byte, c clock) byte {
	var f fields
	var d day
	for _, line := range head {
		for _, separator := range []byte(",;\t") {
			if f.split(line, separator) != request || len(f.list) < 2 {
				continue
			}
			if slices.ContainsFunc(f.list, func(b []byte) bool { _, why := c.parse(b, &d); return why == request }) {
				return separator
			}
		}
	}
	return ','
}

func openSeparated(separator byte, head [][]byte, o *Options, before parser) (*csv, error) {
	p := &csv{clock: o.clock(), separator: separator}
	p.header, p.names = p.findHeader(head, o)
	if b, ok := before.(*csv); ok && p.names == nil && b.names != nil {
		p.time, p.key, p.cost, p.names = b.time, b.key, b.cost, b.names
		return p, nil
	}
	var err error
	if p.time, err = column(p.names, "time", o.TimeField, timeName, 0); err != nil {
		return nil, err
	}
	if p.key, err = column(p.names, "key", p.keyField(o), keyName, 1); err != nil {
		return nil, err
	}
	if p.cost, err = p.costColumn(p.names, o); err != nil {
		return nil, err
	}
	if p.time == p.key || p.time == p.cost {
		return nil, fmt.Errorf("column %d would be the time and something else: name the columns with --time, --key and --cost", p.time+1)
	}
	return p, nil
}

// keyField is Options.KeyField if it is a column, and not a key that is made of fields.
func (p *csv) keyField(o *Options) string {
	if o.KeyField == "" || slices.Contains(p.names, o.KeyField) {
		return o.KeyField
	}
	if len(o.key) == 1 && o.key[0].plain() {
		return o.KeyField
	}
	return ""
}

func (p *csv) costColumn(names []string, o *Options) (int, error) {
	field := o.CostField
	if field == "none" {
		return -1, nil
	}
	if field != "" || slices.ContainsFunc(names, func(s string) bool { return strings.EqualFold(s, costName) }) {
		return column(names, "cost", field, costName, 2)
	}
	used := slices.Contains(o.names(), "3") || len(names) == 3 && slices.Contains(o.names(), names[2])
	if p.time < 2 && p.key < 2 && (names == nil || len(names) == 3) && !used {
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
func (p *csv) findHeader(head [][]byte, o *Options) (header []byte, names []string) {
	var f fields
	var d day
	var lines [][]byte
	width := 0 // of the first row
	for _, line := range head {
		if f.split(line, p.separator) != request {
			continue
		}
		if slices.ContainsFunc(f.list, func(b []byte) bool { _, why := p.clock.parse(b, &d); return why == request }) {
			width = len(f.list)
			break
		}
		if !slices.ContainsFunc(f.list, func(b []byte) bool { return !isName(b) }) {
			lines = append(lines, line)
		}
	}
	wanted := append([]string{timeName, keyName, costName, o.TimeField, o.KeyField, o.CostField}, o.names()...)
	best := -1
	for _, line := range lines {
		f.split(line, p.separator)
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
	if why := r.fields.split(line, p.separator); why != request {
		return why
	}
	f := r.fields.list
	if p.time >= len(f) {
		return noColumn
	}
	if r.time, why = p.clock.parse(f[p.time], &r.day); why != request {
		return why
	}
	if p.key >= len(f) {
		return noColumn
	}
	r.key, r.line = f[p.key], line
	return request
}

// fits leaves tabs to the format of that name.
func (p *csv) fits(line []byte, r *record) bool {
	return p.separator != '\t' && p.parseTimeAndKey(line, r) == request && len(r.key) > 0
}

// tsv is csv with tabs.
type tsv struct{ *csv }

func (p tsv) fits(line []byte, r *record) bool {
	return p.parseTimeAndKey(line, r) == request && len(r.key) > 0
}

// field takes the name of a column, or its number from 1.
func (p *csv) field(name string) getter {
	if name == "client" && !slices.Contains(p.names, name) {
		return func(r *record) []byte { return r.key }
	}
	name = strings.TrimPrefix(name, "header:")
	i := slices.Index(p.names, name)
	if i < 0 {
		i = slices.IndexFunc(p.names, func(s string) bool { return strings.EqualFold(s, name) })
	}
	if n, err := strconv.ParseUint(name, 10, 16); i < 0 && err == nil && n > 0 {
		i = int(n) - 1
	}
	if i < 0 {
		return nil
	}
	return func(r *record) []byte {
		if i < len(r.fields.list) {
			return r.fields.list[i]
		}
		return nil
	}
}

func (p *csv) fields() []string { return append(slices.Clone(p.names), "a number from 1") }

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

// split cuts a line at its separators and takes off quotes.
func (f *fields) split(line []byte, separator byte) verdict {
	f.list, f.plain = f.list[:0], f.plain[:0]
	if bytes.IndexByte(line, '"') < 0 {
		for {
			i := bytes.IndexByte(line, separator)
			if i < 0 {
				f.list = append(f.list, line)
				return request
			}
			f.list = append(f.list, line[:i])
			line = line[i+1:]
		}
	}
	for {
		field, rest, why := f.next(line, separator)
		if why != request {
			return why
		}
		f.list = append(f.list, field)
		if len(rest) == 0 {
			return request
		}
		if rest[0] != separator {
			return badQuote
		}
		line = rest[1:]
	}
}

// next cuts one field off. Doubled quotes become single ones, which needs memory of its own.
func (f *fields) next(b []byte, separator byte) (field, rest []byte, why verdict) {
	if len(b) == 0 || b[0] != '"' {
		n := bytes.IndexByte(b, separator)
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
