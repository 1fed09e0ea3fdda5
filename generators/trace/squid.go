package trace

import "bytes"

// Squid's native access log:
//
//	1006084805.123   250 client TCP_MISS/200 bytes METHOD URL user hierarchy/peer type
//
// A request ended at that time.
type squid struct{ clock clock }

func openSquid(_ [][]byte, o *Options, _ parser) (parser, error) { return squid{o.clock()}, nil }

func (p squid) parse(line []byte, r *record) verdict {
	r.fields.splitBlanks(line)
	f := r.fields.list
	if len(f) < 2 {
		return noTime
	}
	ns, why := parseNumber(f[0], p.clock.unit)
	if why != request {
		return why
	}
	if len(f) < 7 {
		return noColumn
	}
	r.line, r.time, r.cost = line, ns, 1
	r.key = clientOf(r.fields.at(2), r)
	return request
}

func (p squid) fits(line []byte, r *record) bool {
	if p.parse(line, r) != request || len(r.key) == 0 {
		return false
	}
	f := r.fields.list
	code, status, slash := bytes.Cut(f[3], []byte("/"))
	return slash && isNumber(f[1]) && isNumber(status) && len(status) == 3 && len(code) > 0 &&
		!bytes.ContainsFunc(code, func(c rune) bool { return c != '_' && (c < 'A' || c > 'Z') })
}

var squidFields = map[string]int{"elapsed": 1, "result": 3, "bytes": 4, "method": 5, "uri": 6, "user": 7, "hierarchy": 8, "type": 9}

func (squid) field(name string) getter {
	if n, ok := squidFields[name]; ok {
		return wordGetter(n)
	}
	switch name {
	case "client":
		return func(r *record) []byte { return r.key }
	case "status":
		return func(r *record) []byte {
			_, status, _ := bytes.Cut(r.fields.at(3), []byte("/"))
			return status
		}
	}
	return targetField(name, wordGetter(squidFields["uri"]))
}

func (squid) fields() []string {
	return append(sortedNames(squidFields), "client", "status", "path", "query")
}
