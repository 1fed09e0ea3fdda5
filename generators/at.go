package generators

import "fmt"

// at:ARRIVALS: every client sends exactly the arrivals given, as ParseArrivals reads them, whatever its mean rate. Those at or
// after the end of the span do not come.
var atPattern = Pattern{
	Name:     "at",
	Args:     ":ARRIVALS",
	Doc:      "at given times",
	say:      func(args string) string { return "at " + args },
	scripted: true,
	Examples: []string{"at:0s,5s*2,59s..60s*100"},
	New: func(args string) (func() Source, error) {
		if args == "" {
			return nil, fmt.Errorf("no arrivals: write for example at:0s,5s*2,59s..60s*100")
		}
		arrivals, err := ParseArrivals(args)
		if err != nil {
			return nil, err
		}
		times := make([]int64, len(arrivals))
		for i, a := range arrivals {
			if a.Cost != 1 {
				return nil, fmt.Errorf("an arrival of cost %d: the requests of a pattern cost 1; a timeline or a trace can have others", a.Cost)
			}
			if times[i] = a.Time; a.Time < 0 {
				return nil, fmt.Errorf("an arrival before 0s, where the span begins")
			}
		}
		return func() Source { return &given{all: times} }, nil
	},
}

// given sends given times.
type given struct {
	all  []int64 // ascending
	left []int64
	span int64
}

func (g *given) Start(c Client) { g.left, g.span = g.all, c.Span }

func (g *given) Next(bool) (int64, bool) {
	if len(g.left) == 0 || g.left[0] >= g.span {
		return 0, false
	}
	t := g.left[0]
	g.left = g.left[1:]
	return t, true
}

func (g *given) Fill(buf []int64) int {
	n := copy(buf, g.left)
	for n > 0 && buf[n-1] >= g.span {
		n--
	}
	g.left = g.left[n:]
	return n
}
