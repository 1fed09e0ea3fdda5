package trace

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// Every line of the samples by itself tells its format, and is not read as one that would take another client.
func TestEveryLineTellsItsFormat(t *testing.T) {
	for _, c := range sampleFacts {
		switch c.format {
		case "clf", "combined", "vhost-combined":
		default:
			continue
		}
		if c.file == "formats/wrapped-combined.log" || !strings.HasPrefix(c.file, "formats/") {
			continue
		}
		for line := range bytes.Lines(readSample(t, c.file)) {
			line, _ = cutLine(line)
			found, err := detect([][]byte{line}, &Options{}, nil)
			if err != nil || found == nil || found.Name != c.format {
				t.Errorf("%s: %q is taken for %v, %v", c.file, line, found, err)
			}
			other := "vhost-combined"
			if c.format == other {
				other = "combined"
			}
			if why := opened(t, other, &Options{}).parse(line, &record{}); why == request {
				t.Errorf("%q is read as %s", line, other)
			}
		}
	}
}

func TestInputErrors(t *testing.T) {
	combined := string(madeLog("combined", 40))
	clf := string(madeLog("clf", 40))
	vhost := string(madeLog("vhost-combined", 40))
	csv := string(madeLog("csv", 40))
	for name, c := range map[string]struct {
		o     Options
		files []string
		want  []string // parts of the error
	}{
		"empty":                {Options{}, []string{""}, []string{"no request in 0 lines", "log.0"}},
		"only comments":        {Options{}, []string{"# a\n\n# b\n"}, []string{"no request in 3 lines"}},
		"no request, named":    {Options{Format: "csv"}, []string{"timestamp,key\n"}, []string{"log.0"}},
		"rubbish":              {Options{}, []string{"one\ntwo\n"}, []string{"log.0", "no format recognised", "2 lines", "--format", "vhost-combined"}},
		"two formats, half":    {Options{}, []string{combined + vhost}, []string{"log.0", "--format combined", "--format vhost-combined"}},
		"two formats, a fifth": {Options{}, []string{combined + clf[:len(clf)/4]}, []string{"--format combined", "--format clf"}},
		"mixed files":          {Options{}, []string{combined, clf}, []string{"log.1 is clf", "combined"}},
		"mixed, rubbish":       {Options{}, []string{combined, "what\n"}, []string{"log.1", "no format recognised"}},
		"wrong format":         {Options{Format: "combined"}, []string{csv}, []string{"more lines skipped (40) than read (0)", "combined", "log.0:1: no time in \"1772438400.000"}},
		"vhost as combined":    {Options{Format: "combined"}, []string{vhost}, []string{"--format vhost-combined"}},
		"combined as vhost":    {Options{Format: "vhost-combined"}, []string{combined}, []string{"--format combined"}},
		"unknown format":       {Options{Format: "nginx"}, []string{combined}, []string{`"nginx"`, "auto, caddy, ", "vhost-combined, combined, clf, "}},
		"unknown unit":         {Options{TimeUnit: "h"}, []string{csv}, []string{`"h"`, "s, ms, us or ns"}},
		"time of a log":        {Options{TimeField: "when"}, []string{combined}, []string{"log.0", `combined has nothing in the first lines under "when" for --time: it has client, `}},
		"key of a log":         {Options{KeyField: "addr"}, []string{combined}, []string{`under "addr" for --key addr: it has client, user, status`, "path"}},
		"cost of a log":        {Options{CostField: "tokens"}, []string{combined}, []string{`under "tokens" for --cost`, "bytes"}},
		"no such column":       {Options{TimeField: "when"}, []string{"timestamp,key\n1,a\n"}, []string{`no column "when"`, "timestamp, key"}},
		"no header":            {Options{KeyField: "who"}, []string{csv}, []string{`no header names a column "who"`, "--key 2"}},
		"one column for two":   {Options{KeyField: "1"}, []string{csv}, []string{"column 1", "--key"}},
		"column 0":             {Options{KeyField: "0"}, []string{csv}, []string{`"0"`}},
		"empty, then a header": {Options{KeyField: "who"}, []string{"", "when,who\n"}, []string{"log.1", "no format recognised"}},
		"too few columns":      {Options{Format: "csv", KeyField: "9"}, []string{csv}, []string{"too few columns"}},
	} {
		t.Run(name, func(t *testing.T) {
			var data [][]byte
			for _, text := range c.files {
				data = append(data, []byte(text))
			}
			_, err := Load(context.Background(), write(t, data...), c.o)
			if err == nil {
				t.Fatal("no error")
			}
			for _, part := range c.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
		})
	}
	for _, c := range []struct {
		files []string
		want  string
	}{
		{nil, "no input"}, {[]string{"-", "-"}, "only once"}, {[]string{"-"}, "no standard input"},
		{[]string{t.TempDir()}, "is a directory"}, {[]string{"no-such-file"}, "no-such-file"},
	} {
		if _, err := Load(context.Background(), c.files, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q gives %v, not %q", c.files, err, c.want)
		}
	}
}

