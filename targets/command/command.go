// Package command asks programs: any limiter, in any language, that reads lines and answers each with one, in order.
//
//	config limit=5 window_ns=30000000000     is answered by ok or unsupported, and starts afresh
//	T_NS KEY COST                            is answered by 1 or 0, then if it likes retry_after_ns=N and remaining=N
//
// Requests are written without waiting for the answers to those before. Times are at least 0: if a client's first request
// lies before 1970 all of its times are moved by the same multiple of the window. Keys are 1 to 255 printable ASCII bytes without
// blanks: other bytes, and the per cent sign, are written as %XX, an empty key as %, and what is too long ends in
// a hash.
package command

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/kballard/go-shellquote"

	"github.com/rlbench/rlbench/limiter"
)

// Prefix is what specs of programs begin with, before the colon.
const Prefix = "command"

// Form is how such a spec is written.
const Form = "command:PROGRAM ARGS"

// Patience is how long a program may leave a line without an answer.
var Patience = 10 * time.Second

// Parse reads a spec. What follows the prefix is split as a shell would, with quotes and without anything else.
func Parse(text string) (limiter.Foreign, error) {
	words, err := shellquote.Split(strings.TrimPrefix(text, Prefix+":"))
	if err != nil {
		return limiter.Foreign{}, fmt.Errorf("its words: %w", err)
	}
	if len(words) == 0 {
		return limiter.Foreign{}, errors.New("which program? Say so behind the colon, for example command:./limiter --fast")
	}
	return limiter.Foreign{
		Text: text, Doc: "the program " + words[0],
		Open: func(ctx context.Context) (limiter.Target, error) { return Open(ctx, words[0], words[1:]...) },
	}, nil
}

// A Kind is what is wrong with a program.
type Kind string

// The kinds of failure.
const (
	NotStarted Kind = "does not start"
	Crashed    Kind = "ended"
	Hung       Kind = "hangs"
	Garbage    Kind = "answers rubbish"
)

// An Error is a failure of a program. What the program wrote is quoted, so that it is safe to print.
type Error struct {
	Kind    Kind
	Program string
	Detail  string
	Err     error // behind it; may be nil
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s %s", e.Program, e.Kind)
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// A program is a running one. One goroutine uses it.
type program struct {
	name   string
	cmd    *exec.Cmd
	in     *os.File
	out    *os.File
	lines  *bufio.Reader
	stderr tail

	batches chan []byte // to the writer
	idle    chan []byte // from it
	ended   chan struct{}
	wait    func() error

	limit   limiter.Limit
	known   map[limiter.Limit]bool // limits that it has said ok to
	fresh   bool                   // the next requests are to begin with a config line
	shift   int64                  // added to every time of the client
	shifted bool
	failed  error
}

// Open starts a program.
func Open(ctx context.Context, name string, args ...string) (limiter.Target, error) {
	p := &program{
		name: name, cmd: exec.Command(name, args...), known: map[limiter.Limit]bool{},
		batches: make(chan []byte), idle: make(chan []byte, 1), ended: make(chan struct{}),
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, childIn.Close(), in.Close())
	}
	p.in, p.out, p.lines = in, out, bufio.NewReaderSize(out, 1<<16)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = childIn, childOut, &p.stderr
	p.cmd.WaitDelay = time.Second // for what has inherited the standard error
	ownGroup(p.cmd)
	err = p.cmd.Start()
	closing := errors.Join(childIn.Close(), childOut.Close())
	if err != nil {
		return nil, errors.Join(&Error{NotStarted, strconv.Quote(name), err.Error(), err}, closing, in.Close(), out.Close())
	}
	p.wait = sync.OnceValue(p.cmd.Wait)
	p.idle <- nil
	go p.write()
	return p, closing
}

func (p *program) kill() { killGroup(p.cmd) }

// write passes batches on. A program that no longer reads is noticed by whoever waits for its answers.
func (p *program) write() {
	defer close(p.ended)
	for batch := range p.batches {
		if _, err := p.in.Write(batch); err != nil {
			batch = batch[:0]
		}
		p.idle <- batch
	}
}

