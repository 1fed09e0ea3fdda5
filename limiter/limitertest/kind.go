package limitertest

import (
	"slices"

	"github.com/rlbench/rlbench/limiter"
)

// kindOf reads the kind of a fault off its smallest sequence: what is still in it could not be left out. Where that says
// nothing the kind is KindDiffers.
func (p *Promise) kindOf(t trial, direction Direction) string {
	window, last := p.scales(t.limit)[0].Window, t.requests[len(t.requests)-1]
	free, costly := false, false
	var keys []string
	for _, r := range t.requests {
		free, costly = free || r.Cost == 0, costly || r.Cost > 1
		if !slices.Contains(keys, r.Key) {
			keys = append(keys, r.Key)
		}
	}
	silence, gap := int64(0), last.Time-t.requests[0].Time
	for i := 1; i < len(t.requests); i++ {
		silence = max(silence, t.requests[i].Time-t.requests[i-1].Time)
	}
	switch {
	case !ascend(t.requests) && direction == TooMuch:
		return KindRewound
	case !ascend(t.requests):
		return KindSetBack
	case len(keys) > 1:
		return KindKeys
	case free:
		return KindZero
	case t.limit.Max > 200:
		return KindOverflow // smaller limits show nothing
	case slices.ContainsFunc(t.requests, func(r limiter.Request) bool { return r.Cost >= 1<<30 }):
		return KindOverflow // nor do smaller costs
	case costly:
		return KindCost
	case len(t.requests) == 1:
		return KindRoundedToZero // a new client's first request
	case gap == 0 && direction == TooMuch && int64(len(t.requests)) > t.limit.Max+1:
		return KindSameTime
	case gap == 0 && direction == TooMuch:
		return KindOffByOneHigh
	case gap == 0:
		return KindOffByOneLow
	case silence >= 2*window:
		return KindStaleWindow
	case gap == window:
		return KindBoundary
	}
	return KindDiffers
}
