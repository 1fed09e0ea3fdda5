//go:build !race

package keyed

const Scale = 1
