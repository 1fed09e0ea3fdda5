package measure_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rlbench/rlbench/generators"
	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/measure"
	"github.com/rlbench/rlbench/results"
)

// foreign makes a foreign limiter of a spec: the same algorithm, known by its answers only. After so many requests it fails.
func foreign(t testing.TB, name, spec string, answered int) (limiter.Spec, *int) {
	t.Helper()
	open, left := 0, answered
	inner := specs(t, spec)[0]
	return limiter.Foreign{
		Text: name,
		Open: func(ctx context.Context) (limiter.Target, error) {
			target, err := inner.Open(ctx)
			open++
			return &fragile{target, &left, &open}, err
		},
	}.Spec(), &open
}

type fragile struct {
	limiter.Target
	left, open *int
}

func (f *fragile) Decide(ctx context.Context, requests []limiter.Request, answers []limiter.Answer) error {
	if *f.left -= len(requests); *f.left < 0 {
		return errors.New("it broke")
	}
	return f.Target.Decide(ctx, requests, answers)
}

func (f *fragile) Close() error {
	*f.open--
	return f.Target.Close()
}

// A limiter that is asked is judged as one that is seen through, open and closed loop.
func TestForeignEqualsOwn(t *testing.T) {
	for _, pattern := range []string{"poisson", "front", "end", "retry"} {
		for _, spec := range []string{"counter", "fixed", "gcra:burst=7"} {
			w := generators.Workload{Max: 10, Clients: 40, Span: 20e9, Window: 1e9, PerWindow: 12, Pattern: pattern, Seed: 3}
			traffic, err := w.Compile()
			if err != nil {
				t.Fatal(err)
			}
			asked, open := foreign(t, "command:x", spec, 1<<40)
			tallies, err := measure.Run(context.Background(), traffic, measure.Plan{
				Contestants: append(specs(t, spec), asked), Limits: []limiter.Limit{{Max: 10, Window: 1e9}},
			}, measure.Options{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			own, other := tallies[0].Algorithms[0], tallies[0].Algorithms[1]
			own.Name, own.Bound, own.Estimates, own.ErrorSums, own.ErrorByClient = other.Name, nil, false, other.ErrorSums, other.ErrorByClient
			own.MaxWronglyAllowed = 0
			for g := range own.Groups {
				for _, k := range []int{results.ErrorRequests, results.ErrorClients, results.Misjudged, results.WronglyAllowed, results.WronglyLimited} {
					own.Groups[g][k] = 0
				}
			}
			want, got := encoded(t, own), encoded(t, other)
			if want != got {
				t.Errorf("%s on %s: %s\nasked: %s", spec, pattern, want, got)
			}
			if *open != 0 {
				t.Errorf("%d targets were left open", *open)
			}
		}
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A contestant that fails spoils neither the others' figures nor hides that it has failed.
func TestForeignFails(t *testing.T) {
	w := generators.Workload{Max: 10, Clients: 10, Span: 20e9, Window: 1e9, PerWindow: 12, Pattern: "uniform", Seed: 3}
	traffic, err := w.Compile()
	if err != nil {
		t.Fatal(err)
	}
	asked, open := foreign(t, "command:x", "counter", 1000)
	tallies, err := measure.Run(context.Background(), traffic, measure.Plan{
		Contestants: append(specs(t, "counter"), asked), Limits: []limiter.Limit{{Max: 10, Window: 1e9}},
	}, measure.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	var run results.Run
	tallies[0].Fill(&run)
	whole, broken := run.Algorithms[0], run.Algorithms[1]
	if whole.Errors != 0 || whole.Failure != "" || whole.Admitted == 0 {
		t.Errorf("the contestant that answers: %+v", whole)
	}
	// 240 requests a client: four clients are answered, the fifth and all later ones are not.
	if broken.Requests != 2400 || broken.Errors != 6*240 || broken.Admitted+broken.Refused != 4*240 || broken.Failure != "it broke" {
		t.Errorf("the contestant that broke: %d requests, %d errors, %d + %d answered, %q", broken.Requests, broken.Errors, broken.Admitted, broken.Refused, broken.Failure)
	}
	if *open != 0 {
		t.Errorf("%d targets were left open", *open)
	}
}

func TestForeignIsRefused(t *testing.T) {
	unsupported := limiter.Foreign{Text: "peer:a", Open: specs(t, "buckets:8")[0].Open}.Spec()
	real := limiter.Foreign{Text: "peer:b", RealTime: "it reads its own clock"}.Spec()
	missing := limiter.Foreign{Text: "command:c", Open: func(context.Context) (limiter.Target, error) {
		return nil, fmt.Errorf("no program c")
	}}.Spec()
	for spec, want := range map[*limiter.Spec]string{&unsupported: "peer:a: limit not supported", &real: "peer:b can't be judged: it reads its own clock", &missing: "command:c: no program c"} {
		_, err := measure.Replay(context.Background(), memory{}, measure.Plan{
			Contestants: []limiter.Spec{*spec}, Limits: []limiter.Limit{{Max: 10, Window: 5}},
		}, measure.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
}

// An interruption is not the contestant's fault: nothing of the client at hand counts.
func TestForeignInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	inner := specs(t, "counter")[0]
	asked := limiter.Foreign{Text: "command:x", Open: func(ctx context.Context) (limiter.Target, error) {
		target, err := inner.Open(ctx)
		return &interrupted{target, cancel}, err
	}}.Spec()
	times := client{key: "one"}
	for i := range int64(5) {
		times.requests = append(times.requests, request{i, 1})
	}
	tallies, err := measure.Replay(ctx, memory{times}, measure.Plan{
		Contestants: []limiter.Spec{asked}, Limits: []limiter.Limit{{Max: 1, Window: 5}},
	}, measure.Options{})
	if !errors.Is(err, context.Canceled) || tallies[0].Clients != 0 || tallies[0].Algorithms[0].Failure != "" {
		t.Errorf("%v, %+v", err, tallies[0].Algorithms[0].Failure)
	}
}

type interrupted struct {
	limiter.Target
	cancel func()
}

func (i *interrupted) Decide(ctx context.Context, _ []limiter.Request, _ []limiter.Answer) error {
	i.cancel()
	return ctx.Err()
}
