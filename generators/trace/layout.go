package trace

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// A layout is a format of the user's own: a line of text with named fields, as $client or ${client}, or as a server's
// configuration has it, nginx's log_format or Apache's LogFormat.
//
// A field ends where the text behind it first occurs; in quotes, a quote behind a backslash belongs to the field. A blank of the
// layout is one or more of the line. The last field takes the rest of the line; what follows the last text is not read.
// A field named _ is passed over.
type layout struct {
	parts        []layoutPart
	names        []string // of the fields, in their order; several may be the same
	client, time int      // among the fields; -1 for none
	cost         int
	clock        clock
}

// A layoutPart is a field and the text behind it, or the text that begins the line.
type layoutPart struct {
	field bool
	text  []byte // behind the field; empty at the end
	quote bool   // whether the field is in quotes
}

// newLayout makes a format of Options.Format.
func newLayout(text string) (*Format, error) {
	var tokens []token
	var err error
	if strings.Contains(text, "$") {
		tokens, err = nginxTokens(text)
	} else {
		tokens, err = apacheTokens(text)
	}
	if err != nil {
		return nil, err
	}
	p := layout{}
	p.parts = append(p.parts, layoutPart{})
	for i, t := range tokens {
		last := &p.parts[len(p.parts)-1]
		switch {
		case t.name == "":
			last.text = append(last.text, t.text...)
		case i > 0 && tokens[i-1].name != "":
			return nil, fmt.Errorf("nothing stands between the fields %s and %s of --format: they can't be told apart", tokens[i-1].name, t.name)
		default:
			p.names = append(p.names, t.name)
			p.parts = append(p.parts, layoutPart{field: true, quote: bytes.HasSuffix(last.text, []byte(`"`))})
		}
	}
	for i := range p.parts {
		part := &p.parts[i]
		part.quote = part.quote && bytes.HasPrefix(part.text, []byte(`"`))
	}
	return &Format{Name: layoutText(tokens), Doc: "your own", columns: true, open: p.open}, nil
}

// layoutText writes a layout with the names that its fields have here.
func layoutText(tokens []token) string {
	var b strings.Builder
	for _, t := range tokens {
		if t.name == "" {
			b.WriteString(t.text)
		} else {
			b.WriteString("$" + t.name)
		}
	}
	return b.String()
}

// A token is a field of a layout, or text if it has no name.
type token struct{ name, text string }

func (p layout) open(_ [][]byte, o *Options, _ parser) (parser, error) {
	p.clock = o.clock()
	p.client = p.index("client")
	p.cost = p.index("cost")
	if o.CostField != "" {
		p.cost = -1 // the selection sees to it
	}
	if p.time = p.timeIndex(o.TimeField); p.time < 0 {
		wanted := "time, time_local, time_iso8601, msec or %t"
		if o.TimeField != "" {
			wanted = o.TimeField
		}
		return nil, fmt.Errorf("--format has no time: name a field %s in it; it has %s", wanted, strings.Join(p.names, ", "))
	}
	if p.client < 0 && isClient(o.key) {
		return nil, fmt.Errorf("--format has no client: name a field client, remote_addr or %%h in it, or give another with --key; it has %s", strings.Join(p.names, ", "))
	}
	return &p, nil
}

// timeIndex is the number of the field that is the time, the finest there is.
func (p *layout) timeIndex(field string) int {
	if field != "" {
		return p.index(field)
	}
	for _, name := range []string{"time", "msec", "time_iso8601", "time_local"} {
		if i := slices.Index(p.names, name); i >= 0 {
			return i
		}
	}
	return -1
}

func (p *layout) parse(line []byte, r *record) verdict {
	if !p.cut(line, r) {
		return notFormat
	}
	f := r.fields.list
	var why verdict
	if r.time, why = p.clock.parse(f[p.time], &r.day); why != request {
		return why
	}
	r.line, r.cost, r.key = line, 1, nil
	if p.client >= 0 {
		r.key = clientOf(r.fields.at(p.client), r)
	}
	if p.cost >= 0 {
		var ok bool
		if r.cost, ok = parseCost(orNothing(f[p.cost])); !ok {
			return badCost
		}
	}
	return request
}

