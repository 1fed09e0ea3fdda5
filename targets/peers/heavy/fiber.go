package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"

	"github.com/gofiber/fiber/v3"
	fiberlimiter "github.com/gofiber/fiber/v3/middleware/limiter"
	"github.com/valyala/fasthttp"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/targets/peers"
)

var fiberSliding = peers.Peer{
	Name:    "fiber-sliding",
	Module:  "github.com/gofiber/fiber/v3",
	License: "MIT",
	Algorithm: "sliding window counter in whole seconds, the weighted count rounded up, windows from the client's first request; a whole request " +
		"of the framework, without response headers",
	Promise: "2L-1 in whole seconds",
	Clock:   peers.Bubble,
	Refused: true,
	Like:    "counter:count=all:align=first",
	But:     "every time counts as the beginning of its second, and windows begin anew after one without a request",
	Check:   wholeSeconds,
	Make:    func(s peers.Setting) (peers.Library, error) { return newFiber(s, fiberlimiter.SlidingWindow{}), nil },
	Endless: true,
}

var fiberFixed = peers.Peer{
	Name:      "fiber",
	Module:    fiberSliding.Module,
	License:   fiberSliding.License,
	Algorithm: "fixed window in whole seconds that starts with a client's first request after the last one ended; a whole request of the framework, without response headers",
	Promise:   "2L in whole seconds",
	Clock:     peers.Bubble,
	Refused:   true,
	Like:      "fixed:count=all:align=restart",
	But:       "every time counts as the beginning of its second",
	Check:     wholeSeconds,
	Make:      func(s peers.Setting) (peers.Library, error) { return newFiber(s, fiberlimiter.FixedWindow{}), nil },
	Endless:   true,
}

func wholeSeconds(l limiter.Limit) error {
	if l.Window%int64(time.Second) != 0 {
		return peers.Unsupported("a window that isn't whole seconds: it cuts them off, and takes a minute for none")
	}
	return nil
}

// A fiberApp is one application whose limiter has the limit of the day. In virtual time there is only one, since another
// would start another goroutine that never ends; clients of another Setting have other names there.
type fiberApp struct {
	handler fasthttp.RequestHandler
	limit   atomic.Pointer[limiter.Limit]
	made    int
}

var virtualFiber *fiberApp

const keyHeader = "X-Client"

func newFiberApp(kind fiberlimiter.Handler) *fiberApp {
	a := &fiberApp{}
	app := fiber.New()
	app.Use(fiberlimiter.New(fiberlimiter.Config{
		LimiterMiddleware: kind,
		MaxFunc:           func(fiber.Ctx) int { return int(a.limit.Load().Max) },
		ExpirationFunc:    func(fiber.Ctx) time.Duration { return time.Duration(a.limit.Load().Window) },
		KeyGenerator:      func(c fiber.Ctx) string { return c.Get(keyHeader) },
		DisableHeaders:    true,
	}))
	app.Get("/", func(c fiber.Ctx) error { return c.SendStatus(fiber.StatusOK) })
	a.handler = app.Handler()
	return a
}

func newFiber(s peers.Setting, kind fiberlimiter.Handler) peers.Library {
	var a *fiberApp
	switch {
	case !s.Virtual:
		a = newFiberApp(kind)
	case virtualFiber == nil:
		virtualFiber = newFiberApp(kind)
		fallthrough
	default:
		a = virtualFiber
	}
	a.limit.Store(&s.Limit)
	a.made++
	return &fiberLimiter{a, fmt.Sprint(a.made, ":"), sync.Pool{New: func() any { return new(fasthttp.RequestCtx) }}}
}

type fiberLimiter struct {
	*fiberApp
	prefix   string
	contexts sync.Pool
}

func (f *fiberLimiter) Allow(key string) bool { return f.ask(key) }

// Decide lets fiber's ticker go first where a second begins: both wake at the same instant.
func (f *fiberLimiter) Decide(key string, _ time.Time, _ int64) limiter.Answer {
	if time.Now().Nanosecond() == 0 {
		synctest.Wait()
	}
	return peers.Answer(f.ask(f.prefix + key))
}

func (f *fiberLimiter) ask(key string) bool {
	c := f.contexts.Get().(*fasthttp.RequestCtx)
	defer f.contexts.Put(c)
	c.Request.Reset()
	c.Response.Reset()
	c.Request.SetRequestURI("/")
	c.Request.Header.Set(keyHeader, key)
	f.handler(c)
	return c.Response.StatusCode() == fasthttp.StatusOK
}
