package measure

import "github.com/cespare/xxhash/v2"

// A history is the requests of one client, in time order, as far back as some window still reaches. Requests that cost
// nothing are left out, since they change nothing.
type history struct {
	key    string
	times  []int64
	costs  []int64   // empty where every cost is 1
	total  []int64   // with costs: total[i] is the cost of the requests before i
	first  int64     // time of the client's first request
	count  int64     // requests so far, dropped ones included
	free   int64     // requests that cost nothing
	digest [4]uint64 // of times and costs: lane i%4 takes request i
}

func (h *history) reset(key string, costs bool) {
	*h = history{key: key, times: h.times[:0], costs: h.costs[:0], total: h.total[:0]}
	if costs {
		h.total = append(h.total, 0)
	}
}

// added takes note of the requests from index from on, which were just appended to times and costs.
func (h *history) added(from int) {
	if from == len(h.times) {
		return
	}
	if h.count == 0 {
		h.first = h.times[0]
	}
	for i := from; i < len(h.costs); i++ {
		h.total = append(h.total, h.total[i]+h.costs[i])
	}
	h.digestAll(h.times[from:])
	if len(h.costs) > 0 {
		h.digestAll(h.costs[from:])
	}
	h.count += int64(len(h.times) - from)
}

// digestAll takes the values of requests h.count, h.count+1, ... into the digest. Four lanes let multiplications overlap.
func (h *history) digestAll(values []int64) {
	d := &h.digest
	for i := h.count; i&3 != 0 && len(values) > 0; i++ {
		d[i&3] = (d[i&3] + uint64(values[0])) * digestFactor
		values = values[1:]
	}
	d0, d1, d2, d3 := d[0], d[1], d[2], d[3]
	for ; len(values) >= 4; values = values[4:] {
		d0 = (d0 + uint64(values[0])) * digestFactor
		d1 = (d1 + uint64(values[1])) * digestFactor
		d2 = (d2 + uint64(values[2])) * digestFactor
		d3 = (d3 + uint64(values[3])) * digestFactor
	}
	*d = [4]uint64{d0, d1, d2, d3}
	for i, v := range values {
		d[i] = (d[i] + uint64(v)) * digestFactor
	}
}

// sum returns the digest of the client: its key and all of its requests.
func (h *history) sum() uint64 {
	sum := xxhash.Sum64String(h.key)
	for _, d := range h.digest {
		sum = (sum ^ d ^ d>>32) * digestFactor
	}
	return sum ^ sum>>29
}

const digestFactor = 0x9e3779b97f4a7c15 // odd: 2^64 divided by the golden ratio

// drop forgets the first n requests.
func (h *history) drop(n int) {
	h.times = h.times[:copy(h.times, h.times[n:])]
	if len(h.costs) > 0 {
		h.costs = h.costs[:copy(h.costs, h.costs[n:])]
		h.total = h.total[:copy(h.total, h.total[n:])]
	}
}

// cost returns the cost of request i.
func (h *history) cost(i int) int64 {
	if len(h.costs) == 0 {
		return 1
	}
	return h.costs[i]
}
