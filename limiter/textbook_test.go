package limiter_test

import (
	"testing"

	"github.com/rlbench/rlbench/limiter"
)

const second = int64(1e9)

// Sequences with known answers, as in a textbook. held is what the limiter holds before it decides, in hundredths.
func TestTextbook(t *testing.T) {
	type row struct {
		at       int64 // seconds
		admitted bool
		held     int64
	}
	five := limiter.Limit{Max: 5, Window: 30 * second}
	for _, c := range []struct {
		name, spec string
		rows       []row
	}{
		{"the oldest leaves", "log", []row{
			{0, true, 0}, {5, true, 100}, {5, true, 200}, {15, true, 300}, {15, true, 400},
			{25, false, 500}, {35, true, 400}, {40, true, 300}, {40, true, 400}, {40, false, 500},
		}},
		{"the same, half-open", "log:open", []row{
			{0, true, 0}, {5, true, 100}, {5, true, 200}, {15, true, 300}, {15, true, 400},
			{25, false, 500}, {35, true, 200}, {40, true, 300}, {40, true, 400}, {40, false, 500},
		}},
		{"five in the first window", "counter", []row{
			{0, true, 0}, {5, true, 100}, {5, true, 200}, {15, true, 300}, {15, true, 400},
			{25, false, 500}, {35, false, 416}, {40, true, 333}, {40, false, 433},
		}},
		{"alone after five", "counter", []row{
			{0, true, 0}, {0, true, 100}, {0, true, 200}, {0, true, 300}, {0, true, 400}, {33, false, 450}, {35, false, 416}, {36, true, 400},
		}},
		{"the log forgets them at once", "log", []row{
			{0, true, 0}, {0, true, 100}, {1, true, 200}, {1, true, 300}, {1, true, 400}, {30, false, 500}, {31, true, 300}, {33, true, 100},
		}},
		{"refused ones count", "counter:count=all", []row{
			{0, true, 0}, {0, true, 100}, {0, true, 200}, {0, true, 300}, {0, true, 400}, {10, false, 500}, {36, false, 480}, {45, true, 400}, {45, false, 500},
		}},
		{"aligned to the first", "counter:align=first", []row{
			{7, true, 0}, {7, true, 100}, {7, true, 200}, {7, true, 300}, {7, true, 400}, {36, false, 500}, {42, false, 416}, {43, true, 400},
		}},
		{"an aligned window forgets all", "fixed", []row{
			{29, true, 0}, {29, true, 100}, {29, true, 200}, {29, true, 300}, {29, true, 400}, {29, false, 500}, {30, true, 0}, {59, true, 100}, {60, true, 0},
		}},
		{"a key that expires", "fixed:align=restart", []row{
			{29, true, 0}, {30, true, 100}, {58, true, 200}, {59, true, 0}, {88, true, 100}, {100, true, 0}, {129, true, 100}, {130, true, 0},
		}},
		{"three buckets", "buckets:3", []row{
			{5, true, 0}, {5, true, 100}, {15, true, 200}, {25, true, 300}, {25, true, 400}, {29, false, 500}, {34, false, 420}, {35, true, 400}, {40, true, 400}, {59, true, 220},
		}},
		{"a permit every six seconds", "gcra", []row{
			{0, true, 0}, {0, true, 100}, {0, true, 200}, {0, true, 300}, {0, true, 400}, {5, false, 416}, {6, true, 400}, {7, false, 483}, {36, true, 0},
		}},
		{"a burst of two", "token-bucket:burst=2", []row{
			{0, true, 0}, {0, true, 100}, {0, false, 200}, {6, true, 100}, {9, false, 150}, {12, true, 100}, {12, false, 200},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			made := must(must(limiter.Parse(c.spec)).New(five))
			for i, r := range c.rows {
				n := made.(limiter.Viewer).Count(r.at * second)
				if held := 100*n.Whole + 100*n.Part*(n.Num/1e6)/(five.Window/1e6); held != r.held {
					t.Errorf("%s at %d s (row %d): holds %+v, which is %d/100, want %d/100", c.spec, r.at, i, n, held, r.held)
				}
				if got := made.Allow(r.at*second, 1); got != r.admitted {
					t.Errorf("%s at %d s (row %d): admitted %v", c.spec, r.at, i, got)
				}
			}
		})
	}
}

// After five in the first window the counter admits again at 36 s, and not a nanosecond before.
func TestFirstAdmission(t *testing.T) {
	made := must(must(limiter.Parse("counter")).New(limiter.Limit{Max: 5, Window: 30 * second}))
	for range 5 {
		made.Allow(0, 1)
	}
	if made.Allow(36*second-1, 1) {
		t.Error("admitted a nanosecond before 36 s")
	}
	if !made.Allow(36*second, 1) {
		t.Error("refused at 36 s")
	}
}

// A hundred in the last second of a minute and a hundred in the first of the next, a hundred a minute.
func TestBoundary(t *testing.T) {
	for spec, want := range map[string]int{"log": 100, "counter": 101, "fixed": 200, "allow-all": 200, "deny-all": 0} {
		made := must(must(limiter.Parse(spec)).New(limiter.Limit{Max: 100, Window: 60 * second}))
		got := 0
		for i := range int64(200) {
			if made.Allow(59*second+i*second/100, 1) {
				got++
			}
		}
		if got != want {
			t.Errorf("%s lets %d through, want %d", spec, got, want)
		}
	}
}

// A request that one part refuses consumes nothing of the others, unless they count refused ones too.
func TestMultiConsumesFromNone(t *testing.T) {
	l := limiter.Limit{Max: 1, Window: second}
	for _, c := range []struct {
		spec string
		at   []int64 // milliseconds
		want string  // + admitted, - refused
	}{
		// The first part is full after 2; what it refuses leaves the second one at 2 of 4.
		{"multi:log@2/1s+log@4/1m", []int64{0, 1, 2, 3, 4, 1002, 1003, 1004, 3000}, "++---++--"},
		{"multi:log@4/1m+log@2/1s", []int64{0, 1, 2, 3, 4, 1002, 1003, 1004, 3000}, "++---++--"},
		{"multi:log@2/1s+log:count=all@4/1m", []int64{0, 1, 2, 3, 1002, 62000}, "++---+"},
	} {
		made := must(must(limiter.Parse(c.spec)).New(l))
		got := ""
		for _, at := range c.at {
			if made.Allow(at*1e6, 1) {
				got += "+"
			} else {
				got += "-"
			}
		}
		if got != c.want {
			t.Errorf("%s decides %s, want %s", c.spec, got, c.want)
		}
	}
}
