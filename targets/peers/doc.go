// Package peers holds the rate limiters of other people that a Go team would choose from: one table, Peers, and one file
// for each library. A peer is judged for its decisions as a limiter.Target, in virtual time, and used as a limiter.Keyed on
// the real clock to measure what it costs.
//
// # How a library gets the time
//
// A library with calls that take the time is told it (Told). One that calls time.Now runs inside a bubble of testing/synctest
// (Bubble): there time.Now shows a clock that moves only when the library's goroutine sleeps, and then at once. One that
// reads a clock which no one can set (Real) is measured for cost only; to judge it in virtual time would measure
// something else. That virtual time changes no decision is tested with libraries that have both ways.
//
// The first request of a client may be at any time, before 1970 too. Libraries are made for times of today, so that a
// stream that begins before 2000, and every stream in a bubble, is moved by a multiple of the window: what is aligned
// to multiples of the window stays aligned. In a bubble, whose clock can't go back, a request older than the one before
// counts as being of its time; a library that is told the time is told the older one and shows what it does then.
//
// A library that starts its windows when it is made is made at a multiple of the window, so that they are aligned like
// those of rlbench's counter. A library that has one limiter for each client makes it at that client's first request.
//
// # How a limit is given
//
// A limit of L per W is L and W where a library takes these; a rate of L/W with a burst of L where it takes a rate and a
// burst, unless the spec says peer:NAME:burst=N. Limits that a library can't have fail with
// limiter.ErrUnsupported and the reason. A cost of 0 is admitted without asking the library; other costs but 1 are an error
// for libraries that don't know any.
//
// # What an answer is
//
// A request is admitted if the library lets it through now. An error of the library, which its own middleware would
// answer with a refusal or a failure, counts as refused.
package peers
