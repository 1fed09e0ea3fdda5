package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

// What Cloudflare published about its sliding window counter ("How we built rate limiting capable of scaling to millions of
// domains", 2017), as text: these are printed beside the measured figures and go into none of them.
const (
	publishedRequests  = "400 million"
	publishedSources   = "270,000"
	publishedMisjudged = "0.003 %"
	publishedError     = "6 %"
	publishedAllowed   = "3"
	publishedExcess    = "less than 15 %"
	publishedLimited   = "none"
)

// publishedShare is publishedMisjudged as a number, to say on which side of it a measured share lies.
const publishedShare = 0.003e-2

// cloudflare prints the full run, its figures beside the published ones, the traffic model, and how the misjudged share
// moves with the spread of rates and the limit in the other runs.
func cloudflare(w io.Writer, g *group) error {
	full := group{runs: g.runs[:1]}
	model := *full.runs[0]
	plain := model
	plain.Model = ""
	full.runs = []*results.Run{&plain}
	full.compare()
	if err := head(w, &full); err != nil {
		return err
	}
	if err := beside(w, &model); err != nil {
		return err
	}
	if model.Model != "" {
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
		if err := paragraph(w, "Traffic model: "+human.Escape(model.Model), ""); err != nil {
			return err
		}
	}
	if err := heading(w, "Decisions of the full run"); err != nil {
		return err
	}
	if err := figures(w, &full); err != nil {
		return err
	}
	if len(g.runs) > 1 {
		return spread(w, g.runs[1:], &model)
	}
	return nil
}

// judged is the contestant whose estimate is compared: the counter that counts as Cloudflare's does, or else any counter,
// or else the first with an estimate; -1 if none has one.
func judged(r *results.Run) int {
	best, rank := -1, 0
	for i, a := range r.Algorithms {
		this := 1
		switch {
		case a.Estimate == nil:
			continue
		case strings.HasPrefix(a.Name, "counter") && strings.Contains(a.Name, "count=all"):
			this = 3
		case strings.HasPrefix(a.Name, "counter"):
			this = 2
		}
		if this > rank {
			best, rank = i, this
		}
	}
	return best
}

// beside prints each published number next to what was measured.
func beside(w io.Writer, r *results.Run) error {
	i := judged(r)
	if i < 0 {
		return paragraph(w, "No contestant has an estimate to compare with what Cloudflare published: add -a counter.", "")
	}
	a := &r.Algorithms[i]
	e := a.Estimate
	t := &grid{columns: []column{{left: true}, {head: "measured"}, {head: "published"}}}
	percent := func(c cell) cell {
		if c.text == "-" {
			return c
		}
		return text(strings.Replace(c.joined(), "±", " ±", 1) + " %")
	}
	worst := "-"
	if e.ClientsWronglyAllowed > 0 {
		worst = "at most " + human.Percent(e.WorstExcess) + " %"
	}
	t.add(text("requests wrongly allowed or limited"), percent(share(e.MisjudgedRequests, a.Requests, e.MisjudgedRequestsCI)), text(publishedMisjudged))
	t.add(text("difference of approximate and real rate, mean"), percent(mean(e.MeanError, e.MeanErrorCI)), text(publishedError))
	t.add(text("the same, mean over sources"), percent(mean(e.MeanErrorByClient, e.MeanErrorByClientCI)), text(""))
	t.add(text("sources let through though above the limit"), text(human.Count(e.ClientsWronglyAllowed)), text(publishedAllowed))
	t.add(text("how far these were above it"), text(worst), text(publishedExcess))
	t.add(text("sources limited though never above it"), text(human.Count(e.ClientsWronglyLimited)), text(publishedLimited))
	t.add(text("requests"), text(human.Count(a.Requests)), text(publishedRequests))
	t.add(text("sources"), text(human.Count(r.Clients)), text(publishedSources))
	if err := t.write(w); err != nil {
		return err
	}
	return legend(w, "Measured: "+human.Shorten(human.Escape(a.Name), 40)+". Published: Cloudflare, \"How we built rate limiting capable of "+
		"scaling to millions of domains\", 2017; never fed into the run.")
}

// A setting is one run of the second table: a spread of rates against a limit.
type setting struct {
	run *results.Run
	alg *results.Algorithm
}

func (s setting) misjudged() float64 { return ratio(s.alg.Estimate.MisjudgedRequests, s.alg.Requests) }

// farther tells whether the mean rate of s is farther below its limit than that of o.
func (s setting) farther(o setting) bool {
	return s.run.Load != nil && o.run.Load != nil && *s.run.Load < *o.run.Load
}

func (s setting) name() string {
	return fmt.Sprintf("%s, limit %s", human.Escape(s.run.Rates), human.Count(s.run.Limit))
}

