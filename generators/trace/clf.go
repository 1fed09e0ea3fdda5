package trace

import (
	"bytes"
	"net/netip"
)

// Common log format:
//
//	client ident user [02/Jan/2006:15:04:05 -0700] "request" status size
//
// ident and user may hold blanks, quotes and brackets: the time is the first text in brackets that is one and has a quoted
// request behind it. The client is an address or a name, as it stands. What follows the request's first quote is not read,
// so a line cut off there still is a request, and so are combined lines. Apache's fractions of the second are read.
type clf struct{ clfFields }

func openCLF([][]byte, *Options, parser) (parser, error) { return clf{}, nil }

func (clf) parse(line []byte, r *record) verdict {
	_, why := parseCLF(line, r, false)
	return why
}

func (clf) fits(line []byte, r *record) bool {
	rest, why := parseCLF(line, r, false)
	if why != request {
		return false
	}
	rest, ok := cutAnswer(rest)
	return ok && len(r.key) > 0 && (len(rest) < 2 || rest[0] == ' ' && rest[1] != '"')
}

const usual = " - - [" // between client and time

// parseCLF reads client and time, and returns what follows the quote that begins the request. With vhost, a virtual host
// must stand before the client; without, none may.
func parseCLF(line []byte, r *record, vhost bool) (rest []byte, why verdict) {
	n := bytes.IndexByte(line, ' ')
	if n < 0 {
		return nil, noTime
	}
	r.cost = 1
	host := line[:n]
	if vhost {
		r.host = host
		line = line[n+1:]
		if n = bytes.IndexByte(line, ' '); n < 0 {
			return nil, noTime
		}
	}
	client := line[:n]
	r.line, line = line, line[n:]

	why, r.usual = noTime, false
	if len(line) > len(usual) && string(line[:len(usual)]) == usual {
		rest, why = parseBracket(line[len(usual):], r)
		r.usual = why == request
	}
	if why != request { // the bracket may stand behind words, or be a later one
		rest, why = searchBracket(line, r)
	}
	if why != request {
		if n == 0 && why == noTime {
			why = noClient
		}
		return nil, why
	}
	if why = checkHost(host, client, line[:len(line)-len(rest)], vhost); why != request {
		return nil, why
	}
	r.key, r.rest = clientOf(client, r), rest
	return rest, request
}

// parseBracket reads a time, a closing bracket and the quote that begins the request.
func parseBracket(b []byte, r *record) (rest []byte, why verdict) {
	r.time, rest, why = parseCLFTime(b, &r.day)
	if why != request {
		return nil, why
	}
	if len(rest) < 3 || rest[0] != ']' || rest[1] != ' ' || rest[2] != '"' {
		return nil, noRequest
	}
	return rest[3:], request
}

// searchBracket does so at the first bracket where it can. Otherwise the first bracket that is more than any text says why.
func searchBracket(b []byte, r *record) (rest []byte, why verdict) {
	why = noTime
	for {
		i := bytes.Index(b, []byte(" ["))
		if i < 0 {
			return nil, why
		}
		b = b[i+2:]
		rest, reason := parseBracket(b, r)
		if reason == request {
			return rest, request
		}
		if why == noTime {
			why = reason
		}
	}
}

// checkHost tells lines with a virtual host from those without. between is what stands from the client, or from what would be
// the client, to the request: " - - [time] \"".
//
// A virtual host is name:port with a client and two more words behind it, or anything with an address behind it.
func checkHost(host, client, between []byte, vhost bool) verdict {
	if !vhost {
		if len(between) > 2 && between[1] == '-' && between[2] == ' ' {
			return request
		}
		ident, after, _ := bytes.Cut(between[1:], []byte(" "))
		if isAddress(ident) || hasPort(host) && bytes.Count(after, []byte(" ")) > 3 {
			return isVhost
		}
		return request
	}
	switch {
	case !bytes.HasPrefix(between, []byte(usual)) && bytes.Count(between, []byte(" ")) < 5, // one word between client and time
		!hasPort(host) && isAddress(host) && !isAddress(client):
		return notVhost
	}
	return request
}

// isAddress reports whether b is an IP address without a port.
func isAddress(b []byte) bool {
	_, err := netip.ParseAddr(string(b))
	return err == nil
}

// hasPort reports whether b is name:port, address:port or [address]:port.
func hasPort(b []byte) bool {
	i := bytes.LastIndexByte(b, ':')
	if i < 1 || i == len(b)-1 || len(b)-i > 6 {
		return false
	}
	if _, ok := digits(b[i+1:]); !ok {
		return false
	}
	return bytes.IndexByte(b[:i], ':') < 0 || b[0] == '[' && b[i-1] == ']'
}

// cutAnswer passes over the rest of the quoted request, status and size, each a number or "-".
func cutAnswer(b []byte) (rest []byte, ok bool) {
	if b, ok = cutQuoted(b); !ok {
		return nil, false
	}
	for range 2 {
		if len(b) < 2 || b[0] != ' ' {
			return nil, false
		}
		word, _, _ := bytes.Cut(b[1:], []byte(" "))
		if _, number := digits(word); len(word) == 0 || !number && string(word) != "-" {
			return nil, false
		}
		b = b[1+len(word):]
	}
	return b, true
}

// cutQuoted passes over text up to its closing quote. A quote behind a backslash belongs to the text.
func cutQuoted(b []byte) (rest []byte, ok bool) {
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return b[i+1:], true
		}
	}
	return nil, false
}
