package trace

import (
	"maps"
	"slices"
)

// AWS application load balancers: words, some quoted. The time is that of the answer; the request came at request_creation_time.
type alb struct{ clock clock }

func openALB(_ [][]byte, o *Options, _ parser) (parser, error) { return alb{o.clock()}, nil }

var albFields = map[string]int{
	"type": 0, "time": 1, "elb": 2, "client:port": 3, "target:port": 4, "request_processing_time": 5, "target_processing_time": 6,
	"response_processing_time": 7, "elb_status_code": 8, "target_status_code": 9, "received_bytes": 10, "sent_bytes": 11, "request": 12,
	"user_agent": 13, "ssl_cipher": 14, "ssl_protocol": 15, "target_group_arn": 16, "trace_id": 17, "domain_name": 18,
	"chosen_cert_arn": 19, "matched_rule_priority": 20, "request_creation_time": 21, "actions_executed": 22, "redirect_url": 23,
	"error_reason": 24,
	"status":       8, "bytes": 11, "agent": 13, "header:user-agent": 13, "host": 18,
}

func (p alb) parse(line []byte, r *record) verdict {
	if why := r.fields.splitQuoted(line, cutBackslashed); why != request {
		return why
	}
	f := r.fields.list
	if len(f) < 4 {
		return noTime
	}
	ns, why := p.clock.parse(f[1], &r.day)
	if why != request {
		return why
	}
	if len(f) < 13 {
		return noColumn
	}
	r.line, r.time, r.cost = line, ns, 1
	r.key = clientOf(r.fields.at(3), r)
	return request
}

func (p alb) fits(line []byte, r *record) bool {
	if p.parse(line, r) != request || len(r.key) == 0 {
		return false
	}
	switch string(r.fields.list[0]) {
	case "http", "https", "h2", "grpcs", "ws", "wss":
		return true
	}
	return false
}

func (p alb) field(name string) getter {
	if n, ok := albFields[name]; ok {
		return wordGetter(n)
	}
	if name == "client" {
		return func(r *record) []byte { return r.key }
	}
	return requestField(name, wordGetter(albFields["request"]))
}

func (alb) fields() []string {
	return append(sortedNames(albFields), "client", "method", "uri", "path", "query", "protocol")
}

func sortedNames(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }
