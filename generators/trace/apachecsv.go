package trace

import (
	"bytes"
	"strconv"
	"strings"
)

// Apache's log as comma-separated values, without a header:
//
//	site,port,client,ident,user,[02/Jan/2006:15:04:05 -0700],...,status,"protocol","method","path","query","referer","agent",...
//
// A quote in quotes stands behind a backslash, as Apache writes it.
type apacheCSV struct{ clock clock }

func openApacheCSV(_ [][]byte, o *Options, _ parser) (parser, error) {
	return apacheCSV{o.clock()}, nil
}

var apacheCSVFields = map[string]int{
	"host": 0, "port": 1, "user": 4, "bytes": 9, "status": 13, "protocol": 14, "method": 15, "path": 16, "query": 17, "referer": 18, "agent": 19,
}

func (p apacheCSV) parse(line []byte, r *record) verdict {
	if why := r.fields.splitBackslashed(line); why != request {
		return why
	}
	f := r.fields.list
	if len(f) < 6 {
		return noColumn
	}
	if n := len(f[5]); n < 2 || f[5][0] != '[' || f[5][n-1] != ']' {
		return noTime
	}
	var why verdict
	if r.time, why = p.clock.parse(f[5], &r.day); why != request {
		return why
	}
	r.line, r.cost = line, 1
	r.key = clientOf(r.fields.at(2), r)
	return request
}

func (p apacheCSV) fits(line []byte, r *record) bool {
	return p.parse(line, r) == request && len(r.key) > 0
}

// field takes a name, or the number of a column from 1.
func (apacheCSV) field(name string) getter {
	if n, ok := apacheCSVFields[name]; ok {
		return wordGetter(n)
	}
	if header, ok := strings.CutPrefix(name, "header:"); ok && (header == "referer" || header == "user-agent") {
		return wordGetter(apacheCSVFields[map[bool]string{true: "referer", false: "agent"}[header == "referer"]])
	}
	if name == "client" {
		return func(r *record) []byte { return r.key }
	}
	if n, err := strconv.ParseUint(name, 10, 16); err == nil && n > 0 {
		return wordGetter(int(n) - 1)
	}
	return nil
}

func (apacheCSV) fields() []string {
	return append(sortedNames(apacheCSVFields), "client", "a column's number from 1")
}

// splitBackslashed cuts a line at its commas; what stands in quotes may hold commas, and quotes behind a backslash.
func (f *fields) splitBackslashed(line []byte) verdict {
	f.list = f.list[:0]
	for {
		if len(line) > 0 && line[0] == '"' {
			rest, ok := cutQuoted(line[1:])
			if !ok {
				return openQuote
			}
			f.list = append(f.list, line[1:len(line)-len(rest)-1])
			if len(rest) == 0 {
				return request
			}
			if rest[0] != ',' {
				return badQuote
			}
			line = rest[1:]
			continue
		}
		n := bytes.IndexByte(line, ',')
		if n < 0 {
			f.list = append(f.list, line)
			return request
		}
		f.list = append(f.list, line[:n])
		line = line[n+1:]
	}
}