// cut finds the fields of a line.
func (p *layout) cut(line []byte, r *record) (ok bool) {
	r.fields.list = r.fields.list[:0]
	for i := range p.parts {
		part := &p.parts[i]
		switch {
		case !part.field:
			if line, ok = cutText(line, part.text); !ok {
				return false
			}
			continue
		case len(part.text) == 0:
			r.fields.list = append(r.fields.list, line)
			return true
		}
		end := 0
		if part.quote {
			rest, closed := cutQuoted(line)
			if !closed {
				return false
			}
			end = len(line) - len(rest) - 1
		}
		for {
			n := bytes.IndexByte(line[end:], part.text[0])
			if n < 0 {
				return false
			}
			end += n
			if rest, ok := cutText(line[end:], part.text); ok {
				r.fields.list = append(r.fields.list, line[:end])
				line = rest
				break
			}
			end++
		}
	}
	return true
}

// cutText takes text off the beginning of a line, where a blank may be several.
func cutText(line, text []byte) (rest []byte, ok bool) {
	for i, c := range text {
		if len(line) == 0 || line[0] != c {
			return nil, false
		}
		line = line[1:]
		if c == ' ' && i+1 < len(text) && text[i+1] != ' ' || c == ' ' && i+1 == len(text) {
			line = bytes.TrimLeft(line, " ")
		}
	}
	return line, true
}

func (p *layout) fits(line []byte, r *record) bool { return p.parse(line, r) == request }

// layoutNames are the names that servers have for what others call by the first.
var layoutNames = map[string][]string{
	"client":    {"remote_addr", "realip_remote_addr", "ip", "host_ip"},
	"user":      {"remote_user"},
	"bytes":     {"body_bytes_sent", "bytes_sent"},
	"referer":   {"http_referer", "header:referer"},
	"agent":     {"http_user_agent", "header:user-agent"},
	"forwarded": {"http_x_forwarded_for", "header:x-forwarded-for"},
	"host":      {"http_host", "server_name", "header:host"},
	"method":    {"request_method"},
	"uri":       {"request_uri"},
	"protocol":  {"server_protocol"},
}

// index is the number of a field by its name or another of its names, -1 if there is none.
func (p *layout) index(name string) int {
	list := append([]string{name}, layoutNames[name]...)
	if header, ok := strings.CutPrefix(name, "header:"); ok {
		list = append(list, "http_"+strings.ReplaceAll(header, "-", "_"))
		for generic, others := range layoutNames {
			if slices.Contains(others, name) {
				list = append(list, generic)
			}
		}
	}
	for _, name := range list {
		if i := slices.Index(p.names, name); i >= 0 {
			return i
		}
	}
	return -1
}

func (p *layout) field(name string) getter {
	if name == "client" && p.client >= 0 {
		return func(r *record) []byte { return r.key }
	}
	if i := p.index(name); i >= 0 {
		if name == "bytes" {
			return func(r *record) []byte {
				if string(r.fields.list[i]) == "-" {
					return []byte("0")
				}
				return r.fields.list[i]
			}
		}
		return wordGetter(i)
	}
	if i := p.index("request"); i >= 0 {
		if g := requestField(name, wordGetter(i)); g != nil {
			return g
		}
	}
	if i := p.index("uri"); i >= 0 {
		return targetField(name, wordGetter(i))
	}
	return nil
}

func (p *layout) fields() []string {
	list := slices.DeleteFunc(slices.Clone(p.names), func(s string) bool { return s == "_" })
	for _, name := range append([]string{"client", "user", "bytes", "referer", "agent", "forwarded", "host"}, requestFields...) {
		if p.field(name) != nil && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}
