package trace

// Combined log format: the common one, and
//
//	"referer" "agent"
//
// What follows the agent is not read.
type combined struct{ clf }

func openCombined([][]byte, *Options, parser) (parser, error) { return combined{}, nil }

func (combined) fits(line []byte, r *record) bool {
	rest, why := parseCLF(line, r, false)
	return why == request && fitsCombined(rest)
}

// fitsCombined reports whether b, from within the request, has status, size and two quoted texts.
func fitsCombined(b []byte) bool {
	b, ok := cutAnswer(b)
	for range 2 {
		if !ok || len(b) < 2 || b[0] != ' ' || b[1] != '"' {
			return false
		}
		b, ok = cutQuoted(b[2:])
	}
	return ok && (len(b) == 0 || b[0] == ' ')
}
