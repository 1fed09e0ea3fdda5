package results

import (
	"errors"
	"fmt"
	"math/bits"
	"sort"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// String returns "i/n".
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }

// Holds reports whether a client of a trace belongs to the shard: shards are equal ranges of a fixed hash of the key, in order.
func (s Shard) Holds(key string) bool {
	if s.Count <= 1 {
		return true
	}
	index, _ := bits.Mul64(xxhash.Sum64String(key), uint64(s.Count))
	return int(index) == s.Index
}

// check verifies what Merge and Fill rely on in a part that was read from a file.
func (p *Part) check(runs int) error {
	if p.Shard.Count < 1 || p.Shard.Index < 0 || p.Shard.Index >= p.Shard.Count {
		return fmt.Errorf("shard %s: want i/n with 0 <= i < n", p.Shard)
	}
	for _, tallies := range append([][]*Tally{p.Tallies}, p.Placed...) {
		if err := checkTallies(tallies, runs); err != nil {
			return err
		}
	}
	return nil
}

func checkTallies(tallies []*Tally, runs int) error {
	if len(tallies) != runs {
		return fmt.Errorf("%d tallies for %d runs: the file was changed or cut", len(tallies), runs)
	}
	for _, t := range tallies {
		if t == nil {
			return errors.New("a tally is missing: the file was changed or cut")
		}
		for _, a := range t.Algorithms {
			if a == nil || len(a.Peaks) == 0 || len(a.ErrorByClient) != len(errorEdges().units)+1 {
				return errors.New("a tally is incomplete: the file was changed or cut")
			}
		}
	}
	return nil
}

// Merge adds the parts of one sharded run to the whole, whose Runs equal those of the unsharded run byte for byte. It
// refuses parts that are unsharded, doubled, interrupted or foreign (another configuration or input), and missing ones
// unless partial is set: then the result is marked partial. The parts' names, for messages, stand in names.
func Merge(parts []*File, names []string, partial bool) (*File, error) {
	if len(parts) == 0 {
		return nil, errors.New("nothing to merge: name the parts that --shard wrote")
	}
	byIndex := map[int]string{}
	var interrupted bool
	for i, f := range parts {
		if f.Part == nil {
			return nil, fmt.Errorf("%s is no part: only files written with --shard i/n can be merged", names[i])
		}
		p, first := f.Part, parts[0].Part
		if p.Shard.Count != first.Shard.Count {
			return nil, fmt.Errorf("%s is shard %s but %s is shard %s: they are parts of different divisions", names[i], p.Shard, names[0], first.Shard)
		}
		if p.ConfigDigest != first.ConfigDigest || len(f.Runs) != len(parts[0].Runs) {
			return nil, fmt.Errorf("%s was made with other settings or input than %s (digest %.12s and %.12s): merge parts of one run only", names[i], names[0], p.ConfigDigest, first.ConfigDigest)
		}
		if other, ok := byIndex[p.Shard.Index]; ok {
			return nil, fmt.Errorf("shard %s comes twice: in %s and %s", p.Shard, other, names[i])
		}
		byIndex[p.Shard.Index] = names[i]
		if f.Partial && !partial {
			return nil, fmt.Errorf("%s was interrupted: run shard %s again, or pass --partial", names[i], p.Shard)
		}
		interrupted = interrupted || f.Partial
	}
	missing := missingShards(byIndex, parts[0].Part.Shard.Count)
	if len(missing) > 0 && !partial {
		return nil, fmt.Errorf("missing %s: run %s too, or pass --partial", strings.Join(missing, ", "), plural(len(missing)))
	}

	sorted := append([]*File{}, parts...)
	sort.Slice(sorted, func(i, j int) bool { return sorted[i].Part.Shard.Index < sorted[j].Part.Shard.Index })
	whole := &File{
		Schema: Schema, Tool: sorted[0].Tool, Partial: interrupted || len(missing) > 0,
		Warnings: mergeWarnings(sorted, missing), Runs: append([]Run{}, sorted[0].Runs...),
	}
	placed := len(sorted[0].Part.Placed) // fewer where a part was interrupted
	for _, f := range sorted {
		placed = min(placed, len(f.Part.Placed))
	}
	traffic, err := sumTraffic(sorted)
	if err != nil {
		return nil, err
	}
	for r := range whole.Runs {
		run := &whole.Runs[r]
		run.Shard = nil
		sum, err := sumTallies(sorted, func(p *Part) *Tally { return p.Tallies[r] })
		if err != nil {
			return nil, err
		}
		sum.Fill(run)
		run.ForgetBands()
		if run.Input != nil && run.Input.Traffic != nil && traffic != nil {
			input := *run.Input
			input.Traffic = traffic.Traffic(input.Traffic.SpanNS, input.Traffic.ResolutionNS)
			run.Input = &input
		}
		for k := range placed {
			if sum, err = sumTallies(sorted, func(p *Part) *Tally { return p.Placed[k][r] }); err != nil {
				return nil, err
			}
			var other Run
			sum.Fill(&other)
			run.Widen(&other)
		}
	}
	return whole, nil
}

