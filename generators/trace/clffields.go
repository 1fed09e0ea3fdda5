package trace

import "bytes"

// clfFields are the fields of the common log format and of those that go on behind it.
type clfFields struct{}

func (clfFields) fields() []string {
	return append([]string{"client", "user", "status", "bytes", "referer", "agent", "forwarded", "header:Referer", "header:User-Agent", "NAME of name=value"}, requestFields...)
}

func (clfFields) field(name string) getter {
	switch name {
	case "client":
		return func(r *record) []byte { return r.key }
	case "user":
		return clfUser
	case "status":
		return func(r *record) []byte { return clfAnswer(r, 0) }
	case "bytes":
		return clfBytes
	case "referer", "header:referer":
		return func(r *record) []byte { return clfQuoted(r, 0) }
	case "agent", "header:user-agent":
		return func(r *record) []byte { return clfQuoted(r, 1) }
	case "forwarded", "header:x-forwarded-for":
		return clfForwarded
	}
	if g := requestField(name, clfRequest); g != nil {
		return g
	}
	if !isWord(name) {
		return nil
	}
	mark := []byte(" " + name + "=")
	return func(r *record) []byte { return named(clfTail(r), mark) }
}

// isWord reports whether text can stand before an equals sign in a log.
func isWord(text string) bool {
	for i := range len(text) {
		if c := text[i]; c != '_' && c != '-' && c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return text != ""
}

// named returns the value behind a mark " name=".
func named(b, mark []byte) []byte {
	n := bytes.Index(b, mark)
	if n < 0 {
		return nil
	}
	b = b[n+len(mark):]
	if len(b) > 0 && b[0] == '"' {
		if rest, ok := cutQuoted(b[1:]); ok {
			return b[1 : len(b)-len(rest)-1]
		}
	}
	value, _, _ := bytes.Cut(b, []byte(" "))
	return orNothing(value)
}

// clfUser is what stands between the second word behind the client and the time.
func clfUser(r *record) []byte {
	b := r.line[:len(r.line)-len(r.rest)]
	n := bytes.LastIndex(b, []byte(" ["))
	if n < 0 {
		return nil
	}
	b = b[:n]
	for range 2 {
		_, b, _ = bytes.Cut(b, []byte(" "))
	}
	return orNothing(b)
}

// clfRequest is the quoted request.
func clfRequest(r *record) []byte {
	rest, ok := cutQuoted(r.rest)
	if !ok {
		return r.rest
	}
	return r.rest[:len(r.rest)-len(rest)-1]
}

// clfAnswer is the word so many words behind the request; "-" for none.
func clfAnswer(r *record, skip int) []byte {
	rest, _ := cutQuoted(r.rest)
	rest = bytes.TrimLeft(rest, " ")
	for range skip {
		_, rest, _ = bytes.Cut(rest, []byte(" "))
	}
	word, _, _ := bytes.Cut(rest, []byte(" "))
	return word
}

// clfBytes is the size of the answer, of which "-" is a way to write 0.
func clfBytes(r *record) []byte {
	size := clfAnswer(r, 1)
	if len(size) == 1 && size[0] == '-' {
		return []byte("0")
	}
	return size
}

// clfTail is what stands behind status and size.
func clfTail(r *record) []byte {
	rest, ok := cutAnswer(r.rest)
	if !ok {
		return nil
	}
	return rest
}

// clfQuoted is one of the quoted texts that follow the size, counted from 0.
func clfQuoted(r *record, number int) []byte {
	b := clfTail(r)
	for {
		if len(b) < 2 || b[0] != ' ' || b[1] != '"' {
			return nil
		}
		rest, ok := cutQuoted(b[2:])
		if !ok {
			return nil
		}
		if number == 0 {
			return orNothing(b[2 : len(b)-len(rest)-1])
		}
		b = rest
		number--
	}
}

// clfForwarded is the first quoted text behind the agent, if it is addresses.
func clfForwarded(r *record) []byte {
	if b := clfQuoted(r, 2); isAddressList(b) {
		return b
	}
	return nil
}
