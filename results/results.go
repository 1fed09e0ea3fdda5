// Package results holds the result file: its types, reading, writing, merging, and the tallies it is made from.
//
// Everything that reports, compares or gates is a pure function of these files.
package results

// Schema is the version of the result file that this program writes and the newest that it reads.
const Schema = "rlbench.results/v1"

// A File is one result file.
type File struct {
	Schema   string   `json:"schema"`
	Tool     Tool     `json:"tool"`
	Command  []string `json:"command"`  // the command line that made it, program name first
	Partial  bool     `json:"partial"`  // interrupted, or merged from only some of the shards
	Warnings []string `json:"warnings"` // what a reader of the figures must know
	Runs     []Run    `json:"runs"`     // in the order given, limit outermost
	Part     *Part    `json:"part,omitempty"`
}

// Tool says what made the file, and where.
type Tool struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	CPU     string `json:"cpu"`
	Cores   int    `json:"cores"`
}

// A Part marks a file as one shard of a whole and carries the sums that Merge adds.
type Part struct {
	Shard        Shard    `json:"shard"`
	ConfigDigest string   `json:"config_digest"` // of everything that decides the figures, but for the shard
	Tallies      []*Tally `json:"tallies"`       // one per run

	// Placed are the tallies with the requests placed in other ways, one list like Tallies for each: placement "band" only.
	Placed [][]*Tally `json:"placed,omitempty"`

	Traffic *TrafficTally `json:"traffic,omitempty"` // of a log's clients
}

// A Shard is part Index of Count; shards are numbered from 0. The zero value means "not sharded".
type Shard struct {
	Index int `json:"index"`
	Count int `json:"count"`
}

// A Run is one scenario x limit x window: the traffic, and each contestant's figures.
type Run struct {
	Scenario       string   `json:"scenario"`
	Pattern        string   `json:"pattern"` // a pattern or a mix; "" for a trace
	Limit          int64    `json:"limit"`
	WindowNS       int64    `json:"window_ns"`
	Seed           *uint64  `json:"seed"`     // null for a trace
	Clients        int64    `json:"clients"`  // clients with at least one request, for traces; the population otherwise
	Requests       *int64   `json:"requests"` // null when contestants see different streams (closed-loop patterns)
	SpanNS         int64    `json:"span_ns"`
	Load           *float64 `json:"load"` // mean requests per client and window as a share of the limit; null for a trace
	Rates          string   `json:"rates"`
	Edge           string   `json:"edge"`            // closed | open
	Placement      string   `json:"placement"`       // asis | even | random | front | back | band
	Shard          *string  `json:"shard"`           // "i/n" in a part, null in a whole
	WorkloadDigest *string  `json:"workload_digest"` // of the requests themselves; null when contestants see different streams
	Model          string   `json:"model"`           // the traffic in a sentence or a paragraph
	Input          *Input   `json:"input,omitempty"`
	Bench          *Bench   `json:"bench,omitempty"`  // of a run that measured costs
	Choice         *Choice  `json:"choice,omitempty"` // of a run that was to lead to one

	RequestsByPhase []int64     `json:"requests_by_phase"` // by position in the aligned window, equal bins; null if streams differ
	Algorithms      []Algorithm `json:"algorithms"`
	Refusals        []Refusal   `json:"refusals,omitempty"`  // by who refused; of open-loop runs with up to MostCompared contestants
	Decisions       []Decision  `json:"decisions,omitempty"` // of explicit arrivals only
}

// Input is what was read from logs. Lines = Parsed + Skipped + Ignored, always.
type Input struct {
	Files           []string `json:"files"`
	Format          string   `json:"format"`
	Lines           int64    `json:"lines"`
	Parsed          int64    `json:"parsed"`
	Skipped         int64    `json:"skipped"` // cannot be read, or have no client or time
	Ignored         int64    `json:"ignored"` // blank, comment, header, or no request
	Late            int64    `json:"late"`    // earlier than one before it
	WorstStepBackNS int64    `json:"worst_step_back_ns"`
	FirstNS         int64    `json:"first_ns"` // the earliest request, Unix time
	Digest          string   `json:"digest"`
	Traffic         *Traffic `json:"traffic,omitempty"`
}

