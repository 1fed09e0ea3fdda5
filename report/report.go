// Package report shows result files: as tables on a terminal, as JSON, as plots. A report is a function of the file alone: it
// measures nothing, reads no clock, and writes the same bytes for the same file.
package report

import (
	"io"

	"github.com/rlbench/rlbench/report/plot"
	"github.com/rlbench/rlbench/results"
)

// A Reporter shows a result file in one form. It has either Stream, for a form that is one file, or Folder, for one that is
// several; the other is nil.
type Reporter struct {
	Name string // as on the command line
	Doc  string // one line for the list of reporters
	Ext  string // the ending of its file's name, with the dot; "" for a folder

	// Stream writes the report to w.
	Stream func(w io.Writer, f *results.File) error
	// Folder writes the report's files into dir, which it makes, and returns their names within it.
	Folder func(dir string, f *results.File) ([]string, error)
}

// Reporters is the table of all of them.
var Reporters = []Reporter{
	{Name: "text", Doc: "tables of at most 80 columns for a terminal", Ext: ".txt", Stream: Text},
	{Name: "json", Doc: "the result file itself", Ext: ".json", Stream: results.Encode},
	{Name: "plots", Doc: "a folder of plots, each as PNG and SVG", Folder: func(dir string, f *results.File) ([]string, error) { return plot.Write(dir, f) }},
}
