package trace

// Google Cloud load balancers' JSON lines: timestamp is the request's, receiveTimestamp the log's. Entries of other
// logs of the project are passed over.
var gcpShape = jsonShape{
	time:   paths("timestamp"),
	client: []path{nestedPath("httpRequest.remoteIp")},
	marks:  paths("logName", "insertId", "receiveTimestamp"),
	must:   nestedPath("httpRequest.requestMethod"),
	other:  paths("logName", "timestamp"),
	names: map[string]string{
		"method": "httpRequest.requestMethod", "uri": "httpRequest.requestUrl", "status": "httpRequest.status", "bytes": "httpRequest.responseSize",
		"agent": "httpRequest.userAgent", "referer": "httpRequest.referer", "protocol": "httpRequest.protocol",
	},
}

func openGCP(head [][]byte, o *Options, _ parser) (parser, error) {
	return openJSON(&gcpShape, head, o)
}
