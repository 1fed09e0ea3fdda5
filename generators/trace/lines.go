package trace

import (
	"math"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// lines are what a block's lines came to, in their order.
type lines struct {
	total, skipped, ignored, filtered int64

	keys   []byte // one after the other
	ends   []int  // of each request's key in keys
	hashes []uint64
	times  []int64
	costs  []int64 // empty as long as every cost is 1

	bad []badLine

	private crowd // private addresses that are clients
	why     [len(reasons)]int64
}

type badLine struct {
	number int64 // in the block, from 1
	why    verdict
	text   string
}

func (l *lines) parse(b *block, r *record) {
	*l = lines{
		keys: l.keys[:0], ends: l.ends[:0], hashes: l.hashes[:0], times: l.times[:0], costs: l.costs[:0], bad: l.bad[:0],
		private: crowd{l.private.list[:0], blockMembers},
	}
	rd, _ := b.parser.(*reader)
	r.begin()
	for data := b.data; len(data) > 0; {
		var line []byte
		line, data = cutLine(data)
		l.total++
		why := ignored
		if len(line) > longest {
			why = tooLong
		} else if !isIgnored(line) {
			why = b.parser.parse(line, r)
		} else if rd != nil {
			rd.comment(line, r)
		}
		switch why {
		case request:
			l.add(r)
			if isPrivate(r.key) {
				l.private.add(r.key, 1)
			}
		case ignored:
			l.ignored++
			if r.filtered {
				r.filtered = false
				l.filtered++
			}
		default:
			l.skip(line, why)
		}
	}
	for _, part := range r.pending { // of a line whose end did not come
		if len(part) > 0 {
			l.ignored--
			l.skip(part, cutOff)
		}
	}
	if b.partial != nil {
		l.total++
		l.skip(b.partial, b.why)
	}
}

// begin forgets what the lines of another block said.
func (r *record) begin() {
	r.pending[0], r.pending[1] = r.pending[0][:0], r.pending[1][:0]
	r.columns, r.filtered = nil, false
}

func (l *lines) add(r *record) {
	l.keys = append(l.keys, r.key...)
	l.ends = append(l.ends, len(l.keys))
	l.hashes = append(l.hashes, xxhash.Sum64(r.key))
	l.times = append(l.times, r.time)
	if len(l.costs) == 0 {
		if r.cost == 1 {
			return
		}
		l.costs = appendOnes(l.costs, len(l.times)-1)
	}
	l.costs = append(l.costs, r.cost)
}

func (l *lines) skip(line []byte, why verdict) {
	l.skipped++
	l.why[why]++
	if len(l.bad) < badLinesKept {
		l.bad = append(l.bad, badLine{l.total, why, quote(line)})
	}
}

// quote returns the beginning of a line, safe to print.
func quote(line []byte) string {
	const most = 80
	if len(line) <= most {
		return strconv.Quote(string(line))
	}
	return strconv.Quote(string(line[:most])) + "..."
}

func appendOnes(costs []int64, n int) []int64 {
	for range n {
		costs = append(costs, 1)
	}
	return costs
}

// stepBack returns how far t lies below most, at most the largest int64.
func stepBack(most, t int64) int64 {
	if d := most - t; d > 0 {
		return d
	}
	return math.MaxInt64
}
