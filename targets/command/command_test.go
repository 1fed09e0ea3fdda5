package command_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/targets/command"
)

// The tests' programs are this test's own: RLBENCH_ACT says what it is to do.
func TestMain(m *testing.M) {
	if act := os.Getenv("RLBENCH_ACT"); act != "" {
		play(act)
		return
	}
	command.Patience = 2 * time.Second
	os.Exit(m.Run())
}

// play answers as a counter does, until it does what the act says at the hundredth request.
func play(act string) {
	in, out := bufio.NewReaderSize(os.Stdin, 1<<16), bufio.NewWriterSize(os.Stdout, 1<<16)
	spec, err := limiter.Parse("counter")
	if err != nil {
		panic(err)
	}
	var limit limiter.Limit
	clients := map[string]limiter.Limiter{}
	for n := 0; ; {
		line, err := in.ReadSlice('\n')
		if err != nil {
			out.Flush()
			return
		}
		words := strings.Fields(string(line))
		if words[0] == "config" {
			fmt.Sscanf(strings.Join(words, " "), "config limit=%d window_ns=%d", &limit.Max, &limit.Window)
			clients = map[string]limiter.Limiter{}
			if act == "unsupported" && limit.Max > 1000 {
				fmt.Fprintln(out, "unsupported")
			} else {
				fmt.Fprintln(out, "ok")
			}
		} else {
			n++
			if !answer(act, n, words, limit, spec, clients, out) {
				return
			}
		}
		if in.Buffered() == 0 {
			out.Flush()
		}
	}
}

func answer(act string, n int, words []string, limit limiter.Limit, spec limiter.Spec, clients map[string]limiter.Limiter, out *bufio.Writer) bool {
	if n == 100 {
		switch act {
		case "crash":
			fmt.Fprint(os.Stderr, "out of \x1b[31mpaper\n")
			os.Exit(3)
		case "hang":
			out.Flush()
			_, _ = io.Copy(io.Discard, os.Stdin) // and says no more
			return false
		case "garbage":
			fmt.Fprintln(out, "maybe\x1b[2J")
			return true
		case "half":
			fmt.Fprint(out, "1")
			out.Flush()
			return false
		case "more":
			fmt.Fprintln(out, "1")
		}
	}
	if act == "talkative" {
		os.Stderr.Write(bytes.Repeat([]byte("so much to say "), 10_000))
	}
	at, _ := strconv.ParseInt(words[0], 10, 64)
	cost, _ := strconv.ParseInt(words[2], 10, 64)
	l := clients[words[1]]
	if l == nil {
		l, _ = spec.New(limit)
		clients[words[1]] = l
	}
	verdict := "0"
	if l.Allow(at, cost) {
		verdict = "1"
	}
	if act == "extras" {
		verdict += fmt.Sprintf(" retry_after_ns=%d remaining=7", n)
	}
	out.WriteString(verdict)
	out.WriteByte('\n')
	return true
}

func start(t testing.TB, act string) limiter.Target {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("RLBENCH_ACT", act)
	target, err := command.Open(context.Background(), self)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

func requests(n int) (all []limiter.Request) {
	for i := range n {
		all = append(all, limiter.Request{Key: fmt.Sprint("client ", i%3), Time: int64(i) * 1e8, Cost: 1})
	}
	return all
}

var perSecond = limiter.Limit{Max: 5, Window: 1e9}

// A program decides as the same algorithm in this process, whatever keys, times and limits it is told.
func TestDecides(t *testing.T) {
	program := start(t, "honest")
	spec, err := limiter.Parse("counter")
	if err != nil {
		t.Fatal(err)
	}
	local, err := spec.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		limit := limiter.Limit{Max: rapid.Int64Range(1, 9).Draw(t, "limit"), Window: rapid.Int64Range(1, 50).Draw(t, "window")}
		for range rapid.IntRange(1, 2).Draw(t, "configurations") { // one that nobody asks anything under, too
			if err := errors.Join(program.Configure(ctx, limit), local.Configure(ctx, limit)); err != nil {
				t.Fatal(err)
			}
		}
		keys := rapid.SampledFrom([]string{"", "a", "a b", "%", "%20", "\x00\x1b[31m", "ü", strings.Repeat("long", 90), strings.Repeat("long", 90) + "er"})
		at := rapid.SampledFrom([]int64{0, -1000, 1 << 60}).Draw(t, "start")
		for range rapid.IntRange(1, 3).Draw(t, "batches") {
			var asked []limiter.Request
			for range rapid.IntRange(0, 40).Draw(t, "requests") {
				at += rapid.Int64Range(0, 20).Draw(t, "gap")
				asked = append(asked, limiter.Request{Key: keys.Draw(t, "key"), Time: at, Cost: rapid.Int64Range(0, 3).Draw(t, "cost")})
			}
			got, want := make([]limiter.Answer, len(asked)), make([]limiter.Answer, len(asked))
			if err := errors.Join(program.Decide(ctx, asked, got), local.Decide(ctx, asked, want)); err != nil {
				t.Fatal(err)
			}
			for i := range asked {
				if got[i] != want[i] {
					t.Fatalf("request %d of %v: %v, want %v", i, asked, got[i], want[i])
				}
			}
		}
	})
	if err := program.Close(); err != nil {
		t.Error(err)
	}
}

