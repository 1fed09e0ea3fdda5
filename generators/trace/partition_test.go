package trace

import (
	"fmt"
	"math"
	"testing"
)

// Keys whose hashes are equal stay apart.
func TestKeysAreNotHashes(t *testing.T) {
	var k keys
	for round := range 2 {
		for i := range 1000 {
			if n := k.number(uint64(i%3)<<40, fmt.Appendf(nil, "key-%d", i)); n != uint32(i) {
				t.Fatalf("round %d: key %d has number %d", round, i, n)
			}
		}
	}
	if string(k.key(0)) != "key-0" || string(k.key(999)) != "key-999" {
		t.Error("keys are not what was put in")
	}
}

// Lateness is counted within each file, against the largest time so far.
func TestLate(t *testing.T) {
	for _, c := range []struct {
		files []string
		late  int64
		back  int64
	}{
		{[]string{"1,a\n2,a\n2,b\n3,a\n"}, 0, 0},
		{[]string{"5,a\n2,b\n3,a\n5,c\n4,a\n"}, 3, 3e9},
		{[]string{"5,a\n6,b\n", "1,a\n2,b\n"}, 0, 0},
		{[]string{"9223372036.854775807,a\n-9223372036.854775808,a\n"}, 1, math.MaxInt64},
		{[]string{"1.5,a\n1.499999999,a\n"}, 1, 1},
	} {
		var data [][]byte
		for _, text := range c.files {
			data = append(data, []byte(text))
		}
		if s := load(t, Options{}, write(t, data...)...).Stats(); s.Late != c.late || s.WorstStepBackNS != c.back {
			t.Errorf("%q: %d late, %d back", c.files, s.Late, s.WorstStepBackNS)
		}
	}
}

func TestResolution(t *testing.T) {
	for text, want := range map[string]int64{
		"60,a\n120,a\n": 1e9, "1.5,a\n2,a\n": 1e8, "1.001,a\n": 1e6, "0.000001,a\n": 1e3, "1,a\n2.000000001,a\n": 1, "0,a\n": 1e9,
		"-1.5,a\n": 1e8,
	} {
		if s := load(t, Options{}, write(t, []byte(text))...).Stats(); s.ResolutionNS != want {
			t.Errorf("%q has resolution %d, not %d", text, s.ResolutionNS, want)
		}
	}
}

// The digest sees keys, times and costs, and nothing else.
func TestDigest(t *testing.T) {
	digest := func(text string) string { return load(t, Options{}, write(t, []byte(text))...).Stats().Digest }
	base := digest("1,a,2\n2,a,1\n3,b,1\n")
	for _, same := range []string{"3,b,1\n2,a,\n1,a,2\n", "# x\n3,b\n1,a,2\r\n\n2,a,01\n"} {
		if digest(same) != base {
			t.Errorf("%q differs", same)
		}
	}
	for _, other := range []string{"1,a,2\n2,a,1\n3,c,1\n", "1,a,2\n2,a,1\n4,b,1\n", "1,a,1\n2,a,2\n3,b,1\n", "1,a,2\n2,b,1\n3,b,1\n", "1,a,2\n2,a,1\n3,b,1\n3,b,1\n"} {
		if digest(other) == base {
			t.Errorf("%q does not differ", other)
		}
	}
}
