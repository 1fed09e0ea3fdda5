package trace

import (
	"bytes"
	stdcsv "encoding/csv"
	"encoding/json"
	"net/netip"
	"regexp"
	"strings"
	"time"
)

// The oracle of the formats: each line by itself, slowly, with regular expressions, encoding/json and encoding/csv.

var (
	withPort   = regexp.MustCompile(`^(?:\[([^\]]*)\]|([^:\[][^:]*)):\d{1,5}$`)
	momentCLF  = regexp.MustCompile(`^(\d\d/(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)/\d{4}:\d\d:\d\d:)(\d\d)((?:\.\d+)?)((?: [+-](?:[01]\d|2[0-3])[0-5]\d)?)$`)
	envoyLine  = regexp.MustCompile(`(?s)^\[([^\]]*)\] "(.*)$`)
	envoyQuote = regexp.MustCompile(`(?s)^((?:[^"\\]|\\.)*)"(.*)$`)
	envoyWord  = regexp.MustCompile(`(?s)^ ([^ "][^ ]*|)( .*)$`)
	haLine     = regexp.MustCompile(`(?s)^([^ ]+) \[([^\]]*)\] [^ ]* [^ ]* [^ /]*/[^ /]*/[^ /]*/[^ /]*/[^ /]* [^ ]`)
	noAnswers  = regexp.MustCompile(`(?s)^(?:[^"\\]|\\.)*" - -(?: |$)`)
)

// oracleClient is a client without its port.
func oracleClient(text string) string {
	if m := withPort.FindStringSubmatch(text); m != nil {
		text = m[1] + m[2]
	}
	if a, err := netip.ParseAddr(text); err == nil && a.Is4In6() && a.Zone() == "" {
		return a.Unmap().String()
	}
	if text == "-" {
		return ""
	}
	return text
}

// oracleMoment reads a time in any notation. With utc the offset may be missing.
func oracleMoment(text, unit string, utc bool) (int64, bool) {
	text = strings.Trim(text, " \t")
	if len(text) > 2 && text[0] == '[' && text[len(text)-1] == ']' {
		if text = text[1 : len(text)-1]; strings.Trim(text, " \t") != text {
			return 0, false
		}
	}
	if m := momentCLF.FindStringSubmatch(text); m != nil {
		if m[4] == "" {
			if !utc {
				return 0, false
			}
			m[4] = " +0000"
		}
		return oracleInstant("02/Jan/2006:15:04:05 -0700", m[1], m[2], m[3]+m[4])
	}
	if utc && regexp.MustCompile(`^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?$`).MatchString(text) {
		text += "Z"
	}
	return oracleTime(text, unit)
}

// An object keeps the first value of each name.
type object map[string]json.RawMessage

func readObject(raw []byte) (object, bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	o := object{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, false
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, false
		}
		if _, ok := o[name.(string)]; !ok {
			o[name.(string)] = value
		}
	}
	return o, true
}

// value is the text of a value, of the first one in an array.
func value(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return ""
	}
	if raw[0] == '[' {
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
			return ""
		}
		raw = bytes.TrimSpace(list[0])
	}
	switch raw[0] {
	case '"':
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return ""
		}
		return text
	case 'n':
		return ""
	}
	return string(raw)
}

// inside is the value at a path.
func (o object) inside(names ...string) string {
	for _, name := range names[:len(names)-1] {
		inner, ok := readObject(o[name])
		if !ok {
			return ""
		}
		o = inner
	}
	return value(o[names[len(names)-1]])
}

func (o object) first(names ...string) string {
	for _, name := range names {
		if v := o.inside(strings.Split(name, "/")...); v != "" && v != "-" {
			return v
		}
	}
	return ""
}

func oracleJSON(format, line, unit string) (event, bool) {
	line = strings.TrimLeft(line, " \t")
	if !strings.HasPrefix(line, "{") || !json.Valid([]byte(line)) {
		return event{}, false
	}
	o, ok := readObject([]byte(line))
	if !ok {
		return event{}, false
	}
	var moment, client string
	switch format {
	case "caddy":
		if o.inside("msg") != "handled request" {
			return event{}, false
		}
		moment, client = o.first("ts"), o.first("request/client_ip", "request/remote_ip", "request/remote_addr")
	case "traefik-json":
		moment, client = o.first("StartUTC", "StartLocal"), o.first("ClientHost", "ClientAddr")
	case "cloudflare":
		moment, client = o.first("EdgeStartTimestamp"), o.first("ClientIP")
	case "gcp-lb":
		if o.inside("httpRequest", "requestMethod") == "" {
			return event{}, false
		}
		moment, client = o.first("timestamp"), o.first("httpRequest/remoteIp")
	case "zeek":
		moment, client = o.first("ts"), value(o["id.orig_h"])
	case "envoy-default":
		moment, client = o.first("start_time"), o.first("x-forwarded-for", "x_forwarded_for", "downstream_remote_address")
	case "nginx-json":
		moment = o.first("msec", "time_iso8601", "time_local", "@timestamp", "timestamp", "time", "ts", "date", "datetime")
		client = o.first("remote_addr", "client_ip", "clientip", "client", "remote_ip", "ip", "remoteAddr", "clientIp", "remoteIp", "client_addr", "remote_host", "host_ip")
	}
	ns, ok := oracleMoment(moment, unit, false)
	client = oracleClient(client)
	return event{client, ns, 1}, ok && client != ""
}

