package trace

// Cloudflare Logpush, HTTP requests as JSON lines: a request began at EdgeStartTimestamp, which is RFC 3339, seconds or
// nanoseconds by the job's setting.
var cloudflareShape = jsonShape{
	time:   paths("EdgeStartTimestamp"),
	client: paths("ClientIP"),
	names: map[string]string{
		"method": "ClientRequestMethod", "uri": "ClientRequestURI", "host": "ClientRequestHost", "protocol": "ClientRequestProtocol",
		"status": "EdgeResponseStatus", "bytes": "EdgeResponseBytes", "agent": "ClientRequestUserAgent", "referer": "ClientRequestReferer",
		"forwarded": "RequestHeaders.x-forwarded-for",
	},
	header: func(name string) []string { return []string{"RequestHeaders." + name} },
}

func openCloudflare(head [][]byte, o *Options, _ parser) (parser, error) {
	return openJSON(&cloudflareShape, head, o)
}
