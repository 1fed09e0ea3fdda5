package trace

// A merger reads several runs as one: the requests of a client that is in several of them come in time order, those of equal time in
// the order of the runs.
type merger struct {
	clients []*runReader // a heap by client, then run: those that wait for their turn
	same    []*cursor    // a heap by time, then run: those that have the client at hand
	free    []*cursor
	ended   []*runReader // that had the client at hand
	unread  []int64      // costs that nobody wants
}

// A cursor is the requests of the client at hand in one run, a few at a time.
type cursor struct {
	run          *runReader
	times, costs []int64
	at           int
	timeBuffer   [256]int64
	costBuffer   [256]int64
}

// newMerger starts to read runs. Their order decides between requests of equal time.
func newMerger(runs []*runReader) (*merger, error) {
	m := &merger{}
	for i, r := range runs {
		r.index = i
		if err := m.push(r); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// push goes to the next client of a run and lets it wait.
func (m *merger) push(r *runReader) error {
	ok, err := r.next()
	if ok {
		m.clients = push(m.clients, r, runBefore)
	}
	return err
}

func runBefore(a, b *runReader) bool {
	c := a.compare(b)
	return c < 0 || c == 0 && a.index < b.index
}

func cursorBefore(a, b *cursor) bool {
	s, t := a.times[a.at], b.times[b.at]
	return s < t || s == t && a.run.index < b.run.index
}

// next goes to the next client. The one before must have been read to its end. The key is valid until the next call.
func (m *merger) next() (key []byte, costs, ok bool, err error) {
	for _, r := range m.ended {
		if err := m.push(r); err != nil {
			return nil, false, false, err
		}
	}
	m.ended = m.ended[:0]
	if len(m.clients) == 0 {
		return nil, false, false, nil
	}
	first := m.clients[0]
	for len(m.clients) > 0 && m.clients[0].compare(first) == 0 {
		var r *runReader
		r, m.clients = pop(m.clients, runBefore)
		m.ended = append(m.ended, r)
		costs = costs || r.costs
	}
	if len(m.ended) > 1 {
		for _, r := range m.ended {
			c := &cursor{}
			if n := len(m.free); n > 0 {
				c, m.free = m.free[n-1], m.free[:n-1]
			}
			c.run = r
			if err := m.advance(c); err != nil {
				return nil, false, false, err
			}
		}
	}
	return first.key, costs, true, nil
}

// advance reads the next requests of a cursor and lets it wait.
func (m *merger) advance(c *cursor) error {
	n, err := c.run.read(c.timeBuffer[:], c.costBuffer[:])
	if err != nil {
		return err
	}
	if n == 0 {
		m.free = append(m.free, c)
		return nil
	}
	c.at, c.times, c.costs = 0, c.timeBuffer[:n], c.costBuffer[:n]
	m.same = push(m.same, c, cursorBefore)
	return nil
}

// count returns the number of requests of the client at hand, before any is read.
func (m *merger) count() (n int64) {
	for _, r := range m.ended {
		n += r.left
	}
	for _, c := range m.same {
		n += int64(len(c.times))
	}
	return n
}

// unit returns a power of ten that divides all times of the client at hand.
func (m *merger) unit() int64 {
	unit := m.ended[0].unit
	for _, r := range m.ended[1:] {
		unit = min(unit, r.unit)
	}
	return unit
}

// read reads the next requests of the client at hand into times and, unless it is nil, costs, and returns how many; 0 at its end.
func (m *merger) read(times, costs []int64) (n int, err error) {
	if costs == nil {
		m.unread = sized(m.unread, len(times))
		costs = m.unread
	}
	if len(m.ended) == 1 {
		return m.ended[0].read(times, costs)
	}
	for n < len(times) && len(m.same) > 0 {
		var c *cursor
		c, m.same = pop(m.same, cursorBefore)
		for n < len(times) && c.at < len(c.times) && (len(m.same) == 0 || cursorBefore(c, m.same[0])) {
			times[n], costs[n] = c.times[c.at], c.costs[c.at]
			c.at++
			n++
		}
		if c.at < len(c.times) {
			m.same = push(m.same, c, cursorBefore)
		} else if err := m.advance(c); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// push and pop keep a heap.
func push[T any](heap []T, x T, before func(a, b T) bool) []T {
	heap = append(heap, x)
	for i := len(heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !before(heap[i], heap[up]) {
			break
		}
		heap[i], heap[up] = heap[up], heap[i]
		i = up
	}
	return heap
}

func pop[T any](heap []T, before func(a, b T) bool) (T, []T) {
	least, last := heap[0], len(heap)-1
	heap[0] = heap[last]
	heap = heap[:last]
	for i := 0; ; {
		down := 2*i + 1
		if down+1 < last && before(heap[down+1], heap[down]) {
			down++
		}
		if down >= last || !before(heap[down], heap[i]) {
			return least, heap
		}
		heap[i], heap[down] = heap[down], heap[i]
		i = down
	}
}
