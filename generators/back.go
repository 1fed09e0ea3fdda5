package generators

// back[:f]: what a poisson client would send in an aligned window comes within the last f of it: a request with x left to the
// last nanosecond of the window has f*x left instead, rounded down. The numbers per window stay Poisson, but for a last
// window that the span cuts: what would come after the span does not come.
var backPattern = Pattern{
	Name: "back",
	Args: "[:f]",
	Doc:  "at random within the last part f of every aligned window, f = 0.1 unless given",
	say: func(args string) string {
		return "at random within the last " + percent(args) + " of every aligned window"
	},
	Examples: []string{"back", "back:0.5"},
	New: func(args string) (func() Source, error) {
		f, err := shareOfWindow(args, 0.1)
		return func() Source { return &squeezed{share: f, back: true} }, err
	},
}

// squeezed moves Poisson requests towards the front or the back of their window, without changing their order.
type squeezed struct {
	poisson
	share  float64
	back   bool
	window int64
	span   int64
	start  int64 // of the current window
}

func (s *squeezed) Start(c Client) {
	s.poisson.Start(c)
	s.window, s.span, s.start = c.Window, c.Span, 0
}

func (s *squeezed) Next(bool) (int64, bool) {
	var one [1]int64
	n := s.Fill(one[:])
	return one[0], n == 1
}

func (s *squeezed) Fill(buf []int64) int {
	n := s.poisson.Fill(buf)
	start, window, share, back := s.start, s.window, s.share, s.back
	for i, t := range buf[:n] {
		into := t - start
		if into >= window {
			start = t - t%window
			into = t - start
		}
		if back {
			into = window - 1 - into
		}
		into = min(int64(float64(share*float64(into))), into)
		if back {
			into = window - 1 - into
			if into >= s.span-start {
				s.clock.stop()
				return i
			}
		}
		buf[i] = start + into
	}
	s.start = start
	return n
}
