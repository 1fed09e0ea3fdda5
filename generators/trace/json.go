package trace

import (
	"bytes"
	"net/textproto"
	"slices"
	"strings"
	"unsafe"

	"github.com/tidwall/gjson"
)

// JSON lines: one object a line. The whole line must be valid JSON, but for its bytes being UTF-8: servers write them as
// they came. Of a name that comes twice in an object the first counts.
type jsonLines struct {
	*jsonShape
	clock clock
	seen  []string // names in the first lines
}

// A jsonShape says where in a server's lines things stand.
type jsonShape struct {
	time   []path // the first that is there
	client []path
	marks  []path // one of them must be there for a line to fit
	must   path   // what a request's line has, or "" in literal if nothing
	says   string // what it says there; "" for anything
	other  []path // all are there in the server's lines that are no requests
	names  map[string]string
	header func(name string) []string // paths of a request's header, its name in lower case
}

// A path leads to a value: by a name that is just that, or else, if it has points, by names one inside the other.
type path struct{ literal, nested string }

func newPath(text string) path {
	p := path{literal: gjson.Escape(text)}
	if strings.Contains(text, ".") {
		parts := strings.Split(text, ".")
		for i := range parts {
			parts[i] = gjson.Escape(parts[i])
		}
		p.nested = strings.Join(parts, ".")
	}
	return p
}

func paths(list ...string) []path {
	all := make([]path, len(list))
	for i, text := range list {
		all[i] = newPath(text)
	}
	return all
}

// nestedPath is a path whose points always lead inside.
func nestedPath(text string) path {
	p := newPath(text)
	return path{literal: p.nested}
}

// literalPath is a name with points in it.
func literalPath(text string) path { return path{literal: gjson.Escape(text)} }

// get returns the value, in memory of the text if that is possible; nil if there is none, or null. Of an array it is the first
// element.
func (p path) get(text string) []byte {
	v := gjson.Get(text, p.literal)
	if !v.Exists() && p.nested != "" {
		v = gjson.Get(text, p.nested)
	}
	if v.Type == gjson.JSON && len(v.Raw) > 0 && v.Raw[0] == '[' {
		v = v.Get("0")
	}
	switch v.Type {
	case gjson.Null:
		return nil
	case gjson.String:
		return bytesOf(v.Str)
	}
	return bytesOf(v.Raw)
}

// textOf and bytesOf share memory, which nobody changes: lines are read only.
func textOf(b []byte) string  { return unsafe.String(unsafe.SliceData(b), len(b)) }
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

func openJSON(shape *jsonShape, head [][]byte, o *Options) (*jsonLines, error) {
	p := &jsonLines{jsonShape: shape, clock: o.clock()}
	for _, line := range head {
		if isObject(line) {
			p.seen = namesIn(line)
			break
		}
	}
	return p, nil
}

func isObject(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	return len(line) > 0 && line[0] == '{' && gjson.ValidBytes(line)
}

// namesIn returns the names of a line's values, those inside of objects with a point.
func namesIn(line []byte) (names []string) {
	gjson.ParseBytes(line).ForEach(func(name, value gjson.Result) bool {
		if value.IsObject() {
			value.ForEach(func(inner, _ gjson.Result) bool {
				names = append(names, name.Str+"."+inner.Str)
				return true
			})
		} else {
			names = append(names, name.Str)
		}
		return true
	})
	return names
}

func (p *jsonLines) parse(line []byte, r *record) verdict {
	line = bytes.TrimLeft(line, " \t")
	if len(line) == 0 || line[0] != '{' {
		return notJSON
	}
	if !gjson.ValidBytes(line) {
		if bytes.Contains(line, []byte(`\x`)) && line[len(line)-1] == '}' {
			return hexEscape
		}
		return notJSON
	}
	text := textOf(line)
	if p.must.literal != "" {
		if said := p.must.get(text); said == nil || p.says != "" && string(said) != p.says {
			return p.no(text, noRequest)
		}
	}
	moment := first(p.time, text)
	if moment == nil {
		return p.no(text, noTime)
	}
	var why verdict
	if r.time, why = p.clock.parse(moment, &r.day); why != request {
		return why
	}
	r.line, r.cost = line, 1
	r.key = clientOf(first(p.client, text), r)
	return request
}

// no is the verdict on a line that is no request: ignored if it is another line of the server's, why otherwise.
func (p *jsonLines) no(text string, why verdict) verdict {
	for _, path := range p.other {
		if path.get(text) == nil {
			return why
		}
	}
	if len(p.other) == 0 {
		return why
	}
	return ignored
}

// first returns the first of several values that says something.
func first(list []path, text string) []byte {
	for _, p := range list {
		if v := orNothing(p.get(text)); len(v) > 0 {
			return v
		}
	}
	return nil
}

func (p *jsonLines) fits(line []byte, r *record) bool {
	if p.parse(line, r) != request {
		return false
	}
	text := textOf(r.line)
	return len(r.key) > 0 && (len(p.marks) == 0 || first(p.marks, text) != nil)
}

func (p *jsonLines) field(name string) getter {
	if name == "client" {
		return func(r *record) []byte { return r.key }
	}
	var list []path
	header, isHeader := strings.CutPrefix(name, "header:")
	if isHeader {
		if p.header == nil {
			return nil
		}
		for _, text := range p.header(header) {
			list = append(list, newPath(text))
		}
		return pathGetter(list)
	}
	if !slices.Contains(p.seen, name) { // what a line has under a name goes first
		if text, ok := p.names[name]; ok {
			return pathGetter(paths(text))
		}
		if _, ok := p.names["uri"]; ok && (name == "path" || name == "query") {
			return targetField(name, p.field("uri"))
		}
		if _, ok := p.names["request"]; ok && name != "request" {
			if g := requestField(name, p.field("request")); g != nil {
				return g
			}
		}
	}
	return pathGetter(paths(name))
}

func pathGetter(list []path) getter {
	return func(r *record) []byte { return first(list, textOf(r.line)) }
}

func (p *jsonLines) fields() []string {
	list := []string{"client"}
	for name := range p.names {
		list = append(list, name)
	}
	for name, from := range map[string]string{"path": "uri", "query": "uri", "uri": "request"} {
		if _, ok := p.names[from]; ok && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	for _, name := range p.seen {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// canonicalHeader writes a header's name as HTTP/1.1 does: X-Forwarded-For.
func canonicalHeader(name string) string { return textproto.CanonicalMIMEHeaderKey(name) }
