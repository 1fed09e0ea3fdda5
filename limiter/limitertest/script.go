package limitertest

import "github.com/rlbench/rlbench/limiter"

// largestBurst is the most unit requests that stand for one burst; a larger one comes in bigger pieces.
const largestBurst = 2100

// A script is a sequence in the making.
type script struct {
	key      string
	requests []limiter.Request
}

func newScript() *script { return &script{key: "a"} }

// as makes what follows come from that client.
func (s *script) as(key string) *script {
	s.key = key
	return s
}

// burst asks for n units at t, one by one if they are not too many.
func (s *script) burst(t, n int64) *script {
	if n > largestBurst {
		piece := n / 64
		for range 63 {
			s.cost(t, piece)
		}
		return s.cost(t, n-63*piece)
	}
	for range n {
		s.cost(t, 1)
	}
	return s
}

// over asks for n units at t and a few more.
func (s *script) over(t, n int64) *script {
	s.burst(t, n)
	return s.burst(t, min(n+2, 5))
}

func (s *script) one(t int64) *script { return s.cost(t, 1) }

func (s *script) cost(t, cost int64) *script {
	s.requests = append(s.requests, limiter.Request{Key: s.key, Time: t, Cost: cost})
	return s
}

// every asks n times, at t and then after each step.
func (s *script) every(t, step int64, n int) *script {
	for i := range n {
		s.one(t + int64(i)*step)
	}
	return s
}
