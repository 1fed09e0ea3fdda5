//go:build race

package limitertest_test

// raceDetector makes the heaviest tests smaller, which take ten times as long with it.
const raceDetector = true
