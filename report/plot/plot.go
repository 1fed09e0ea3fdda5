// Package plot draws result files: one plot per file of this package, each as PNG and SVG. A plot whose figures were not
// measured is not drawn. The same file gives the same bytes.
package plot

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/rlbench/rlbench/results"
)

// A kind is one sort of plot: it makes its drawings, none, one or several, from consecutive runs of one scenario.
type kind struct {
	name string
	draw func(runs []*results.Run) []drawing
}

var kinds = []kind{
	{"disagreement", disagreement},
	{"misjudged", misjudged},
	{"refused", refused},
	{"clients-hit", clientsHit},
	{"estimate", errorCurves},
	{"phase", phase},
	{"peak", peaks},
	{"memory", memory},
	{"growth", growth},
	{"speed", speed},
	{"patterns", patternSpeed},
	{"timeline", timelines},
}

// Write draws every plot that the file has figures for into the folder, which it makes, and returns the names of the files
// within it, in the order written.
func Write(dir string, f *results.File) ([]string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("making the folder for plots: %w", err)
	}
	var names []string
	for _, d := range drawings(f) {
		written, err := d.write(dir)
		if err != nil {
			return names, err
		}
		names = append(names, written...)
	}
	return names, nil
}

// drawings are the plots that a file has figures for, their names unique.
func drawings(f *results.File) []drawing {
	var all []drawing
	taken := map[string]bool{}
	for i, runs := range scenarios(f) {
		for _, k := range kinds {
			if explicit := len(runs[0].Decisions) > 0; explicit != (k.name == "timeline") {
				continue // a handful of explicit arrivals has no statistics
			}
			for _, d := range k.draw(runs) {
				if i > 0 {
					d.name += "-" + strconv.Itoa(i+1)
				}
				d.name = free(d.name, taken)
				all = append(all, d)
			}
		}
	}
	return all
}

// free makes a name that is not taken yet by adding a number: specs that differ can come to one file name.
func free(name string, taken map[string]bool) string {
	unique := name
	for n := 2; taken[unique]; n++ {
		unique = name + "-" + strconv.Itoa(n)
	}
	taken[unique] = true
	return unique
}

// Timeline draws the decisions of a run into one file, PNG or SVG by its ending.
func Timeline(path string, r *results.Run) error {
	drawings := timelines([]*results.Run{r})
	if len(drawings) == 0 {
		return fmt.Errorf("drawing %s: the run holds no decisions", path)
	}
	var data []byte
	var err error
	switch ending := filepath.Ext(path); ending {
	case ".png":
		data, err = drawings[0].png()
	case ".svg":
		data, err = drawings[0].svg()
	default:
		return fmt.Errorf("drawing %s: no plot in the format %q: name it .png or .svg", path, ending)
	}
	if err != nil {
		return fmt.Errorf("drawing %s: %w", path, err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		return fmt.Errorf("writing the plot: %w", err)
	}
	return nil
}

func (d drawing) write(dir string) ([]string, error) {
	var names []string
	for _, format := range []struct {
		ending string
		make   func() ([]byte, error)
	}{{".png", d.png}, {".svg", d.svg}} {
		data, err := format.make()
		if err != nil {
			return names, fmt.Errorf("drawing %s%s: %w", d.name, format.ending, err)
		}
		if err := os.WriteFile(filepath.Join(dir, d.name+format.ending), data, 0o666); err != nil {
			return names, fmt.Errorf("writing the plot: %w", err)
		}
		names = append(names, d.name+format.ending)
	}
	return names, nil
}

// scenarios cuts the runs where the scenario changes.
func scenarios(f *results.File) [][]*results.Run {
	var all [][]*results.Run
	for i := range f.Runs {
		r := &f.Runs[i]
		if n := len(all); n > 0 && all[n-1][0].Scenario == r.Scenario {
			all[n-1] = append(all[n-1], r)
			continue
		}
		all = append(all, []*results.Run{r})
	}
	return all
}
