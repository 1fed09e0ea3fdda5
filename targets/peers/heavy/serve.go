package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rlbench/rlbench/limiter"
)

// batch is how many requests are decided at a time, if so many have come.
const batch = 1024

// A server answers the lines of the command protocol: "config limit=5 window_ns=30000000000" with "ok" or "unsupported",
// "T_NS KEY COST" with "1" or "0", and what is known of the time to wait and of what remains.
type server struct {
	target   limiter.Target
	out      *bufio.Writer
	requests []limiter.Request
	answers  [batch]limiter.Answer
}

// serve answers until the input ends. Answers are written out as soon as no more lines have come, so that whoever waits for
// one gets it.
func serve(target limiter.Target, in io.Reader, out io.Writer) error {
	lines := bufio.NewReaderSize(in, 1<<16)
	s := server{target: target, out: bufio.NewWriterSize(out, 1<<16)}
	for number := 1; ; number++ {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) && line == "" {
			return s.flush()
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err := s.take(strings.TrimSuffix(line, "\n")); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		if lines.Buffered() == 0 || len(s.requests) == batch {
			if err := s.flush(); err != nil {
				return fmt.Errorf("line %d: %w", number, err)
			}
		}
	}
}

func (s *server) take(line string) error {
	if settings, ok := strings.CutPrefix(line, "config "); ok {
		if err := s.decide(); err != nil {
			return err
		}
		return s.configure(settings)
	}
	words := strings.Split(line, " ")
	if len(words) != 3 {
		return fmt.Errorf("%q: want config, or a time, a key and a cost", line)
	}
	at, err := strconv.ParseInt(words[0], 10, 64)
	if err != nil {
		return fmt.Errorf("the time: %w", err)
	}
	cost, err := strconv.ParseInt(words[2], 10, 64)
	if err != nil || cost < 0 {
		return fmt.Errorf("%q: the cost must be a number of at least 0", words[2])
	}
	s.requests = append(s.requests, limiter.Request{Key: words[1], Time: at, Cost: cost})
	return nil
}

func (s *server) configure(settings string) error {
	var limit limiter.Limit
	for _, word := range strings.Fields(settings) {
		name, value, _ := strings.Cut(word, "=")
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		switch name {
		case "limit":
			limit.Max = n
		case "window_ns":
			limit.Window = n
		}
	}
	answer := "ok\n"
	switch err := s.target.Configure(context.Background(), limit); {
	case errors.Is(err, limiter.ErrUnsupported):
		answer = "unsupported\n"
	case err != nil:
		return err
	}
	_, err := s.out.WriteString(answer)
	return err
}

// decide answers the requests at hand.
func (s *server) decide() error {
	if len(s.requests) == 0 {
		return nil
	}
	if err := s.target.Decide(context.Background(), s.requests, s.answers[:]); err != nil {
		return err
	}
	for i := range s.requests {
		a := s.answers[i]
		digit := byte('0')
		if a.Admitted {
			digit = '1'
		}
		s.out.WriteByte(digit)
		if a.RetryAfter != limiter.Unknown {
			fmt.Fprintf(s.out, " retry_after_ns=%d", a.RetryAfter)
		}
		if a.Remaining != limiter.Unknown {
			fmt.Fprintf(s.out, " remaining=%d", a.Remaining)
		}
		s.out.WriteByte('\n')
	}
	s.requests = s.requests[:0]
	return nil
}

func (s *server) flush() error {
	if err := s.decide(); err != nil {
		return err
	}
	return s.out.Flush()
}
