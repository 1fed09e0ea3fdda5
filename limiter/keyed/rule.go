package keyed

// The lowest bit of a word says that its client is moving to another segment: whoever meets it waits for the segment's lock.
const (
	frozen   = 1
	wordBits = 63 // the others
)

// A rule is an algorithm whose state of one client fits one word. Times are relative to the base of the word's segment, a
// window's index, and every instant it is told lies in [base, base+reach()). Nothing here touches memory but its arguments.
type rule interface {
	// fresh is the word of a client whose first request comes at that instant.
	fresh(base int64, at instant) uint64

	// decide returns the word after a request of that cost, at least 1, and whether it is admitted.
	decide(word uint64, base int64, at instant, cost int64) (uint64, bool)

	// remaining returns the largest cost that would be admitted.
	remaining(word uint64, base int64, at instant) int64

	// wait returns the least time from now until a request of that cost would be admitted, which must not exceed the
	// most that is ever admitted at once.
	wait(word uint64, base int64, at instant, cost int64) int64

	// seen returns the last window in which the client has asked, or later.
	seen(word uint64, base int64) int64

	// shift makes a word relative to a base that lies by windows later.
	shift(word uint64, by int64) uint64

	// adopt makes a word of the rule before a change of the limit one of this.
	adopt(word uint64, base int64, before rule) uint64

	// reach is how many windows a word can tell apart.
	reach() int64

	// most returns the largest cost that is ever admitted.
	most() int64

	// withLimit returns the rule with another limit from now on; false if the words can't hold it.
	withLimit(limit, now int64) (rule, bool)
}
