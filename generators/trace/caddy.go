package trace

// Caddy's JSON lines: a request ended at ts. Lines of other loggers have the same level and ts, but another msg.
var caddyShape = jsonShape{
	time: []path{newPath("ts")},
	client: []path{
		nestedPath("request.client_ip"), nestedPath("request.remote_ip"), nestedPath("request.remote_addr"), // by Caddy's age
	},
	must:  newPath("msg"),
	says:  "handled request",
	other: paths("level", "ts"),
	names: map[string]string{
		"method": "request.method", "uri": "request.uri", "host": "request.host", "protocol": "request.proto", "status": "status", "bytes": "size",
		"user": "user_id", "forwarded": "request.headers.X-Forwarded-For", "agent": "request.headers.User-Agent", "referer": "request.headers.Referer",
	},
	header: func(name string) []string { return []string{"request.headers." + canonicalHeader(name)} },
}

func openCaddy(head [][]byte, o *Options, _ parser) (parser, error) {
	return openJSON(&caddyShape, head, o)
}