// Algorithm holds one contestant's figures in one run. Counts are in requests unless they say otherwise; a _ci is a 95 %
// interval of the count's share of all requests, taken over clients; null where it can't be had (one client).
type Algorithm struct {
	Name     string `json:"name"`
	Limit    int64  `json:"limit"` // what it is judged by: the run's, or its own (counter@100/1m)
	WindowNS int64  `json:"window_ns"`
	Bound    *int64 `json:"bound"` // the most its rule can give one client in any closed window, cost 1; null: none
	Requests int64  `json:"requests"`
	Admitted int64  `json:"admitted"`
	Refused  int64  `json:"refused"`

	OverAdmitted   int64 `json:"over_admitted"`
	OverAdmittedCI *CI   `json:"over_admitted_ci"`
	OverRefused    int64 `json:"over_refused"`
	OverRefusedCI  *CI   `json:"over_refused_ci"`

	Looser          int64 `json:"looser"`
	LooserCI        *CI   `json:"looser_ci"`
	Stricter        int64 `json:"stricter"`
	StricterCI      *CI   `json:"stricter_ci"`
	Disagreements   int64 `json:"disagreements"`
	DisagreementsCI *CI   `json:"disagreements_ci"`

	PeakWindow       int64    `json:"peak_window"` // cost units
	PeakRatio        float64  `json:"peak_ratio"`
	PeakWitness      *Witness `json:"peak_witness"` // null when nothing was admitted
	ClientsOverLimit int64    `json:"clients_over_limit"`
	ClientsRefused   int64    `json:"clients_refused"`   // clients with a request refused
	Errors           int64    `json:"errors"`            // requests of clients that were not answered to the end
	Failure          string   `json:"failure,omitempty"` // why, of the first of them

	Hardest  []HitClient `json:"hardest,omitempty"` // the ten clients with most requests refused
	Limits   []LimitPeak `json:"limits,omitempty"`  // multi only
	Estimate *Estimate   `json:"estimate"`          // null for an algorithm without one
	Phase    *Phase      `json:"phase"`
	Cost     *Cost       `json:"cost,omitempty"`

	*AlgorithmBands // placement "band" only
}

// CI is a 95 % interval [low, high].
type CI [2]float64

// A Witness is where the peak window happened: the client, and the time of the request that ends the window.
type Witness struct {
	Key string `json:"key"`
	TNS int64  `json:"t_ns"`
}

// LimitPeak is one part of a multi.
type LimitPeak struct {
	Limit      int64 `json:"limit"`
	WindowNS   int64 `json:"window_ns"`
	PeakWindow int64 `json:"peak_window"`
}

// Estimate compares the weighted count with the exact one, open loop. Means are null with no request behind them.
type Estimate struct {
	MeanError             *float64 `json:"mean_error"`
	MeanErrorCI           *CI      `json:"mean_error_ci"`
	MeanErrorByClient     *float64 `json:"mean_error_by_client"`
	MeanErrorByClientCI   *CI      `json:"mean_error_by_client_ci"`
	Bias                  *float64 `json:"bias"`
	BiasCI                *CI      `json:"bias_ci"`
	MisjudgedRequests     int64    `json:"misjudged_requests"`
	MisjudgedRequestsCI   *CI      `json:"misjudged_requests_ci"`
	ClientsWronglyAllowed int64    `json:"clients_wrongly_allowed"`
	ClientsWronglyLimited int64    `json:"clients_wrongly_limited"`
	WorstExcess           float64  `json:"worst_excess"`
	// ErrorByClient counts clients by their own mean error, in the bins of ErrorBins.
	ErrorByClient []int64 `json:"error_by_client"`

	*EstimateBands // placement "band" only
}

// Phase counts by position in the aligned window, equal bins, first bin first.
type Phase struct {
	OverAdmitted []int64 `json:"over_admitted"`
	OverRefused  []int64 `json:"over_refused"`
	Looser       []int64 `json:"looser"`
	Stricter     []int64 `json:"stricter"`
}

// A Bench says how costs were measured.
type Bench struct {
	Rounds    int       `json:"rounds"`       // in which all were measured in turn
	SampleNS  int64     `json:"sample_ns"`    // about how long one measurement took
	ClockNS   int64     `json:"clock_ns"`     // between two readings of the clock
	Reference []float64 `json:"reference_ns"` // a step of a fixed piece of arithmetic, again and again: the machine's own noise
}
