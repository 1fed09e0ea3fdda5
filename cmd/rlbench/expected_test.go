package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An expectation is what an independent program, with integer arithmetic, found for the counter on a real trace.
type expectation struct {
	File             string
	Format           string
	Lines            int64
	Skipped          int64
	Ignored          int64
	Limit            int64
	WindowS          int64 `json:"window_s"`
	Edge             string
	Requests         int64
	LogAdmitted      int64 `json:"log_admitted"`
	Clients          int64
	counts                 // of the counter
	ClientsOverLimit int64 `json:"clients_over_limit"`
	PeakWindow       int64 `json:"peak_window"`
	Estimate         estimates
}

type counts struct {
	Admitted, Refused, Looser, Stricter, Disagreements int64
	OverAdmitted                                       int64 `json:"over_admitted"`
	OverRefused                                        int64 `json:"over_refused"`
}

type estimates struct {
	MeanError             float64 `json:"mean_error"`
	MeanErrorByClient     float64 `json:"mean_error_by_client"`
	Bias                  float64 `json:"bias"`
	WorstExcess           float64 `json:"worst_excess"`
	MisjudgedRequests     int64   `json:"misjudged_requests"`
	ClientsWronglyAllowed int64   `json:"clients_wrongly_allowed"`
	ClientsWronglyLimited int64   `json:"clients_wrongly_limited"`
}

// A replayed is what a result file says of the same.
type replayed struct {
	Limit    int64
	WindowNS int64 `json:"window_ns"`
	Edge     string
	Requests int64
	Clients  int64
	Input    struct {
		Format                          string
		Lines, Parsed, Skipped, Ignored int64
	}
	Algorithms []struct {
		Name     string
		Requests int64
		counts
		ClientsOverLimit int64 `json:"clients_over_limit"`
		PeakWindow       int64 `json:"peak_window"`
		Estimate         *estimates
	}
}

// TestExpected replays the real traces: every figure must come out digit for digit, the means to 1e-9.
func TestExpected(t *testing.T) {
	const dir = "../../testdata/traces"
	data, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []expectation
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	tested := map[string]bool{}
	for _, want := range all {
		tested[want.File] = true
		t.Run(fmt.Sprintf("%s/%d/%s", want.File, want.Limit, want.Edge), func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			args := []string{
				"rlbench", "replay", filepath.Join(dir, want.File), "-a", "log,counter", "--limit", fmt.Sprint(want.Limit),
				"--window", fmt.Sprintf("%ds", want.WindowS), "--edge", want.Edge, "--json",
			}
			if status := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr); status != 0 {
				t.Fatalf("exit status %d\n%s", status, stderr.String())
			}
			var file struct{ Runs []replayed }
			if err := json.Unmarshal(stdout.Bytes(), &file); err != nil {
				t.Fatal(err)
			}
			if len(file.Runs) != 1 || len(file.Runs[0].Algorithms) != 2 {
				t.Fatalf("want one run with two algorithms, got %+v", file.Runs)
			}
			want.check(t, &file.Runs[0])
		})
	}
	if len(tested) != 6 {
		t.Errorf("%d traces were tested, want 6", len(tested))
	}
}

func (want *expectation) check(t *testing.T, got *replayed) {
	t.Helper()
	log, counter := got.Algorithms[0], got.Algorithms[1]
	if counter.Estimate == nil {
		t.Fatal("the counter has no estimate")
	}
	if got.Input.Format != want.Format {
		t.Errorf("format %q, want %q", got.Input.Format, want.Format)
	}
	if got.Edge != want.Edge || got.WindowNS != want.WindowS*1e9 || got.Limit != want.Limit {
		t.Errorf("limit %d, window %d ns, edge %s", got.Limit, got.WindowNS, got.Edge)
	}
	for _, figure := range []struct {
		name      string
		got, want int64
	}{
		{"lines", got.Input.Lines, want.Lines},
		{"parsed", got.Input.Parsed, want.Requests},
		{"skipped", got.Input.Skipped, want.Skipped},
		{"ignored", got.Input.Ignored, want.Ignored},
		{"requests", got.Requests, want.Requests},
		{"clients", got.Clients, want.Clients},
		{"admitted by the log", log.Admitted, want.LogAdmitted},
		{"over_admitted by the log", log.OverAdmitted, 0},
		{"requests of the counter", counter.Requests, want.Requests},
		{"admitted", counter.Admitted, want.Admitted},
		{"refused", counter.Refused, want.Refused},
		{"over_admitted", counter.OverAdmitted, want.OverAdmitted},
		{"over_refused", counter.OverRefused, want.OverRefused},
		{"looser", counter.Looser, want.Looser},
		{"stricter", counter.Stricter, want.Stricter},
		{"disagreements", counter.Disagreements, want.Disagreements},
		{"clients_over_limit", counter.ClientsOverLimit, want.ClientsOverLimit},
		{"peak_window", counter.PeakWindow, want.PeakWindow},
		{"misjudged_requests", counter.Estimate.MisjudgedRequests, want.Estimate.MisjudgedRequests},
		{"clients_wrongly_allowed", counter.Estimate.ClientsWronglyAllowed, want.Estimate.ClientsWronglyAllowed},
		{"clients_wrongly_limited", counter.Estimate.ClientsWronglyLimited, want.Estimate.ClientsWronglyLimited},
	} {
		if figure.got != figure.want {
			t.Errorf("%s is %d, want %d", figure.name, figure.got, figure.want)
		}
	}
	for _, figure := range []struct {
		name      string
		got, want float64
	}{
		{"mean_error", counter.Estimate.MeanError, want.Estimate.MeanError},
		{"mean_error_by_client", counter.Estimate.MeanErrorByClient, want.Estimate.MeanErrorByClient},
		{"bias", counter.Estimate.Bias, want.Estimate.Bias},
		{"worst_excess", counter.Estimate.WorstExcess, want.Estimate.WorstExcess},
	} {
		if !(math.Abs(figure.got-figure.want) <= 1e-9) {
			t.Errorf("%s is %.12f, want %.12f", figure.name, figure.got, figure.want)
		}
	}
}
