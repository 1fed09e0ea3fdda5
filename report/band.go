package report

import (
	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

const bandLegend = "a..b: the least and the most among five placements of requests within the log's resolution (as they stand, even, random, " +
	"front, back); one number: the same in all of them."

// banded is a figure as low..high; otherwise where there is no band.
func banded(b *results.Band, otherwise cell, show func(float64) string) cell {
	if b == nil {
		return otherwise
	}
	low, high := show(b[0]), show(b[1])
	if low == high {
		return text(low)
	}
	return cell{text: low, more: ".." + high}
}

// ofTotal shows a count as a share of all requests in percent.
func ofTotal(requests int64) func(float64) string {
	return func(n float64) string {
		if requests == 0 {
			return "-"
		}
		return human.Percent(n / float64(requests))
	}
}

func count(n float64) string { return human.Count(int64(n)) }
