package trace

import (
	"fmt"
	"time"
)

// formatLine writes a made request as a server does in formats that are not of the common log format's family.
func formatLine(format, host string, at time.Time, i int) string {
	ms := at.Add(time.Duration(i%1000) * time.Millisecond)
	path := fmt.Sprintf("/articles/%d/comments?page=%d", i%977, i%7)
	size := i % 50000
	const agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	rfc := ms.Format("2006-01-02T15:04:05.000Z")
	switch format {
	case "csv":
		return fmt.Sprintf("%d.%03d,%s,%d\n", at.Unix(), i%1000, host, i%50+1)
	case "tsv":
		return fmt.Sprintf("%d.%03d\t%s\t%d\n", at.Unix(), i%1000, host, i%50+1)
	case "apache-csv":
		return fmt.Sprintf("example.com,443,%s,-,-,[%s],588,4349,4937,%d,0,263,-,200,\"HTTP/1.1\",\"GET\",%q,\"\",\"-\",\"a \\\"quoted\\\" agent, %s\",\"-\",-\n",
			host, at.Format("02/Jan/2006:15:04:05 -0700"), size, path, agent)
	case "haproxy-http":
		return fmt.Sprintf("%s:%d [%s] web~ app/a%d 0/0/1/2/3 200 %d - - ---- 1/1/0/0/0 0/0 {shop.example.com|203.0.113.%d} \"GET %s HTTP/1.1\"\n",
			host, 1024+i%60000, ms.Format("02/Jan/2006:15:04:05.000"), i%4, size, i%200, path)
	case "aws-alb":
		return fmt.Sprintf("https %s app/lb/50dc6c495c0c9188 %s:%d 10.0.0.1:80 0.086 0.048 0.037 200 200 0 %d \"GET https://www.example.com:443%s HTTP/1.1\" \"%s\" ECDHE TLSv1.2 arn:aws \"Root=1\" \"www.example.com\" \"arn\" 0 %s \"forward\" \"-\" \"-\"\n",
			rfc, host, 1024+i%60000, size, path, agent, rfc)
	case "squid":
		return fmt.Sprintf("%d.%03d %6d %s TCP_MISS/200 %d GET http://www.example.com%s - HIER_DIRECT/10.0.0.1 text/html\n", at.Unix(), i%1000, i%300, host, size, path)
	case "iis-w3c":
		return fmt.Sprintf("%s 10.0.0.1 %s %s 200\n", at.Format(time.DateTime), host, path)
	case "w3c-advanced":
		return fmt.Sprintf("%s 10.0.0.1 \"%s\" \"%s\" 200\n", ms.Format("2006-01-02 15:04:05.000"), host, path)
	case "aws-cloudfront":
		return fmt.Sprintf("%s\t%s\tFRA56-P1\t%s\t%s\t200\n", at.Format(time.DateOnly), at.Format(time.TimeOnly), host, path)
	case "envoy-default":
		return fmt.Sprintf("[%s] \"GET %s HTTP/2\" 200 - 0 %d 3 2 \"%s\" \"%s\" \"1f2e3d00-0000-4000-8000-000000000000\" \"api.example.com\" \"10.1.2.3:8080\"\n",
			rfc, path, size, host, agent)
	}
	return jsonLine(format, host, path, rfc, ms, size)
}

func jsonLine(format, host, path, rfc string, at time.Time, size int) string {
	const agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	epoch := fmt.Sprintf("%d.%03d", at.Unix(), at.Nanosecond()/1e6)
	switch format {
	case "caddy":
		return fmt.Sprintf(`{"level":"info","ts":%s,"logger":"http.log.access.log0","msg":"handled request","request":{"remote_ip":"10.5.1.1","remote_port":"38574","client_ip":"%s","proto":"HTTP/2.0","method":"GET","host":"example.com","uri":"%s","headers":{"Accept":["*/*"],"User-Agent":["%s"],"X-Forwarded-For":["%s, 10.5.1.9"]}},"bytes_read":0,"user_id":"","duration":0.017557019,"size":%d,"status":200,"resp_headers":{"Server":["Caddy"]}}`+"\n",
			epoch, host, path, agent, host, size)
	case "traefik-json":
		return fmt.Sprintf(`{"ClientAddr":"%s:39496","ClientHost":"%s","ClientPort":"39496","ClientUsername":"-","DownstreamContentSize":%d,"DownstreamStatus":200,"Duration":237782,"RequestHost":"example.com","RequestMethod":"GET","RequestPath":"%s","RouterName":"api@file","StartLocal":"%s","StartUTC":"%s","level":"info","msg":"","request_User-Agent":"%s","time":"%s"}`+"\n",
			host, host, size, path, rfc, rfc, agent, rfc)
	case "cloudflare":
		return fmt.Sprintf(`{"ClientIP":"%s","ClientRequestHost":"www.example.com","ClientRequestMethod":"GET","ClientRequestURI":"%s","ClientRequestUserAgent":"%s","EdgeEndTimestamp":%d,"EdgeResponseBytes":%d,"EdgeResponseStatus":200,"EdgeStartTimestamp":%d,"RayID":"87a1b2c3d4e5f001"}`+"\n",
			host, path, agent, at.UnixNano()+1000, size, at.UnixNano())
	case "gcp-lb":
		return fmt.Sprintf(`{"httpRequest":{"requestMethod":"GET","requestUrl":"https://api.example.com%s","requestSize":"200","status":200,"responseSize":"%d","userAgent":"%s","remoteIp":"%s","serverIp":"10.0.0.2","latency":"0.001s"},"insertId":"a1","logName":"projects/p/logs/requests","receiveTimestamp":"2026-03-02T08:00:01.912345678Z","severity":"INFO","timestamp":"%s"}`+"\n",
			path, size, agent, host, rfc)
	case "zeek":
		return fmt.Sprintf(`{"_path":"dns","ts":"%s","uid":"CqKst53mF3det3eDV9","id.orig_h":"%s","id.orig_p":41772,"id.resp_h":"198.19.232.144","id.resp_p":53,"proto":"udp","trans_id":%d,"query":"aaa.aaaaaa.aaa","qtype_name":"A","rcode_name":"NOERROR","answers":["000.00.0.00"],"TTLs":[2230.0,41830.0],"rejected":false}`+"\n",
			rfc, host, size)
	}
	return fmt.Sprintf(`{"time_iso8601":"%s","msec":%s,"remote_addr":"%s","remote_user":"","request":"GET %s HTTP/1.1","request_method":"GET","status":200,"body_bytes_sent":%d,"request_time":0.000,"http_referer":"","http_user_agent":"%s","http_x_forwarded_for":"%s"}`+"\n",
		at.Format("2006-01-02T15:04:05+00:00"), epoch, host, path, size, agent, host)
}