func TestFailures(t *testing.T) {
	for act, want := range map[string]struct {
		kind command.Kind
		text string
	}{
		"crash":   {command.Crashed, `exit status 3; it said "out of \x1b[31mpaper"`},
		"hang":    {command.Hung, "no answer within 2s"},
		"garbage": {command.Garbage, `"maybe\x1b[2J", where 1 or 0 should be`},
		"half":    {command.Crashed, `in the middle of the line "1"`},
	} {
		t.Run(act, func(t *testing.T) {
			target := start(t, act)
			ctx := context.Background()
			if err := target.Configure(ctx, perSecond); err != nil {
				t.Fatal(err)
			}
			err := target.Decide(ctx, requests(300), make([]limiter.Answer, 300))
			var failure *command.Error
			if !errors.As(err, &failure) || failure.Kind != want.kind || !strings.Contains(err.Error(), want.text) {
				t.Errorf("%v, want %s with %q", err, want.kind, want.text)
			}
			if again := target.Configure(ctx, perSecond); again != err {
				t.Errorf("after it: %v", again)
			}
			if err := target.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestMoreAnswersThanRequests(t *testing.T) {
	target := start(t, "more")
	ctx := context.Background()
	if err := target.Configure(ctx, perSecond); err != nil {
		t.Fatal(err)
	}
	if err := target.Decide(ctx, requests(200), make([]limiter.Answer, 200)); err != nil {
		t.Fatal(err)
	}
	if err := target.Close(); err == nil || !strings.Contains(err.Error(), "where nothing more should be") {
		t.Errorf("closing: %v", err)
	}
}

func TestTalkative(t *testing.T) {
	target := start(t, "talkative")
	ctx := context.Background()
	answers := make([]limiter.Answer, 200)
	if err := errors.Join(target.Configure(ctx, perSecond), target.Decide(ctx, requests(200), answers), target.Close()); err != nil {
		t.Error(err)
	}
}

func TestExtras(t *testing.T) {
	target := start(t, "extras")
	ctx := context.Background()
	answers := make([]limiter.Answer, 3)
	if err := errors.Join(target.Configure(ctx, perSecond), target.Decide(ctx, requests(3), answers), target.Close()); err != nil {
		t.Error(err)
	}
	if answers[2] != (limiter.Answer{Admitted: true, RetryAfter: 3, Remaining: 7}) {
		t.Errorf("%+v", answers[2])
	}
}

func TestUnsupported(t *testing.T) {
	target := start(t, "unsupported")
	ctx := context.Background()
	if err := target.Configure(ctx, limiter.Limit{Max: 2000, Window: 1e9}); !errors.Is(err, limiter.ErrUnsupported) {
		t.Errorf("%v", err)
	}
	if err := errors.Join(target.Configure(ctx, perSecond), target.Decide(ctx, requests(3), make([]limiter.Answer, 3)), target.Close()); err != nil {
		t.Error(err)
	}
}

func TestNotStarted(t *testing.T) {
	_, err := command.Open(context.Background(), "./no-such-program")
	var failure *command.Error
	if !errors.As(err, &failure) || failure.Kind != command.NotStarted {
		t.Errorf("%v", err)
	}
	for text, want := range map[string]string{"command:": "which program?", `command:a "b`: "its words"} {
		if _, err := command.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// An interruption ends a program that hangs, and is what is reported.
func TestInterrupted(t *testing.T) {
	target := start(t, "hang")
	ctx, cancel := context.WithCancel(context.Background())
	if err := target.Configure(ctx, perSecond); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, cancel)
	if err := target.Decide(ctx, requests(300), make([]limiter.Answer, 300)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := target.Close(); err != nil {
		t.Error(err)
	}
}

// A program that answers without reading is noticed, and does not hold anybody up.
func TestAnswersWithoutReading(t *testing.T) {
	target, err := command.Open(context.Background(), "sh", "-c", "echo ok; yes 1 2>/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if err := target.Configure(ctx, perSecond); err != nil {
		t.Fatal(err)
	}
	asked, answers := requests(20_000), make([]limiter.Answer, 20_000)
	for range 3 {
		if err = target.Decide(ctx, asked, answers); err != nil {
			break
		}
	}
	var failure *command.Error
	if !errors.As(err, &failure) || failure.Kind != command.Hung || !strings.Contains(err.Error(), "does not read") {
		t.Errorf("%v", err)
	}
	if err := target.Close(); err != nil {
		t.Error(err)
	}
}

func BenchmarkDecide(b *testing.B) {
	target := start(b, "honest")
	ctx := context.Background()
	if err := target.Configure(ctx, perSecond); err != nil {
		b.Fatal(err)
	}
	asked, answers := requests(512), make([]limiter.Answer, 512)
	b.ResetTimer()
	for n := b.N; n > 0; n -= len(asked) {
		asked = asked[:min(n, len(asked))]
		if err := target.Decide(ctx, asked, answers); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
	if err := target.Close(); err != nil {
		b.Fatal(err)
	}
}
