package generators

import (
	"math"

	"github.com/agnivade/levenshtein"
)

// nearest returns the known name that takes the fewest edits to reach from name, the first of equals.
func nearest(name string, known []string) string {
	best, distance := "", math.MaxInt
	for _, k := range known {
		if d := levenshtein.ComputeDistance(name, k); d < distance {
			best, distance = k, d
		}
	}
	return best
}