// spread prints the misjudged share by spread of rates and limit, the worst excess below each.
func spread(w io.Writer, runs []*results.Run, full *results.Run) error {
	var rates []string
	var limits []int64
	var all []setting
	at := map[string]map[int64]setting{}
	for _, r := range runs {
		i := judged(r)
		if i < 0 || r.Algorithms[i].Requests == 0 {
			continue
		}
		s := setting{r, &r.Algorithms[i]}
		all = append(all, s)
		if at[r.Rates] == nil {
			at[r.Rates] = map[int64]setting{}
			rates = append(rates, r.Rates)
		}
		if !slices.Contains(limits, r.Limit) {
			limits = append(limits, r.Limit)
		}
		at[r.Rates][r.Limit] = s
	}
	if len(all) == 0 {
		return nil
	}
	slices.Sort(limits)
	title := fmt.Sprintf("%% of requests misjudged, worst excess below it; %s for each setting", human.Plural(all[0].run.Clients, "client"))
	if err := heading(w, title); err != nil {
		return err
	}
	const perBlock = 6 // limits side by side
	for from := 0; from < len(limits); from += perBlock {
		t := &grid{columns: []column{{head: "rates", left: true}}}
		block := limits[from:min(from+perBlock, len(limits))]
		for _, limit := range block {
			t.columns = append(t.columns, column{head: limitHead(all, limit)})
		}
		for _, name := range rates {
			shares, worst := []cell{text(human.Escape(name))}, []cell{text("  worst excess")}
			for _, limit := range block {
				s, ok := at[name][limit]
				if !ok {
					shares, worst = append(shares, text("")), append(worst, text(""))
					continue
				}
				e := s.alg.Estimate
				shares = append(shares, text(share(e.MisjudgedRequests, s.alg.Requests, e.MisjudgedRequestsCI).upper(e.MisjudgedRequests)))
				worst = append(worst, text(excess(e.WorstExcess)))
			}
			t.add(shares...)
			t.add(worst...)
		}
		if from > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := t.write(w); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return paragraph(w, message(all, full), "")
}

// upper is the cell without its interval, unless nothing was seen: then the interval is all that is known.
func (c cell) upper(seen int64) string {
	if seen == 0 {
		return c.joined()
	}
	return c.text
}

// limitHead is a limit and, when all runs with it have one mean rate, how far it is from that.
func limitHead(all []setting, limit int64) string {
	head, far := "limit "+human.Count(limit), ""
	for _, s := range all {
		if s.run.Limit != limit {
			continue
		}
		if s.run.Load == nil || *s.run.Load <= 0 {
			return head
		}
		this := strings.Replace(human.Ratio(1 / *s.run.Load), "×", "× mean", 1)
		if far != "" && far != this {
			return head
		}
		far = this
	}
	return head + "\n" + far
}

// message says what the second table means, as far as its figures say it.
func message(all []setting, full *results.Run) string {
	least, most := all[0], all[0]
	above := 0
	for _, s := range all {
		if s.misjudged() < least.misjudged() || s.misjudged() == least.misjudged() && s.farther(least) {
			least = s
		}
		if s.misjudged() > most.misjudged() {
			most = s
		}
		if s.misjudged() > 10*publishedShare {
			above++
		}
	}
	if most.misjudged() == 0 {
		return "No request was misjudged in any of these settings: they all lie too far from their limits to say more."
	}
	if len(all) == 1 {
		return fmt.Sprintf("With %s, %s %% of requests are misjudged.", most.name(), human.Percent(most.misjudged()))
	}
	s := fmt.Sprintf("The misjudged share goes from %s %% (%s) to %s %% (%s)", human.Percent(least.misjudged()), least.name(),
		human.Percent(most.misjudged()), most.name())
	if least.misjudged() > 0 {
		s += fmt.Sprintf(", a factor of %s", human.Count(int64(most.misjudged()/least.misjudged()+0.5)))
	}
	s += ", by the same counter. "
	i := judged(full)
	if above > 0 && least.farther(most) {
		s += fmt.Sprintf("%d of %d settings are more than ten times above the published %s: a share that small is a property of traffic "+
			"far from its limit", above, len(all), publishedMisjudged)
		if full.Load != nil && i >= 0 && *full.Load > 0 {
			s += fmt.Sprintf(", as in the full run, whose limit is %s the mean rate", strings.Replace(human.Ratio(1 / *full.Load), "×", " ×", 1))
		}
		return s + ", and no promise of the algorithm."
	}
	if above > 0 {
		return s + fmt.Sprintf("%d of %d settings are more than ten times above the published %s: a share that small depends on the traffic.",
			above, len(all), publishedMisjudged)
	}
	return s + "None of these settings is more than ten times above the published " + publishedMisjudged + "."
}
