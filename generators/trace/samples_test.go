package trace

import (
	"context"
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
	{"traces/llm-2024.csv.gz", "csv", 12032, 12031, 0, 1, 7373, 0, 0, time.Millisecond},
	{"formats/clf.log", "clf", 25, 25, 0, 0, 2, 0, 0, time.Second},
	{"formats/clf-hostnames.log", "clf", 20, 20, 0, 0, 12, 0, 0, time.Second},
	{"formats/combined.log", "combined", 32, 32, 0, 0, 18, -1, 0, time.Second},
	{"formats/vhost-combined.log", "vhost-combined", 51, 51, 0, 0, 14, -1, 0, time.Second},
	{"formats/events.csv", "csv", 12, 10, 1, 1, 8, 0, 0, 1},
	{"formats/events-epoch.csv", "csv", 20, 20, 0, 0, 3, -1, 0, 1},
	{"formats/events-epoch-ms.csv", "csv", 16, 15, 0, 1, 3, 0, 0, time.Millisecond},
	{"formats/events-cost.csv", "csv", 25, 24, 0, 1, 24, 0, 0, time.Millisecond},
}

func TestSamples(t *testing.T) {
	for _, c := range sampleFacts {
		for _, format := range []string{"auto", c.format} {
			tr := load(t, Options{Format: format}, "../../testdata/"+c.file)
			s := tr.Stats()
			if s.Format != c.format || s.Lines != c.lines || s.Parsed != c.parsed || s.Skipped != c.skipped || s.Ignored != c.ignored || int64(tr.Clients()) != c.clients {
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
