package main

import (
	"fmt"
	"io"

	"github.com/rlbench/rlbench/limiter/limitertest"
	"github.com/rlbench/rlbench/report/human"
)

type verifyWorst struct {
	Peak      int64          `json:"peak_window"`
	Unbounded bool           `json:"unbounded"`
	Arrivals  *verifyExample `json:"arrivals"`
	Refused   int64          `json:"innocent_refused"`
	Innocent  *verifyExample `json:"innocent"`
	Note      string         `json:"note"`
}

func worstOf(w *limitertest.Worst) *verifyWorst {
	if w == nil {
		return nil
	}
	return &verifyWorst{w.Peak, w.Unbounded, exampleOf(w.Arrivals), w.Refused, exampleOf(w.Innocent), w.Note}
}

// writeWorst prints the worst case that was found.
func writeWorst(out io.Writer, w *limitertest.Worst) {
	if w.Note != "" {
		paragraph(out, "  ", "worst case: "+w.Note)
	}
	switch {
	case w.Unbounded:
		paragraph(out, "  ", fmt.Sprintf("worst case: no bound was met, all of %s requests at once were let in", human.Commas(w.Peak)))
	case w.Peak > 0:
		limit := w.Arrivals.Limit.Max
		paragraph(out, "  ", fmt.Sprintf("worst case found: one client gets %s in a closed window (%s the limit), in %s sequences",
			human.Commas(w.Peak), human.Ratio(float64(w.Peak)/float64(limit)), human.Commas(int64(w.Plays))))
		writeRows(out, w.Arrivals.Table())
	}
	if w.Refused == 0 {
		paragraph(out, "  ", "no client that stays within the limit was refused")
		return
	}
	paragraph(out, "  ", fmt.Sprintf("worst refusals found: a client that never exceeds the limit is refused %s in a window",
		human.Plural(w.Refused, "time")))
	writeRows(out, w.Innocent.Table())
}
