package peers

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/rlbench/rlbench/internal/units"
	"github.com/rlbench/rlbench/limiter"
)

// Prefix is what specs of peers begin with, before the colon.
const Prefix = "peer"

// Form is how a spec of a peer is written.
const Form = "peer:NAME[:burst=N]"

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

// Parse reads a spec, "peer:x-time-rate:burst=20@100/1m". Without a limit of its own it takes the run's, without a burst
// the limit's count.
func Parse(text string) (limiter.Foreign, error) {
	body, limit, limited := strings.Cut(strings.TrimPrefix(text, Prefix+":"), "@")
	name, options, varied := strings.Cut(body, ":")
	p, err := find(name)
	if err != nil {
		return limiter.Foreign{}, err
	}
	f := limiter.Foreign{Text: text, Doc: p.Doc(), Forward: p.Clock == Bubble, RealTime: p.RealTime}
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
