package trace

// Zeek's JSON lines: a connection began at ts, its originator is id.orig_h; the line is written when it ends.
var zeekShape = jsonShape{
	time:   paths("ts"),
	client: []path{literalPath("id.orig_h")},
	names: map[string]string{
		"method": "method", "uri": "uri", "host": "host", "status": "status_code", "bytes": "response_body_len", "agent": "user_agent",
	},
}

func openZeek(head [][]byte, o *Options, _ parser) (parser, error) {
	return openJSON(&zeekShape, head, o)
}
