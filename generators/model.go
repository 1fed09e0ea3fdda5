package generators

import (
	"fmt"
	"math"
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
		text := "requests come " + p.pattern.Doc
		if len(t.parts) > 1 {
			text = strconv.FormatFloat(math.Round(p.weight*1e8)/1e6, 'f', -1, 64) + " % of clients: " + text
		}
		if p.text != p.pattern.Name {
			text += " (" + p.text + ")"
		}
		how = append(how, text)
	}
	who, rates := "1 client", ""
	if w.Clients > 1 {
		who = grouped(w.Clients) + " independent clients"
		rates = "; the clients' mean rates are " + t.spread.Doc
		if w.Rates != "" && w.Rates != t.spread.Name {
			rates += ", here " + w.Rates
		}
	}
	return fmt.Sprintf("%s, on average %s requests per client and window of %s, for %s: %s%s; seed %d",
		who, strconv.FormatFloat(w.PerWindow, 'g', 4, 64), units.FormatDuration(w.Window), units.FormatDuration(w.Span),
		strings.Join(how, ", "), rates, w.Seed)
}

// grouped writes a whole number with commas between thousands.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
