package peers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"

	"github.com/rlbench/rlbench/internal/units"
	"github.com/rlbench/rlbench/limiter"
)

// Prefix is what specs of peers begin with, before the colon.
const Prefix = "peer"

// Form is how a spec of a peer is written.
const Form = "peer:NAME[:burst=N]"

// A Peer is one row of Peers: a library, and how its limiters are made and judged.
type Peer struct {
	Name      string
	Module    string // Go module of the library
	License   string // its SPDX identifier
	Algorithm string // what it truly is, whatever its README says
	Promise   string // the most that one client gets in a closed window of length W for requests of cost 1
	Clock     Clock

	// Refused says that requests which it refuses count against their client too.
	Refused bool

	// Like is the spec of rlbench that decides as it does, "" if there is none, and But is where it differs from that.
	Like, But string

	Burst bool // takes the option burst
	Costs bool // takes requests that cost more than 1

	unset string // why nobody can set the clock of a Real one
	make  func(setting) (library, error)
}

// A Clock is how a library gets to know the time.
type Clock string

// The clocks of libraries.
const (
	Told   Clock = "told"   // it has calls that take the time
	Bubble Clock = "bubble" // it calls time.Now, which testing/synctest sets
	Real   Clock = "real"   // it reads a clock that nobody can set
)

// Peers lists all libraries. To add one, write its file and add its row here.
var Peers = []Peer{
	xTimeRate, xTimeRateXsync,
	httpRate, httpRateCore,
	throttledGCRA,
	goLimiter,
	ulule,
	slidingWindow,
	failsafeBursty, failsafeSmooth,
	uberRatelimit,
}

// A library is the limiter of one library for many clients, with the library's own keyed store or one limiter for each key.
type library interface {
	limiter.Keyed // by its own clock

	// decide decides one request of a cost of at least 1. A library that isn't told the time reads its own clock.
	decide(key string, now time.Time, cost int64) limiter.Answer
}

// A setting is what a library is made with.
type setting struct {
	limit limiter.Limit
	burst int64 // limit.Max unless another was asked for

	virtual bool // it is to be judged in virtual time

	// clock is what it shall read in place of the time of day; nil for that. Libraries that take the time with each call
	// need it not.
	clock *dial
}

// A dial is a clock that stands where it was put.
type dial struct{ now time.Time }

// answer is what a library says that only admits or refuses.
func answer(admitted bool) limiter.Answer {
	return limiter.Answer{Admitted: admitted, RetryAfter: limiter.Unknown, Remaining: limiter.Unknown}
}

// longestWindow keeps the instants that a library sees within int64, and those of the bubble's clock, which starts in 2000.
const longestWindow = 50 * 365 * 24 * time.Hour

// set checks what every library needs.
func (p *Peer) set(limit limiter.Limit, burst int64) (setting, error) {
	switch {
	case limit.Max < 1 || limit.Window < 1:
		return setting{}, unsupported("a limit of %d in %s", limit.Max, units.FormatDuration(limit.Window))
	case limit.Window > int64(longestWindow):
		return setting{}, unsupported("a window of %s: libraries are asked for 50 years at most", units.FormatDuration(limit.Window))
	case max(limit.Max, burst) > math.MaxInt:
		return setting{}, unsupported("a limit of %d: more than an int of this machine", max(limit.Max, burst))
	}
	if burst == 0 {
		burst = limit.Max
	}
	return setting{limit: limit, burst: burst}, nil
}

func unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{limiter.ErrUnsupported}, args...)...)
}

// New makes the limiter for use on the real clock, to measure what it costs. If it is an io.Closer it holds a goroutine
// until it is closed. Limits that the library can't have fail with limiter.ErrUnsupported.
func (p *Peer) New(limit limiter.Limit) (limiter.Keyed, error) { return p.keyed(limit, 0) }

func (p *Peer) keyed(limit limiter.Limit, burst int64) (limiter.Keyed, error) {
	s, err := p.set(limit, burst)
	if err != nil {
		return nil, err
	}
	return p.make(s)
}

// Open starts it as a target, to be judged in virtual time.
func (p *Peer) Open() (limiter.Target, error) { return p.open(0) }

func (p *Peer) open(burst int64) (limiter.Target, error) {
	switch p.Clock {
	case Told:
		return &told{peer: p, burst: burst}, nil
	case Bubble:
		return startBubble(p, burst), nil
	}
	return nil, errors.New(p.unset)
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
		doc += "can't be judged: " + p.unset
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

// Parse reads a spec, "peer:x-time-rate:burst=20@100/1m". Without a limit of its own it takes the run's, without a burst
// the limit's count.
func Parse(text string) (limiter.Foreign, error) {
	body, limit, limited := strings.Cut(strings.TrimPrefix(text, Prefix+":"), "@")
	name, options, varied := strings.Cut(body, ":")
	p, err := find(name)
	if err != nil {
		return limiter.Foreign{}, err
	}
	f := limiter.Foreign{Text: text, Doc: p.Doc(), Forward: p.Clock == Bubble, RealTime: p.unset}
	if limited {
		if f.At, err = limiter.ParseLimit(limit); err != nil {
			return limiter.Foreign{}, err
		}
	}
	var burst int64
	if varied {
		if burst, err = p.readBurst(options); err != nil {
			return limiter.Foreign{}, err
		}
	}
	f.Open = func(context.Context) (limiter.Target, error) { return p.open(burst) }
	f.Keyed = func(limit limiter.Limit) (limiter.Keyed, error) { return p.keyed(limit, burst) }
	return f, nil
}

func (p *Peer) readBurst(option string) (int64, error) {
	value, ok := strings.CutPrefix(option, "burst=")
	if !ok {
		return 0, fmt.Errorf("no option %q of peer:%s: the only one of peers is burst=N", option, p.Name)
	}
	if !p.Burst {
		return 0, fmt.Errorf("peer:%s has no burst: leave the option burst out", p.Name)
	}
	n, err := units.ParseCount(value)
	if err != nil {
		return 0, fmt.Errorf("the option burst: %w", err)
	}
	if n < 1 {
		return 0, fmt.Errorf("the option burst: %d, must be at least 1", n)
	}
	return n, nil
}

func find(name string) (*Peer, error) {
	nearest, distance := "", math.MaxInt
	var names []string
	for i := range Peers {
		p := &Peers[i]
		if p.Name == name {
			return p, nil
		}
		if d := levenshtein.ComputeDistance(strings.ToLower(name), p.Name); d < distance {
			nearest, distance = p.Name, d
		}
		names = append(names, p.Name)
	}
	if distance <= 1+len(nearest)/3 {
		return nil, fmt.Errorf("no peer %q; did you mean %s:%s? `rlbench list targets` shows all", name, Prefix, nearest)
	}
	return nil, fmt.Errorf("no peer %q; there are %s (see `rlbench list targets`)", name, strings.Join(names, ", "))
}
