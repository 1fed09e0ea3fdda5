package trace

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
)

// clients are the keys of a trace with their numbers of requests.
func clients(h *held) map[string]int {
	m := map[string]int{}
	for i := range h.Clients() {
		key, times, _ := h.Client(i)
		m[key] += len(times)
	}
	return m
}

const (
	combinedLines = `198.18.4.7 - joe [02/Mar/2026:08:00:00 +0000] "GET /a/b?c=d HTTP/1.1" 200 10 "http://x/" "curl/8"
198.18.4.9 - - [02/Mar/2026:08:00:01 +0000] "POST /login HTTP/1.1" 429 - "-" "app one"
2001:db8:1:2::7 - - [02/Mar/2026:08:00:02 +0000] "POST http://example.com/login?x HTTP/1.1" 200 30 "-" "app one"
2001:db8:1:2::8 - - [02/Mar/2026:08:00:03 +0000] "OPTIONS * HTTP/1.1" 200 40 "-" "-"
::ffff:198.18.4.7 - - [02/Mar/2026:08:00:04 +0000] "\x16\x03" 400 50 "-" "-"
198.18.4.7:4711 - - [02/Mar/2026:08:00:05 +0000] "GET /a/b HTTP/1.1" 200 60 "-" "\"x\""
`
	forwardedLines = `10.0.0.1 - - [02/Mar/2026:08:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "a" "203.0.113.5, 10.0.0.9" rt=0.5 who=ann
10.0.0.1 - - [02/Mar/2026:08:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "a" "[2001:db8::1]:443" rt=0.5 who=bob
10.0.0.1 - - [02/Mar/2026:08:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "a" "203.0.113.5" rt=0.5 who=ann
10.0.0.2 - - [02/Mar/2026:08:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "a" "-" rt=0.5 who=ann
`
	caddyLines = `{"level":"info","ts":1.5,"msg":"handled request","size":7,"status":200,"request":{"remote_ip":"10.0.0.1","method":"GET","uri":"/x?y","headers":{"X-Api-Key":["k1","k2"],"X-Forwarded-For":["::ffff:203.0.113.5, 10.0.0.1"]}}}
{"level":"info","ts":2.5,"msg":"handled request","size":8,"status":404,"request":{"remote_ip":"10.0.0.1","method":"PUT","uri":"/x","headers":{"X-Api-Key":["k\u0031"]}}}
`
	ownJSON = `{"a.b":"literal","a":{"b":"nested","c":"n"},"at":"2026-03-02T08:00:00Z","user":"ann","units":"3"}
{"a":{"b":"nested","c":"n"},"at":"2026-03-02T08:00:01Z","user":"bob","units":4}
`
	w3cLines = "#Fields: date time cs-method cs-uri-stem c-ip cs(User-Agent) sc-bytes\n2026-03-02 08:00:00 GET /a 198.18.0.1 app+one 7\n" +
		"#Fields: date time c-ip cs-uri-stem cs-method sc-bytes\n2026-03-02 08:00:01 198.18.0.2 /b POST 8\n"
)