// Configure has the program start afresh. Whether it takes a limit is asked once; after that the line goes with the next requests.
func (p *program) Configure(ctx context.Context, limit limiter.Limit) error {
	if p.failed != nil {
		return p.failed
	}
	defer context.AfterFunc(ctx, p.kill)()
	p.limit, p.shift, p.shifted = limit, 0, false
	if p.fresh = p.known[limit]; p.fresh {
		return nil
	}
	batch, err := p.buffer()
	if err != nil {
		return p.fail(ctx, err)
	}
	p.batches <- p.config(batch)
	ok, err := p.configured()
	if err != nil {
		return p.fail(ctx, err)
	}
	if !ok {
		return fmt.Errorf("%w by %s: %d in %s", limiter.ErrUnsupported, p.name, limit.Max, time.Duration(limit.Window))
	}
	p.known[limit] = true
	return nil
}

// buffer waits until the program has read what was written before.
func (p *program) buffer() ([]byte, error) {
	select {
	case batch := <-p.idle:
		return batch, nil
	case <-time.After(Patience):
		return nil, &Error{Hung, strconv.Quote(p.name), "it does not read within " + Patience.String() + p.said(), nil}
	}
}

func (p *program) config(batch []byte) []byte {
	batch = append(batch[:0], "config limit="...)
	batch = strconv.AppendInt(batch, p.limit.Max, 10)
	batch = append(batch, " window_ns="...)
	batch = strconv.AppendInt(batch, p.limit.Window, 10)
	return append(batch, '\n')
}

// configured reads the answer to a config line.
func (p *program) configured() (ok bool, err error) {
	line, err := p.line()
	switch {
	case err != nil:
		return false, err
	case string(line) == "ok":
		return true, nil
	case string(line) == "unsupported":
		return false, nil
	}
	return false, p.garbage(line, "ok or unsupported")
}

// Decide writes the requests and reads an answer to each.
func (p *program) Decide(ctx context.Context, requests []limiter.Request, answers []limiter.Answer) error {
	if p.failed != nil {
		return p.failed
	}
	defer context.AfterFunc(ctx, p.kill)()
	batch, err := p.buffer()
	if err != nil {
		return p.fail(ctx, err)
	}
	batch = batch[:0]
	if p.fresh {
		batch = p.config(batch)
	}
	for _, r := range requests {
		batch = p.request(batch, r)
	}
	p.batches <- batch
	if p.fresh {
		p.fresh = false
		ok, err := p.configured()
		if err == nil && !ok {
			err = &Error{Garbage, strconv.Quote(p.name), "unsupported, for a limit that it has taken before", nil}
		}
		if err != nil {
			return p.fail(ctx, err)
		}
	}
	for i := range requests {
		line, err := p.line()
		if err == nil {
			answers[i], err = p.answer(line)
		}
		if err != nil {
			return p.fail(ctx, err)
		}
	}
	return ctx.Err()
}

func (p *program) request(batch []byte, r limiter.Request) []byte {
	if !p.shifted {
		p.shifted = true
		if r.Time < 0 {
			p.shift = (-r.Time + p.limit.Window - 1) / p.limit.Window * p.limit.Window
		}
	}
	batch = strconv.AppendInt(batch, max(r.Time+p.shift, 0), 10)
	batch = append(batch, ' ')
	batch = appendKey(batch, r.Key)
	batch = append(batch, ' ')
	batch = strconv.AppendInt(batch, r.Cost, 10)
	return append(batch, '\n')
}

const longestKey = 255

func appendKey(batch []byte, key string) []byte {
	if key == "" {
		return append(batch, '%')
	}
	from := len(batch)
	for i := range len(key) {
		if c := key[i]; c > ' ' && c < 0x7f && c != '%' {
			batch = append(batch, c)
		} else {
			batch = fmt.Appendf(batch, "%%%02X", c)
		}
	}
	if len(batch)-from > longestKey {
		batch = fmt.Appendf(batch[:from+longestKey-18], "%%~%016x", xxhash.Sum64String(key))
	}
	return batch
}

