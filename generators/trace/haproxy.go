package trace

import (
	"bytes"
	"strconv"
	"strings"
)

// HAProxy's HTTP log, mostly behind a syslog header:
//
//	client:port [02/Jan/2006:15:04:05.000] frontend backend/server 0/0/0/0/0 status bytes - - ---- 1/1/0/0/0 0/0 {captured|headers} "request"
//
// A connection was accepted at that time, which has no offset: without --time-zone it is taken for UTC. Requests that could not
// be read, "<BADREQ>", count. What else HAProxy writes (a proxy's start, a failed handshake) is passed over.
type haproxy struct{ clock clock }

func openHAProxy(_ [][]byte, o *Options, _ parser) (parser, error) {
	return haproxy{o.clock().orUTC()}, nil
}

func (p haproxy) parse(line []byte, r *record) verdict {
	n := bytes.Index(line, []byte(" ["))
	if n <= 0 {
		return p.message(r, noTime)
	}
	ns, rest, why := p.clock.parseCLF(line[n+2:], &r.day)
	if why != request {
		return p.message(r, why)
	}
	rest, ok := bytes.CutPrefix(rest, []byte("] "))
	if !ok || bytes.IndexByte(line[:n], ' ') >= 0 {
		return p.message(r, noTime)
	}
	var f [4][]byte // frontend, backend/server, timers, status
	tail := rest
	for i := range f {
		f[i], tail, _ = bytes.Cut(tail, []byte(" "))
	}
	if bytes.Count(f[2], []byte("/")) != 4 || len(f[3]) == 0 {
		if bytes.HasSuffix(f[0], []byte(":")) && bytes.IndexByte(f[0], '/') > 0 {
			return ignored
		}
		return p.message(r, noRequest)
	}
	r.line, r.rest, r.time, r.cost = line, rest, ns, 1
	client := line[:n]
	if i := bytes.LastIndexByte(client, ':'); i > 0 && isPort(client[i+1:]) {
		client = bytes.Trim(client[:i], "[]")
	}
	r.key = clientOf(client, r)
	return request
}

// message is the verdict on a line without a request: one of HAProxy's own if a syslog header says so.
func (haproxy) message(r *record, why verdict) verdict {
	if bytes.HasPrefix(r.program, []byte("haproxy")) {
		return ignored
	}
	return why
}

func (p haproxy) fits(line []byte, r *record) bool {
	return p.parse(line, r) == request && len(r.key) > 0
}

var haproxyFields = map[string]int{"frontend": 0, "backend": 1, "timers": 2, "status": 3, "bytes": 4, "termination": 7}

func (p haproxy) field(name string) getter {
	if n, ok := haproxyFields[name]; ok {
		return func(r *record) []byte { return word(r.rest, n) }
	}
	switch name {
	case "client":
		return func(r *record) []byte { return r.key }
	case "forwarded":
		return haproxyForwarded
	}
	if text, ok := strings.CutPrefix(name, "capture"); ok {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil
		}
		return func(r *record) []byte { return haproxyCapture(r, n-1) }
	}
	return requestField(name, haproxyRequest)
}

func (haproxy) fields() []string {
	return append(append(sortedNames(haproxyFields), "client", "forwarded", "capture1, capture2, ..."), requestFields...)
}

// word returns a word by its number, from 0.
func word(b []byte, number int) []byte {
	for range number {
		_, b, _ = bytes.Cut(b, []byte(" "))
	}
	b, _, _ = bytes.Cut(b, []byte(" "))
	return orNothing(b)
}

// haproxyRequest is the quoted text at the end; its closing quote may be cut off.
func haproxyRequest(r *record) []byte {
	_, after := haproxyCaptures(r)
	n := bytes.IndexByte(after, '"')
	if n < 0 {
		return nil
	}
	return bytes.TrimSuffix(after[n+1:], []byte(`"`))
}

// haproxyCaptures returns what stands in the first braces and what follows them. Without braces it is nil and the rest of the line.
func haproxyCaptures(r *record) (captures, after []byte) {
	b := r.rest
	for range 10 { // words before the captures
		_, b, _ = bytes.Cut(b, []byte(" "))
	}
	if len(b) == 0 || b[0] != '{' {
		return nil, b
	}
	end := bytes.Index(b, []byte("} "))
	if end < 0 {
		return nil, b
	}
	captures, after = b[1:end], b[end+2:]
	if len(after) > 0 && after[0] == '{' { // of the answer
		if end := bytes.Index(after, []byte("} ")); end >= 0 {
			after = after[end+2:]
		}
	}
	return captures, after
}

func haproxyCapture(r *record, number int) []byte {
	captures, _ := haproxyCaptures(r)
	for range number {
		_, captures, _ = bytes.Cut(captures, []byte("|"))
	}
	value, _, _ := bytes.Cut(captures, []byte("|"))
	return value
}

// haproxyForwarded is the first captured header that is addresses.
func haproxyForwarded(r *record) []byte {
	captures, _ := haproxyCaptures(r)
	for value := range bytes.SplitSeq(captures, []byte("|")) {
		if len(value) > 0 && isAddressList(value) {
			return value
		}
	}
	return nil
}
