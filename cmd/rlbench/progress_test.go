package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A million requests a second, of 60 million: a line every ten seconds, and one at the end.
func TestPlainProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		c := &console{stderr: &out, pause: 10 * time.Second}
		m := c.meter("plain", "requests", 60e6)
		<-time.After(time.Second / 2) // so that work and lines do not meet
		for range 55 {
			m.add(1e6)
			<-time.After(time.Second)
		}
		m.stop()
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		want := []string{
			"rlbench: 33 % of about 60M requests, 1M/s, 40s left",
			"rlbench: 50 % of about 60M requests, 1M/s, 30s left",
			"rlbench: 55M requests in 55.5s, 990,990/s",
		}
		if len(lines) != 6 || lines[1] != want[0] || lines[2] != want[1] || lines[5] != want[2] {
			t.Errorf("progress is\n%s\nwant six lines, among them\n%s", out.String(), strings.Join(want, "\n"))
		}
	})
}

func TestQuickWorkIsSilent(t *testing.T) {
	for _, how := range []string{"auto", "plain", "bar"} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			c := &console{stderr: &out, pause: 10 * time.Second}
			m := c.meter(how, "requests", 100)
			<-time.After(900 * time.Millisecond)
			m.add(100)
			m.stop()
			if out.Len() > 0 {
				t.Errorf("--progress %s: %q", how, out.String())
			}
		})
	}
}

func TestNoProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		c := &console{stderr: &out, pause: 10 * time.Second}
		m := c.meter("none", "requests", 100)
		<-time.After(time.Hour)
		m.stop()
		if out.Len() > 0 {
			t.Errorf("%q", out.String())
		}
	})
}

// What is expected is a guess, so that no display may say that nothing is left while there is work.
func TestMoreThanExpected(t *testing.T) {
	m := &meter{unit: "requests"}
	m.set(250, 100)
	if got, want := m.state(10*time.Second), "99 % of about 100 requests, 25/s, 1s left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	unknown := &meter{unit: "lines"}
	unknown.add(5000)
	if got, want := unknown.state(10*time.Second), "5,000 lines, 500/s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// An interrupter is a standard error that presses Ctrl-C once some requests are done.
type interrupter struct {
	press context.CancelFunc
	mu    sync.Mutex
	bytes.Buffer
}

func (i *interrupter) Write(p []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if bytes.Contains(p, []byte("s left")) {
		i.press()
	}
	return i.Buffer.Write(p)
}

func TestInterruptedHalfway(t *testing.T) {
	ctx, press := context.WithCancel(t.Context())
	stderr := &interrupter{press: press}
	var stdout bytes.Buffer
	path := filepath.Join(t.TempDir(), "r.json")
	c := &console{
		stdout: &stdout, stderr: stderr, pause: time.Millisecond,
		command: strings.Fields("rlbench run --scenario cloudflare --scale 100 --progress plain -o " + path),
	}
	if got := c.run(ctx); got != 130 {
		t.Fatalf("exit status %d, want 130\n%s", got, stderr.String())
	}
	if !strings.Contains(stdout.String(), "PARTIAL RESULT") {
		t.Errorf("the table does not say that the result is partial:\n%s", stdout.String())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Partial bool
		Runs    []struct{ Clients, Requests int64 }
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if !file.Partial || len(file.Runs) != 1 {
		t.Fatalf("partial %t with %d runs, want true and 1", file.Partial, len(file.Runs))
	}
	// whole clients with 27 requests in each of 55 windows on average
	run := file.Runs[0]
	if run.Clients < 1 || run.Clients >= 27_000_000 || run.Requests < run.Clients {
		t.Errorf("%d clients with %d requests were measured", run.Clients, run.Requests)
	}
}

// The first signal ends the context, the second one leaves.
func TestSecondSignalLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		signals := make(chan os.Signal)
		left := false
		ctx := obey(t.Context(), signals, func() { left = true })
		synctest.Wait()
		if ctx.Err() != nil {
			t.Fatal("the context has ended without a signal")
		}
		signals <- os.Interrupt
		synctest.Wait()
		if ctx.Err() == nil || left {
			t.Fatalf("after one signal: context %v, left %t", ctx.Err(), left)
		}
		signals <- os.Interrupt
		synctest.Wait()
		if !left {
			t.Error("after the second signal the program is still there")
		}
	})
}
