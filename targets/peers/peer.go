package peers

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"time"

	"github.com/rlbench/rlbench/internal/units"
	"github.com/rlbench/rlbench/limiter"
)

// A Peer is one row of Peers: a library, and how its limiters are made and judged.
type Peer struct {
	Name      string
	Module    string // Go module of the library
	License   string // its SPDX identifier
	Algorithm string // what it truly is, whatever its README says
	Promise   string // the most that one client gets in a closed window of length W for requests of cost 1

	Clock    Clock
	RealTime string // why nobody can set its clock, if Clock is Real

	// Refused says that requests which it refuses count against their client too.
	Refused bool

	// Like is the spec of rlbench that decides as it does, "" if there is none, and But is where it differs from that.
	Like, But string

	Burst bool // takes the option burst
	Costs bool // takes requests that cost more than 1

	// Check returns an error for a limit that the library can't have, made with Unsupported; nil: it can have all of at
	// least 1 in 1 ns and at most 50 years. It mustn't touch the library.
	Check func(limiter.Limit) error

	// Make makes it. For a Bubble it is called inside.
	Make func(Setting) (Library, error)

	// Endless says that it starts goroutines that nobody can end. Such a Bubble is opened once in a program and lives
	// as long as that; its clock ends in 2070.
	Endless bool
}

// A Clock is how a library gets to know the time.
type Clock string

// The clocks of libraries.
const (
	Told   Clock = "told"   // it has calls that take the time, or a clock that can be replaced
	Bubble Clock = "bubble" // it calls time.Now, which testing/synctest sets
	Real   Clock = "real"   // it reads a clock that nobody can set
)

// A Library is the limiter of one library for many clients, with the library's own keyed store or one limiter for each key.
type Library interface {
	limiter.Keyed // by its own clock

	// Decide decides one request of a cost of at least 1, by one goroutine at a time. A library of which the Clock is
	// Told is told the time; the others read theirs.
	Decide(key string, now time.Time, cost int64) limiter.Answer
}

// A Setting is what a library is made with.
type Setting struct {
	Limit   limiter.Limit
	Burst   int64 // Limit.Max unless another was asked for
	Virtual bool  // it is to be judged in virtual time

	// Now is what a library with a replaceable clock reads; nil: time.Now.
	Now func() time.Time
}

// Answer is what a library says that only admits or refuses.
func Answer(admitted bool) limiter.Answer {
	return limiter.Answer{Admitted: admitted, RetryAfter: limiter.Unknown, Remaining: limiter.Unknown}
}

// Unsupported is the error for a limit that a library can't have.
func Unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{limiter.ErrUnsupported}, args...)...)
}

// longestWindow keeps the instants that a library sees within int64, and those of the bubble's clock, which starts in 2000.
const longestWindow = 50 * 365 * 24 * time.Hour

func (p *Peer) set(limit limiter.Limit, burst int64) (Setting, error) {
	switch {
	case limit.Max < 1 || limit.Window < 1:
		return Setting{}, Unsupported("a limit of %d in %s", limit.Max, units.FormatDuration(limit.Window))
	case limit.Window > int64(longestWindow):
		return Setting{}, Unsupported("a window of %s: libraries are asked for 50 years at most", units.FormatDuration(limit.Window))
	case max(limit.Max, burst) > math.MaxInt:
		return Setting{}, Unsupported("a limit of %d: more than an int of this machine", max(limit.Max, burst))
	}
	if p.Check != nil {
		if err := p.Check(limit); err != nil {
			return Setting{}, err
		}
	}
	if burst == 0 {
		burst = limit.Max
	}
	return Setting{Limit: limit, Burst: burst}, nil
}

// interval is the Check of libraries that reckon with W/L in whole nanoseconds.
func interval(limit limiter.Limit) error {
	if limit.Max > limit.Window {
		return Unsupported("more requests than nanoseconds in the window leave no interval between two")
	}
	return nil
}

// New makes the limiter for use on the real clock, to measure what it costs. Some have a goroutine that cleans up; it
// ends after the limiter has become unreachable. Limits that the library can't have fail with limiter.ErrUnsupported.
func (p *Peer) New(limit limiter.Limit) (limiter.Keyed, error) { return p.keyed(limit, 0) }

func (p *Peer) keyed(limit limiter.Limit, burst int64) (limiter.Keyed, error) {
	s, err := p.set(limit, burst)
	if err != nil {
		return nil, err
	}
	return p.Make(s)
}

// Open starts it as a target, to be judged in virtual time.
func (p *Peer) Open() (limiter.Target, error) { return p.open(0) }

func (p *Peer) open(burst int64) (limiter.Target, error) {
	switch p.Clock {
	case Told:
		return &told{peer: p, burst: burst}, nil
	case Bubble:
		return startBubble(p, burst)
	}
	return nil, errors.New(p.RealTime)
}

// Doc says what it is in a few lines.
func (p *Peer) Doc() string {
	doc := p.Module
	if v := p.Version(); v != "" {
		doc += " " + v
	}
	doc += " (" + p.License + "): " + p.Algorithm + "; promises " + p.Promise + "; "
	if p.Refused {
		doc += "refused requests count; "
	}
	switch p.Clock {
	case Told:
		doc += "is told the time"
	case Bubble:
		doc += "reads the clock, which is set"
	case Real:
		doc += "for its cost only: " + p.RealTime
	}
	if p.Like != "" {
		doc += "; like " + p.Like
		if p.But != "" {
			doc += ", but " + p.But
		}
	}
	return doc
}

// Version returns the version of the library that is built in, "" where the program doesn't hold it (as in tests of a
// package).
func (p *Peer) Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == p.Module {
			if m.Replace != nil {
				m = m.Replace
			}
			return m.Version
		}
	}
	return ""
}
