package trace

import "bytes"

// A day remembers the last date and the last time of a log, which the next line mostly shares.
type day struct {
	text    [11]byte // 02/Jan/2006
	seconds int64    // since 1970, of its midnight in UTC

	moment [26]byte // 02/Jan/2006:15:04:05 -0700
	ns     int64    // what it is
}

const clfTimeShape = "02/Jan/2006:15:04:05"

// parseCLFTime reads 02/Jan/2006:15:04:05 -0700, with a fraction of the second or without, at the start of b, and returns
// what follows it. Second 60 is second 0 of the next minute.
func parseCLFTime(b []byte, d *day) (ns int64, rest []byte, why verdict) {
	if len(b) > len(d.moment) && string(b[:len(d.moment)]) == string(d.moment[:]) && d.moment[2] == '/' {
		return d.ns, b[len(d.moment):], request
	}
	if len(b) < len(clfTimeShape) {
		return 0, nil, noTime
	}
	if string(b[:11]) != string(d.text[:]) || b[2] != '/' { // the zero day's text is no date
		if why := d.parse(b); why != request {
			return 0, nil, why
		}
	}
	if b[11] != ':' || b[14] != ':' || b[17] != ':' {
		return 0, nil, noTime
	}
	seconds, ok := parseHMS(b[12:20])
	if !ok {
		return 0, nil, badTime
	}
	fraction, rest, ok := parseFraction(b[20:])
	if !ok {
		return 0, nil, noTime
	}
	if len(rest) < 6 || rest[0] != ' ' || (rest[1] != '+' && rest[1] != '-') {
		return 0, nil, noOffset
	}
	offset, ok := parseOffset(rest[1], rest[2:4], rest[4:6])
	if !ok {
		return 0, nil, noOffset
	}
	ns, ok = joinSeconds(d.seconds+seconds-offset, fraction)
	if !ok {
		return 0, nil, farTime
	}
	if len(b)-len(rest) == len(clfTimeShape) {
		copy(d.moment[:], b)
		d.ns = ns
	}
	return ns, rest[6:], request
}

// parse reads 02/Jan/2006, followed by a colon, into d.
func (d *day) parse(b []byte) verdict {
	dd, ok := digits(b[:2])
	if !ok || b[2] != '/' || b[6] != '/' {
		if ok && b[2] == '/' && b[5] == '/' {
			return numericMonth
		}
		return noTime
	}
	m := bytes.Index([]byte("JanFebMarAprMayJunJulAugSepOctNovDec"), b[3:6])
	if m < 0 || m%3 != 0 {
		return numericMonth
	}
	yyyy, ok := digits(b[7:11])
	if !ok {
		return shortYear
	}
	days, ok := daysSince1970(yyyy, m/3+1, dd)
	if !ok {
		return badTime
	}
	copy(d.text[:], b)
	d.seconds = days * 86400
	return request
}

// parseRFC3339 reads all of b as 2006-01-02T15:04:05, a fraction or none, and Z or an offset; T may be a blank. Digits
// beyond the nanosecond are dropped.
func parseRFC3339(b []byte) (ns int64, why verdict) {
	if len(b) < len("2006-01-02T15:04:05") || b[4] != '-' || b[7] != '-' || b[13] != ':' || b[16] != ':' ||
		(b[10] != 'T' && b[10] != 't' && b[10] != ' ') {
		return 0, noTime
	}
	year, ok1 := digits(b[:4])
	month, ok2 := digits(b[5:7])
	dd, ok3 := digits(b[8:10])
	if !ok1 || !ok2 || !ok3 {
		return 0, noTime
	}
	days, ok := daysSince1970(year, month, dd)
	if !ok {
		return 0, badTime
	}
	seconds, ok := parseHMS(b[11:19])
	if !ok {
		return 0, badTime
	}
	fraction, rest, ok := parseFraction(b[19:])
	if !ok {
		return 0, noTime
	}
	var offset int64
	switch {
	case len(rest) == 1 && (rest[0] == 'Z' || rest[0] == 'z'):
	case len(rest) == 6 && (rest[0] == '+' || rest[0] == '-') && rest[3] == ':':
		if offset, ok = parseOffset(rest[0], rest[1:3], rest[4:6]); !ok {
			return 0, noOffset
		}
	default:
		return 0, noOffset
	}
	if ns, ok = joinSeconds(days*86400+seconds-offset, fraction); !ok {
		return 0, farTime
	}
	return ns, request
}

// parseHMS reads 15:04:05, whose colons have been seen.
func parseHMS(b []byte) (seconds int64, ok bool) {
	h, ok1 := digits(b[0:2])
	m, ok2 := digits(b[3:5])
	s, ok3 := digits(b[6:8])
	return int64(h*3600 + m*60 + s), ok1 && ok2 && ok3 && h < 24 && m < 60 && s <= 60
}

// parseFraction reads a point and digits, if there is a point, as nanoseconds.
func parseFraction(b []byte) (ns int64, rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '.' {
		return 0, b, true
	}
	n, unit := 1, int64(1e8)
	for ; n < len(b) && b[n]-'0' <= 9; n++ {
		ns += int64(b[n]-'0') * unit
		unit /= 10
	}
	return ns, b[n:], n > 1
}