// Who a client is, as the user says it.
func TestKeys(t *testing.T) {
	for _, c := range []struct {
		lines, key string
		want       map[string]int
	}{
		{combinedLines, "", map[string]int{"198.18.4.7": 3, "198.18.4.9": 1, "2001:db8:1:2::7": 1, "2001:db8:1:2::8": 1}},
		{combinedLines, "client", map[string]int{"198.18.4.7": 3, "198.18.4.9": 1, "2001:db8:1:2::7": 1, "2001:db8:1:2::8": 1}},
		{combinedLines, "ip", map[string]int{"198.18.4.7": 3, "198.18.4.9": 1, "2001:db8:1:2::7": 1, "2001:db8:1:2::8": 1}},
		{combinedLines, "ip/24", map[string]int{"198.18.4.0/24": 4, "2001:db8:1:2::7": 1, "2001:db8:1:2::8": 1}},
		{combinedLines, "ip/64", map[string]int{"198.18.4.7": 3, "198.18.4.9": 1, "2001:db8:1:2::/64": 2}},
		{combinedLines, "ip/16/48", map[string]int{"198.18.0.0/16": 4, "2001:db8:1::/48": 2}},
		{combinedLines, "path", map[string]int{"/a/b": 2, "/login": 2, "*": 1}},
		{combinedLines, "method+path", map[string]int{"GET /a/b": 2, "POST /login": 2, "OPTIONS *": 1}},
		{combinedLines, "client+path", map[string]int{"198.18.4.7 /a/b": 2, "198.18.4.9 /login": 1, "2001:db8:1:2::7 /login": 1, "2001:db8:1:2::8 *": 1}},
		{combinedLines, "header:User-Agent", map[string]int{"curl/8": 1, "app one": 2, `\"x\"`: 1}},
		{combinedLines, "agent+status", map[string]int{"curl/8 200": 1, `app\ one 429`: 1, `app\ one 200`: 1, `\\"x\\" 200`: 1}},
		{forwardedLines, "", map[string]int{"10.0.0.1": 3, "10.0.0.2": 1}},
		{forwardedLines, "forwarded", map[string]int{"203.0.113.5": 2, "2001:db8::1": 1, "10.0.0.2": 1}},
		{forwardedLines, "header:x-forwarded-for", map[string]int{"203.0.113.5, 10.0.0.9": 1, "203.0.113.5": 1, "[2001:db8::1]:443": 1}},
		{forwardedLines, "ip/24:forwarded", map[string]int{"203.0.113.0/24": 2, "2001:db8::1": 1, "10.0.0.0/24": 1}},
		{forwardedLines, "who", map[string]int{"ann": 3, "bob": 1}},
		{caddyLines, "", map[string]int{"10.0.0.1": 2}},
		{caddyLines, "forwarded", map[string]int{"203.0.113.5": 1, "10.0.0.1": 1}},
		{caddyLines, "header:x-api-key", map[string]int{"k1": 2}},
		{caddyLines, "request.headers.X-Api-Key.1", map[string]int{"k2": 1}},
		{caddyLines, "method+path", map[string]int{"GET /x": 1, "PUT /x": 1}},
		{caddyLines, "status", map[string]int{"200": 1, "404": 1}},
		{w3cLines, "", map[string]int{"198.18.0.1": 1, "198.18.0.2": 1}},
		{w3cLines, "method+path", map[string]int{"GET /a": 1, "POST /b": 1}},
		{w3cLines, "header:User-Agent", map[string]int{"app+one": 1}},
		{"at,who,ip\n1,ann,198.18.0.1:80\n2,bob,198.18.0.1:81\n", "ip:ip", map[string]int{"198.18.0.1": 2}},
		{"at,who,ip\n1,ann,198.18.0.1:80\n2,bob,198.18.0.1:81\n", "ip", map[string]int{"198.18.0.1:80": 1, "198.18.0.1:81": 1}},
		{"at,who,addr\n1,ann,198.18.0.1:80\n2,bob,198.18.0.1:81\n", "who+3", map[string]int{"ann 198.18.0.1:80": 1, "bob 198.18.0.1:81": 1}},
		{"1,198.18.0.1:80\n2,198.18.0.2\n", "ip/24", map[string]int{"198.18.0.0/24": 2}},
		{"1;ann\n2;bob\n", "", map[string]int{"ann": 1, "bob": 1}},
	} {
		got := clients(load(t, Options{KeyField: c.key}, write(t, []byte(c.lines))...))
		if !maps.Equal(got, c.want) {
			t.Errorf("--key %s: %v, want %v", c.key, got, c.want)
		}
	}
	for _, key := range []string{"a.b", "a.c", "user"} {
		want := map[string]map[string]int{"a.b": {"literal": 1, "nested": 1}, "a.c": {"n": 2}, "user": {"ann": 1, "bob": 1}}[key]
		h := load(t, Options{KeyField: key, TimeField: "at", CostField: "units"}, write(t, []byte(ownJSON))...)
		if got := clients(h); !maps.Equal(got, want) || h.Stats().FirstNS != 1772438400e9 {
			t.Errorf("--key %s: %v, want %v", key, got, want)
		}
	}
}

