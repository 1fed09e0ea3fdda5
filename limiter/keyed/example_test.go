package keyed_test

import (
	"fmt"
	"time"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/limiter/keyed"
)

func Example() {
	spec, err := limiter.Parse("counter")
	if err != nil {
		panic(err)
	}
	clients, err := keyed.New[string](spec, limiter.Limit{Max: 2, Window: int64(time.Minute)}, keyed.Options{})
	if err != nil {
		panic(err)
	}
	now := int64(30 * time.Second) // told, so that the example always says the same
	for range 3 {
		fmt.Println(clients.AllowAt("192.0.2.7", now, 1))
	}
	wait, _ := clients.RetryAfterAt("192.0.2.7", now, 1)
	fmt.Println("again in", time.Duration(wait))
	fmt.Println("others:", clients.RemainingAt("192.0.2.8", now))
	// Output:
	// true
	// true
	// false
	// again in 1m0s
	// others: 2
}

func ExampleLimiter_AllowBatch() {
	spec, err := limiter.Parse("log")
	if err != nil {
		panic(err)
	}
	clients, err := keyed.New[uint64](spec, limiter.Limit{Max: 1, Window: int64(time.Second)}, keyed.Options{})
	if err != nil {
		panic(err)
	}
	keys := []uint64{1, 2, 1, 1}
	times := []int64{0, 10, 20, int64(time.Second) + 1}
	admitted := make([]bool, len(keys))
	clients.AllowBatch(keys, times, nil, admitted)
	fmt.Println(admitted)
	// Output: [true true false true]
}