func parseOffset(sign byte, hours, minutes []byte) (seconds int64, ok bool) {
	h, ok1 := digits(hours)
	m, ok2 := digits(minutes)
	seconds = int64(h*3600 + m*60)
	if sign == '-' {
		seconds = -seconds
	}
	return seconds, ok1 && ok2 && h < 24 && m < 60
}

// unitDigits says how many decimal digits a unit of time lies above the nanosecond; "" is told by size.
var unitDigits = map[string]int{"": -1, "s": 9, "ms": 6, "us": 3, "ns": 0}

// parseNumber reads all of b as a decimal number of time units, exactly; what is below the nanosecond is rounded down.
// unit is an entry of unitDigits.
func parseNumber(b []byte, unit int) (ns int64, why verdict) {
	negative := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		negative, b = b[0] == '-', b[1:]
	}
	end, dot, seen := 0, -1, 0
	for ; end < len(b); end++ {
		if b[end] == '.' && dot < 0 {
			dot = end
		} else if b[end]-'0' <= 9 {
			seen++
		} else {
			break
		}
	}
	exponent, ok := parseExponent(b[end:])
	if seen == 0 || !ok {
		return 0, noTime
	}
	b = b[:end]
	if dot < 0 {
		dot = end
	}
	// The number is 0.d1d2d3... times 10^point, d1 not 0.
	point := dot + exponent
	for len(b) > 0 && (b[0] == '0' || b[0] == '.') {
		if b[0] == '0' {
			point--
		}
		b = b[1:]
	}
	if len(b) == 0 {
		return 0, request
	}
	return scale(b, point, unit, negative)
}

func parseExponent(b []byte) (exponent int, ok bool) {
	if len(b) == 0 {
		return 0, true
	}
	if b[0] != 'e' && b[0] != 'E' {
		return 0, false
	}
	b = b[1:]
	negative := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		negative, b = b[0] == '-', b[1:]
	}
	for _, c := range b {
		if c-'0' > 9 {
			return 0, false
		}
		exponent = min(exponent*10+int(c-'0'), 1<<30) // beyond any line's digits
	}
	if negative {
		exponent = -exponent
	}
	return exponent, len(b) > 0
}

// scale returns 0.b times 10^point units in nanoseconds, rounded down. A point inside b is passed over.
func scale(b []byte, point, unit int, negative bool) (ns int64, why verdict) {
	if unit < 0 {
		switch {
		case point > 17:
			unit = 0
		case point > 14:
			unit = 3
		case point > 11:
			unit = 6
		default:
			unit = 9
		}
	}
	whole := point + unit // digits above the nanosecond's point
	if whole > 19 {
		return 0, farTime
	}
	var n uint64
	rest := false
	for _, c := range b {
		switch {
		case c == '.':
		case whole > 0:
			n = n*10 + uint64(c-'0')
			whole--
		case c != '0':
			rest = true
		}
	}
	for ; whole > 0; whole-- {
		n *= 10
	}
	if negative {
		if rest {
			n++
		}
		if n > 1<<63 {
			return 0, farTime
		}
		return int64(-n), request
	}
	if n > 1<<63-1 {
		return 0, farTime
	}
	return int64(n), request
}

// digits reads all of b, two or four bytes, as a decimal number.
func digits(b []byte) (n int, ok bool) {
	for _, c := range b {
		c -= '0'
		if c > 9 {
			return 0, false
		}
		n = n*10 + int(c)
	}
	return n, true
}

// isNumber reports whether b is decimal digits.
func isNumber(b []byte) bool {
	_, ok := digits(b)
	return ok && len(b) > 0
}

// daysSince1970 counts by the Gregorian calendar, for years from 0 to 9999.
func daysSince1970(year, month, d int) (days int64, ok bool) {
	if month < 1 || month > 12 || d < 1 {
		return 0, false
	}
	lengths := [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
	leap := year%4 == 0 && (year%100 != 0 || year%400 == 0)
	length := lengths[month-1]
	if leap && month == 2 {
		length++
	}
	if d > length {
		return 0, false
	}
	for _, l := range lengths[:month-1] {
		days += int64(l)
	}
	if leap && month > 2 {
		days++
	}
	y := year + 399 // leap years before year, counted from the year -400
	leaps := y/4 - y/100 + y/400
	const daysTo1970 = 719528 // from 1 January of the year 0
	return days + int64(d-1) + int64(year)*365 + int64(leaps-96) - daysTo1970, true
}

// joinSeconds returns seconds and a fraction of 0 to 999999999 ns as nanoseconds; ok is false outside int64.
func joinSeconds(seconds, fraction int64) (ns int64, ok bool) {
	const second = int64(1e9)
	const most, mostRest = (1<<63 - 1) / second, (1<<63 - 1) % second
	switch {
	case seconds > most || seconds == most && fraction > mostRest:
		return 0, false
	case seconds < -most-1 || seconds == -most-1 && fraction < second-mostRest-1:
		return 0, false
	case seconds < 0: // so that the product does not leave int64 before the sum comes back
		return (seconds+1)*second + (fraction - second), true
	}
	return seconds*second + fraction, true
}
