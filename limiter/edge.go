package limiter

import "fmt"

// An Edge says whether a request exactly one window old still counts.
type Edge uint8

const (
	Closed Edge = iota // it does: the window is [now-W, now]
	Open               // it does not: (now-W, now]
)

func (e Edge) String() string {
	if e == Open {
		return "open"
	}
	return "closed"
}

// ParseEdge reads "closed" or "open".
func ParseEdge(text string) (Edge, error) {
	switch text {
	case "closed":
		return Closed, nil
	case "open":
		return Open, nil
	}
	return Closed, fmt.Errorf("unknown edge %q: use closed (a request exactly one window old still counts) or open", text)
}
