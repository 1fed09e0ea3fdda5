package generators

// flashcrowd: for the tenth of the span around its middle the rate is ten times the normal one; over the next tenth it falls
// evenly back. The normal rate is 1/2.35 of the mean, so that the mean over the span is kept:
// 0.45 + 0.1*10 + 0.1*(10+1)/2 + 0.35 = 2.35. All clients come at once.
var flashcrowdPattern = Pattern{
	Name:     "flashcrowd",
	Doc:      "at random, ten times as many in the middle tenth of the span, falling back evenly over the next",
	Examples: []string{"flashcrowd"},
	New: plain(func() Source {
		return &profiled{profile: crowdProfile, period: func(c Client) int64 { return c.Span }}
	}),
}

var crowdProfile = profile{
	{0, 0.45, 1 / 2.35, 1 / 2.35},
	{0.45, 0.55, 10 / 2.35, 10 / 2.35},
	{0.55, 0.65, 10 / 2.35, 1 / 2.35},
	{0.65, 1, 1 / 2.35, 1 / 2.35},
}
