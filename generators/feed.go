package generators

import "math/rand/v2"

// A Request is one request of a population.
type Request struct {
	Time   int64 // ns
	Client int64
}

// A Feed is the requests of many clients merged in time order, as a server sees them. It keeps every client's state, about 150
// bytes for an open-loop client.
type Feed struct {
	queue   queue[upcoming]
	members []member
	first   int64
	step    int64

	current upcoming // the last request given, not yet followed up
	pending bool
	answer  bool
}

// A member is a client of a feed: where its requests come from, and its random numbers.
type member struct {
	source Source
	stream rand.PCG
}

type upcoming struct {
	time   int64
	member int
}

// before orders requests by time, those of equal time by client.
func (u upcoming) before(o upcoming) bool {
	return u.time < o.time || u.time == o.time && u.member < o.member
}

// Merged returns the requests of the clients first, first+step, first+2*step and so on, of all clients for 0 and 1. Clients of
// closed-loop patterns go by the face, which is that of the limiter that answers.
func (t *Traffic) Merged(face Face, first, step int64) *Feed {
	n := max((t.workload.Clients-first+step-1)/step, 0)
	f := &Feed{members: make([]member, n), queue: make(queue[upcoming], 0, n), first: first, step: step}
	for i := range f.members {
		m := &f.members[i]
		client := first + int64(i)*step
		part := t.partOf(client)
		m.source = t.parts[part].source()
		t.start(m.source, part, client, face, &m.stream)
		if at, ok := m.source.Next(true); ok {
			f.queue.push(upcoming{at, i})
		}
	}
	return f
}

// Next returns the next request; times never fall, and of equal times the smaller client comes first, a client's own in its
// order. false means that there are no more. A request that was not answered counts as admitted.
func (f *Feed) Next() (Request, bool) {
	if f.pending {
		if at, ok := f.members[f.current.member].source.Next(f.answer); ok {
			f.queue.replaceFirst(upcoming{at, f.current.member})
		} else {
			f.queue.pop()
		}
	}
	if f.pending = len(f.queue) > 0; !f.pending {
		return Request{}, false
	}
	f.current, f.answer = f.queue[0], true
	return Request{Time: f.current.time, Client: f.first + int64(f.current.member)*f.step}, true
}

// Answer tells the client of the last request whether it was admitted.
func (f *Feed) Answer(admitted bool) { f.answer = admitted }
