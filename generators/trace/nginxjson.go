package trace

import (
	"fmt"
	"strings"
)

// JSON lines as a user has written them into nginx's log_format, or anywhere else. The names are the user's own, mostly
// those of nginx's variables; --time and --key name others. Lines that were written without escape=json are no JSON where they hold quotes or
// bytes outside ASCII; they are skipped and told apart from noise.
var nginxShape = jsonShape{
	time: paths("msec", "time_iso8601", "time_local", "@timestamp", "timestamp", "time", "ts", "date", "datetime"),
	client: paths("remote_addr", "client_ip", "clientip", "client", "remote_ip", "ip", "remoteAddr", "clientIp", "remoteIp",
		"client_addr", "remote_host", "host_ip"),
	names: map[string]string{
		"method": "request_method", "host": "host", "status": "status", "bytes": "body_bytes_sent", "user": "remote_user", "request": "request",
		"agent": "http_user_agent", "referer": "http_referer", "forwarded": "http_x_forwarded_for", "protocol": "server_protocol",
	},
	header: func(name string) []string { return []string{"http_" + strings.ReplaceAll(name, "-", "_")} },
}

type nginxJSON struct {
	*jsonLines
	named bool // the user named the time
}

func openNginxJSON(head [][]byte, o *Options, _ parser) (parser, error) {
	shape := nginxShape
	if o.TimeField != "" {
		shape.time = paths(o.TimeField)
	}
	p, err := openJSON(&shape, head, o)
	if err != nil {
		return nil, err
	}
	return &nginxJSON{p, o.TimeField != ""}, p.check(head, o)
}

// check says what to name if no line of the file's first JSON lines has a time or a client.
func (p *jsonLines) check(head [][]byte, o *Options) error {
	timed, known := false, !isClient(o.key)
	for _, line := range head {
		if isObject(line) {
			text := textOf(line)
			timed = timed || first(p.time, text) != nil
			known = known || first(p.client, text) != nil
		}
	}
	has := nameList(p.seen)
	switch {
	case p.seen == nil:
		return nil
	case o.TimeField != "" && !timed:
		return fmt.Errorf("no JSON line has a field %q: --time takes one of %s", o.TimeField, has)
	case !timed:
		return fmt.Errorf("no JSON line has a time under a usual name: name it with --time, one of %s", has)
	case !known:
		return fmt.Errorf("no JSON line has a client under a usual name: name it with --key, one of %s", has)
	}
	return nil
}

// fits takes a line without a client too if the user named the time, for then the key is likely to be something else.
func (p *nginxJSON) fits(line []byte, r *record) bool {
	return p.parse(line, r) == request && (p.named || len(r.key) > 0)
}
