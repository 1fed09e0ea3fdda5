package trace

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// A layout of the user's own reads what the format of that name reads, request by request.
func TestLayoutsAgainstFormats(t *testing.T) {
	const nginx = `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"`
	const apache = `%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\"`
	for _, c := range []struct{ format, layout, sample string }{
		{"combined", nginx, "formats/combined.log"},
		{"combined", apache, "formats/combined.log"},
		{"combined", `$client - - [$time] "$request" $_`, "traces/nasa-1995-07-09.log.gz"},
		{"combined", "log_format main '$remote_addr - $remote_user [$time_local] \"$request\" '\n    '$status $body_bytes_sent \"$http_referer\" \"$http_user_agent\"';", "formats/combined.log"},
		{"combined", `LogFormat "` + apache + `" combined`, "formats/combined.log"},
		{"combined", nginx + ` "$http_x_forwarded_for" rt=$request_time msec=$_`, "formats/nginx-combined-ext.log"},
		{"vhost-combined", `%v:%p ` + apache, "formats/vhost-combined.log"},
		{"clf", `%h %l %u [%{%d/%b/%Y:%T}t.%{usec_frac}t %{%z}t] \"%r\" %>s %b %D`, "formats/apache-usec.log"},
		{"combined", nginx, "formats/wrapped-combined.log"},
		{"squid", `$time $elapsed $client $result $bytes $_`, "formats/squid.log"},
		{"caddy", `$_"ts":$time,$_"client_ip":"$client",$_`, "formats/caddy.ndjson"},
		{"nginx-json", `{"time_iso8601":"$_","msec":$msec,"remote_addr":"$remote_addr",$_`, "formats/nginx-json.ndjson"},
	} {
		want := load(t, Options{Format: c.format}, "../../testdata/"+c.sample)
		got := load(t, Options{Format: c.layout}, "../../testdata/"+c.sample)
		if g, w := got.Stats(), want.Stats(); g.Parsed != w.Parsed || g.Digest != w.Digest {
			t.Errorf("%s: %s reads %+v, not %+v", c.sample, c.layout, g, w)
		}
	}
}

// What the fields of a layout are called, here and at their servers.
func TestLayoutFields(t *testing.T) {
	const nginx = `${remote_addr} - $remote_user [$time_iso8601] "$request" $status "$http_x_forwarded_for" $request_time`
	const line = `198.18.0.1 - ann [2026-03-02T08:00:00+01:00] "GET /a?b HTTP/1.1" 200 "203.0.113.5, 10.0.0.1" 0.5` + "\n"
	for key, want := range map[string]string{
		"client": "198.18.0.1", "remote_addr": "198.18.0.1", "user": "ann", "path": "/a", "query": "b", "method": "GET", "status": "200",
		"forwarded": "203.0.113.5", "header:X-Forwarded-For": "203.0.113.5, 10.0.0.1", "request_time": "0.5", "protocol": "HTTP/1.1",
	} {
		h := load(t, Options{Format: nginx, KeyField: key}, write(t, []byte(line))...)
		if got, _, _ := h.Client(0); got != want || h.Stats().FirstNS != 1772434800e9 {
			t.Errorf("%s is %q at %d, want %q", key, got, h.Stats().FirstNS, want)
		}
	}
	const apache = `%a %{c}a %u %{msec}t \"%r\" %{X-Forwarded-For}i %{Foo}C %%`
	const other = `198.18.0.1 10.0.0.1 - 1772438400250 "PUT \"x HTTP/1.1" 203.0.113.5 tea %` + "\n"
	for key, want := range map[string]string{"client": "198.18.0.1", "peer": "10.0.0.1", "path": `\"x`, "forwarded": "203.0.113.5", "header:x-forwarded-for": "203.0.113.5", "Foo": "tea"} {
		h := load(t, Options{Format: apache, KeyField: key}, write(t, []byte(other))...)
		if got, _, _ := h.Client(0); got != want || h.Stats().FirstNS != 1772438400250e6 {
			t.Errorf("%s is %q at %d, want %q", key, got, h.Stats().FirstNS, want)
		}
	}
}

// FuzzLayout holds layouts to their accounts, whatever the layout and the lines.
func FuzzLayout(f *testing.F) {
	f.Add(`$client - - [$time] "$request" $_`, []byte(combinedLines))
	f.Add(`%h %l %u %t \"%r\" %>s %b`, []byte(combinedLines))
	f.Add("$client $time", []byte("a 1\nb 2\n  c  3"))
	f.Add("log_format x '$a' '[$time]$client';", []byte("x[5]y\n"))
	f.Fuzz(func(t *testing.T, text string, data []byte) {
		if !isLayout(text) || len(data) > 1<<12 || len(data) > 1 && data[0] == 0x1f {
			return
		}
		tr, err := Load(context.Background(), []string{"-"}, Options{Format: text, KeyField: "client+client", Where: "client!=x", Stdin: bytes.NewReader(data), Workers: 1})
		if err != nil {
			if strings.Contains(err.Error(), "\x1b") && !strings.Contains(text, "\x1b") {
				t.Errorf("%q has an escape byte", err)
			}
			return
		}
		if s := hold(t, tr, 10).Stats(); s.Lines != s.Parsed+s.Skipped+s.Ignored {
			t.Errorf("%+v", s)
		}
	})
}
