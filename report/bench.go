package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchmath"

	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

// bench prints what limiters cost: the figures that decide first, then each part.
func bench(w io.Writer, r *results.Run) error {
	b := r.Bench
	about := fmt.Sprintf("bench: %s, limit %s, %s of about %s, medians with 95 %% intervals; two readings of the clock take %s",
		human.Plural(int64(len(r.Algorithms)), "limiter"), limitPer(r.Limit, r.WindowNS), human.Plural(int64(b.Rounds), "round"),
		human.Duration(b.SampleNS), nanos(float64(b.ClockNS)))
	if r.Seed != nil {
		about += fmt.Sprintf(", seed %d", *r.Seed)
	}
	if err := paragraph(w, about+".", "  "); err != nil {
		return err
	}
	for _, part := range []func(io.Writer, *results.Run) error{glance, cheapest, speeds, memories, fullClients, stalls, patterns} {
		if err := part(w, r); err != nil {
			return err
		}
	}
	return nil
}

// nanos prints nanoseconds with two or three digits.
func nanos(ns float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if ns >= 0.9995*u.size {
			return digits3(ns/u.size) + " " + u.name
		}
	}
	return digits3(ns) + " ns"
}

// digits3 prints three digits, or all before the point.
func digits3(x float64) string {
	decimals := 0
	switch {
	case x < 9.995:
		decimals = 2
	case x < 99.95:
		decimals = 1
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

// ns is a cell of nanoseconds with half the width of its interval in percent.
func ns(x float64, ci *results.CI) cell {
	c := text(digits3(x))
	if ci != nil && x > 0 {
		c.more = fmt.Sprintf("±%.0f%%", 100*max(x-ci[0], ci[1]-x)/x)
		c.short = c.text
	}
	return c
}

// shownName leaves the prefix of libraries out, which all of them share.
func shownName(name string) string { return human.Escape(strings.TrimPrefix(name, "peer:")) }

func optional[T any](x *T, show func(T) string) cell {
	if x == nil {
		return text("-")
	}
	return text(show(*x))
}

// leading returns the measurement with most keys of one order, on its own clock under the run's limit.
func leading(a *results.Algorithm, order string, goroutines int) (found *results.Speed) {
	for i := range a.Cost.Speed {
		s := &a.Cost.Speed[i]
		if s.Order == order && s.Goroutines == goroutines && s.Clock == "own" && s.Refused == "asis" && (found == nil || s.Keys > found.Keys) {
			found = s
		}
	}
	return found
}

// glance is one line for each contestant.
func glance(w io.Writer, r *results.Run) error {
	t := &grid{columns: []column{
		{head: "limiter", left: true}, {head: "ns,\nuniform"}, {head: "ns,\nzipf"}, {head: "bytes a\nclient"}, {head: "collect,\nms"},
		{head: "stall,\nms"}, {head: "allocs"}, {head: "decides\nwrongly"}, {head: "of\nlimit"},
	}}
	keys, clients := int64(0), int64(0)
	for i := range r.Algorithms {
		a := &r.Algorithms[i]
		speed := func(order string) cell {
			s := leading(a, order, 1)
			if s == nil {
				return text("-")
			}
			keys = max(keys, s.Keys)
			return ns(s.NsPerOp, s.NsPerOpCI)
		}
		collect := text("-")
		for _, m := range a.Cost.Memory {
			if m.State == "both windows" && m.Clients >= clients {
				clients, collect = m.Clients, text(digits3(m.CollectionMS))
			}
		}
		stall := text("-")
		if s := a.Cost.Stall; s != nil {
			stall = text(digits3(float64(s.LongestNS) / 1e6))
		}
		wrong, peak := text("-"), text("-")
		if a.Requests > a.Errors {
			wrong, peak = text(human.Percent(float64(a.OverAdmitted+a.OverRefused)/float64(a.Requests))+" %"), text(human.Ratio(a.PeakRatio))
		}
		t.add(text(shownName(a.Name)), speed("uniform"), speed("zipf"), optional(a.Cost.BytesPerClient, digits3), collect, stall,
			optional(a.Cost.AllocsPerOp, allocs), wrong, peak)
	}
	if !anything(r) {
		return nil
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	if err := t.write(w); err != nil {
		return err
	}
	var notes []string
	if slices.ContainsFunc(r.Algorithms, func(a results.Algorithm) bool { return strings.HasPrefix(a.Name, "peer:") }) {
		notes = append(notes, "Libraries stand without their prefix peer:.")
	}
	if keys > 0 {
		notes = append(notes, fmt.Sprintf("ns: of a decision among %s clients, one goroutine, own clock.", human.Commas(keys)))
	}
	if clients > 0 {
		notes = append(notes, fmt.Sprintf("Bytes: live heap with %s clients, both windows in use; collect: one collection of it.", human.Commas(clients)))
	}
	for i := range r.Algorithms {
		if s := r.Algorithms[i].Cost.Stall; s != nil {
			notes = append(notes, fmt.Sprintf("Stall: the longest decision while clients come and go, the machine's own stalls included (%s without a limiter).", nanos(float64(s.MachineNS))))
			break
		}
	}
	if r.Model != "" {
		notes = append(notes, "Decides wrongly, of limit: by its own history, and its worst window, on Poisson traffic at nine tenths of the limit.")
	}
	return legend(w, strings.Join(notes, " "))
}

// anything reports whether a line at a glance has something to show.
func anything(r *results.Run) bool {
	for i := range r.Algorithms {
		if c := r.Algorithms[i].Cost; len(c.Speed)+len(c.Memory) > 0 || c.Stall != nil {
			return true
		}
	}
	return false
}

func allocs(x float64) string {
	if x < 0.005 {
		return "0"
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

// cheapest says who is fastest and smallest, and whether the machine was quiet enough to say so.
func cheapest(w io.Writer, r *results.Run) error {
	var sentences []string
	if s := fastest(r); s != "" {
		sentences = append(sentences, s)
	}
	if s := smallest(r); s != "" {
		sentences = append(sentences, s)
	}
	if noise := noiseOf(r.Bench.Reference); noise > 1.1 {
		sentences = append(sentences, fmt.Sprintf("THE MACHINE WAS NOT QUIET: the same piece of arithmetic took up to %s as long as at best, so that smaller differences than that mean little.", human.Ratio(noise)))
	}
	if len(sentences) == 0 {
		return nil
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return paragraph(w, strings.Join(sentences, " "), "")
}

// noiseOf is the largest by the smallest.
func noiseOf(samples []float64) float64 {
	if len(samples) == 0 {
		return 1
	}
	return slices.Max(samples) / slices.Min(samples)
}

// ranked are the contestants' headline measurements, fastest first, without the reference rows.
func ranked(r *results.Run) (names []string, speeds []*results.Speed) {
	var all []int
	for i := range r.Algorithms {
		if a := &r.Algorithms[i]; !isReference(a.Name) && leading(a, "uniform", 1) != nil {
			all = append(all, i)
		}
	}
	at := func(i int) *results.Speed { return leading(&r.Algorithms[i], "uniform", 1) }
	slices.SortStableFunc(all, func(i, j int) int {
		return int(math.Copysign(1, at(i).NsPerOp-at(j).NsPerOp))
	})
	for _, i := range all {
		names, speeds = append(names, shownName(r.Algorithms[i].Name)), append(speeds, at(i))
	}
	return names, speeds
}

func fastest(r *results.Run) string {
	names, speeds := ranked(r)
	if len(names) < 2 {
		return ""
	}
	s := fmt.Sprintf("Fastest among %s clients is %s", human.Commas(speeds[0].Keys), names[0])
	var same []string
	for i := 1; i < len(names); i++ {
		if distinct(speeds[0].Samples, speeds[i].Samples) {
			break
		}
		same = append(same, names[i])
	}
	if len(same) > 0 {
		s += ", which this measurement can't tell from " + human.List(same)
	}
	if next := 1 + len(same); next < len(names) {
		s += fmt.Sprintf("; then comes %s with %s the time", names[next], human.Ratio(speeds[next].NsPerOp/speeds[0].NsPerOp))
	}
	return s + "."
}

// distinct reports whether two samples differ by more than chance, at 5 %.
func distinct(a, b []float64) bool {
	sample := func(v []float64) *benchmath.Sample {
		return benchmath.NewSample(slices.Clone(v), &benchmath.DefaultThresholds)
	}
	c := benchmath.AssumeNothing.Compare(sample(a), sample(b))
	return c.P < c.Alpha
}

func smallest(r *results.Run) string {
	best, second := -1, -1
	for i := range r.Algorithms {
		a := &r.Algorithms[i]
		if isReference(a.Name) || a.Cost.BytesPerClient == nil {
			continue
		}
		switch b := *a.Cost.BytesPerClient; {
		case best < 0 || b < *r.Algorithms[best].Cost.BytesPerClient:
			best, second = i, best
		case second < 0 || b < *r.Algorithms[second].Cost.BytesPerClient:
			second = i
		}
	}
	if second < 0 {
		return ""
	}
	a, b := &r.Algorithms[best], &r.Algorithms[second]
	return fmt.Sprintf("Smallest is %s with %s bytes a client, then %s with %s.", shownName(a.Name), digits3(*a.Cost.BytesPerClient),
		shownName(b.Name), digits3(*b.Cost.BytesPerClient))
}

// A loadName is what measurements of speed have in common.
type loadName struct {
	clock, refused string
	keys           int64
	order          string
}

func (l loadName) title(distinct int64) string {
	s := fmt.Sprintf("%s clients, %s", human.Commas(l.keys), l.order)
	if l.keys == 1 {
		s = "1 client"
	} else if distinct < l.keys {
		s += fmt.Sprintf(" (%s asked)", human.Commas(distinct))
	}
	if l.refused != "asis" {
		s += ", refused: " + l.refused
	}
	switch l.clock {
	case "told":
		s += ", time told"
	case "batch":
		s += ", time told, 64-bit keys, batches"
	}
	return s
}

// speeds has a section for each load, and in it a line for each contestant.
func speeds(w io.Writer, r *results.Run) error {
	t := &grid{columns: []column{
		{head: "limiter", left: true}, {head: "ns"}, {head: "ns on\nall cores"}, {head: "×"}, {head: "p50"}, {head: "p99"}, {head: "p99.9"}, {head: "longest,\nµs"},
		{head: "refused,\n%"}, {head: "M/s"},
	}}
	var order []loadName
	asked := map[loadName]int64{}
	for i := range r.Algorithms {
		for _, s := range r.Algorithms[i].Cost.Speed {
			l := loadName{s.Clock, s.Refused, s.Keys, s.Order}
			if _, ok := asked[l]; !ok {
				order = append(order, l)
			}
			asked[l] = max(asked[l], s.Distinct)
		}
	}
	if len(order) == 0 {
		return nil
	}
	for _, l := range order {
		t.section(l.title(asked[l]))
		for i := range r.Algorithms {
			if cells := speedRow(&r.Algorithms[i], l); cells != nil {
				t.add(cells...)
			}
		}
	}
	if err := heading(w, "The time of a decision"); err != nil {
		return err
	}
	if err := t.write(w); err != nil {
		return err
	}
	return legend(w, "ns: one goroutine; ×: how many times as many decisions all cores make. p50 to p99.9: ns, of single decisions or, where one is shorter "+
		"than the clock can tell, of short batches, the clock's own cost included. M/s: million decisions a second, all cores. Refused: what the "+
		"limit came to at that speed, one goroutine.")
}

func speedRow(a *results.Algorithm, l loadName) []cell {
	var one, all *results.Speed
	for i := range a.Cost.Speed {
		s := &a.Cost.Speed[i]
		if (loadName{s.Clock, s.Refused, s.Keys, s.Order}) != l {
			continue
		}
		if s.Goroutines == 1 {
			one = s
		} else {
			all = s
		}
	}
	if one == nil {
		return nil
	}
	cells := []cell{text(shownName(a.Name)), ns(one.NsPerOp, one.NsPerOpCI)}
	rate := one.NsPerOp
	if all != nil {
		cells = append(cells, ns(all.NsPerOp, all.NsPerOpCI), text(digits3(one.NsPerOp/all.NsPerOp)))
		rate = all.NsPerOp
	} else {
		cells = append(cells, text("-"), text("-"))
	}
	if q := one.Latency; q != nil {
		cells = append(cells, text(digits3(q.P50)), text(digits3(q.P99)), text(digits3(q.P999)), text(digits3(q.Max/1e3)))
	} else {
		cells = append(cells, text("-"), text("-"), text("-"), text("-"))
	}
	return append(cells, text(human.Percent(one.RefusedShare)), text(digits3(1e3/rate)))
}

// memories has a section for each number of clients.
func memories(w io.Writer, r *results.Run) error {
	var sizes []int64
	for i := range r.Algorithms {
		for _, m := range r.Algorithms[i].Cost.Memory {
			if m.State != "full" && !slices.Contains(sizes, m.Clients) {
				sizes = append(sizes, m.Clients)
			}
		}
	}
	if len(sizes) == 0 {
		return nil
	}
	slices.Sort(sizes)
	t := &grid{columns: []column{
		{head: "limiter", left: true}, {head: "one\nwindow"}, {head: "both\nwindows"}, {head: "by its own\naccount"}, {head: "resident"}, {head: "all\nleft"}, {head: "collect,\nms"},
	}}
	for _, clients := range sizes {
		t.section(human.Commas(clients) + " clients")
		for i := range r.Algorithms {
			state := map[string]*results.Memory{}
			for k := range r.Algorithms[i].Cost.Memory {
				if m := &r.Algorithms[i].Cost.Memory[k]; m.Clients == clients {
					state[m.State] = m
				}
			}
			one, both, left := state["one window"], state["both windows"], state["all left"]
			if one == nil || both == nil || left == nil {
				continue
			}
			t.add(text(shownName(r.Algorithms[i].Name)), text(digits3(one.HeapBytes)), text(digits3(both.HeapBytes)),
				optional(both.AccountBytes, digits3), optional(both.RSSBytes, digits3), text(digits3(left.HeapBytes)), text(digits3(both.CollectionMS)))
		}
	}
	if err := heading(w, "Bytes a client, live heap in a process of its own"); err != nil {
		return err
	}
	return t.write(w)
}

// fullClients shows memory against the limit.
func fullClients(w io.Writer, r *results.Run) error {
	var limits []int64
	for i := range r.Algorithms {
		for _, m := range r.Algorithms[i].Cost.Memory {
			if m.State == "full" && !slices.Contains(limits, m.Limit) {
				limits = append(limits, m.Limit)
			}
		}
	}
	if len(limits) == 0 {
		return nil
	}
	slices.Sort(limits)
	t := &grid{columns: []column{{head: "limiter", left: true}}}
	for _, limit := range limits {
		t.columns = append(t.columns, column{head: "limit\n" + human.Count(limit)}, column{head: "clients"})
	}
	for i := range r.Algorithms {
		cells := []cell{text(shownName(r.Algorithms[i].Name))}
		some := false
		for _, limit := range limits {
			found := [2]cell{text("-"), text("-")}
			for _, m := range r.Algorithms[i].Cost.Memory {
				if m.State == "full" && m.Limit == limit && !m.ByAccount {
					found, some = [2]cell{text(digits3(m.HeapBytes)), text(human.Count(m.Clients))}, true
				}
			}
			cells = append(cells, found[0], found[1])
		}
		if some {
			t.add(cells...)
		}
	}
	if err := heading(w, "Bytes a client if each uses all of the limit"); err != nil {
		return err
	}
	if err := t.write(w); err != nil {
		return err
	}
	return legend(w, "Live heap of as many clients as stand beside it; more would not have fitted the time or the memory, and are in the result file by account.")
}

// stalls compares the longest decision with the machine's own.
func stalls(w io.Writer, r *results.Run) error {
	t := &grid{columns: []column{
		{head: "limiter", left: true}, {head: "longest"}, {head: "the machine's\nown"}, {head: "clients\nat once"}, {head: "decisions"},
	}}
	for i := range r.Algorithms {
		if s := r.Algorithms[i].Cost.Stall; s != nil {
			t.add(text(shownName(r.Algorithms[i].Name)), text(nanos(float64(s.LongestNS))), text(nanos(float64(s.MachineNS))),
				text(human.Commas(s.Clients)), text(human.Count(s.Decisions)))
		}
	}
	if len(t.rows) == 0 {
		return nil
	}
	if err := heading(w, "The longest decision while clients come and go"); err != nil {
		return err
	}
	return t.write(w)
}

// patterns has a line for each contestant and pattern.
func patterns(w io.Writer, r *results.Run) error {
	t := &grid{columns: []column{
		{head: "limiter", left: true}, {head: "pattern", left: true}, {head: "ns"}, {head: "bytes a\nclient"}, {head: "refused,\n%"}, {head: "requests"},
	}}
	var first *results.PatternSpeed
	for i := range r.Algorithms {
		for k := range r.Algorithms[i].Cost.Patterns {
			p := &r.Algorithms[i].Cost.Patterns[k]
			if first == nil {
				first = p
			}
			t.add(text(shownName(r.Algorithms[i].Name)), text(human.Escape(p.Pattern)), ns(p.NsPerOp, p.NsPerOpCI), optional(p.BytesPerClient, digits3),
				text(human.Percent(p.RefusedShare)), text(human.Count(p.Requests)))
		}
	}
	if first == nil {
		return nil
	}
	if err := heading(w, fmt.Sprintf("By pattern: %s clients merged in time order, limit %s", human.Commas(first.Clients), limitPer(first.Limit, first.WindowNS))); err != nil {
		return err
	}
	if err := t.write(w); err != nil {
		return err
	}
	return legend(w, "The time is told, keys are 64-bit numbers, one call for each request. Bytes: by the limiter's own account, at the end.")
}
