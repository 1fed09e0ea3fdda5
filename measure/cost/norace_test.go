//go:build !race

package cost_test

const slower = 1