func oracleEnvoy(line, unit string) (event, bool) {
	if !strings.HasPrefix(line, "[") {
		return oracleJSON("envoy-default", line, unit)
	}
	m := envoyLine.FindStringSubmatch(line)
	if m == nil {
		return event{}, false
	}
	ns, ok := oracleMoment(m[1], unit, false)
	if !ok {
		return event{}, false
	}
	q := envoyQuote.FindStringSubmatch(m[2])
	if q == nil {
		return event{}, false
	}
	rest, numbers := q[2], 0
	for {
		if strings.HasPrefix(rest, ` "`) {
			q := envoyQuote.FindStringSubmatch(rest[2:])
			if q == nil {
				return event{}, false
			}
			if numbers >= 3 {
				client := oracleClient(q[1])
				return event{client, ns, 1}, client != ""
			}
			rest, numbers = q[2], 0
			continue
		}
		w := envoyWord.FindStringSubmatch(rest)
		if w == nil {
			return event{}, false
		}
		if whole.MatchString(w[1]) || numbers >= 3 && w[1] == "-" {
			numbers++
		} else {
			numbers = 0
		}
		rest = w[2]
	}
}

func oracleHAProxy(line string) (event, bool) {
	m := haLine.FindStringSubmatch(line)
	if m == nil || !momentCLF.MatchString(m[2]) {
		return event{}, false
	}
	ns, ok := oracleMoment(m[2], "", true)
	client := m[1]
	if i := strings.LastIndexByte(client, ':'); i > 0 && regexp.MustCompile(`^\d{1,5}$`).MatchString(client[i+1:]) {
		client = strings.Trim(client[:i], "[]")
	}
	client = oracleClient(client)
	return event{client, ns, 1}, ok && client != ""
}

// Words with blanks between them, some in quotes.
var (
	backslashed = regexp.MustCompile(`(?s)^ *(?:"((?:[^"\\]|\\.)*)"|([^ "][^ ]*))( .*|)$`)
	doubled     = regexp.MustCompile(`(?s)^ *(?:"((?:[^"]|"")*)"|([^ "][^ ]*))( .*|)$`)
)

func oracleWords(line string, word *regexp.Regexp) (list []string, ok bool) {
	for strings.Trim(line, " ") != "" {
		m := word.FindStringSubmatch(line)
		if m == nil {
			return nil, false
		}
		text := m[1] + m[2]
		if word == doubled && m[2] == "" {
			text = strings.ReplaceAll(text, `""`, `"`)
		}
		list, line = append(list, text), m[3]
	}
	return list, true
}

func oracleALB(line, unit string) (event, bool) {
	w, ok := oracleWords(line, backslashed)
	if !ok || len(w) < 13 {
		return event{}, false
	}
	ns, ok := oracleMoment(w[1], unit, false)
	client := oracleClient(w[3])
	return event{client, ns, 1}, ok && client != ""
}

func oracleSquid(line, unit string) (event, bool) {
	w := strings.FieldsFunc(line, func(c rune) bool { return c == ' ' })
	if len(w) < 7 || !decimal.MatchString(w[0]) {
		return event{}, false
	}
	ns, ok := oracleTime(w[0], unit)
	client := oracleClient(w[2])
	return event{client, ns, 1}, ok && client != ""
}

// The columns that the tests of single lines have.
var testFields = map[string]string{
	"iis-w3c":        "#Fields: date time s-ip c-ip cs-uri-stem sc-status",
	"w3c-advanced":   "#Fields:  date-local   time-local s-ip c-ip cs-uri-stem sc-status",
	"aws-cloudfront": "#Fields: date time x-edge-location c-ip cs-uri-stem sc-status",
}

func oracleW3C(line, columns string) (event, bool) {
	names := strings.Fields(columns)[1:]
	w, ok := strings.Split(line, "\t"), true
	if len(w) == 1 {
		w, ok = oracleWords(line, doubled)
	}
	at := func(name string) (string, bool) {
		for i, n := range names {
			if n == name && i < len(w) {
				return w[i], true
			}
		}
		return "", false
	}
	date, ok1 := at("date")
	clock, ok2 := at("time")
	if strings.Contains(columns, "date-local") {
		date, ok1 = at("date-local")
		clock, ok2 = at("time-local")
	}
	client, _ := at("c-ip")
	if !ok || !ok1 || !ok2 {
		return event{}, false
	}
	m := rfcTime.FindStringSubmatch(date + " " + clock + "Z")
	if m == nil {
		return event{}, false
	}
	ns, ok := oracleInstant(time.RFC3339, m[1]+"T"+m[2], m[3], m[4]+m[5])
	client = oracleClient(client)
	return event{client, ns, 1}, ok && client != ""
}

