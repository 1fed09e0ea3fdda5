package limitertest

import (
	"maps"
	"slices"
)

// sortedNames returns a map's keys in order.
func sortedNames[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
