package generators

import (
	"math/big"
	"slices"
	"strings"
	"testing"
)

const second = int64(1e9)

func TestParseArrivals(t *testing.T) {
	for text, want := range map[string][]Arrival{
		"0s":                           {{0, 1}},
		"0s,5s*2,15s":                  {{0, 1}, {5 * second, 1}, {5 * second, 1}, {15 * second, 1}},
		" 5s , 0s ":                    {{0, 1}, {5 * second, 1}},
		"5s:cost=3,5s:cost=0,1s*2":     {{second, 1}, {second, 1}, {5 * second, 3}, {5 * second, 0}},
		"5s*2:cost=3":                  {{5 * second, 3}, {5 * second, 3}},
		"1s..2s*4:cost=2":              {{second, 2}, {second * 5 / 4, 2}, {second * 3 / 2, 2}, {second * 7 / 4, 2}},
		"0s..10ns*3":                   {{0, 1}, {3, 1}, {6, 1}},
		"0s..2ns*4":                    {{0, 1}, {0, 1}, {1, 1}, {1, 1}},
		"-1s,1d,1m30s":                 {{-second, 1}, {90 * second, 1}, {86_400 * second, 1}},
		"2s:cost=9223372036854775807":  {{2 * second, 1<<63 - 1}},
		"0s*1_0:cost=1k,1h":            append(slices.Repeat([]Arrival{{0, 1000}}, 10), Arrival{3600 * second, 1}),
		"59s..60s*2,60s..61s*2,59.2s":  {{59 * second, 1}, {59*second + second/5, 1}, {59*second + second/2, 1}, {60 * second, 1}, {60*second + second/2, 1}},
		"-100y..0s*2,0s":               nil,
		"":                             nil,
		"5s,,6s":                       nil,
		"5":                            nil,
		"5s*0":                         nil,
		"5s*-1":                        nil,
		"5s*":                          nil,
		"5s..6s":                       nil,
		"6s..5s*3":                     nil,
		"5s..5s*3":                     nil,
		"5s:price=3":                   nil,
		"5s:cost=-1":                   nil,
		"5s:cost=3*2":                  nil,
		"0s*10_000_001":                nil,
		"0s*2,1s*9_999_999":            nil,
		"-2500000h..2500000h*2,1s":     nil, // longer than int64
		"0s*99999999999999999999":      nil,
		"0s*9223372036854775807,0s*10": nil,
	} {
		got, err := ParseArrivals(text)
		if (err != nil) != (want == nil) || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	_, err := ParseArrivals("0s,5s*2,7x")
	if err == nil || !strings.Contains(err.Error(), `arrival 3, "7x"`) {
		t.Errorf("error %v; want it to name the item", err)
	}
}

// FuzzParseArrivals demands no panic, a sorted result within its bound, and for ranges the places that exact arithmetic gives.
func FuzzParseArrivals(f *testing.F) {
	for _, seed := range []string{"0s,5s*2,15s*2,25s,35s,40s*3", "59s..60s*100,60s..61s*100", "5s*2:cost=3", "-9223372036854775808ns..-1ns*7", "0s..2562047h*3"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Count(text, "0") > 6 || len(text) > 100 {
			return // millions of arrivals take long and show nothing new
		}
		got, err := ParseArrivals(text)
		if err != nil {
			if got != nil || err.Error() == "" {
				t.Fatalf("%q: %d arrivals beside the error %q", text, len(got), err)
			}
			return
		}
		if len(got) == 0 || len(got) > maxArrivals || !slices.IsSortedFunc(got, func(a, b Arrival) int { return big.NewInt(a.Time).Cmp(big.NewInt(b.Time)) }) {
			t.Fatalf("%q: %d arrivals, or not sorted", text, len(got))
		}
		if from, rest, ok := strings.Cut(text, ".."); ok && !strings.Contains(text, ",") {
			begin, err := ParseArrivals(from)
			if err != nil {
				t.Fatalf("%q reads but %q does not: %v", text, from, err)
			}
			to, _, _ := strings.Cut(rest, "*")
			end, err := ParseArrivals(to)
			if err != nil {
				t.Fatalf("%q reads but %q does not: %v", text, to, err)
			}
			width := new(big.Int).Sub(big.NewInt(end[0].Time), big.NewInt(begin[0].Time))
			for k := range min(len(got), 1000) {
				offset := new(big.Int).Mul(width, big.NewInt(int64(k)))
				offset.Div(offset, big.NewInt(int64(len(got))))
				if want := offset.Add(offset, big.NewInt(begin[0].Time)); want.Cmp(big.NewInt(got[k].Time)) != 0 {
					t.Fatalf("%q: arrival %d at %d; want %v", text, k, got[k].Time, want)
				}
			}
		}
	})
}
