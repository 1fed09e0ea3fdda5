package peers

import "github.com/puzpuzpuz/xsync/v4"

// A PerKey holds one limiter of a library for each client in the fastest general map there is, for libraries without a
// keyed store of their own.
type PerKey[L any] struct {
	clients *xsync.Map[string, L]
	one     func() L
}

// NewPerKey makes one whose limiters one makes.
func NewPerKey[L any](one func() L) PerKey[L] { return PerKey[L]{xsync.NewMap[string, L](), one} }

// Of returns the limiter of a client.
func (p PerKey[L]) Of(key string) L {
	if l, ok := p.clients.Load(key); ok {
		return l
	}
	l, _ := p.clients.LoadOrCompute(key, func() (L, bool) { return p.one(), false })
	return l
}
