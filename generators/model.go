package generators

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rlbench/rlbench/internal/units"
)

// Model says in one sentence what the traffic is, for the head of a report. A workload that does not compile gives its
// error's text.
func (w Workload) Model() string {
	t, err := w.Compile()
	if err != nil {
		return err.Error()
	}
	var how []string
	for _, p := range t.parts {
		said := p.pattern.Doc
		if p.pattern.say != nil {
			_, args, _ := strings.Cut(p.text, ":")
			said = p.pattern.say(args)
		}
		if len(t.parts) > 1 {
			said = "from " + percentage(p.weight) + " of the clients " + said
		}
		how = append(how, said)
	}
	who, rates := "1 client", ""
	if w.Clients > 1 {
		who = grouped(w.Clients) + " independent clients"
		rates = "; the clients' mean rates are " + t.spread.say(strings.Trim(strings.TrimPrefix(w.Rates, t.spread.Name), "()"))
	}
	amount := fmt.Sprintf(", on average %s requests per client and window of %s", strconv.FormatFloat(w.PerWindow, 'g', 4, 64), units.FormatDuration(w.Window))
	if !slices.ContainsFunc(t.parts, func(p part) bool { return !p.pattern.scripted }) {
		amount, rates = "", ""
	}
	return fmt.Sprintf("%s%s, for %s: requests come %s%s; seed %d",
		who, amount, units.FormatDuration(w.Span), strings.Join(how, ", and "), rates, w.Seed)
}

// percentage writes a share for a person.
func percentage(share float64) string {
	return strconv.FormatFloat(math.Round(float64(share*1e8))/1e6, 'f', -1, 64) + " %"
}

// grouped writes a whole number with commas between thousands.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
