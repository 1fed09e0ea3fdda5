package generators

import (
	"fmt"
	"strconv"
	"strings"
)

// front[:f]: what a poisson client would send in an aligned window comes within the first f of it: a request at offset x of
// the window comes at f*x instead, rounded down. The numbers per window stay Poisson.
var frontPattern = Pattern{
	Name: "front",
	Args: "[:f]",
	Doc:  "at random within the first part f of every aligned window, f = 0.1 unless given",
	say: func(args string) string {
		return "at random within the first " + percent(args) + " of every aligned window"
	},
	Examples: []string{"front", "front:0.5"},
	New: func(args string) (func() Source, error) {
		f, err := shareOfWindow(args, 0.1)
		return func() Source { return &squeezed{share: f} }, err
	},
}

func shareOfWindow(text string, byDefault float64) (float64, error) {
	if text == "" {
		return byDefault, nil
	}
	f, err := parseNumber(text)
	if err != nil || !(f > 0 && f <= 1) {
		return 0, fmt.Errorf("%q is not a share of the window above 0 and up to 1", text)
	}
	return f, nil
}

// percent writes the share of the window for a person.
func percent(args string) string {
	f, _ := shareOfWindow(args, 0.1)
	return percentage(f)
}

// parseNumber reads a finite decimal number.
func parseNumber(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, "0123456789.eE+-") != "" {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return x, nil
}
