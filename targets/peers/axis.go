package peers

import (
	"errors"
	"fmt"
	"math"
	"time"
)

var errNotConfigured = errors.New("asked before it was configured")

// An axis lays the times of requests onto the instants that a library sees, a multiple of the window apart, so that windows
// aligned to multiples of their length stay where they were. Libraries are not made for times before 1970, and some take
// Unix time 0 for "never"; and the clock of a bubble starts in 2000 and never goes back.
type axis struct{ time, instant int64 }

// epoch is when the clock of a bubble starts, and the earliest first instant.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()

// layAxis puts the first request at its own time, or at the first possible instant after the epoch if it is before that.
func layAxis(first, window int64) axis {
	if first >= epoch {
		return axis{first, first}
	}
	return axis{first, alignedAfter(epoch, window) + modulo(first, window)}
}

// at returns the instant of a time. It fails for times that are most of a century or more away from the first one.
func (a axis) at(t int64) (int64, error) {
	if t >= a.time {
		if after := uint64(t) - uint64(a.time); after <= uint64(math.MaxInt64-a.instant) {
			return a.instant + int64(after), nil
		}
	} else if before := uint64(a.time) - uint64(t); before <= uint64(a.instant) {
		return a.instant - int64(before), nil
	}
	return 0, fmt.Errorf("time %d is too far from the first one, %d: the clock that a library reads ends in 2262", t, a.time)
}

// modulo returns how far t is into its window of those aligned to time 0.
func modulo(t, window int64) int64 {
	m := t % window
	if m < 0 {
		m += window
	}
	return m
}

// alignedAfter returns the first multiple of the window that is t or later. t isn't negative.
func alignedAfter(t, window int64) int64 {
	if m := t % window; m > 0 {
		return t + window - m
	}
	return t
}
