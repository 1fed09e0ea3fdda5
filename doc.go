// Package rlbench is the root of a referee for rate limiters. It takes traffic, generated or from an access log, and limiters,
// its own, Go libraries, scripts, any program, and says how often each decides wrongly, in which direction, by how much
// and for whom, what it costs in memory and nanoseconds, and which one to choose.
//
// There is nothing to import here. The program is cmd/rlbench; package limiter holds the algorithms, limiter/keyed
// makes limiters of many clients of them, generators the traffic, measure the judge, results the result file, report the
// reports. Package measure/cost/benchtest benchmarks anybody's limiter with go test, as bench_test.go beside this file
// does with all that rlbench knows. docs/architecture.md tells the way of a request.
package rlbench