// line reads a line, without its end. It lives until the next one.
func (p *program) line() ([]byte, error) {
	if p.lines.Buffered() == 0 {
		if err := p.out.SetReadDeadline(time.Now().Add(Patience)); err != nil {
			return nil, err
		}
	}
	line, err := p.lines.ReadSlice('\n')
	switch {
	case err == nil:
		return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, p.garbage(line[:100], "a line, and not a page")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &Error{Hung, strconv.Quote(p.name), "no answer within " + Patience.String() + p.said(), nil}
	case errors.Is(err, io.EOF):
		return nil, p.crash(line)
	}
	return nil, err
}

// crash says how the program ended.
func (p *program) crash(last []byte) error {
	how := "with status 0"
	p.kill() // what it has started
	if err := p.wait(); err != nil {
		how = err.Error()
	}
	if len(last) > 0 {
		how += fmt.Sprintf(", in the middle of the line %.80q", last)
	}
	return &Error{Crashed, strconv.Quote(p.name), "before it had answered, " + how + p.said(), nil}
}

// said quotes the end of what the program wrote on standard error.
func (p *program) said() string {
	if text := strings.TrimSpace(p.stderr.String()); text != "" {
		return fmt.Sprintf("; it said %q", text)
	}
	return ""
}

func (p *program) garbage(line []byte, want string) error {
	return &Error{Garbage, strconv.Quote(p.name), fmt.Sprintf("%.80q, where %s should be%s", line, want, p.said()), nil}
}

// answer reads "1", or "0 retry_after_ns=5 remaining=0".
func (p *program) answer(line []byte) (limiter.Answer, error) {
	a := limiter.Answer{RetryAfter: limiter.Unknown, Remaining: limiter.Unknown}
	verdict, rest, _ := bytes.Cut(line, []byte(" "))
	switch string(verdict) {
	case "1":
		a.Admitted = true
	case "0":
	default:
		return a, p.garbage(line, "1 or 0")
	}
	for word := range bytes.FieldsSeq(rest) {
		name, value, _ := bytes.Cut(word, []byte("="))
		n, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil || n < 0 {
			return a, p.garbage(line, "retry_after_ns=N or remaining=N, N at least 0,")
		}
		switch string(name) {
		case "retry_after_ns":
			a.RetryAfter = n
		case "remaining":
			a.Remaining = n
		default:
			return a, p.garbage(line, "retry_after_ns=N or remaining=N")
		}
	}
	return a, nil
}

// fail ends the program: after an error it is of no more use. A context that has ended is the reason, if it has.
func (p *program) fail(ctx context.Context, err error) error {
	p.kill()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	p.failed = err
	return err
}

// leaving is how long a program may take to end once there is nothing more to read.
const leaving = 500 * time.Millisecond

// Close ends the program and whatever it has started. It is an error if it has answered more than it was asked.
func (p *program) Close() error {
	var more error
	close(p.batches)
	select {
	case <-p.ended:
	case <-time.After(leaving): // it does not read
		p.kill()
		<-p.ended
	}
	err := p.in.Close()
	if p.failed == nil {
		if deadline := p.out.SetReadDeadline(time.Now().Add(leaving)); deadline == nil {
			if line, _ := p.lines.ReadSlice('\n'); len(line) > 0 {
				more = p.garbage(bytes.TrimSpace(line), "nothing more")
			}
		}
	}
	p.kill()
	if waiting := p.wait(); waiting != nil && p.cmd.ProcessState == nil {
		err = errors.Join(err, waiting)
	}
	return errors.Join(more, err, p.out.Close())
}

// A tail keeps the end of what is written.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailBytes = 400

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b[max(0, len(b)-tailBytes):]...)
	t.text = t.text[max(0, len(t.text)-tailBytes):]
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
