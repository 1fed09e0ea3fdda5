package main

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"github.com/rlbench/rlbench/report/human"
)

// A meter shows on standard error how far the work is: a bar on a terminal, a plain line now and then elsewhere, and
// nothing at all when the work is done within a second.
type meter struct {
	unit  string
	total atomic.Int64 // expected, about; 0 is not known
	done  atomic.Int64
	begun time.Time
	halt  func() // takes the display away
	say   func(format string, args ...any)
}

// quick is how long work may take without a word.
const quick = time.Second

// meter starts one. how is the flag --progress.
func (c *console) meter(how, unit string, total int64) *meter {
	m := &meter{unit: unit, begun: time.Now(), say: c.note}
	m.total.Store(total)
	switch {
	case how == "none":
		m.halt, m.say = func() {}, func(string, ...any) {}
	case drawsBar(how, c.stderr):
		m.halt = m.bar(c.stderr)
	default:
		m.halt = m.lines(c)
	}
	return m
}

// drawsBar reports whether w gets a bar: only a terminal that can go back to the start of a line, and not in CI unless
// asked for.
func drawsBar(how string, w io.Writer) bool {
	if how != "bar" && (how != "auto" || os.Getenv("CI") != "") {
		return false
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// add counts work done. It may be called from several goroutines.
func (m *meter) add(n int64) { m.done.Add(n) }

// set tells how far the work is, and how much there is in all.
func (m *meter) set(done, total int64) {
	m.done.Store(done)
	m.total.Store(total)
}

// stop takes the display away, and says what was done if that took its time.
func (m *meter) stop() {
	m.halt()
	if elapsed := time.Since(m.begun); elapsed >= quick {
		m.say("%s %s in %s, %s/s", human.Count(m.done.Load()), m.unit, elapsed.Round(100*time.Millisecond), m.rate(elapsed))
	}
}

// rate is how much was done in a second.
func (m *meter) rate(elapsed time.Duration) string {
	return human.Count(int64(float64(m.done.Load()) / max(elapsed.Seconds(), 1e-9)))
}

// share is how much of the expected work is done, below 1: what is expected is not known exactly.
func (m *meter) share() float64 {
	return min(float64(m.done.Load())/float64(max(m.total.Load(), 1)), 0.99)
}

// state says how far the work is after some time.
func (m *meter) state(elapsed time.Duration) string {
	done, total := m.done.Load(), m.total.Load()
	if total <= 0 {
		return fmt.Sprintf("%s %s, %s/s", human.Count(done), m.unit, m.rate(elapsed))
	}
	left := "time left unknown"
	if done > 0 {
		seconds := max(elapsed.Seconds()*float64(total-done)/float64(done), 1)
		left = time.Duration(seconds*1e9).Round(time.Second).String() + " left"
	}
	return fmt.Sprintf("%2.0f %% of about %s %s, %s/s, %s", 100*m.share(), human.Count(total), m.unit, m.rate(elapsed), left)
}

// lines prints a plain line at every pause.
func (m *meter) lines(c *console) (halt func()) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	ticker := time.NewTicker(c.pause)
	go func() {
		defer close(stopped)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				c.note("%s", m.state(time.Since(m.begun)))
			case <-stop:
				return
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
	}
}

// bar draws a bar that is gone when it halts: what was measured follows in its place.
func (m *meter) bar(w io.Writer) (halt func()) {
	appear := make(chan any)
	late := time.AfterFunc(quick, func() { close(appear) })
	bars := mpb.New(mpb.WithOutput(w), mpb.WithWidth(24), mpb.WithRenderDelay(appear))
	bar := bars.AddBar(0, mpb.AppendDecorators(decor.Any(func(decor.Statistics) string {
		return m.state(time.Since(m.begun))
	})))
	stop, stopped := make(chan struct{}), make(chan struct{})
	ticker := time.NewTicker(100 * time.Millisecond)
	go func() {
		defer close(stopped)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				total := m.total.Load()
				bar.SetTotal(total, false) // never complete by itself, since the total is a guess
				bar.SetCurrent(min(m.done.Load(), max(total-1, 0)))
			case <-stop:
				return
			}
		}
	}()
	return func() {
		late.Stop()
		close(stop)
		<-stopped
		bar.Abort(true)
		bars.Wait()
	}
}
