package trace

import (
	"bytes"
	"slices"
	"strings"
)

// W3C extended log format. Its columns are those of the last #Fields line before, of this file or of the one before it.
//
// Words have blanks between them and may be quoted; CloudFront's have tabs. The time is date and time, which are UTC, or else date-local
// and time-local, which have no offset: without --time-zone they are taken for UTC. The client is c-ip.
type w3c struct {
	columns *w3cColumns // of the file's first line; nil if there is no #Fields line
	clock   clock
	kind    w3cKind
}

type w3cKind uint8

const (
	w3cUTC w3cKind = iota
	w3cLocal
	w3cCloudFront
)

// w3cColumns are the columns that a #Fields line names.
type w3cColumns struct {
	names              []string
	date, time, client int // -1 if there is none
	kind               w3cKind
}

var fieldsMark = []byte("#Fields:")

func readColumns(line []byte) *w3cColumns {
	c := &w3cColumns{names: strings.Fields(string(line[len(fieldsMark):]))}
	c.date, c.time, c.client = c.number("date"), c.number("time"), c.number("c-ip")
	if c.date < 0 || c.time < 0 {
		c.date, c.time, c.kind = c.number("date-local"), c.number("time-local"), w3cLocal
	}
	if c.number("x-edge-location") >= 0 {
		c.kind = w3cCloudFront
	}
	return c
}

func (c *w3cColumns) number(name string) int {
	return slices.IndexFunc(c.names, func(s string) bool { return strings.EqualFold(s, name) })
}

func openW3C(head [][]byte, o *Options, before parser) (parser, error) {
	return openColumns(head, o, before, w3cUTC)
}

func openW3CLocal(head [][]byte, o *Options, before parser) (parser, error) {
	return openColumns(head, o, before, w3cLocal)
}

func openCloudFront(head [][]byte, o *Options, before parser) (parser, error) {
	return openColumns(head, o, before, w3cCloudFront)
}

func openColumns(head [][]byte, o *Options, before parser, kind w3cKind) (parser, error) {
	p := &w3c{clock: o.clock().orUTC(), kind: kind}
	first := slices.IndexFunc(head, func(line []byte) bool { return bytes.HasPrefix(line, fieldsMark) })
	if b, ok := before.(*w3c); ok && first != 0 {
		p.columns = b.columns
	} else if first >= 0 {
		p.columns = readColumns(head[first])
	}
	return p, nil
}

// after returns the parser of what follows data, whose #Fields lines count from then on.
func (p *w3c) after(data []byte) *w3c {
	n := bytes.LastIndex(data, []byte("\n#Fields:")) + 1
	if !bytes.HasPrefix(data[n:], fieldsMark) {
		return p
	}
	line, _ := cutLine(data[n:])
	next := *p
	next.columns = readColumns(line)
	return &next
}

// current are the columns of the line at hand.
func (p *w3c) current(r *record) *w3cColumns {
	if r.columns != nil {
		return r.columns
	}
	return p.columns
}

func (p *w3c) parse(line []byte, r *record) verdict {
	c := p.current(r)
	if c == nil {
		return noFields
	}
	if bytes.IndexByte(line, '\t') >= 0 {
		r.fields.splitTabs(line)
	} else if why := r.fields.splitQuoted(line, r.fields.cutDoubled); why != request {
		return why
	}
	f := r.fields.list
	if c.date < 0 || c.time < 0 {
		return noTime
	}
	if max(c.date, c.time) >= len(f) {
		return noColumn
	}
	r.joined = append(append(append(r.joined[:0], f[c.date]...), ' '), f[c.time]...)
	var ns int64
	var why verdict
	if c.kind == w3cLocal {
		ns, why = p.clock.parseLocal(r.joined)
	} else {
		ns, why = parseRFC3339(append(r.joined, 'Z'))
	}
	if why != request {
		return why
	}
	r.line, r.time, r.cost, r.key = line, ns, 1, nil
	if c.client >= 0 {
		r.key = clientOf(r.fields.at(c.client), r)
	}
	return request
}

func (p *w3c) fits(line []byte, r *record) bool {
	return p.parse(line, r) == request && len(r.key) > 0 && p.current(r).kind == p.kind
}

var w3cNames = map[string][]string{
	"method": {"cs-method"}, "path": {"cs-uri-stem"}, "query": {"cs-uri-query"}, "status": {"sc-status"}, "bytes": {"sc-bytes"},
	"host": {"x-host-header", "cs-host", "cs(host)"}, "user": {"cs-username"}, "agent": {"cs(user-agent)"}, "referer": {"cs(referer)"},
	"forwarded": {"x-forwarded-for", "cs(x-forwarded-for)"}, "protocol": {"cs-protocol-version", "cs-version"},
}

// field looks the name up in the columns of each line, which may change.
func (p *w3c) field(name string) getter {
	if name == "client" {
		return func(r *record) []byte { return r.key }
	}
	list := append([]string{name}, w3cNames[name]...)
	if header, ok := strings.CutPrefix(name, "header:"); ok {
		list = []string{"cs(" + header + ")", header}
	}
	if p.columns != nil && p.columns.first(list) < 0 {
		return nil
	}
	return func(r *record) []byte {
		if n := p.current(r).first(list); n >= 0 {
			return r.fields.at(n)
		}
		return nil
	}
}

// first is the number of the first of several columns that is there, -1 if none is.
func (c *w3cColumns) first(list []string) int {
	for _, name := range list {
		if n := c.number(name); n >= 0 {
			return n
		}
	}
	return -1
}

func (p *w3c) fields() []string {
	if p.columns == nil {
		return nil
	}
	list := slices.Clone(p.columns.names)
	for name, columns := range w3cNames {
		if p.columns.first(columns) >= 0 {
			list = append(list, name)
		}
	}
	slices.Sort(list[len(p.columns.names):])
	return append(list, "client")
}
