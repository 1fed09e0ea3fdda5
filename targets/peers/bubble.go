package peers

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rlbench/rlbench/limiter"
)

// A bubble is a target of a library that reads the clock. The library runs on a goroutine of its own in a bubble of
// testing/synctest, whose clock stands still until that goroutine sleeps, and then goes at once to where the sleep ends.
// Requests go in and answers come out in batches, through channels from outside, on which the bubble's clock doesn't go on.
//
// The clock of a bubble starts at epoch and only goes forward. Each Configure begins at the next multiple of the window; a
// bubble that has grown old is replaced.
type bubble struct {
	peer *Peer
	in   chan struct{} // a batch is there; closed: no more
	out  chan struct{} // it is answered
	end  chan struct{} // closed when all goroutines have ended

	// The batch. Whoever the last message was sent to has it.
	setting  Setting
	burst    int64
	set      bool // Configure succeeded
	fresh    bool // nothing was asked since
	requests []limiter.Request
	answers  []limiter.Answer
	err      error
	pending  bool // it waits for a younger bubble

	// Of the goroutine in the bubble.
	library Library
	axis    axis
	now     int64 // what its clock shows
}

// oldest is when a bubble is replaced: what is left of the range of int64 is then still longer than the longest stream.
var oldest = time.Date(2070, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()

// endless holds the modules that have a bubble for good.
var endless sync.Map

func startBubble(p *Peer, burst int64) (*bubble, error) {
	if p.Endless {
		if _, there := endless.LoadOrStore(p.Module, true); there {
			return nil, fmt.Errorf("%s can be opened only once in a program, as it never ends", p.Module)
		}
	}
	b := &bubble{peer: p, burst: burst, in: make(chan struct{}), out: make(chan struct{}), end: make(chan struct{})}
	go func() {
		defer close(b.end)
		for open := true; open; {
			// synctest asks for a test only to report to, and a zero one will do as long as nothing fails in it: the
			// function recovers from whatever the library does.
			synctest.Test(new(testing.T), func(*testing.T) { open = b.live() })
		}
	}()
	return b, nil
}

func (b *bubble) Configure(_ context.Context, limit limiter.Limit) error {
	s, err := b.peer.set(limit, b.burst)
	if err != nil {
		return err
	}
	s.Virtual = true
	b.setting, b.set, b.fresh = s, true, true
	return nil
}

func (b *bubble) Decide(ctx context.Context, requests []limiter.Request, answers []limiter.Answer) error {
	if !b.set {
		return errNotConfigured
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	b.requests, b.answers, b.err = requests, answers, nil
	b.in <- struct{}{}
	<-b.out
	return b.err
}

func (b *bubble) Close() error {
	if b.peer.Endless {
		return nil
	}
	close(b.in)
	<-b.end
	b.library = nil
	return nil
}

// live answers batches until there are no more (false) or until the bubble is too old for the one at hand (true).
func (b *bubble) live() (more bool) {
	b.now = time.Now().UnixNano()
	for {
		if !b.pending {
			if _, open := <-b.in; !open {
				return false
			}
		}
		switch old := b.fresh && b.now > oldest; {
		case !old:
			b.err = b.serve()
		case b.peer.Endless:
			b.err = fmt.Errorf("the clock of peer:%s has come to 2070: start the program again for more clients", b.peer.Name)
		default:
			b.pending = true
			return true
		}
		b.pending = false
		b.out <- struct{}{}
	}
}

func (b *bubble) serve() (err error) {
	defer b.peer.recover(&err)
	for i, r := range b.requests {
		if asked, err := b.peer.asks(r, &b.answers[i]); err != nil {
			return err
		} else if !asked {
			continue
		}
		if b.fresh {
			if err := b.begin(r.Time); err != nil {
				return err
			}
		}
		instant, err := b.axis.at(r.Time)
		if err != nil {
			return err
		}
		b.sleepUntil(instant)
		b.answers[i] = b.library.Decide(r.Key, time.Time{}, r.Cost)
	}
	return nil
}

// begin makes the library at the last multiple of the window before the first request: what it aligns to the instant at
// which it was made is aligned to multiples of the window then.
func (b *bubble) begin(first int64) (err error) {
	window := b.setting.Limit.Window
	b.sleepUntil(alignedAfter(b.now, window))
	b.axis = axis{first, b.now + modulo(first, window)}
	b.library, err = b.peer.Make(b.setting)
	b.fresh = false
	return err
}

func (b *bubble) sleepUntil(instant int64) {
	if instant > b.now {
		time.Sleep(time.Duration(instant - b.now))
		b.now = instant
	}
}