// Names, numbers and positions of columns.
func TestColumns(t *testing.T) {
	for _, c := range []struct {
		o       Options
		data    string
		key     string
		cost    int64
		ignored int64
	}{
		{Options{}, "1,a\n", "a", 1, 0},
		{Options{}, "1,a,5\n", "a", 5, 0},
		{Options{}, "time,who\n1,a\n", "a", 1, 1},
		{Options{}, "time,who,tokens\n1,a,5\n", "a", 5, 1},
		{Options{}, "key,timestamp\na,1\n", "a", 1, 1},
		{Options{}, "Key,Cost,Timestamp\na,5,1\n", "a", 5, 1},
		{Options{}, "timestamp,key,path,size\n1,a,/,5\n", "a", 1, 1},
		{Options{}, "timestamp,key,path,cost\n1,a,/,5\n", "a", 5, 1},
		{Options{CostField: "size"}, "timestamp,key,path,size\n1,a,/,5\n", "a", 5, 1},
		{Options{CostField: "none"}, "1,a,5\n", "a", 1, 0},
		{Options{TimeField: "when", KeyField: "who"}, "who,size,when\na,5,1\n", "a", 1, 1},
		{Options{TimeField: "3", KeyField: "1", CostField: "2"}, "a,5,1\n", "a", 5, 0},
		{Options{TimeField: "1", KeyField: "3"}, "1,b,a\n", "a", 1, 0},
		{Options{KeyField: "client"}, "1,a\n", "a", 1, 0},
		{Options{KeyField: "client"}, "timestamp,key,client\n1,b,a\n", "a", 1, 1},
		{Options{}, "server up,listening\ntimestamp,key,cost\n1,a,5\n", "a", 5, 1},
		{Options{}, "noise,on,the,line\n1,a,5\n2,a,5\n", "a", 5, 0},
		{Options{}, "key,timestamp\na,1\nkey,timestamp\na,2\n", "a", 1, 2},
		{Options{}, "\xef\xbb\xbf# made by hand\n\n\"timestamp\",\"key\"\n\"1\",\"a\"\n", "a", 1, 3},
	} {
		tr := load(t, c.o, write(t, []byte(c.data))...)
		key, times, costs := tr.Client(0)
		cost := int64(1)
		if costs != nil {
			cost = costs[0]
		}
		if s := tr.Stats(); key != c.key || times[0] != 1e9 || cost != c.cost || s.Ignored != c.ignored || tr.Clients() != 1 {
			t.Errorf("%q: key %q, time %d, cost %d, %+v", c.data, key, times[0], cost, s)
		}
	}
	parts := load(t, Options{}, write(t, []byte("key,timestamp\na,1\n"), []byte("a,2\n"), []byte("a,3\n"))...)
	if _, times, _ := parts.Client(0); len(times) != 3 || parts.Stats().Skipped != 0 {
		t.Errorf("parts of a file whose first has the header: %v", times)
	}
}

// Names and aliases are one set without doubles, and find their format.
func TestFormatNames(t *testing.T) {
	seen := map[string]bool{"auto": true, "": true}
	for i := range Formats {
		f := &Formats[i]
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			if seen[name] || formatNamed(name) != f || f.Doc == "" {
				t.Errorf("%q is not the one name of %s", name, f.Name)
			}
			seen[name] = true
		}
	}
	if s := load(t, Options{Format: "common"}, write(t, madeLog("clf", 3))...).Stats(); s.Format != "clf" || s.Parsed != 3 {
		t.Errorf("common is read as %+v", s)
	}
}
