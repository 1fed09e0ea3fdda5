package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// interruptible returns a context that ends with the first Ctrl-C (or a request to terminate), so that what was measured so
// far can be saved. The second one leaves at once.
func interruptible(parent context.Context) context.Context {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	return obey(parent, signals, func() { os.Exit(exitInterrupted) })
}

func obey(parent context.Context, signals <-chan os.Signal, leave func()) context.Context {
	ctx, cancel := context.WithCancel(parent)
	go func() {
		<-signals
		cancel()
		<-signals
		leave()
	}()
	return ctx
}
