//go:build !race

package limitertest_test

const raceDetector = false
