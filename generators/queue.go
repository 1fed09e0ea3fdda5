package generators

// An ordered value knows which of two comes first.
type ordered[T any] interface{ before(T) bool }

// A queue is a binary heap: the first element is before all others.
type queue[T ordered[T]] []T

func (q *queue[T]) push(x T) {
	h := append(*q, x)
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !x.before(h[up]) {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = x
	*q = h
}

func (q *queue[T]) pop() T {
	h := *q
	first, last := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	*q = h
	if len(h) > 0 {
		h.replaceFirst(last)
	}
	return first
}

// replaceFirst puts x in the place of the first element and restores the order. The queue must not be empty.
func (q queue[T]) replaceFirst(x T) {
	i := 0
	for {
		down := 2*i + 1
		if down >= len(q) {
			break
		}
		if down+1 < len(q) && q[down+1].before(q[down]) {
			down++
		}
		if !q[down].before(x) {
			break
		}
		q[i] = q[down]
		i = down
	}
	q[i] = x
}
