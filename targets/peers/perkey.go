package peers

import "github.com/puzpuzpuz/xsync/v4"

// A perKey holds one limiter of a library for each client in the fastest general map there is, for libraries without a
// keyed store of their own.
type perKey[L any] struct {
	clients *xsync.Map[string, L]
	one     func() L
}

func newPerKey[L any](one func() L) perKey[L] { return perKey[L]{xsync.NewMap[string, L](), one} }

func (p perKey[L]) of(key string) L {
	if l, ok := p.clients.Load(key); ok {
		return l
	}
	l, _ := p.clients.LoadOrCompute(key, func() (L, bool) { return p.one(), false })
	return l
}
