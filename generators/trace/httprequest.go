package trace

import "bytes"

// requestField returns what gets a part of a request line "METHOD TARGET PROTOCOL" that line gets; nil if name is no such part.
func requestField(name string, line getter) getter {
	switch name {
	case "request":
		return line
	case "method":
		return func(r *record) []byte { return requestMethod(line(r)) }
	case "uri":
		return func(r *record) []byte { return requestTarget(line(r)) }
	case "protocol":
		return func(r *record) []byte { return requestProtocol(line(r)) }
	}
	return targetField(name, func(r *record) []byte { return requestTarget(line(r)) })
}

// requestFields are the names that requestField takes.
var requestFields = []string{"request", "method", "uri", "path", "query", "protocol"}

// targetField does so for the target of a request, a path or an address of a page.
func targetField(name string, target getter) getter {
	switch name {
	case "path":
		return func(r *record) []byte {
			path, _ := cutTarget(target(r))
			return path
		}
	case "query":
		return func(r *record) []byte {
			_, query := cutTarget(target(r))
			return query
		}
	}
	return nil
}

func requestMethod(b []byte) []byte {
	n := bytes.IndexByte(b, ' ')
	if n <= 0 || bytes.ContainsFunc(b[:n], func(c rune) bool { return c < 'A' || c > 'Z' }) {
		return nil
	}
	return b[:n]
}

// requestTarget is what stands between method and protocol, which may be missing.
func requestTarget(b []byte) []byte {
	method := requestMethod(b)
	if method == nil {
		return nil
	}
	b = b[len(method)+1:]
	if n := bytes.LastIndex(b, []byte(" HTTP/")); n >= 0 {
		b = b[:n]
	}
	return b
}

func requestProtocol(b []byte) []byte {
	if n := bytes.LastIndex(b, []byte(" HTTP/")); n >= 0 {
		return b[n+1:]
	}
	return nil
}

// cutTarget cuts a target at its question mark, and takes scheme and host off.
func cutTarget(b []byte) (path, query []byte) {
	b, query, _ = bytes.Cut(b, []byte("?"))
	if n := bytes.Index(b, []byte("://")); n > 0 {
		b = b[n+3:]
		n = bytes.IndexByte(b, '/')
		if n < 0 {
			return []byte("/"), query
		}
		b = b[n:]
	}
	return b, query
}

// orNothing makes "-", which logs write for what is not there, empty.
func orNothing(b []byte) []byte {
	if len(b) == 1 && b[0] == '-' {
		return nil
	}
	return b
}
