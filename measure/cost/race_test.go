//go:build race

package cost_test

// slower is about how much slower limiters are with the race detector.
const slower = 20
