package results

// Cost is what a contestant costs; measured by bench only. The first four stand for the rest: time on its own clock, one
// goroutine, with the most keys in uniform order; heap with the most clients and both windows in use.
type Cost struct {
	NsPerOp        *float64 `json:"ns_per_op"`
	NsPerOpCI      *CI      `json:"ns_per_op_ci"`
	BytesPerClient *float64 `json:"bytes_per_client"`
	AllocsPerOp    *float64 `json:"allocs_per_op"`

	Speed    []Speed        `json:"speed,omitempty"`
	Memory   []Memory       `json:"memory,omitempty"`
	Stall    *Stall         `json:"stall,omitempty"`
	Patterns []PatternSpeed `json:"patterns,omitempty"`
}

// Summarize sets the figures that stand for the rest.
func (c *Cost) Summarize() {
	var keys, clients int64
	for _, s := range c.Speed {
		if s.Clock == "own" && s.Refused == "asis" && s.Order == "uniform" && s.Goroutines == 1 && s.Keys > keys {
			keys, c.NsPerOp, c.NsPerOpCI, c.AllocsPerOp = s.Keys, &s.NsPerOp, s.NsPerOpCI, &s.AllocsPerOp
		}
	}
	for _, m := range c.Memory {
		if m.State == "both windows" && m.Clients > clients {
			clients, c.BytesPerClient = m.Clients, &m.HeapBytes
		}
	}
}

// Speed is the time of a decision under one load: the median over the rounds of wall time by all decisions.
type Speed struct {
	Keys       int64  `json:"keys"`
	Order      string `json:"order"`      // uniform | zipf
	Refused    string `json:"refused"`    // asis: by the run's limit | none | half | all: as far as could be arranged
	Clock      string `json:"clock"`      // own | told | batch: the time is told, and by 64-bit keys in batches
	Goroutines int    `json:"goroutines"` // on as many cores

	Distinct       int64   `json:"distinct"`        // keys that asked within a sample
	Requests       int64   `json:"requests"`        // of all samples
	SampleRequests int64   `json:"sample_requests"` // of one
	RefusedShare   float64 `json:"refused_share"`   // reached

	NsPerOp     float64   `json:"ns_per_op"`
	NsPerOpCI   *CI       `json:"ns_per_op_ci"` // of the median, 95 %; null with fewer than six samples
	Samples     []float64 `json:"samples"`      // ns, in the order of the rounds
	AllocsPerOp float64   `json:"allocs_per_op"`
	Latency     *Latency  `json:"latency,omitempty"` // one goroutine only
}

// Latency is the distribution of the time of a decision in ns, the clock's own cost included. Where one decision is too short
// for the clock the quantiles are of the means of batches.
type Latency struct {
	Decisions int64   `json:"decisions"`
	Batch     int     `json:"batch"` // decisions that were timed together; 1: each alone
	ClockNS   int64   `json:"clock_ns"`
	P50       float64 `json:"p50"`
	P90       float64 `json:"p90"`
	P99       float64 `json:"p99"`
	P999      float64 `json:"p99_9"`
	Max       float64 `json:"max"` // of single decisions, always
}

// Memory is what a limiter holds for its clients in one state, in a fresh process and after a forced collection.
type Memory struct {
	Clients  int64  `json:"clients"`
	Limit    int64  `json:"limit"`
	WindowNS int64  `json:"window_ns"`
	Used     int64  `json:"used"`  // requests of each client in a window
	State    string `json:"state"` // one window | both windows | full | all left

	HeapBytes    float64  `json:"heap_bytes"`    // live heap per client
	RSSBytes     *float64 `json:"rss_bytes"`     // resident memory per client by the system; null where it does not tell
	AccountBytes *float64 `json:"account_bytes"` // by the limiter's own account per client; null if it keeps none
	ByAccount    bool     `json:"by_account"`    // too many to hold: scaled up from the account of fewer clients
	CollectionMS float64  `json:"collection_ms"` // a collection with all of it alive, the median of five
	Remembered   *int64   `json:"remembered"`    // clients by the limiter's own count; null if it keeps none
}

// Stall is the longest decision while clients leave and are cleaned away, and the longest that the machine itself
// took in the same way for no limiter at all.
type Stall struct {
	Clients   int64 `json:"clients"`
	Decisions int64 `json:"decisions"`
	LongestNS int64 `json:"longest_ns"`
	MachineNS int64 `json:"machine_ns"`
}

// PatternSpeed is the cost under a traffic pattern, merged in time order over all clients, the time told.
type PatternSpeed struct {
	Pattern        string   `json:"pattern"`
	Clients        int64    `json:"clients"`
	Limit          int64    `json:"limit"`
	WindowNS       int64    `json:"window_ns"`
	Requests       int64    `json:"requests"`
	RefusedShare   float64  `json:"refused_share"`
	NsPerOp        float64  `json:"ns_per_op"` // median over blocks of requests
	NsPerOpCI      *CI      `json:"ns_per_op_ci"`
	BytesPerClient *float64 `json:"bytes_per_client"` // at the end, by the limiter's own account
}
