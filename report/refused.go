package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

// fewestSwept runs of one log are shown as a sweep of limits rather than one by one.
const fewestSwept = 5

// swept has a line for each limit, and for each contestant what it refuses and how many clients it hits.
func swept(w io.Writer, g *group) error {
	t := &grid{columns: []column{{head: "limit"}}}
	names := []string{}
	for _, r := range g.runs {
		for i := range r.Algorithms {
			if name := r.Algorithms[i].Name; !slices.Contains(names, name) && !isReference(name) {
				names = append(names, name)
				t.columns = append(t.columns, column{head: human.Escape(name) + "\n%"}, column{head: "\nclients"})
			}
		}
	}
	windows := map[int64]bool{}
	for _, r := range g.runs {
		windows[r.WindowNS] = true
	}
	before := int64(-1)
	for _, r := range g.runs {
		if title := "per " + human.Duration(r.WindowNS); len(windows) > 1 && r.WindowNS != before {
			t.section(title)
			before = r.WindowNS
		}
		cells := []cell{text(human.Count(r.Limit))}
		for _, name := range names {
			k := slices.IndexFunc(r.Algorithms, func(a results.Algorithm) bool { return a.Name == name })
			if k < 0 {
				cells = append(cells, text("-"), text("-"))
				continue
			}
			a := &r.Algorithms[k]
			cells = append(cells, share(a.Refused, a.Requests, nil), text(human.Count(a.ClientsRefused)))
		}
		t.add(cells...)
	}
	if err := t.write(w); err != nil {
		return err
	}
	about := fmt.Sprintf("%% of requests refused, and clients with a request refused, of %s.", human.Commas(g.runs[0].Clients))
	if len(windows) == 1 {
		about = "Limits per " + human.Duration(g.runs[0].WindowNS) + ". " + about
	}
	if err := legend(w, about+" All other figures are in the result file."); err != nil {
		return err
	}
	return failures(w, g)
}

// hardestShown is how many of the clients hit hardest are shown.
const hardestShown = 5

// refused says of a single replay who was refused most, and who refuses what others let pass.
func refused(w io.Writer, g *group) error {
	r := g.runs[0]
	if len(g.runs) != 1 || r.Input == nil {
		return nil
	}
	if err := hardest(w, r); err != nil {
		return err
	}
	return against(w, r)
}

// hardest lists the clients that any contestant hit hardest.
func hardest(w io.Writer, r *results.Run) error {
	t := &grid{columns: []column{{head: "client", left: true}, {head: "requests"}, {head: "% of\nall"}}}
	var names []string
	worst := map[string]results.HitClient{} // by the contestant that refused it most
	by := map[string]map[string]int64{}
	for i := range r.Algorithms {
		a := &r.Algorithms[i]
		if isReference(a.Name) {
			continue
		}
		names = append(names, a.Name)
		t.columns = append(t.columns, column{head: human.Escape(a.Name)})
		for _, h := range a.Hardest {
			if h.Refused > worst[h.Key].Refused {
				worst[h.Key] = h
			}
			if by[h.Key] == nil {
				by[h.Key] = map[string]int64{}
			}
			by[h.Key][a.Name] = h.Refused
		}
	}
	if len(worst) == 0 {
		return nil
	}
	var order []results.HitClient
	for _, h := range worst {
		order = append(order, h)
	}
	slices.SortFunc(order, func(a, b results.HitClient) int {
		if a.Refused != b.Refused {
			return int(min(max(b.Refused-a.Refused, -1), 1))
		}
		return strings.Compare(a.Key, b.Key)
	})
	for _, h := range order[:min(len(order), hardestShown)] {
		cells := []cell{text(human.Shorten(human.Escape(h.Key), 40)), text(human.Count(h.Requests)), share(h.Requests, *r.Requests, nil)}
		for _, name := range names {
			refused, known := by[h.Key][name]
			if !known {
				cells = append(cells, text("-"))
				continue
			}
			cells = append(cells, text(human.Count(refused)))
		}
		t.add(cells...)
	}
	if err := heading(w, "Hit hardest: requests refused"); err != nil {
		return err
	}
	if err := t.write(w); err != nil {
		return err
	}
	for i := range r.Algorithms {
		if a := &r.Algorithms[i]; a.Refused > 0 && !isReference(a.Name) {
			var top int64
			for _, h := range a.Hardest {
				top += h.Refused
			}
			return legend(w, fmt.Sprintf("%s refuses requests of %s in all; the ten hit hardest have %s %% of what it refuses. -: not among its ten.",
				human.Escape(a.Name), human.Plural(a.ClientsRefused, "client"), human.Percent(float64(top)/float64(a.Refused))))
		}
	}
	return nil
}

// against shows the requests that one contestant refuses and another lets pass.
func against(w io.Writer, r *results.Run) error {
	if len(r.Refusals) == 0 {
		return nil
	}
	var names []string
	for i := range r.Algorithms {
		if !isReference(r.Algorithms[i].Name) {
			names = append(names, r.Algorithms[i].Name)
		}
	}
	t := &grid{columns: []column{{head: "refused by", left: true}}}
	for _, name := range names {
		t.columns = append(t.columns, column{head: "not by\n" + human.Escape(name)})
	}
	some := false
	for _, a := range names {
		cells := []cell{text(human.Escape(a))}
		for _, b := range names {
			var n int64
			for _, s := range r.Refusals {
				if slices.Contains(s.By, a) && !slices.Contains(s.By, b) {
					n += s.Requests
				}
			}
			some = some || n > 0
			if a == b {
				cells = append(cells, text(""))
				continue
			}
			cells = append(cells, text(human.Count(n)))
		}
		t.add(cells...)
	}
	if !some {
		return nil
	}
	if err := heading(w, "What one refuses and another lets pass, in requests"); err != nil {
		return err
	}
	return t.write(w)
}
