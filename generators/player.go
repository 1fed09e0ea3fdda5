package generators

import "math/rand/v2"

// A Face is the limit as a contestant shows it to its clients. Closed-loop patterns go by it.
type Face struct {
	Max    int64
	Window int64          // ns
	Worst  func() []int64 // the contestant's worst arrivals, times ascending; nil, or a nil result, where there are none
}

// A Player makes the requests of one client at a time, of any client, in any order. It is for one goroutine.
type Player struct {
	traffic *Traffic
	sources []Source // one per part of the mix
	stream  rand.PCG
}

// NewPlayer returns a player of the traffic.
func (t *Traffic) NewPlayer() *Player {
	p := &Player{traffic: t, sources: make([]Source, len(t.parts))}
	for i, part := range t.parts {
		p.sources[i] = part.source()
	}
	return p
}

// ClosedLoop reports whether the client's requests depend on the decisions. It costs next to nothing.
func (p *Player) ClosedLoop(client int64) bool {
	return p.traffic.parts[p.traffic.partOf(client)].pattern.Closed
}

// Open begins a client, 0 <= client < Clients, and returns its requests. They end what the last Open returned: memory is
// used again. Unless ClosedLoop, the result is a Filler and the face makes no difference.
func (p *Player) Open(client int64, face Face) Source {
	part := p.traffic.partOf(client)
	source := p.sources[part]
	p.traffic.start(source, part, client, face, &p.stream)
	return source
}

// start begins a client whose pattern is the given part; stream becomes its own.
func (t *Traffic) start(source Source, part int, client int64, face Face, stream *rand.PCG) {
	w := &t.workload
	stream.Seed(clientSeed(w.Seed, client, drawRate))
	c := Client{Rand: stream, Rate: float64(w.PerWindow * t.factor(client, stream)), Span: w.Span, Window: w.Window, Max: w.Max}
	if t.parts[part].pattern.Closed {
		if face.Window != w.Window {
			c.Rate = float64(c.Rate*float64(face.Window)) / float64(w.Window)
		}
		c.Window, c.Max = face.Window, face.Max
		if t.parts[part].pattern.worst && face.Worst != nil {
			c.Worst = face.Worst()
		}
	}
	stream.Seed(clientSeed(w.Seed, client, drawRequests))
	source.Start(c)
}
