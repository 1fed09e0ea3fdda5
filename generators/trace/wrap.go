package trace

import (
	"bytes"

	"github.com/tidwall/gjson"
)

// Wrappers are what others put before or around the lines of a server: container runtimes (CRI and Docker's JSON), docker
// compose, syslog. They come off one after the other.

// mayBeWrapped is a quick look at the beginning of a line.
func mayBeWrapped(line []byte) bool {
	if len(line) < 12 {
		return false
	}
	switch c := line[0]; {
	case c == '{':
		return bytes.HasPrefix(line, []byte(`{"log":`))
	case c == '<':
		return true
	case c < '0' || c > 'z':
		return false
	case c <= '9' && len(line) > 10 && line[4] == '-' && line[7] == '-' && line[10] == 'T':
		return true
	case line[3] == ' ' && isMonth(line):
		return true
	}
	n := bytes.IndexByte(line[:min(len(line), 64)], ' ')
	return n > 0 && n+1 < len(line) && (line[n+1] == '|' || line[n+1] == ' ')
}

func isMonth(line []byte) bool {
	n := bytes.Index([]byte("JanFebMarAprMayJunJulAugSepOctNovDec"), line[:3])
	return n >= 0 && n%3 == 0
}

// mostWrappers is how many come off one line.
const mostWrappers = 4

// unwrap takes off what is around a line. goesOn reports that the line is part of one that ends on a later line.
func unwrap(line []byte, r *record) (inner []byte, goesOn bool) {
	for range mostWrappers {
		before := line
		switch {
		case len(line) == 0:
			return line, false
		case line[0] == '{':
			var ok bool
			if line, goesOn, ok = unwrapDocker(line, r); !ok {
				return line, false
			}
		case line[0] == '<' || isMonthDay(line):
			line = unwrapSyslog(line, r)
		case line[0] <= '9' && len(line) > 10 && line[10] == 'T':
			if line, goesOn = unwrapCRI(line, r); len(line) == len(before) {
				line = unwrapSyslog(line, r)
			}
		default:
			line = unwrapCompose(line)
		}
		if goesOn || len(line) == len(before) {
			return line, goesOn
		}
	}
	return line, false
}

func isMonthDay(line []byte) bool { return len(line) > 15 && line[3] == ' ' && isMonth(line) }

// unwrapCRI takes "2006-01-02T15:04:05.0Z stdout F " off, and puts a line that came in parts (P) together.
func unwrapCRI(line []byte, r *record) (inner []byte, goesOn bool) {
	stream, tag, inner, ok := cutCRI(line)
	if !ok {
		return line, false
	}
	pending := &r.pending[stream]
	if tag == 'P' {
		if len(*pending)+len(inner) <= longest {
			*pending = append(*pending, inner...)
		}
		return nil, true
	}
	return join(pending, inner), false
}

// cutCRI returns stream 0 for stdout and 1 for stderr, the tag F or P, and the message.
func cutCRI(line []byte) (stream int, tag byte, inner []byte, ok bool) {
	n := bytes.IndexByte(line, ' ')
	if n < 20 || len(line) < n+len(" stdout F") {
		return 0, 0, nil, false
	}
	switch string(line[n : n+8]) {
	case " stdout ":
	case " stderr ":
		stream = 1
	default:
		return 0, 0, nil, false
	}
	tag = line[n+8]
	if _, why := parseRFC3339(line[:n]); why != request || tag != 'F' && tag != 'P' {
		return 0, 0, nil, false
	}
	rest := line[n+9:]
	if len(rest) > 0 && rest[0] == ':' { // more tags
		m := bytes.IndexByte(rest, ' ')
		if m < 0 {
			return 0, 0, nil, false
		}
		rest = rest[m:]
	}
	if len(rest) > 0 && rest[0] != ' ' {
		return 0, 0, nil, false
	}
	return stream, tag, bytes.TrimPrefix(rest, []byte(" ")), true
}

// join puts what is pending before the end of a line.
func join(pending *[]byte, end []byte) []byte {
	if len(*pending) == 0 {
		return end
	}
	line := append(*pending, end...)
	*pending = line[:0]
	return line
}

