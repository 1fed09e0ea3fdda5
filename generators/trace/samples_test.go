package trace

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func load(t testing.TB, o Options, files ...string) *held {
	t.Helper()
	tr, err := Load(context.Background(), files, o)
	if err != nil {
		t.Fatal(err)
	}
	s := tr.Stats()
	if s.Lines != s.Parsed+s.Skipped+s.Ignored {
		t.Errorf("%v: %d lines are not %d + %d + %d", files, s.Lines, s.Parsed, s.Skipped, s.Ignored)
	}
	return hold(t, tr, 100)
}

// opened is the reader of a file of which nothing is known but its format.
func opened(t testing.TB, format string, o *Options) *reader {
	t.Helper()
	f := formatNamed(format)
	if err := o.parse(); err != nil {
		t.Fatal(err)
	}
	var head [][]byte
	if columns, ok := testFields[f.Name]; ok {
		head = append(head, []byte(columns))
	}
	p, err := f.open(head, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	rd, err := newReader(p, f, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rd
}

// sampleFacts are the facts of the traces and samples, as those who collected them counted; late is -1 where they did not.
var sampleFacts = []struct {
	file, format                             string
	lines, parsed, skipped, ignored, clients int64
	late                                     int64
	back                                     time.Duration
	resolution                               time.Duration
}{
	{"traces/scanned-site-2026.log.gz", "combined", 20429, 20429, 0, 0, 1767, 0, 0, time.Second},
	{"traces/company-site-2013.log.gz", "combined", 28200, 28200, 0, 0, 1260, 157, 296 * time.Second, time.Second},
	{"traces/nasa-1995-07-09.log.gz", "clf", 35272, 35272, 0, 0, 2554, 0, 0, time.Second},
	{"traces/data-api-2024.log.gz", "combined", 16275, 10479, 5796, 0, 917, 0, 0, time.Second},
	{"traces/dns-2018.ndjson.gz", "zeek", 53615, 53615, 0, 0, 77, 13003, 670534726 * time.Microsecond, time.Microsecond},
	{"traces/llm-2024.csv.gz", "csv", 12032, 12031, 0, 1, 7373, 0, 0, time.Millisecond},
	{"formats/clf.log", "clf", 25, 25, 0, 0, 2, 0, 0, time.Second},
	{"formats/clf-hostnames.log", "clf", 20, 20, 0, 0, 12, 0, 0, time.Second},
	{"formats/combined.log", "combined", 32, 32, 0, 0, 18, -1, 0, time.Second},
	{"formats/nginx-combined-ext.log", "nginx-combined-ext", 27, 27, 0, 0, 13, -1, 0, time.Second},
	{"formats/vhost-combined.log", "vhost-combined", 51, 51, 0, 0, 14, -1, 0, time.Second},
	{"formats/apache-usec.log", "clf", 27, 27, 0, 0, 13, -1, 0, time.Microsecond},
	{"formats/apache-csv.csv", "apache-csv", 24, 24, 0, 0, 17, -1, 0, time.Second},
	{"formats/nginx-json.ndjson", "nginx-json", 27, 27, 0, 0, 13, -1, 0, time.Millisecond},
	{"formats/nginx-json-default-escape.ndjson", "nginx-json", 27, 21, 6, 0, 11, -1, 0, time.Second},
	{"formats/caddy.ndjson", "caddy", 15, 14, 0, 1, 6, -1, 0, 100},
	{"formats/caddy-mixed-with-runtime.ndjson", "caddy", 38, 24, 0, 14, 7, -1, 0, 100},
	{"formats/docker-compose-prefix.log", "caddy", 39, 4, 0, 35, 1, -1, 0, 100},
	{"formats/traefik-json.ndjson", "traefik-json", 24, 23, 1, 0, 4, -1, 0, 1},
	{"formats/traefik-clf.log", "traefik-clf", 19, 18, 1, 0, 6, -1, 0, time.Second},
	{"formats/envoy-default.log", "envoy-default", 16, 13, 3, 0, 7, -1, 0, time.Millisecond},
	{"formats/envoy-k8s-mixed.log", "envoy-default", 18, 18, 0, 0, 9, -1, 0, time.Millisecond},
	{"formats/haproxy-http.log", "haproxy-http", 49, 42, 0, 7, 14, -1, 0, time.Millisecond},
	{"formats/aws-alb.log", "aws-alb", 14, 14, 0, 0, 14, -1, 0, time.Microsecond},
	{"formats/aws-cloudfront.tsv", "aws-cloudfront", 22, 20, 0, 2, 4, -1, 0, time.Second},
	{"formats/cloudflare.ndjson", "cloudflare", 24, 24, 0, 0, 19, -1, 0, time.Millisecond},
	{"formats/iis-w3c.log", "iis-w3c", 40, 13, 0, 27, 8, -1, 0, time.Second},
	{"formats/w3c-advanced.log", "w3c-advanced", 10, 2, 1, 7, 2, -1, 0, time.Millisecond},
	{"formats/gcp-lb.ndjson", "gcp-lb", 14, 14, 0, 0, 3, -1, 0, time.Microsecond},
	{"formats/squid.log", "squid", 24, 24, 0, 0, 6, -1, 0, time.Millisecond},
	{"formats/zeek.ndjson", "zeek", 12, 12, 0, 0, 2, -1, 0, time.Microsecond},
	{"formats/events.csv", "csv", 12, 10, 1, 1, 8, 0, 0, 1},
	{"formats/events-epoch.csv", "csv", 20, 20, 0, 0, 3, -1, 0, 1},
	{"formats/events-epoch-ms.csv", "csv", 16, 15, 0, 1, 3, 0, 0, time.Millisecond},
	{"formats/events.tsv", "tsv", 20, 20, 0, 0, 4, 0, 0, time.Microsecond},
	{"formats/events-cost.csv", "csv", 25, 24, 0, 1, 24, 0, 0, time.Millisecond},
	{"formats/wrapped-combined.log", "combined", 13, 12, 0, 1, 1, -1, 0, time.Second},
}

func TestSamples(t *testing.T) {
	for _, c := range sampleFacts {
		name, _, _ := strings.Cut(filepath.Base(c.file), ".")
		formats := []string{"auto", c.format}
		if strings.HasPrefix(c.file, "formats/") {
			formats = append(formats, name)
		}
		for _, format := range formats {
			tr := load(t, Options{Format: format}, "../../testdata/"+c.file)
			s := tr.Stats()
			if s.Format != c.format && !(name == "events" && s.Format == "csv") || s.Lines != c.lines || s.Parsed != c.parsed || s.Skipped != c.skipped || s.Ignored != c.ignored || int64(tr.Clients()) != c.clients {
				t.Errorf("%s: got %+v, %d clients", c.file, s, tr.Clients())
			}
			if c.late >= 0 && (s.Late != c.late || s.WorstStepBackNS != int64(c.back)) {
				t.Errorf("%s: late %d, back %d; want %d, %d", c.file, s.Late, s.WorstStepBackNS, c.late, c.back)
			}
			if s.ResolutionNS != int64(c.resolution) {
				t.Errorf("%s: resolution %d", c.file, s.ResolutionNS)
			}
		}
	}
}

// The spans and first requests of the real traces, from their description.
func TestSpans(t *testing.T) {
	for _, c := range []struct {
		file, first string
		days        float64 // to a tenth
	}{
		{"scanned-site-2026.log.gz", "2025-12-17 09:03:01", 29.6},
		{"company-site-2013.log.gz", "2013-10-27 05:25:01", 14.0},
		{"nasa-1995-07-09.log.gz", "1995-07-09 04:00:00", 1.0},
		{"data-api-2024.log.gz", "2024-05-12 00:00:17", 9.0},
	} {
		s := load(t, Options{}, "../../testdata/traces/"+c.file).Stats()
		if first := time.Unix(0, s.FirstNS).UTC().Format(time.DateTime); first != c.first {
			t.Errorf("%s begins at %s, not %s", c.file, first, c.first)
		}
		if days := float64(s.LastNS-s.FirstNS) / 86400e9; days < c.days-0.05 || days > c.days+0.05 {
			t.Errorf("%s spans %.2f days, not %.1f", c.file, days, c.days)
		}
	}
}
