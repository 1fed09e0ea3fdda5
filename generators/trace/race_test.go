//go:build race

package trace

// raceDetector makes the heaviest tests smaller, which take ten times as long with it; CI runs this package without it too.
const raceDetector = true
