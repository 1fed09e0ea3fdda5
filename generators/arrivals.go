package generators

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/rlbench/rlbench/internal/units"
)

// An Arrival is one request given by hand.
type Arrival struct {
	Time int64 // ns
	Cost int64 // at least 0
}

// maxArrivals bounds what ParseArrivals makes of a short text.
const maxArrivals = 10_000_000

// ParseArrivals reads arrivals as they are given to `rlbench timeline --at`:
//
//	arrivals = item { "," item }
//	item     = TIME [ ".." TIME ] [ "*" COUNT ] [ ":cost=" COST ]
//
// "5s*2" is two requests at 5 s; "59s..60s*100" is a hundred at even distances, the first at 59 s and none at 60 s;
// ":cost=3" is the cost of each of the item's requests, 1 if not given. The result is sorted by time, requests of equal
// time in the order given. There may be ten million of them. Errors name the item.
func ParseArrivals(text string) ([]Arrival, error) {
	var arrivals []Arrival
	for i, item := range strings.Split(text, ",") {
		var err error
		if arrivals, err = appendItem(arrivals, strings.TrimSpace(item)); err != nil {
			return nil, fmt.Errorf("arrival %d, %q: %w", i+1, item, err)
		}
	}
	slices.SortStableFunc(arrivals, func(a, b Arrival) int {
		switch {
		case a.Time < b.Time:
			return -1
		case a.Time > b.Time:
			return 1
		}
		return 0
	})
	return arrivals, nil
}

func appendItem(arrivals []Arrival, item string) ([]Arrival, error) {
	if item == "" {
		return nil, fmt.Errorf("empty: write times such as 0s,5s*2,15s")
	}
	cost, count := int64(1), int64(1)
	var err error
	rest, option, given := strings.Cut(item, ":")
	if given {
		value, ok := strings.CutPrefix(option, "cost=")
		if !ok {
			return nil, fmt.Errorf("%q is not known here: only :cost=N can follow", ":"+option)
		}
		if cost, err = units.ParseCount(value); err != nil {
			return nil, fmt.Errorf("its cost: %w", err)
		}
	}
	when, repeat, repeated := strings.Cut(rest, "*")
	if repeated {
		if count, err = units.ParseCount(repeat); err != nil {
			return nil, fmt.Errorf("its count: %w", err)
		}
		if count < 1 {
			return nil, fmt.Errorf("it must come at least once")
		}
	}
	if count > maxArrivals-int64(len(arrivals)) {
		return nil, fmt.Errorf("more than %d arrivals in all: use a pattern or a trace for so many", maxArrivals)
	}
	from, to, ranged := strings.Cut(when, "..")
	begin, err := units.ParseDuration(strings.TrimSpace(from))
	if err != nil {
		return nil, err
	}
	width := int64(0)
	if ranged {
		end, err := units.ParseDuration(strings.TrimSpace(to))
		if err != nil {
			return nil, err
		}
		if width = end - begin; end <= begin || width < 0 {
			return nil, fmt.Errorf("a range must end after it begins, by less than 292 years")
		}
		if !repeated {
			return nil, fmt.Errorf("how many in the range? write %s..%s*100", from, to)
		}
	}
	for k := range count {
		high, low := bits.Mul64(uint64(k), uint64(width))
		offset, _ := bits.Div64(high, low, uint64(count)) // < width, since k < count
		arrivals = append(arrivals, Arrival{Time: begin + int64(offset), Cost: cost})
	}
	return arrivals, nil
}