// dockerSplits is where Docker cuts lines that are too long for it.
const dockerSplits = 16 << 10

// unwrapDocker takes the line out of {"log":"...\n","stream":"stdout","time":"..."}.
func unwrapDocker(line []byte, r *record) (inner []byte, goesOn, ok bool) {
	if !bytes.HasPrefix(line, []byte(`{"log":`)) || !gjson.ValidBytes(line) {
		return line, false, false
	}
	log := gjson.Get(textOf(line), "log")
	if log.Type != gjson.String {
		return line, false, false
	}
	stream := 0
	if gjson.Get(textOf(line), "stream").Str == "stderr" {
		stream = 1
	}
	text := bytesOf(log.Str)
	pending := &r.pending[stream]
	end := bytes.TrimSuffix(text, []byte("\n"))
	if len(end) == len(text) && len(text) >= dockerSplits {
		if len(*pending)+len(text) <= longest {
			*pending = append(*pending, text...)
		}
		return nil, true, true
	}
	return join(pending, bytes.TrimSuffix(end, []byte("\r"))), false, true
}

// unwrapCompose takes "name  | " off.
func unwrapCompose(line []byte) []byte {
	n := bytes.IndexByte(line[:min(len(line), 64)], ' ')
	if n <= 0 || !isWord(string(line[:n])) {
		return line
	}
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(line[n:], " "), []byte("|"))
	if !ok {
		return line
	}
	return bytes.TrimPrefix(rest, []byte(" "))
}

// unwrapSyslog takes "<134>Mar  2 08:00:07 host program[1]: " off, or the like with RFC 3339 or of RFC 5424.
func unwrapSyslog(line []byte, r *record) []byte {
	b := line
	if b[0] == '<' {
		n := bytes.IndexByte(b, '>')
		if n < 2 || n > 4 {
			return line
		}
		if _, ok := digits(b[1:n]); !ok {
			return line
		}
		b = b[n+1:]
		if rest, ok := bytes.CutPrefix(b, []byte("1 ")); ok {
			return unwrapRFC5424(line, rest, r)
		}
	}
	if isMonthDay(b) && b[6] == ' ' && b[9] == ':' && b[12] == ':' && b[15] == ' ' {
		b = b[16:]
	} else {
		n := bytes.IndexByte(b, ' ')
		if n < 0 {
			return line
		}
		if _, why := parseRFC3339(b[:n]); why != request {
			return line
		}
		b = b[n+1:]
	}
	for range 2 { // host and program, or the program only
		word, rest, ok := bytes.Cut(b, []byte(" "))
		if !ok {
			return line
		}
		b = rest
		if program, ok := bytes.CutSuffix(word, []byte(":")); ok {
			r.program = program
			return b
		}
	}
	return line
}

// unwrapRFC5424 takes "time host program pid id data " off; data is "-" or in brackets.
func unwrapRFC5424(line, b []byte, r *record) []byte {
	for i := range 5 {
		word, rest, ok := bytes.Cut(b, []byte(" "))
		if !ok {
			return line
		}
		if i == 2 {
			r.program = word
		}
		b = rest
	}
	switch {
	case bytes.HasPrefix(b, []byte("- ")):
		b = b[2:]
	case len(b) > 0 && b[0] == '[':
		n := bytes.Index(b, []byte("] "))
		if n < 0 {
			return line
		}
		b = b[n+2:]
	default:
		return line
	}
	return bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
}

// wholeLines returns how many bytes of data, the first lines of a block, are lines that none of those behind them belongs to.
func wholeLines(data []byte) int {
	n := bytes.LastIndexByte(data, '\n') + 1
	for end := n; end > 0; {
		begin := bytes.LastIndexByte(data[:end-1], '\n') + 1
		line := data[begin:end]
		if len(line) < 30 || line[0] < '0' || line[0] > '9' || line[4] != '-' {
			return end
		}
		if _, tag, _, ok := cutCRI(line); !ok || tag != 'P' {
			return end
		}
		end = begin
	}
	return n
}
