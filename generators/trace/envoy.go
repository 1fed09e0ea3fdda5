package trace

import "bytes"

// Envoy's default format:
//
//	[2006-01-02T15:04:05.000Z] "METHOD PATH PROTOCOL" code flags received sent duration upstream "X-Forwarded-For" "agent" ...
//
// and JSON lines with start_time and Envoy's usual names. A request began at that time. The text has no address of the peer, so
// the client is X-Forwarded-For as it stands, a list where several proxies wrote into it.
type envoy struct{ json *jsonLines }

var envoyShape = jsonShape{
	time:   paths("start_time"),
	client: paths("x-forwarded-for", "x_forwarded_for", "downstream_remote_address"),
	marks:  paths("downstream_remote_address", "response_flags", "x-envoy-origin-path", "upstream_cluster"),
	names: map[string]string{
		"method": "method", "host": ":authority", "status": "response_code", "bytes": "bytes_sent", "protocol": "protocol",
		"agent": "user-agent", "forwarded": "x-forwarded-for", "uri": "x-envoy-origin-path",
	},
	header: func(name string) []string { return []string{name} },
}

func openEnvoy(head [][]byte, o *Options, _ parser) (parser, error) {
	json, err := openJSON(&envoyShape, head, o)
	return &envoy{json}, err
}

func (p *envoy) parse(line []byte, r *record) verdict {
	if len(line) == 0 || line[0] != '[' {
		if len(line) > 0 && line[0] == '{' {
			return p.json.parse(line, r)
		}
		return noTime
	}
	n := bytes.IndexByte(line, ']')
	if n < 0 {
		return noTime
	}
	ns, why := p.json.clock.parse(line[1:n], &r.day)
	if why != request {
		return why
	}
	rest, ok := bytes.CutPrefix(line[n+1:], []byte(` "`))
	if !ok {
		return noRequest
	}
	r.line, r.rest, r.time, r.cost = line, rest, ns, 1
	r.key = clientOf(envoyForwarded(r), r)
	return request
}

// envoyForwarded is the first quoted text behind three numbers and a word.
func envoyForwarded(r *record) []byte {
	b, ok := cutQuoted(r.rest)
	numbers := 0
	for ok && len(b) > 1 && b[0] == ' ' {
		b = b[1:]
		if b[0] == '"' {
			var rest []byte
			rest, ok = cutQuoted(b[1:])
			if ok && numbers >= 3 {
				return b[1 : len(b)-len(rest)-1]
			}
			b, numbers = rest, 0
			continue
		}
		n := bytes.IndexByte(b, ' ')
		if n < 0 {
			return nil
		}
		if isNumber(b[:n]) || numbers >= 3 && string(b[:n]) == "-" {
			numbers++
		} else {
			numbers = 0
		}
		b = b[n:]
	}
	return nil
}

func (p *envoy) fits(line []byte, r *record) bool {
	if len(line) > 0 && line[0] == '{' {
		return p.json.fits(line, r)
	}
	if p.parse(line, r) != request {
		return false
	}
	status := clfAnswer(r, 0)
	return isNumber(status) && len(status) == 3 && envoyForwarded(r) != nil
}

func (p *envoy) field(name string) getter {
	json := p.json.field(name)
	if name == "client" {
		return json
	}
	var text getter
	switch name {
	case "status":
		text = func(r *record) []byte { return clfAnswer(r, 0) }
	case "forwarded", "header:x-forwarded-for":
		text = func(r *record) []byte { return orNothing(envoyForwarded(r)) }
	default:
		text = requestField(name, clfRequest)
	}
	return func(r *record) []byte {
		if r.line[0] == '{' {
			return json(r)
		}
		if text != nil {
			return text(r)
		}
		return nil
	}
}

func (p *envoy) fields() []string { return p.json.fields() }
