// Package limitertest finds out what is wrong with a limiter, seen through its answers alone.
//
// Verify plays sequences of requests, with times of its own, to anything that is a limiter.Target and compares each decision
// with what the limiter promises. Where they differ it makes the sequence small and round, and says what kind of fault it is
// and who suffers from it. Run does so within a Go test, RunConcurrent tests what only happens between goroutines, and the
// folder vectors holds sequences and right decisions as data for implementations in any language.
package limitertest
