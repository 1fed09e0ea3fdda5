package trace

import "bytes"

// Combined log format: the common one, and
//
//	"referer" "agent"
//
// What follows the agent is not read, but has fields: X-Forwarded-For, if it is quoted there, and whatever is written
// name=value.
type combined struct{ clf }

func openCombined([][]byte, *Options, parser) (parser, error) { return combined{}, nil }

func (combined) fits(line []byte, r *record) bool {
	rest, why := parseCLF(line, r, false)
	_, ok := cutCombined(rest)
	return why == request && ok && len(r.key) > 0
}

// cutCombined passes over the rest of the request, status, size and two quoted texts.
func cutCombined(b []byte) (rest []byte, ok bool) {
	b, ok = cutAnswer(b)
	for range 2 {
		if !ok || len(b) < 2 || b[0] != ' ' || b[1] != '"' {
			return nil, false
		}
		b, ok = cutQuoted(b[2:])
	}
	return b, ok && (len(b) == 0 || b[0] == ' ')
}

// combinedExt is what a custom log_format of nginx makes of it, "$http_x_forwarded_for" behind the agent.
type combinedExt struct{ combined }

func openCombinedExt([][]byte, *Options, parser) (parser, error) { return combinedExt{}, nil }

func (combinedExt) fits(line []byte, r *record) bool {
	rest, why := parseCLF(line, r, false)
	rest, ok := cutCombined(rest)
	if why != request || !ok || len(r.key) == 0 || len(rest) < 3 || rest[1] != '"' {
		return false
	}
	after, ok := cutQuoted(rest[2:])
	return ok && isAddressList(bytes.TrimSpace(rest[2:len(rest)-len(after)-1]))
}
