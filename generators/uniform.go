package generators

import "math"

// uniform: request k comes at floor((u+k)*W/rate), with one phase u in [0, 1) per client. Two neighbours are W/rate apart,
// rounded down or up to a nanosecond.
var uniformPattern = Pattern{
	Name:     "uniform",
	Doc:      "at even distances, from a random phase on",
	Examples: []string{"uniform"},
	New:      plain(func() Source { return &uniform{} }),
}

// uniform counts in nanoseconds and 2^-64 of them, which is exact for any float gap.
type uniform struct {
	next, gap         int64
	fraction, gapPart uint64
	span              int64
}

func (s *uniform) Start(c Client) {
	gap := c.meanGap()
	*s = uniform{span: c.Span}
	s.next, s.fraction = wholeAndPart(float64(uniform01(c.Rand.Uint64()) * gap))
	s.gap, s.gapPart = wholeAndPart(gap)
}

// wholeAndPart splits x >= 0 into nanoseconds and 2^-64 of them; what is beyond int64 is its largest value.
func wholeAndPart(x float64) (int64, uint64) {
	if !(x < 1<<63) {
		return math.MaxInt64, 0
	}
	whole := math.Floor(x)
	return int64(whole), uint64(math.Ldexp(x-whole, 64))
}

func (s *uniform) Next(bool) (int64, bool) {
	var one [1]int64
	n := s.Fill(one[:])
	return one[0], n == 1
}

func (s *uniform) Fill(buf []int64) int {
	t, fraction := s.next, s.fraction
	for i := range buf {
		if t >= s.span {
			s.next, s.fraction = t, fraction
			return i
		}
		buf[i] = t
		carry := int64(0)
		if fraction += s.gapPart; fraction < s.gapPart {
			carry = 1
		}
		if s.gap >= math.MaxInt64-t-carry {
			t = math.MaxInt64
			continue
		}
		t += s.gap + carry
	}
	s.next, s.fraction = t, fraction
	return len(buf)
}
