package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal opens a pseudo-terminal of 80 columns: what is written to the terminal comes out of screen.
func terminal(t *testing.T) (screen, terminal *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	fd := int(screen.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	return screen, terminal
}

// On a terminal there is a bar with the share done, the rate and the time left, in one line, gone when the work is over.
func TestBar(t *testing.T) {
	t.Setenv("CI", "")
	t.Setenv("TERM", "xterm")
	screen, tty := terminal(t)
	c := &console{stderr: tty}
	m := c.meter("auto", "requests", 1000)
	m.add(400)
	shown := make([]byte, 0, 1<<16)
	for !strings.Contains(string(shown), " left") {
		n, err := screen.Read(shown[len(shown):cap(shown)])
		if err != nil {
			t.Fatalf("%v after %q", err, shown)
		}
		shown = shown[:len(shown)+n]
	}
	m.stop()
	for _, want := range []string{"[==", ">--", "40 % of about 1,000 requests", "/s", " left"} {
		if !strings.Contains(string(shown), want) {
			t.Errorf("no %q on the terminal: %q", want, shown)
		}
	}
}

// Where CI is set, or the terminal can't move its cursor, lines are plain; --progress bar overrules only the first.
func TestDrawable(t *testing.T) {
	_, tty := terminal(t)
	for _, test := range []struct {
		how, ci, term string
		want          bool
	}{
		{"auto", "", "xterm", true},
		{"auto", "true", "xterm", false},
		{"bar", "true", "xterm", true},
		{"plain", "", "xterm", false},
		{"none", "", "xterm", false},
		{"auto", "", "dumb", false},
		{"bar", "", "dumb", false},
	} {
		t.Setenv("CI", test.ci)
		t.Setenv("TERM", test.term)
		if got := drawsBar(test.how, tty); got != test.want {
			t.Errorf("%+v: %t", test, got)
		}
	}
	t.Setenv("CI", "")
	t.Setenv("TERM", "xterm")
	if drawsBar("bar", &strings.Builder{}) {
		t.Error("a bar is drawn where there is no terminal")
	}
}
