package measure

// A history is the requests of one client, in time order, as far back as some window still reaches. Requests that cost
// nothing are left out, since they change nothing.
type history struct {
	key    string
	times  []int64
	costs  []int64 // empty where every cost is 1
	total  []int64 // with costs: total[i] is the cost of the requests before i
	first  int64   // time of the client's first request
	count  int64   // requests so far, dropped ones included
	free   int64   // requests that cost nothing
	digest uint64  // of times and costs
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
	h.count += int64(len(h.times) - from)
	digest := h.digest
	for _, t := range h.times[from:] {
		digest = (digest ^ uint64(t)) * digestFactor
		digest ^= digest >> 32
	}
	for i := from; i < len(h.costs); i++ {
		h.total = append(h.total, h.total[i]+h.costs[i])
		digest = (digest ^ uint64(h.costs[i])) * digestFactor
		digest ^= digest >> 32
	}
	h.digest = digest
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
