package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/report/internal/fixture"
	"github.com/rlbench/rlbench/results"
)

func timeline(t *testing.T, r *results.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := Timeline(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// words are those of the n-th line that begins with the given word.
func words(t *testing.T, s, first string, n int) []string {
	t.Helper()
	for line := range strings.Lines(s) {
		if found := strings.Fields(line); len(found) > 0 && found[0] == first {
			if n--; n < 0 {
				return found
			}
		}
	}
	t.Fatalf("no such line %q in\n%s", first, s)
	return nil
}

func TestTimelineShowsTheArithmetic(t *testing.T) {
	s := timeline(t, &fixture.Decided().Runs[0])
	for _, c := range []struct {
		time string
		n    int
		want string
	}{
		{"5s", 0, "5s 2 [-25s, 5s] 1 in 1 in 1 in"},
		{"25s", 0, "25s 1 [-5s, 25s] 5 out 5 out 5 out"},
		{"35s", 0, "35s 1 [5s, 35s] 4 in 0.83*5+0 = 4.17 out 0 in"},
		{"40s", 0, "40s 1 [10s, 40s] 3 in 0.67*5+0 = 3.33 in 1 in"},
		{"40s", 1, "40s 1 [10s, 40s] 4 in 0.67*5+1 = 4.33 out 2 in"},
		{"40s", 2, "40s 1 [10s, 40s] 5 out 0.67*5+1 = 4.33 out 3 in"},
	} {
		if got := strings.Join(words(t, s, c.time, c.n), " "); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestCounted(t *testing.T) {
	const window = int64(30e9)
	limit := results.Algorithm{Name: "counter", Limit: 5, WindowNS: window}
	for _, c := range []struct {
		whole, part, num, cost int64
		want                   string
	}{
		{4, 0, 0, 1, "4"},
		{0, 5, 27e9, 1, "0.9*5+0 = 4.5"},
		{0, 5, 24e9, 1, "0.8*5+0 = 4"},
		{1234, 0, 0, 1, "1,234"},
		{0, 5, 24e9 + 1e6, 1, "0.8*5+0 = 4.0002"}, // over: must not look like 4
		{2, 3, 20e9, 1, "0.67*3+2 = 4"},           // exactly 4 fits
	} {
		v := results.NewVerdict(true, c.whole, c.part, c.num, window)
		if got := counted(v, limit, c.cost); got != c.want {
			t.Errorf("%+v: got %q", c, got)
		}
	}
	if got := counted(results.Verdict{}, limit, 1); got != "" {
		t.Errorf("a contestant without a count shows %q", got)
	}
}

// With more contestants than fit side by side each gets a table of its own, and every row is there.
func TestTimelineInBlocks(t *testing.T) {
	r := &fixture.Decided().Runs[0]
	names := []string{"counter:count=all:align=first", "buckets:6", "fixed:align=restart", "gcra"}
	for _, name := range names {
		r.Algorithms = append(r.Algorithms, results.Algorithm{Name: name, Limit: 5, WindowNS: r.WindowNS})
		for i := range r.Decisions {
			r.Decisions[i].By[name] = r.Decisions[i].By["counter"]
		}
	}
	r.Decisions[3].Key, r.Decisions[4].Cost = "\x1b[31m"+strings.Repeat("k", 300), 7
	s := timeline(t, r)
	for _, name := range append(names, "log", "counter") {
		if !strings.Contains(s, name) {
			t.Errorf("%s is missing", name)
		}
	}
	for line := range strings.Lines(s) {
		if w := human.Width(strings.TrimSuffix(line, "\n")); w > 80 {
			t.Errorf("%d columns: %s", w, line)
		}
	}
	if strings.ContainsAny(s, "\x1b") {
		t.Error("an escape byte of a key came through")
	}
	if n := strings.Count(s, "4.17 out"); n != 5 { // the counter and its four doubles
		t.Errorf("the weighted count stands in %d tables, want 5", n)
	}
}
