//go:build race

package keyed

// Scale divides the sizes of tests that only one goroutine takes part in: the race detector makes them slow and finds nothing.
const Scale = 20