var apacheField = regexp.MustCompile(`(?s)^(?:"((?:[^"\\]|\\.)*)"|([^,"][^,]*|))(,.*|)$`)

func oracleApacheCSV(line, unit string) (event, bool) {
	var list []string
	for rest := "," + line; rest != ""; {
		m := apacheField.FindStringSubmatch(rest[1:])
		if m == nil {
			return event{}, false
		}
		list, rest = append(list, m[1]+m[2]), m[3]
	}
	if len(list) < 6 || !strings.HasPrefix(list[5], "[") || !strings.HasSuffix(list[5], "]") || len(list[5]) < 2 {
		return event{}, false
	}
	ns, ok := oracleMoment(list[5], unit, false)
	client := oracleClient(list[2])
	return event{client, ns, 1}, ok && client != ""
}

// oracleSeparated reads timestamp, key and cost.
func oracleSeparated(line, unit string, comma rune) (event, bool) {
	// A separator more keeps encoding/csv from taking a carriage return for a line end.
	r := stdcsv.NewReader(strings.NewReader(line + string(comma) + "\n"))
	r.Comma = comma
	list, err := r.Read()
	if err != nil || len(list) < 3 {
		return event{}, false
	}
	list = list[:len(list)-1]
	ns, ok := oracleMoment(list[0], unit, false)
	if !ok || list[1] == "" {
		return event{}, false
	}
	e := event{list[1], ns, 1}
	if len(list) > 2 {
		if e.cost, ok = oracleCost(list[2]); !ok {
			return event{}, false
		}
	}
	return e, true
}

func oracleFormat(format, line, columns, unit string) (event, bool) {
	switch format {
	case "csv":
		return oracleSeparated(line, unit, ',')
	case "tsv":
		return oracleSeparated(line, unit, '\t')
	case "envoy-default":
		return oracleEnvoy(line, unit)
	case "haproxy-http":
		return oracleHAProxy(line)
	case "aws-alb":
		return oracleALB(line, unit)
	case "squid":
		return oracleSquid(line, unit)
	case "iis-w3c", "w3c-advanced", "aws-cloudfront":
		return oracleW3C(line, columns)
	case "apache-csv":
		return oracleApacheCSV(line, unit)
	case "traefik-clf":
		e, ok := oracleCLF(line, false)
		if _, rest, found := strings.Cut(line, `] "`); found && noAnswers.MatchString(rest) {
			return event{}, false
		}
		return e, ok
	case "clf", "combined", "nginx-combined-ext", "vhost-combined":
		return oracleCLF(line, format == "vhost-combined")
	}
	return oracleJSON(format, line, unit)
}

// Wrappers, each as one expression.
var (
	wrapDocker  = regexp.MustCompile(`(?s)^\{"log":`)
	wrapCRI     = regexp.MustCompile(`(?s)^(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)) (stdout|stderr) ([PF])(?::[^ ]*)?(?: (.*)|())$`)
	wrapCompose = regexp.MustCompile(`(?s)^[A-Za-z0-9_.-]+ +\| ?(.*)$`)
	wrapSyslog  = regexp.MustCompile(`(?s)^(?:<\d{1,3}>)?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) .. ..:..:.. (?:[^ ]* )?([^ ]*): (.*)$`)
)

// A wrapping is what the oracle knows of the lines before.
type wrapping struct {
	parts   map[string]string
	program string
}

// unwrap takes wrappers off; ok is false for a part of a line that goes on.
func (w *wrapping) unwrap(line string) (inner string, ok bool) {
	w.program = ""
	for range 4 {
		if wrapDocker.MatchString(line) && json.Valid([]byte(line)) {
			o, _ := readObject([]byte(line))
			line = strings.TrimSuffix(value(o["log"]), "\n")
		} else if m := wrapCRI.FindStringSubmatch(line); m != nil {
			if w.parts == nil {
				w.parts = map[string]string{}
			}
			w.parts[m[2]] += m[4]
			if m[3] == "P" {
				return "", false
			}
			line = w.parts[m[2]]
			delete(w.parts, m[2])
		} else if m := wrapSyslog.FindStringSubmatch(line); m != nil {
			w.program, line = m[1], m[2]
		} else if m := wrapCompose.FindStringSubmatch(line); m != nil {
			line = m[1]
		} else {
			return line, true
		}
	}
	return line, true
}
