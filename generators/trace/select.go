package trace

import (
	"bytes"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// A keyPart is one of the fields that a key is made of.
type keyPart struct {
	name     string // of the field; client for the addresses' networks
	v4, v6   int    // bits of the network that is the key
	network  bool
	original bool // the first address of X-Forwarded-For
}

func (k keyPart) plain() bool { return !k.network && !k.original && k.name != "client" }

// isClient reports whether a key is the client and nothing else.
func isClient(key []keyPart) bool {
	return len(key) == 0 || len(key) == 1 && key[0] == keyPart{name: "client"}
}

// parseKey reads what Options.KeyField says.
func parseKey(text string) ([]keyPart, error) {
	if text == "" {
		return nil, nil
	}
	var list []keyPart
	for part := range strings.SplitSeq(text, "+") {
		k := keyPart{name: fieldName(part)}
		switch {
		case part == "":
			return nil, fmt.Errorf("--key %q has an empty part: it takes names such as client, path, or several joined by +", text)
		case part == "forwarded":
			k = keyPart{name: "forwarded", original: true}
		case part == "ip" || strings.HasPrefix(part, "ip/") || strings.HasPrefix(part, "ip:"):
			var err error
			if k, err = parseNetwork(part); err != nil {
				return nil, err
			}
		}
		list = append(list, k)
	}
	return list, nil
}

// parseNetwork reads ip, ip/24, ip/64 or ip/24/64, and :FIELD behind it for another field than the client.
func parseNetwork(text string) (k keyPart, err error) {
	spec, name, other := strings.Cut(text, ":")
	if !other {
		name = "client"
	}
	k = keyPart{name: fieldName(name), v4: 32, v6: 128, network: true, original: name == "forwarded"}
	bits := strings.Split(spec, "/")[1:]
	wrong := fmt.Errorf("--key %s is no network: give ip/24 for IPv4, ip/64 for IPv6, or ip/24/64 for both", text)
	if len(bits) > 2 || name == "" {
		return k, wrong
	}
	for i, digits := range bits {
		n, err := strconv.ParseUint(digits, 10, 8)
		switch {
		case err != nil || n > 128 || len(bits) == 2 && i == 0 && n > 32:
			return k, wrong
		case n > 32 || i == 1:
			k.v6 = int(n)
		default:
			k.v4 = int(n)
		}
	}
	return k, nil
}

// fieldName writes a header's name in lower case; other names are as they stand.
func fieldName(name string) string {
	if header, ok := strings.CutPrefix(name, "header:"); ok {
		return "header:" + strings.ToLower(header)
	}
	return name
}

// A condition is one of those that a request must meet to count.
type condition struct {
	name   string
	value  []byte
	not    bool
	prefix bool
}

// parseWhere reads NAME=VALUE and NAME!=VALUE, separated by commas. A value in double quotes may hold commas; one without that
// ends with * is a beginning.
func parseWhere(text string) (list []condition, err error) {
	rest := text
	for rest = strings.TrimSpace(rest); rest != ""; {
		n := strings.IndexByte(rest, '=')
		if n < 1 {
			return nil, fmt.Errorf("--where %q: %q is no NAME=VALUE", text, rest)
		}
		c := condition{name: rest[:n]}
		c.name, c.not = strings.CutSuffix(c.name, "!")
		if c.name = fieldName(strings.TrimSpace(c.name)); c.name == "" {
			return nil, fmt.Errorf("--where %q: a field's name is missing", text)
		}
		value := strings.TrimLeft(rest[n+1:], " ")
		if quoted, ok := strings.CutPrefix(value, `"`); ok {
			end := strings.IndexByte(quoted, '"')
			if end < 0 {
				return nil, fmt.Errorf("--where %q: a quote does not end", text)
			}
			c.value, rest = []byte(quoted[:end]), strings.TrimSpace(quoted[end+1:])
			if rest != "" && rest[0] != ',' {
				return nil, fmt.Errorf("--where %q: a comma must follow a quoted value", text)
			}
			rest = strings.TrimPrefix(rest, ",")
		} else {
			value, rest, _ = strings.Cut(value, ",")
			value, c.prefix = strings.CutSuffix(strings.TrimSpace(value), "*")
			c.value = []byte(value)
		}
		list = append(list, c)
		rest = strings.TrimSpace(rest)
	}
	if len(list) == 0 && text != "" {
		return nil, fmt.Errorf("--where %q has no NAME=VALUE", text)
	}
	return list, nil
}

func (c *condition) met(value []byte) bool {
	same := bytes.Equal(value, c.value)
	if c.prefix {
		same = bytes.HasPrefix(value, c.value)
	}
	return same != c.not
}

// names are the fields that the key and the conditions name.
func (o *Options) names() (list []string) {
	for _, k := range o.key {
		list = append(list, strings.TrimPrefix(k.name, "header:"))
	}
	for _, c := range o.where {
		list = append(list, strings.TrimPrefix(c.name, "header:"))
	}
	return list
}

// parse reads what the options say of keys, conditions and time zones.
func (o *Options) parse() (err error) {
	if o.key, err = parseKey(o.KeyField); err != nil {
		return err
	}
	if o.where, err = parseWhere(o.Where); err != nil {
		return err
	}
	o.zone, err = parseZone(o.TimeZone)
	return err
}

// A selection takes from a request what the options ask for, beyond client and time.
type selection struct {
	key   []selected // nil if the key is the format's own
	where []test
	cost  getter // nil if the cost is the format's own
	time  getter // nil if the time is
	free  bool   // every cost is 1
	clock clock
}

type selected struct {
	keyPart
	get getter
}

type test struct {
	condition
	get getter
}

// newSelection finds the fields in a format. It returns nil if there are none.
func newSelection(p parser, f *Format, o *Options, head [][]byte) (*selection, error) {
	s := &selection{clock: o.clock()}
	s.clock.unit = unitDigits[o.TimeUnit]
	find := func(name, flag string) (getter, error) { return findField(p, f, name, flag, head) }
	var err error
	if !isClient(o.key) && !keyIsColumn(p, o) {
		for _, k := range o.key {
			get, err := find(k.name, "--key "+o.KeyField)
			if err != nil {
				return nil, err
			}
			s.key = append(s.key, selected{k, get})
		}
	}
	for _, c := range o.where {
		get, err := find(c.name, "--where")
		if err != nil {
			return nil, err
		}
		s.where = append(s.where, test{c, get})
	}
	if separated(p) == nil {
		switch o.CostField {
		case "":
		case "none":
			s.free = true
		default:
			if s.cost, err = find(fieldName(o.CostField), "--cost"); err != nil {
				return nil, err
			}
		}
	}
	if o.TimeField != "" && !f.columns {
		if s.time, err = find(fieldName(o.TimeField), "--time"); err != nil {
			return nil, err
		}
	}
	if s.key == nil && s.where == nil && s.cost == nil && s.time == nil && !s.free {
		return nil, nil
	}
	return s, nil
}

// separated returns the parser's columns if they are separated by commas or the like, nil otherwise.
func separated(p parser) *csv {
	switch p := p.(type) {
	case *csv:
		return p
	case tsv:
		return p.csv
	}
	return nil
}

// keyIsColumn reports whether the parser takes the key from a column of its own.
func keyIsColumn(p parser, o *Options) bool {
	c := separated(p)
	return c != nil && c.keyField(o) != ""
}

// findField finds a field that the lines at the beginning of a file have, or says which they have.
func findField(p parser, f *Format, name, flag string, head [][]byte) (getter, error) {
	get := p.field(name)
	seen := false
	var r record
	for _, line := range head {
		if get == nil {
			break
		}
		if p.parse(line, &r) == request {
			seen = true
			if len(get(&r)) > 0 {
				return get, nil
			}
		}
	}
	if get != nil && !seen {
		return get, nil
	}
	missing := "has no field"
	if get != nil {
		missing = "has nothing in the first lines under"
	}
	return nil, fmt.Errorf("format %s %s %q for %s: it has %s", f.Name, missing, name, flag, nameList(p.fields()))
}

// nameList lists names that may come from a log, safe to print.
func nameList(names []string) string {
	const most = 60
	shown := make([]string, 0, most+1)
	for i, name := range names {
		if i == most {
			shown = append(shown, fmt.Sprintf("and %d more", len(names)-most))
			break
		}
		if quoted := quote([]byte(name)); quoted != `"`+name+`"` {
			name = quoted
		}
		shown = append(shown, name)
	}
	return strings.Join(shown, ", ")
}

// apply completes a request that the format's parser has read.
func (s *selection) apply(r *record) (why verdict) {
	for i := range s.where {
		if t := &s.where[i]; !t.met(t.get(r)) {
			r.filtered = true
			return ignored
		}
	}
	if s.time != nil {
		if r.time, why = s.clock.parse(s.time(r), &r.day); why != request {
			return why
		}
	}
	switch {
	case s.free:
		r.cost = 1
	case s.cost != nil:
		var ok bool
		if r.cost, ok = parseCost(s.cost(r)); !ok {
			return badCost
		}
	}
	if s.key != nil {
		return s.applyKey(r)
	}
	return request
}

// applyKey joins the fields of the key with blanks between them. Blanks and backslashes in one of several get a backslash, so
// that no two keys are the same unless their fields are.
func (s *selection) applyKey(r *record) verdict {
	joined := r.joined[:0]
	for i := range s.key {
		from := len(joined)
		if i > 0 {
			joined = append(joined, ' ')
			from++
		}
		if joined = s.key[i].append(joined, r); len(joined) == from {
			r.joined = joined
			return noKey
		}
		if part := joined[from:]; len(s.key) > 1 && bytes.ContainsAny(part, ` \`) {
			escaped := slices.Clone(part)
			joined = joined[:from]
			for _, c := range escaped {
				if c == ' ' || c == '\\' {
					joined = append(joined, '\\')
				}
				joined = append(joined, c)
			}
		}
	}
	r.joined, r.key = joined, joined
	return request
}

// append appends a part of the key, nothing if the request does not have it.
func (k *selected) append(to []byte, r *record) []byte {
	value := k.get(r)
	if k.original {
		if value = firstAddress(value, r); len(value) == 0 {
			value = r.key // it came without a proxy
		}
	}
	if k.network {
		return k.appendNetwork(to, value, r)
	}
	return append(to, value...)
}

func (k *selected) appendNetwork(to, value []byte, r *record) []byte {
	a, ok := parseAddress(value, r)
	if !ok {
		return append(to, value...)
	}
	bits := k.v6
	if a.Is4() {
		bits = k.v4
	}
	if bits == a.BitLen() {
		return a.AppendTo(to)
	}
	return netip.PrefixFrom(a.WithZone(""), bits).Masked().AppendTo(to)
}
