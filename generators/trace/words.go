package trace

import "bytes"

// splitBlanks cuts a line at its blanks, several of which are one.
func (f *fields) splitBlanks(line []byte) {
	f.list = f.list[:0]
	for {
		line = bytes.TrimLeft(line, " ")
		if len(line) == 0 {
			return
		}
		n := bytes.IndexByte(line, ' ')
		if n < 0 {
			n = len(line)
		}
		f.list = append(f.list, line[:n])
		line = line[n:]
	}
}

// splitTabs cuts a line at every tab.
func (f *fields) splitTabs(line []byte) {
	f.list = f.list[:0]
	for {
		n := bytes.IndexByte(line, '\t')
		if n < 0 {
			f.list = append(f.list, line)
			return
		}
		f.list = append(f.list, line[:n])
		line = line[n+1:]
	}
}

// splitQuoted cuts a line at its blanks, but for words in quotes, which cut takes from behind their first quote.
func (f *fields) splitQuoted(line []byte, cut func([]byte) (word, rest []byte, ok bool)) verdict {
	f.list, f.plain = f.list[:0], f.plain[:0]
	for {
		line = bytes.TrimLeft(line, " ")
		switch {
		case len(line) == 0:
			return request
		case line[0] == '"':
			word, rest, ok := cut(line[1:])
			if !ok {
				return openQuote
			}
			if len(rest) > 0 && rest[0] != ' ' {
				return badQuote
			}
			f.list = append(f.list, word)
			line = rest
		default:
			n := bytes.IndexByte(line, ' ')
			if n < 0 {
				n = len(line)
			}
			f.list = append(f.list, line[:n])
			line = line[n:]
		}
	}
}

// cutBackslashed cuts a word at its closing quote; one behind a backslash belongs to it.
func cutBackslashed(b []byte) (word, rest []byte, ok bool) {
	rest, ok = cutQuoted(b)
	if !ok {
		return nil, nil, false
	}
	return b[:len(b)-len(rest)-1], rest, true
}

// cutDoubled cuts a word at its closing quote. Doubled quotes become single ones.
func (f *fields) cutDoubled(b []byte) (word, rest []byte, ok bool) {
	from := len(f.plain)
	for begin := 0; ; {
		n := bytes.IndexByte(b[begin:], '"')
		if n < 0 {
			return nil, nil, false
		}
		n += begin
		if n+1 < len(b) && b[n+1] == '"' {
			f.plain = append(f.plain, b[begin:n+1]...)
			begin = n + 2
			continue
		}
		if begin == 0 {
			return b[:n], b[n+1:], true
		}
		f.plain = append(f.plain, b[begin:n]...)
		return f.plain[from:len(f.plain):len(f.plain)], b[n+1:], true
	}
}

// at returns a word by its number, from 0, "-" being none.
func (f *fields) at(number int) []byte {
	if number < len(f.list) {
		return orNothing(f.list[number])
	}
	return nil
}

func wordGetter(number int) getter {
	return func(r *record) []byte { return r.fields.at(number) }
}
