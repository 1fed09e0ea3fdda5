package trace

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A clock reads times in any of the notations that logs have.
type clock struct {
	unit int            // of plain numbers; an entry of unitDigits
	zone *time.Location // of times without an offset; nil makes them bad lines
}

func (o *Options) clock() clock { return clock{unitDigits[o.TimeUnit], o.zone} }

// orUTC is a clock for formats that have no offsets.
func (c clock) orUTC() clock {
	if c.zone == nil {
		c.zone = time.UTC
	}
	return c
}

// parse reads all of b, but for blanks and brackets around it: a number, 02/Jan/2006:15:04:05 -0700 or RFC 3339, with a
// fraction or without. Where the clock has a zone the offset may be missing.
func (c clock) parse(b []byte, d *day) (ns int64, why verdict) {
	b = bytes.Trim(b, " \t")
	if n := len(b); n > 2 && b[0] == '[' && b[n-1] == ']' {
		b = b[1 : n-1]
	}
	if ns, why = parseNumber(b, c.unit); why != noTime {
		return ns, why
	}
	if len(b) > 11 && b[2] == '/' {
		ns, rest, why := c.parseCLF(b, d)
		if why == request && len(rest) > 0 {
			why = noTime
		}
		return ns, why
	}
	ns, why = parseRFC3339(b)
	if why == noOffset && c.zone != nil {
		return c.parseLocal(b)
	}
	return ns, why
}

// parseCLF reads 02/Jan/2006:15:04:05 at the start of b, with an offset or, where the clock has a zone, without one.
func (c clock) parseCLF(b []byte, d *day) (ns int64, rest []byte, why verdict) {
	ns, rest, why = parseCLFTime(b, d)
	if why != noOffset || c.zone == nil {
		return ns, rest, why
	}
	seconds, ok := parseHMS(b[12:20])
	if !ok {
		return 0, nil, badTime
	}
	fraction, rest, ok := parseFraction(b[20:])
	if !ok {
		return 0, nil, noTime
	}
	ns, ok = joinSeconds(c.utc(d.seconds+seconds), fraction)
	if !ok {
		return 0, nil, farTime
	}
	return ns, rest, request
}

// parseLocal reads all of b as 2006-01-02T15:04:05, with a fraction or none; T may be a blank.
func (c clock) parseLocal(b []byte) (ns int64, why verdict) {
	var buf [64]byte
	if len(b) > len(buf)-1 {
		return 0, noTime
	}
	ns, why = parseRFC3339(append(append(buf[:0], b...), 'Z'))
	if why != request {
		return 0, why
	}
	seconds, fraction := ns/1e9, ns%1e9
	if fraction < 0 {
		seconds, fraction = seconds-1, fraction+1e9
	}
	ns, ok := joinSeconds(c.utc(seconds), fraction)
	if !ok {
		return 0, farTime
	}
	return ns, request
}

// utc returns the Unix seconds at which a clock on the wall shows so many since 1970.
func (c clock) utc(wall int64) int64 {
	if c.zone == time.UTC {
		return wall
	}
	return time.Date(1970, 1, 1, 0, 0, int(wall), 0, c.zone).Unix()
}

// parseZone reads a time zone: UTC, an offset such as +01:00, or a name such as Europe/Berlin.
func parseZone(text string) (*time.Location, error) {
	switch {
	case text == "":
		return nil, nil
	case strings.EqualFold(text, "UTC") || text == "Z":
		return time.UTC, nil
	case text[0] == '+' || text[0] == '-':
		digits := strings.Replace(text[1:], ":", "", 1)
		if len(digits) <= 2 {
			digits += "00"
		}
		n, err := strconv.ParseUint(digits, 10, 16)
		if err != nil || len(digits) != 4 || n/100 > 23 || n%100 > 59 {
			return nil, fmt.Errorf("%q is no offset such as +01:00 for --time-zone", text)
		}
		seconds := int(n/100*3600 + n%100*60)
		if text[0] == '-' {
			seconds = -seconds
		}
		return time.FixedZone(text, seconds), nil
	}
	zone, err := time.LoadLocation(text)
	if err != nil || text == "Local" {
		return nil, fmt.Errorf("no time zone %q: --time-zone takes UTC, an offset such as +01:00, or a name such as Europe/Berlin", text)
	}
	return zone, nil
}
