package trace

import "bytes"

// Traefik's common log format: the combined one, and
//
//	count "router" "server" 0ms
//
// A line with neither status nor size is of a request that nobody answered, and is skipped.
type traefikCLF struct{ combined }

func openTraefikCLF([][]byte, *Options, parser) (parser, error) { return traefikCLF{}, nil }

func (p traefikCLF) parse(line []byte, r *record) verdict {
	why := p.combined.parse(line, r)
	if why != request {
		return why
	}
	if rest, ok := cutQuoted(r.rest); ok && bytes.HasPrefix(rest, []byte(" - -")) && (len(rest) == 4 || rest[4] == ' ') {
		return noAnswer
	}
	return request
}

func (p traefikCLF) fits(line []byte, r *record) bool {
	rest, why := parseCLF(line, r, false)
	rest, ok := cutCombined(rest)
	if why != request || !ok || len(r.key) == 0 {
		return false
	}
	words := traefikWords(rest)
	return words != nil && bytes.HasSuffix(words[3], []byte("ms"))
}

// traefikWords are count, router, server and duration; nil if they are not there.
func traefikWords(b []byte) [][]byte {
	var list [4][]byte
	for i := range list {
		b = bytes.TrimLeft(b, " ")
		if quoted := len(b) > 0 && b[0] == '"'; quoted != (i == 1 || i == 2) || len(b) == 0 {
			return nil
		} else if quoted {
			rest, ok := cutQuoted(b[1:])
			if !ok {
				return nil
			}
			list[i], b = b[1:len(b)-len(rest)-1], rest
		} else {
			list[i], b, _ = bytes.Cut(b, []byte(" "))
		}
	}
	if !isNumber(list[0]) {
		return nil
	}
	return list[:]
}

func (p traefikCLF) field(name string) getter {
	if name != "router" && name != "server" {
		return p.combined.field(name)
	}
	number := 1
	if name == "server" {
		number = 2
	}
	return func(r *record) []byte {
		rest, _ := cutCombined(r.rest)
		if words := traefikWords(rest); words != nil {
			return orNothing(words[number])
		}
		return nil
	}
}

func (p traefikCLF) fields() []string { return append(p.combined.fields(), "router", "server") }

// Traefik's JSON lines: a request began at StartUTC; ClientHost is the client, or a whole X-Forwarded-For.
var traefikShape = jsonShape{
	time:   paths("StartUTC", "StartLocal"),
	client: paths("ClientHost", "ClientAddr"),
	marks:  paths("DownstreamStatus", "RequestMethod", "RouterName", "ServiceName"),
	other:  paths("level", "msg", "time"),
	names: map[string]string{
		"method": "RequestMethod", "uri": "RequestPath", "host": "RequestHost", "status": "DownstreamStatus", "bytes": "DownstreamContentSize",
		"user": "ClientUsername", "forwarded": `request_X-Forwarded-For`, "agent": "request_User-Agent", "referer": "request_Referer", "protocol": "RequestProtocol",
	},
	header: func(name string) []string { return []string{"request_" + canonicalHeader(name)} },
}

func openTraefikJSON(head [][]byte, o *Options, _ parser) (parser, error) {
	return openJSON(&traefikShape, head, o)
}
