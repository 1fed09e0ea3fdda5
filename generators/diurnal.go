package generators

const day = int64(86_400e9) // ns

// diurnal: a day of 24 hours, or the span if that is shorter, in four quarters: quiet at 0.2 of the mean rate, rising evenly to
// 1.8, busy at 1.8, falling evenly to 0.2. Whole days have the mean rate. All clients live in one time zone.
var diurnalPattern = Pattern{
	Name:     "diurnal",
	Doc:      "at random with a rate that follows the day, between 0.2 and 1.8 of its mean (the day is the span if that is shorter)",
	Examples: []string{"diurnal"},
	New: plain(func() Source {
		return &profiled{profile: dayProfile, period: func(c Client) int64 { return min(day, c.Span) }}
	}),
}

var dayProfile = profile{
	{0, 0.25, 0.2, 0.2},
	{0.25, 0.5, 0.2, 1.8},
	{0.5, 0.75, 1.8, 1.8},
	{0.75, 1, 1.8, 0.2},
}
