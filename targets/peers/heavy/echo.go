package main

import (
	"time"

	"github.com/labstack/echo/v4/middleware"
	"golang.org/x/time/rate"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/targets/peers"
)

var echoStore = peers.Peer{
	Name:      "echo",
	Module:    "github.com/labstack/echo/v4",
	License:   "MIT",
	Algorithm: "token bucket of x/time/rate in a map under one mutex, which a request cleans up as a whole when the expiry is over (the longer of 3 minutes and W here)",
	Promise:   "B+L with a burst of B",
	Clock:     peers.Bubble,
	Like:      "token-bucket",
	But:       "rounded in the last place",
	Burst:     true,
	Make: func(s peers.Setting) (peers.Library, error) {
		window := time.Duration(s.Limit.Window)
		return echoLimiter{middleware.NewRateLimiterMemoryStoreWithConfig(middleware.RateLimiterMemoryStoreConfig{
			Rate:      rate.Limit(float64(s.Limit.Max) / window.Seconds()),
			Burst:     int(s.Burst),
			ExpiresIn: max(window, middleware.DefaultRateLimiterMemoryStoreConfig.ExpiresIn),
		})}, nil
	},
}

type echoLimiter struct {
	store *middleware.RateLimiterMemoryStore
}

func (e echoLimiter) Allow(key string) bool {
	ok, err := e.store.Allow(key)
	return ok && err == nil
}

func (e echoLimiter) Decide(key string, _ time.Time, _ int64) limiter.Answer {
	return peers.Answer(e.Allow(key))
}
