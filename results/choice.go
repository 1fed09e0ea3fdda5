package results

// A Choice is a recommendation among limiters for one traffic, limit and window, with everything that it rests on.
type Choice struct {
	Limit    int64  `json:"limit"`
	WindowNS int64  `json:"window_ns"`
	Proposed string `json:"proposed"` // why the limit is what it is, where it was proposed; "" if it was given
	Clients  int64  `json:"clients"`  // that memory is counted for
	Priority string `json:"priority"` // balanced | protect | serve

	Constraints []Constraint `json:"constraints"`
	Candidates  []Candidate  `json:"candidates"`  // best first
	Recommended string       `json:"recommended"` // "" if none keeps all constraints
	Nearest     string       `json:"nearest"`     // then, the one that misses them least

	Because     []string `json:"because"`      // four sentences
	WouldChange []string `json:"would_change"` // what would lead to another choice
}

// A Constraint is a figure of a candidate and the most that it may be.
type Constraint struct {
	Figure string  `json:"figure"` // peak_ratio | over_admitted | over_refused | clients_refused | memory_bytes
	Most   float64 `json:"most"`   // a ratio, a share, or bytes
	Given  bool    `json:"given"`  // by the user, and not by the priority
}

// A Candidate is a limiter with the figures that decide. Shares are of requests, but for ClientsRefused.
type Candidate struct {
	Name string `json:"name"`

	// Averages over the traffic.
	Refused        float64 `json:"refused"`
	OverAdmitted   float64 `json:"over_admitted"`
	OverRefused    float64 `json:"over_refused"`
	ClientsRefused float64 `json:"clients_refused"`

	// Worst cases, in limits: the worst window of any client in this traffic; what an adversary got who knows the
	// rule; the most that the rule can give, null where that is not known.
	PeakRatio     float64  `json:"peak_ratio"`
	AttackedRatio float64  `json:"attacked_ratio"`
	BoundRatio    *float64 `json:"bound_ratio"`

	BytesPerClient float64 `json:"bytes_per_client"` // as the traffic uses it
	MemoryBytes    float64 `json:"memory_bytes"`     // of all clients if each uses all of its limit
	NsPerOp        float64 `json:"ns_per_op"`

	Misses []string `json:"misses"` // the figures whose constraint it misses
}

// Figure returns what a constraint speaks of.
func (c *Candidate) Figure(name string) float64 {
	switch name {
	case "peak_ratio":
		return c.PeakRatio
	case "over_admitted":
		return c.OverAdmitted
	case "over_refused":
		return c.OverRefused
	case "clients_refused":
		return c.ClientsRefused
	}
	return c.MemoryBytes
}
