package limiter

// An Algorithm is one row of Table: what people and programs need to know of it. The functions get the spec's settings and
// the limit that applies, which is valid.
type Algorithm struct {
	Name     string
	Doc      string   // the rule in one line
	Options  string   // as written in a spec, separated by ", "; "" if there are none
	Promise  string   // the most that one client gets in any closed window, L being the limit and B the burst
	Memory   string   // per client
	Examples []string // specs that show every option; what walks the table runs these

	accepts  []option
	require  func(settings) error                // refuses settings that lack something; nil: none do
	check    func(settings, Limit) error         // refuses limits that the settings can't go with; nil: none
	build    func(settings, Limit) member        // the state of a new client
	bound    func(settings, Limit) (int64, bool) // see Spec.Bound; a sum that exceeds int64 is its largest value
	safe     func(settings, Limit) int64         // see Spec.Safe
	worst    func(settings, Limit) []int64       // see Spec.Worst; not called where that is nil by size
	estimate func(settings) string               // see Spec.EstimateID; nil: none
}

// A member is a Limiter that can take part in a multi, which asks all before any counts.
type member interface {
	Limiter

	// check moves the clock to now and reports whether a request of that cost, at least 1, would be admitted.
	check(now, cost int64) bool

	// count counts a request at the time of the last check.
	count(cost int64)

	// countsRefused reports whether refused requests count too.
	countsRefused() bool
}

// Table lists all algorithms. To add one, write a file with its row (counter.go shows a whole one, reference.go the
// least) and add the row's line here. Parse, the list command, shell completion, the property tests and the benchmarks
// walk this table; only the tests' oracle wants the rule once more, in other words.
var Table = complete(
	logAlgorithm,
	counterAlgorithm,
	bucketsAlgorithm,
	fixedAlgorithm,
	gcraAlgorithm,
	tokenBucketAlgorithm,
	leakyBucketAlgorithm,
	multiAlgorithm,
	allowAllAlgorithm,
	denyAllAlgorithm,
)

func complete(rows ...Algorithm) []Algorithm {
	for i := range rows {
		rows[i].Options = forms(rows[i].accepts)
	}
	return rows
}

// Names returns the names of all algorithms in the order of Table.
func Names() []string {
	names := make([]string, len(Table))
	for i := range Table {
		names[i] = Table[i].Name
	}
	return names
}