// sumTraffic adds up what the clients' requests are like; nil if some part does not know.
func sumTraffic(parts []*File) (*TrafficTally, error) {
	sum := NewTrafficTally()
	for _, f := range parts {
		t := f.Part.Traffic
		switch {
		case t == nil:
			return nil, nil
		case len(t.Windows) != len(sum.Windows):
			return nil, fmt.Errorf("shard %s looks at %d windows, not %d: the file was changed or cut", f.Part.Shard, len(t.Windows), len(sum.Windows))
		}
		sum.Add(t)
	}
	return sum, nil
}

// sumTallies adds up what of picks of each part.
func sumTallies(parts []*File, of func(*Part) *Tally) (*Tally, error) {
	first := of(parts[0].Part)
	sum := &Tally{ClosedLoop: first.ClosedLoop}
	if first.RefusedBy != nil {
		sum.RefusedBy = make([]int64, len(first.RefusedBy))
	}
	for _, a := range first.Algorithms {
		empty := NewAlgorithmTally(a.Name, a.Limit, a.WindowNS)
		empty.Bound, empty.Estimates = a.Bound, a.Estimates
		for _, p := range a.Peaks {
			empty.Peaks = append(empty.Peaks, Peak{Limit: p.Limit, WindowNS: p.WindowNS})
		}
		sum.Algorithms = append(sum.Algorithms, empty)
	}
	for _, f := range parts {
		t := of(f.Part)
		if len(t.Algorithms) != len(sum.Algorithms) {
			return nil, fmt.Errorf("shard %s holds %d algorithms where shard %s holds %d", f.Part.Shard, len(t.Algorithms), parts[0].Part.Shard, len(sum.Algorithms))
		}
		for i, a := range t.Algorithms {
			if a.Name != sum.Algorithms[i].Name || len(a.Peaks) != len(sum.Algorithms[i].Peaks) {
				return nil, fmt.Errorf("shard %s holds %q where shard %s holds %q", f.Part.Shard, a.Name, parts[0].Part.Shard, sum.Algorithms[i].Name)
			}
		}
		sum.Add(t)
	}
	return sum, nil
}

func missingShards(have map[int]string, count int) (missing []string) {
	for i := range count {
		if _, ok := have[i]; ok {
			continue
		}
		if len(missing) == 10 {
			return append(missing, fmt.Sprintf("and %d more", count-len(have)-10))
		}
		missing = append(missing, "shard "+Shard{i, count}.String())
	}
	return missing
}

func plural(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

func mergeWarnings(parts []*File, missing []string) []string {
	warnings := []string{}
	seen := map[string]bool{}
	for _, f := range parts {
		for _, w := range f.Warnings {
			if !seen[w] {
				seen[w] = true
				warnings = append(warnings, w)
			}
		}
	}
	if len(missing) > 0 {
		warnings = append(warnings, "merged without "+strings.Join(missing, ", "))
	}
	return warnings
}