// No two combinations of fields are the same key.
func TestJoinedKeys(t *testing.T) {
	data := "at,a,b\n1,x y,z\n1,x,y z\n1,x\\,y\n1,\"x\\ y\",z\n1,x,\\y\n"
	got := clients(load(t, Options{KeyField: "a+b"}, write(t, []byte(data))...))
	if len(got) != 5 {
		t.Errorf("five pairs are %v", got)
	}
}

func TestWhere(t *testing.T) {
	for _, c := range []struct {
		lines, where string
		parsed       int64
	}{
		{combinedLines, "path=/login", 2},
		{combinedLines, "path=/login,method=POST", 2},
		{combinedLines, "path=/login , status = 429", 1},
		{combinedLines, "path!=/login", 4},
		{combinedLines, "path=/a*", 2},
		{combinedLines, "path!=/a*", 4},
		{combinedLines, `path="/a*"`, 0},
		{combinedLines, `agent="app one"`, 2},
		{combinedLines, "client=198.18.*", 4},
		{combinedLines, "client=198.18.4.7", 3},
		{combinedLines, "header:user-agent=curl*,header:Referer=http://x/", 1},
		{combinedLines, "user!=", 1},
		{combinedLines, "user=", 5},
		{caddyLines, "header:X-Api-Key=k1,method!=GET", 1},
		{w3cLines, "method=POST", 1},
		{"at,who,size,path\n1,ann,3,\"/a,b\"\n2,bob,4,/c\n", `path="/a,b"`, 1},
	} {
		tr, err := Load(context.Background(), write(t, []byte(c.lines)), Options{Where: c.where})
		if c.parsed == 0 {
			if err == nil || !strings.Contains(err.Error(), "--where") {
				t.Errorf("--where %s: %v", c.where, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("--where %s: %v", c.where, err)
			continue
		}
		h := hold(t, tr, 100)
		s := h.Stats()
		all := load(t, Options{}, write(t, []byte(c.lines))...).Stats()
		if s.Parsed != c.parsed || s.Filtered != all.Parsed-c.parsed || s.Ignored != all.Ignored+s.Filtered || s.Lines != all.Lines {
			t.Errorf("--where %s: %+v", c.where, s)
		}
	}
}

func TestCosts(t *testing.T) {
	for _, c := range []struct {
		lines string
		o     Options
		want  []int64 // sorted
	}{
		{combinedLines, Options{CostField: "bytes"}, []int64{0, 10, 30, 40, 50, 60}},
		{combinedLines, Options{CostField: "none"}, []int64{1, 1, 1, 1, 1, 1}},
		{caddyLines, Options{CostField: "bytes"}, []int64{7, 8}},
		{caddyLines, Options{CostField: "size"}, []int64{7, 8}},
		{ownJSON, Options{CostField: "units", TimeField: "at", KeyField: "user"}, []int64{3, 4}},
		{w3cLines, Options{CostField: "bytes"}, []int64{7, 8}},
		{combinedLines, Options{Format: `$client $_ [$time] "$request" $status $cost "`}, []int64{1, 10, 30, 40, 50, 60}},
	} {
		h := load(t, c.o, write(t, []byte(c.lines))...)
		var got []int64
		for i := range h.Clients() {
			_, times, costs := h.Client(i)
			if costs == nil {
				costs = appendOnes(nil, len(times))
			}
			got = append(got, costs...)
		}
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%+v: costs %d, want %d", c.o, got, c.want)
		}
	}
}

// Requests without the field of the key are skipped, unless they are left out.
func TestKeyThatFewHave(t *testing.T) {
	h := load(t, Options{KeyField: "user", Where: "user!="}, write(t, []byte(combinedLines))...)
	if s := h.Stats(); !maps.Equal(clients(h), map[string]int{"joe": 1}) || s.Filtered != 5 || s.Skipped != 0 {
		t.Errorf("%v, %+v", clients(h), s)
	}
}

func TestTimeFields(t *testing.T) {
	line := strings.ReplaceAll(forwardedLines, "rt=0.5", "msec=1772438400.250")
	s := load(t, Options{TimeField: "msec"}, write(t, []byte(line))...).Stats()
	if s.FirstNS != 1772438400250e6 || s.ResolutionNS != 1e7 {
		t.Errorf("--time msec: %+v", s)
	}
	haproxy := `198.18.0.1:99 [02/Mar/2026:08:00:00.125] web app/a 0/0/0/0/0 200 125 - - ---- 1/1/0/0/0 0/0 "GET / HTTP/1.1"` + "\n"
	for zone, want := range map[string]int64{"": 8, "UTC": 8, "+02:00": 6, "-0130": 9, "Europe/Berlin": 7} {
		s := load(t, Options{TimeZone: zone}, write(t, []byte(haproxy))...).Stats()
		if got := s.FirstNS; got != 1772409600e9+want*3600e9+125e6+map[bool]int64{true: 1800e9}[zone == "-0130"] {
			t.Errorf("--time-zone %s: %d", zone, got)
		}
	}
	s = load(t, Options{TimeZone: "+01:00"}, write(t, []byte("2026-03-02T08:00:00,a\n2026-03-02T08:00:00Z,a\n"))...).Stats()
	if s.FirstNS != 1772434800e9 || s.LastNS != 1772438400e9 {
		t.Errorf("times with an offset and without: %+v", s)
	}
}

func TestSelectionErrors(t *testing.T) {
	for _, c := range []struct {
		o     Options
		lines string
		want  []string
	}{
		{Options{KeyField: "client+"}, combinedLines, []string{"--key", "empty part"}},
		{Options{KeyField: "ip/x"}, combinedLines, []string{"--key ip/x", "ip/24", "ip/64"}},
		{Options{KeyField: "ip/129"}, combinedLines, []string{"ip/129"}},
		{Options{KeyField: "ip/64/24"}, combinedLines, []string{"ip/64/24"}},
		{Options{KeyField: "forwarded"}, combinedLines, []string{"log.0", "combined", `"forwarded"`, "it has client, user"}},
		{Options{KeyField: "header:X-Api-Key"}, combinedLines, []string{"header:x-api-key", "header:User-Agent"}},
		{Options{KeyField: "request.nothing"}, caddyLines, []string{"caddy", "request.nothing", "request.remote_ip", "forwarded"}},
		{Options{CostField: "tokens"}, w3cLines, []string{"iis-w3c", `"tokens"`, "--cost", "sc-bytes", "c-ip"}},
		{Options{KeyField: "user"}, combinedLines, []string{"nothing in a field of the key (5)", "--where 'FIELD!='"}},
		{Options{Where: "path"}, combinedLines, []string{"--where", "NAME=VALUE"}},
		{Options{Where: "=x"}, combinedLines, []string{"--where"}},
		{Options{Where: `path="/a`}, combinedLines, []string{"--where", "quote"}},
		{Options{Where: `path="/a"b`}, combinedLines, []string{"--where", "comma"}},
		{Options{Where: "colour=red"}, combinedLines, []string{"--where", "colour", "it has client"}},
		{Options{TimeZone: "Mars/Olympus"}, combinedLines, []string{"Mars/Olympus", "+01:00"}},
		{Options{TimeZone: "+25:00"}, combinedLines, []string{"+25:00"}},
		{Options{}, ownJSON, []string{"no JSON line has a time", "--time", "at, user, units"}},
		{Options{TimeField: "at"}, ownJSON, []string{"no JSON line has a client", "--key", "at, user, units"}},
		{Options{TimeField: "when", KeyField: "user"}, ownJSON, []string{`"when"`, "at, user, units"}},
		{Options{Format: "$client"}, combinedLines, []string{"no time", "time_local", "client"}},
		{Options{Format: "[$time] $x"}, combinedLines, []string{"no client", "--key", "time, x"}},
		{Options{Format: "$client$time"}, combinedLines, []string{"nothing stands between", "client", "time"}},
		{Options{Format: "100%"}, combinedLines, []string{"no field"}},
		{Options{KeyField: "who", TimeField: "\x1b[31m"}, "{\"\x1b[31m\":1}\n" + ownJSON, nil},
	} {
		_, err := Load(context.Background(), write(t, []byte(c.lines)), c.o)
		if err == nil {
			t.Errorf("%+v: no error", c.o)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q does not say %q", err, part)
			}
		}
		if strings.ContainsRune(err.Error(), 0x1b) {
			t.Errorf("%q has an escape byte", err)
		}
	}
}
