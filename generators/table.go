package generators

import (
	"fmt"
	"strings"
)

// A Pattern is one way for a client's requests to lie in time.
type Pattern struct {
	Name     string
	Args     string   // as written behind the name, ":f" or ":misalign=D"; "" if there are none
	Doc      string   // how the requests come, to be read after "requests come"
	Closed   bool     // the requests depend on the decisions, so that each contestant sees its own
	Examples []string // patterns that show every argument; what walks the table runs these

	// New reads what stands behind the first colon, "" if there is no colon, and returns how to make a Source. Open-loop
	// patterns make Fillers.
	New func(args string) (func() Source, error)

	scripted bool                     // it has its own arrivals, whatever the rate of the client
	worst    bool                     // it asks the contestant for its worst arrivals
	say      func(args string) string // the Doc with the arguments filled in; nil: the same
}

// Patterns lists all patterns. To add one, write a file with its row (poisson.go is a small one) and add the row's line here.
// Workloads, the list command, shell completion, the property tests and the benchmarks walk this table.
var Patterns = []Pattern{
	uniformPattern,
	poissonPattern,
	frontPattern,
	backPattern,
	endPattern,
	burstyPattern,
	diurnalPattern,
	flashcrowdPattern,
	retryPattern,
	atPattern,
	worstPattern,
}

// PatternNames returns the names of all patterns in the order of Patterns.
func PatternNames() []string {
	names := make([]string, len(Patterns))
	for i, p := range Patterns {
		names[i] = p.Name
	}
	return names
}

// plain is the New of a pattern without arguments.
func plain(source func() Source) func(string) (func() Source, error) {
	return func(args string) (func() Source, error) {
		if args != "" {
			return nil, fmt.Errorf("it takes no argument, so not %q either", args)
		}
		return source, nil
	}
}

// parsePattern reads NAME or NAME:ARGS.
func parsePattern(text string) (*Pattern, func() Source, error) {
	name, args, given := strings.Cut(text, ":")
	for i := range Patterns {
		p := &Patterns[i]
		if p.Name != name {
			continue
		}
		if given && args == "" {
			return nil, nil, fmt.Errorf("pattern %q: nothing behind the colon: write %s%s", text, p.Name, p.Args)
		}
		source, err := p.New(args)
		if err != nil {
			return nil, nil, fmt.Errorf("pattern %q: %w", text, err)
		}
		return p, source, nil
	}
	return nil, nil, fmt.Errorf("pattern %q is not known: did you mean %s? (there are %s)",
		text, nearest(name, PatternNames()), strings.Join(PatternNames(), ", "))
}
