package trace

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"
)

// utf16Of writes text in UTF-16.
func utf16Of(text string, little, mark bool) []byte {
	units := utf16.Encode([]rune(text))
	if mark {
		units = append([]uint16{0xfeff}, units...)
	}
	b := make([]byte, 0, 2*len(units))
	for _, u := range units {
		if little {
			b = append(b, byte(u), byte(u>>8))
		} else {
			b = append(b, byte(u>>8), byte(u))
		}
	}
	return b
}

// Every format is the same however its lines come in: with other line ends, encodings and compressions, wrapped, by one worker.
func TestEveryFormatEveryWay(t *testing.T) {
	for _, format := range formatNames() {
		data := madeLog(format, 600)
		want := load(t, Options{}, write(t, data)...)
		lines := strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n")
		wrapped := func(wrap func(line string) string) []byte {
			var b strings.Builder
			for _, line := range lines {
				b.WriteString(wrap(strings.TrimSuffix(line, "\n")) + "\n")
			}
			return []byte(b.String())
		}
		type way struct {
			name string
			data []byte
			o    Options
		}
		ways := []way{
			{"CRLF", bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")), Options{}},
			{"gzip", gzipped(t, data), Options{}},
			{"one worker", data, Options{Workers: 1}},
			{"named", data, Options{Format: format}},
			{"blank lines", bytes.ReplaceAll(data, []byte("\n"), []byte("\n \n")), Options{}},
			{"little-endian UTF-16", utf16Of(string(data), true, true), Options{}},
			{"big-endian UTF-16", utf16Of(string(data), false, true), Options{}},
			{"UTF-16 without a mark", utf16Of(string(data), true, false), Options{}},
			{"big-endian UTF-16 without a mark", utf16Of(string(data), false, false), Options{}},
			{"gzipped UTF-16", gzipped(t, utf16Of(string(data), true, true)), Options{}},
		}
		for name, wrap := range map[string]func(string) string{
			"a container runtime": func(line string) string { return "2026-03-02T08:00:00.5Z stdout F " + line },
			"parts":               inParts,
			"Docker": func(line string) string {
				text, err := json.Marshal(line + "\n")
				if err != nil {
					t.Fatal(err)
				}
				return fmt.Sprintf(`{"log":%s,"stream":"stdout","time":"2026-03-02T08:00:08.9Z"}`, text)
			},
			"docker compose":  func(line string) string { return "web-1  | " + line },
			"syslog":          func(line string) string { return "<134>Mar  2 08:00:07 web1 app[12]: " + line },
			"rsyslog":         func(line string) string { return "2026-03-02T08:00:07.123456+01:00 web1 app: " + line },
			"RFC 5424":        func(line string) string { return `<134>1 2026-03-02T08:00:07Z web1 app 12 - [a b="c"] ` + line },
			"two of them":     func(line string) string { return "web-1 | 2026-03-02T08:00:00Z stderr F " + line },
			"syslog, no host": func(line string) string { return "Mar 12 08:00:07 app: " + line },
		} {
			ways = append(ways, way{name, wrapped(wrap), Options{}})
		}
		for _, w := range ways {
			h := load(t, w.o, write(t, w.data)...)
			if s := h.Stats(); s.Digest != want.Stats().Digest || s.Parsed != want.Stats().Parsed || s.Skipped != 0 || s.Format != format {
				t.Errorf("%s, %s: %+v", format, w.name, s)
			}
		}
	}
}

// inParts is a line as a container runtime splits long ones.
func inParts(line string) string {
	const from = "2026-03-02T08:00:00.5Z stdout "
	n := len(line) / 3
	return from + "P " + line[:n] + "\n" + from + "P " + line[n:2*n] + "\n" + from + "F " + line[2*n:]
}

// Parts of a line are put together wherever a block ends, and one whose end does not come is counted.
func TestPartsOverBlocks(t *testing.T) {
	var b strings.Builder
	for i := range 20000 {
		b.WriteString(inParts(fmt.Sprintf(`198.18.4.7 - - [02/Mar/2026:08:00:00 +0000] "GET /%d HTTP/1.1" 200 12`, i)) + "\n")
	}
	b.WriteString("2026-03-02T08:00:00Z stdout P 198.18.4.7 - - [02/Mar\n")
	if s := load(t, Options{}, write(t, []byte(b.String()))...).Stats(); s.Parsed != 20000 || s.Ignored != 40000 || s.Skipped != 1 || s.Bad[0].Reason != reasons[cutOff] {
		t.Errorf("%+v", s)
	}
}

// #Fields lines name the columns of what follows, wherever a block ends.
func TestColumnsOverBlocks(t *testing.T) {
	var b strings.Builder
	for i := range 30000 {
		if i%1000 == 0 {
			if i%2000 == 0 {
				b.WriteString("#Fields: date time c-ip cs-uri-stem\n")
			} else {
				b.WriteString("#Fields: cs-uri-stem c-ip time date\n")
			}
		}
		if i%2000 < 1000 {
			fmt.Fprintf(&b, "2026-03-02 08:00:00 198.18.0.1 /%032d\n", i)
		} else {
			fmt.Fprintf(&b, "/%032d 198.18.0.1 08:00:00 2026-03-02\n", i)
		}
	}
	whole := load(t, Options{}, write(t, []byte(b.String()))...)
	if s := whole.Stats(); s.Parsed != 30000 || s.Skipped != 0 || whole.Clients() != 1 || s.FirstNS != s.LastNS {
		t.Errorf("%+v", s)
	}
	files := cut([]byte(b.String()), 7) // the later ones begin without a #Fields line
	if s := load(t, Options{}, write(t, files[:2]...)...).Stats(); s.Skipped != 0 {
		t.Errorf("in parts: %+v", s)
	}
}

// What users send, and what has to become of it.
func TestAwkwardFiles(t *testing.T) {
	line := func(s string) string { return `198.18.0.1 - - [` + s + `] "GET / HTTP/1.1" 200 5 "-" "-"` + "\n" }
	good := strings.Repeat(line("02/Mar/2026:08:00:00 +0000"), 3)
	for name, c := range map[string]struct {
		data                     string
		parsed, skipped, ignored int64
		reason                   verdict
	}{
		"CRLF":              {strings.ReplaceAll(good, "\n", "\r\n"), 3, 0, 0, 0},
		"a UTF-8 mark":      {"\xef\xbb\xbf" + good, 3, 0, 0, 0},
		"blank lines":       {"\n\r\n \t\n" + good + "\n\n", 3, 0, 5, 0},
		"a megabyte":        {good + strings.Repeat("x", 1<<20+1) + "\n", 3, 1, 0, tooLong},
		"a megabyte's path": {good + line("02/Mar/2026:08:00:00 +0000")[:60] + strings.Repeat("x", 1<<19) + "\n", 4, 0, 0, 0},
		"NUL bytes":         {good + strings.Repeat("\x00", 4096) + "\n", 3, 1, 0, noTime},
		"escape bytes":      {good + "\x1b[31mred\x1b[0m\n", 3, 1, 0, noTime},
		"a two-digit year":  {good + line("02/Mar/26:08:00:00 +0000"), 3, 1, 0, shortYear},
		"a leap second":     {good + line("31/Dec/2016:23:59:60 +0000"), 4, 0, 0, 0},
		"second 61":         {good + line("31/Dec/2016:23:59:61 +0000"), 3, 1, 0, badTime},
		"beyond int64":      {good + line("02/Mar/2263:08:00:00 +0000"), 3, 1, 0, farTime},
		"a numeric month":   {good + line("02/03/2026:08:00:00 +0000"), 3, 1, 0, numericMonth},
		"Latin-1":           {good + line("02/Mar/2026:08:00:00 +0000")[:50] + latin1("/caf\u00e9") + "\"\n", 4, 0, 0, 0},
		"rubbish first":     {"\xff\xfd\x00\x01\n" + good, 3, 1, 0, noTime},
		"no line end":       {strings.TrimSuffix(good, "\n"), 3, 0, 0, 0},
	} {
		h := load(t, Options{}, write(t, []byte(c.data))...)
		s := h.Stats()
		if s.Parsed != c.parsed || s.Skipped != c.skipped || s.Ignored != c.ignored || s.Format != "combined" {
			t.Errorf("%s: %+v", name, s)
		}
		if c.skipped > 0 && (len(s.Bad) != 1 || s.Bad[0].Reason != reasons[c.reason] || strings.ContainsAny(s.Bad[0].String(), "\x00\x1b")) {
			t.Errorf("%s: shown as %q", name, s.Bad)
		}
	}
	// Key by key: control bytes stay in a key.
	h := load(t, Options{}, write(t, []byte("1,a\x00\x1bb\n2,a\x00\x1bb\n"))...)
	if key, times, _ := h.Client(0); key != "a\x00\x1bb" || len(times) != 2 {
		t.Errorf("control bytes in a key: %q", key)
	}
	h = load(t, Options{}, write(t, []byte("1,a,5\n2,a,many\n3,a,-1\n4,a,1.5\n5,a,\n6,a,7\n7,a,8\n8,a,9\n"))...)
	if s := h.Stats(); s.Parsed != 5 || s.Skipped != 3 || s.Bad[0].Reason != reasons[badCost] || !strings.Contains(strings.Join(s.Warnings, ";"), "--cost") {
		t.Errorf("costs that are no numbers: %+v", s)
	}
}

func latin1(text string) string {
	b, err := charmap.ISO8859_1.NewEncoder().String(text)
	if err != nil {
		panic(err)
	}
	return b
}

// Rotated files in any order are the same requests as in theirs.
func TestRotatedFiles(t *testing.T) {
	for _, format := range []string{"combined", "caddy", "haproxy-http", "iis-w3c"} {
		parts := cut(madeLog(format, 900), 3)
		if columns, ok := testFields[format]; ok { // each file has its own
			for i := 1; i < 3; i++ {
				parts[i] = append([]byte(columns+"\n"), parts[i]...)
			}
		}
		want := load(t, Options{}, write(t, parts...)...)
		slices.Reverse(parts)
		got := load(t, Options{}, write(t, parts...)...)
		if got.Stats().Digest != want.Stats().Digest || !contents(got).equal(contents(want)) {
			t.Errorf("%s: the order of files decides", format)
		}
	}
}

// Formats that come together are told apart by name, and one that is named reads its own lines.
func TestMixedFormats(t *testing.T) {
	combined, caddy := madeLog("combined", 60), madeLog("caddy", 40)
	mixed := slices.Concat(combined, caddy)
	_, err := Load(context.Background(), write(t, mixed), Options{})
	if err == nil || !strings.Contains(err.Error(), "--format combined") || !strings.Contains(err.Error(), "--format caddy") {
		t.Errorf("two formats in a file: %v", err)
	}
	if s := load(t, Options{Format: "combined"}, write(t, mixed)...).Stats(); s.Parsed != 60 || s.Skipped != 40 {
		t.Errorf("named: %+v", s)
	}
	_, err = Load(context.Background(), write(t, combined, caddy), Options{})
	if err == nil || !strings.Contains(err.Error(), "log.1 is caddy, the files before it are combined") {
		t.Errorf("two formats in two files: %v", err)
	}
}

// Each warning comes where it should, names its cure, and does not come with it.
func TestWarnings(t *testing.T) {
	repeat := func(n int, line string) string { return strings.Repeat(line+"\n", n) }
	clf := func(client, rest string) string {
		return client + ` - - [02/Mar/2026:08:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "-"` + rest
	}
	haproxy := `203.0.113.1:99 [02/Mar/2026:08:00:00.125] web app/a 0/0/0/0/0 200 125 - - ---- 1/1/0/0/0 0/0 "GET / HTTP/1.1"`
	for name, c := range map[string]struct {
		data string
		o    Options
		want []string // parts of the only warning
	}{
		"proxy":              {repeat(30, clf("10.0.0.1", ` "203.0.113.5"`)) + repeat(20, clf("203.0.113.9", ` "203.0.113.5"`)), Options{}, []string{"10.0.0.1", "60 %", "--key forwarded takes"}},
		"proxy, no header":   {repeat(30, clf("fd00::1", "")), Options{}, []string{"fd00::1", "100 %", "have the server log X-Forwarded-For"}},
		"no proxy":           {repeat(30, clf("10.0.0.1", "")) + repeat(40, clf("203.0.113.9", "")), Options{}, nil},
		"public":             {repeat(30, clf("203.0.113.9", "")), Options{}, nil},
		"forwarded":          {repeat(30, clf("10.0.0.1", ` "203.0.113.5"`)), Options{KeyField: "forwarded"}, nil},
		"virtual host":       {repeat(30, clf("www.example.org", "")), Options{}, []string{"www.example.org", "virtual host", "--format"}},
		"names":              {repeat(5, clf("a.example.org", "")+"\n"+clf("b.example.org", "")+"\n"+clf("c.example.org", "")), Options{}, nil},
		"no offset":          {repeat(5, haproxy), Options{}, []string{"--time-zone"}},
		"an offset":          {repeat(5, haproxy), Options{TimeZone: "+01:00"}, nil},
		"lists":              {repeat(5, `{"StartUTC":"2026-03-02T08:00:00Z","ClientHost":"203.0.113.1, 10.0.0.1","RouterName":"a"}`), Options{}, []string{"--key forwarded"}},
		"ports":              {"1,203.0.113.1:80\n2,203.0.113.1:81\n3,[2001:db8::1]:82\n", Options{}, []string{"[2001:db8::1]:82", "--key ip takes"}},
		"ports of a field":   {"at,who,peer\n1,a,203.0.113.1:80\n2,b,203.0.113.1:81\n", Options{KeyField: "peer"}, []string{"--key ip:peer takes"}},
		"ports off":          {"1,203.0.113.1:80\n2,203.0.113.1:81\n", Options{KeyField: "ip"}, nil},
		"names with numbers": {"1,tenant:80\n2,tenant:81\n", Options{}, nil},
		"local":              {"2026-03-02T08:00:00Z,a\n2026-03-02T08:00:00,a\n", Options{}, []string{"1 line was skipped", "--time-zone"}},
		"nginx's escapes": {`{"time":"2026-12-01T04:20:30+00:00","remote_addr":"203.0.113.1","a":"\x22"}` + "\n" +
			`{"time":"2026-12-01T04:20:30+00:00","remote_addr":"203.0.113.1","a":"b"}` + "\n", Options{}, []string{"1 line was no JSON", "escape=json"}},
	} {
		got := load(t, c.o, write(t, []byte(c.data))...).Stats().Warnings
		if c.want == nil && len(got) > 0 || c.want != nil && len(got) != 1 {
			t.Errorf("%s: warnings %q", name, got)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(got[0], part) {
				t.Errorf("%s: %q does not say %q", name, got[0], part)
			}
		}
	}
}

// A crowd's counts are never too large, and near enough for those that are most of it.
func TestCrowd(t *testing.T) {
	c := crowd{share: 8}
	exact := map[string]int64{}
	for i := range 20000 {
		key := fmt.Sprint(i * 7919 % 1000)
		if i%5 < 3 {
			key = "busy"
		}
		c.add([]byte(key), 1)
		exact[key]++
	}
	busy := int64(0)
	for _, m := range c.list {
		if m.n > exact[m.key] {
			t.Errorf("%s has %d, not %d", m.key, m.n, exact[m.key])
		}
		if m.key == "busy" {
			busy = m.n
		}
	}
	if busy < exact["busy"]-20000/8 || len(c.list) > 8 {
		t.Errorf("busy has %d of %d", busy, exact["busy"])
	}
}
