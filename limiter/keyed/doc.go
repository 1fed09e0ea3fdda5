// Package keyed limits millions of clients at once: every algorithm of package limiter, safe for concurrent use, for
// string or 64-bit keys, by the real clock or by times that the caller tells.
//
//	spec, err := limiter.Parse("counter")
//	...
//	clients, err := keyed.New[string](spec, limiter.Limit{Max: 100, Window: int64(time.Minute)}, keyed.Options{})
//	...
//	if !clients.Allow(address) {
//		wait, _ := clients.RetryAfter(address, 1)
//		...
//	}
//
// Each client is decided exactly as by its own limiter of package limiter. Whoever has many requests at hand takes
// AllowBatch; whoever knows the time already takes AllowAt, as reading the clock costs more than deciding.
//
// # Memory
//
// A client of counter, fixed (also count=all), gcra, token-bucket or leaky-bucket is one hash and one word: 19 to 24
// bytes, table included, whatever its limit. A log takes some 35 bytes and, for each request that counts, half a byte for
// each hexadecimal digit of its distance in nanoseconds from the one before, and half a byte more: about 530 bytes with 100 requests in a minute, 4,400 with 1,000.
// Nothing of these is a pointer, so that the garbage collector has nothing to follow.
//
// All other algorithms, options and ranges are held in maps behind locks, as a limiter for each client: buckets:K, multi,
// align=first and restart, count=all of counter and log, the reference rows; windows below a millisecond or above two
// years; logs of more than 262,143; counters likewise; what else does not fit a word of 63 bits.
//
// # Clients that leave
//
// A client that has not asked for three windows (Options.Idle) is forgotten, which its decisions do not show. There is no
// goroutine and no pause: now and then a call that decides looks at one segment of the table, up to 8,192 clients, and
// replaces it by a smaller one if enough of them have left. A round through the table takes as long as Idle, so that memory
// comes back within about twice Idle, as long as anybody asks; Reclaim does it otherwise. Tables grow and shrink in
// the same way, a segment at a time.
//
// Options.MaxClients bounds the clients, and a Policy says what then happens to newcomers.
//
// # Collisions
//
// Clients are told apart by 64 bits of a hash with a seed of its own in each limiter, so that nobody can choose keys that
// collide. Strings: among n clients some two share a hash, and so a limit, with a chance of about n^2/2^65, one in 37
// million for a million clients, one in 370,000 for ten million. Numbers: never, except that one pair of all 2^64 does.
//
// # Time
//
// Times are nanoseconds since any origin and may lie before it. A time before the last one told for its client counts as the
// last one, so that it never earns anything twice. Times of different clients may be told in any order as long as none lies
// further behind the latest than Idle less two windows, which is one window unless Options say otherwise. A time further
// behind may find its client forgotten already. A single time far in the future makes all clients idle: who tells
// times has to vouch for them. The limiter's own clock follows the monotonic clock from its start and so knows no steps.
//
// Concurrent requests of one client are decided one after the other, in some order; one told an earlier time may be decided
// after one told a later time, and counts as the later.
package keyed
