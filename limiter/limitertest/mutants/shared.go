package mutants

import (
	"errors"
	"hash/fnv"
	"strings"

	"github.com/rlbench/rlbench/limiter"
)

// renamed gives all keys that map to the same name one client.
func renamed(start func(limiter.Limit) client, name func(string) string) func(limiter.Limit) func(limiter.Request) bool {
	return func(l limiter.Limit) func(limiter.Request) bool {
		decide := perKey(start)(l)
		return func(r limiter.Request) bool {
			r.Key = name(r.Key)
			return decide(r)
		}
	}
}

func hashed(key string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(key))
	return h.Sum32()
}

// slots is a table of hashed slots, each remembering the last key; another key starts the slot anew.
func slots(n uint32) func(limiter.Limit) func(limiter.Request) bool {
	return func(l limiter.Limit) func(limiter.Request) bool {
		type slot struct {
			key    string
			client client
		}
		table := map[uint32]*slot{}
		return func(r limiter.Request) bool {
			if r.Cost == 0 {
				return true
			}
			i := hashed(r.Key) % n
			s := table[i]
			if s == nil || s.key != r.Key {
				s = &slot{r.Key, fixedRule{align: restart}.start(l)}
				table[i] = s
			}
			return s.client(r.Time, r.Cost)
		}
	}
}

// newest keeps the clients that came last, so many of them.
func newest(most int) func(limiter.Limit) func(limiter.Request) bool {
	return func(l limiter.Limit) func(limiter.Request) bool {
		clients := map[string]client{}
		var order []string
		return func(r limiter.Request) bool {
			if r.Cost == 0 {
				return true
			}
			c := clients[r.Key]
			if c == nil {
				if c = (counterRule{}).start(l); len(order) >= most {
					delete(clients, order[0])
					order = order[1:]
				}
				clients[r.Key] = c
				order = append(order, r.Key)
			}
			return c(r.Time, r.Cost)
		}
	}
}

// swept removes clients that have been silent for so long, every now and then.
func swept(silence func(w int64) int64) func(limiter.Limit) func(limiter.Request) bool {
	return func(l limiter.Limit) func(limiter.Request) bool {
		clients, seen, last := map[string]client{}, map[string]int64{}, int64(0)
		return func(r limiter.Request) bool {
			if r.Cost == 0 {
				return true
			}
			due := r.Time-last >= silence(l.Window)/16
			if due {
				last = r.Time
			}
			for key, at := range seen {
				if !due {
					break
				}
				if key != r.Key && r.Time-at >= silence(l.Window) {
					delete(clients, key)
					delete(seen, key)
				}
			}
			if clients[r.Key] == nil {
				clients[r.Key] = logRule{}.start(l)
			}
			seen[r.Key] = r.Time
			return clients[r.Key](r.Time, r.Cost)
		}
	}
}

// sweptByCount removes clients that have been silent for a window, each thousandth request.
func sweptByCount(l limiter.Limit) func(limiter.Request) bool {
	clients, seen, served := map[string]client{}, map[string]int64{}, 0
	return func(r limiter.Request) bool {
		if r.Cost == 0 {
			return true
		}
		if served++; served%1000 == 0 {
			for key, at := range seen {
				if r.Time-at >= l.Window {
					delete(clients, key)
					delete(seen, key)
				}
			}
		}
		if clients[r.Key] == nil {
			clients[r.Key] = counterRule{}.start(l)
		}
		seen[r.Key] = r.Time
		return clients[r.Key](r.Time, r.Cost)
	}
}

// flushed drops all clients each hour of the clock, or each window where that is longer.
func flushed(l limiter.Limit) func(limiter.Request) bool {
	var decide func(limiter.Request) bool
	hour := int64(-1)
	return func(r limiter.Request) bool {
		if at := r.Time / max(3600e9, l.Window); at != hour || decide == nil {
			hour, decide = at, perKey(logRule{}.start)(l)
		}
		return decide(r)
	}
}

// charging lets a cost of 0 take part: charged as so much, or as the first of a window.
func charging(start func(limiter.Limit) client, zero int64) func(limiter.Limit) func(limiter.Request) bool {
	return func(l limiter.Limit) func(limiter.Request) bool {
		clients := map[string]client{}
		return func(r limiter.Request) bool {
			if clients[r.Key] == nil {
				clients[r.Key] = start(l)
			}
			if r.Cost == 0 {
				r.Cost = zero
			}
			return clients[r.Key](r.Time, r.Cost)
		}
	}
}

var keyed = []Mutant{
	{Name: "keys-hashed-to-slots", Kind: "key-mapping", Promise: "fixed:align=restart", Slip: "clients of one slot reset each other's counter",
		shared: slots(1024)},
	{Name: "keys-in-one-slot", Kind: "key-mapping", Promise: "fixed:align=restart", Slip: "any two clients reset each other's counter",
		shared: slots(1)},
	{Name: "keys-hashed-to-16-bits", Kind: "key-mapping", Promise: "log", Slip: "clients of one hash share a budget",
		shared: renamed(logRule{closed: true}.start, func(key string) string { return string(rune(hashed(key) & 0xffff)) })},
	{Name: "keys-all-alike", Kind: "key-mapping", Promise: "counter", Slip: "all clients share one budget",
		shared: renamed(counterRule{}.start, func(string) string { return "" })},
	{Name: "keys-cut-to-32", Kind: "key-mapping", Promise: "gcra", Slip: "keys are cut to 32 bytes",
		shared: renamed(rateRule{}.start, func(key string) string { return key[:min(32, len(key))] })},
	{Name: "keys-folded", Kind: "key-mapping", Promise: "log:open", Slip: "capital letters are taken for small ones",
		shared: renamed(logRule{}.start, strings.ToLower)},
	{Name: "keys-without-port", Kind: "key-mapping", Promise: "counter", Slip: "what stands behind the last colon is cut off, of IPv6 addresses too",
		shared: renamed(counterRule{}.start, func(key string) string {
			if i := strings.LastIndexByte(key, ':'); i >= 0 {
				return key[:i]
			}
			return key
		})},
	{Name: "keys-newest-1000", Kind: "state-dropped-early", Promise: "counter", Slip: "new clients push out those at their limit",
		shared: newest(1000)},
	{Name: "sweep-by-the-minute", Kind: "state-dropped-early", Promise: "log:open", Slip: "clients silent for a minute are removed, whatever the window",
		shared: swept(func(int64) int64 { return 60e9 })},
	{Name: "sweep-by-half-a-window", Kind: "state-dropped-early", Promise: "log:open", Slip: "clients silent for half a window are removed",
		shared: swept(func(w int64) int64 { return w / 2 })},
	{Name: "sweep-after-a-thousand", Kind: "state-dropped-early", Promise: "counter", Slip: "every thousand requests, clients silent for a window are removed",
		shared: sweptByCount},
	{Name: "flush-by-the-hour", Kind: "state-dropped-early", Promise: "log:open", Slip: "all clients are dropped at each full hour",
		shared: flushed},
	{Name: "zero-costs-one", Kind: "zero-or-negative", Promise: "log:open", Slip: "a cost of 0 is charged as 1",
		shared: charging(logRule{}.start, 1)},
	{Name: "zero-begins-window", Kind: "zero-or-negative", Promise: "fixed:align=restart", Slip: "a cost of 0 begins a window",
		shared: charging(fixedRule{align: restart}.start, 0)},
}

// both is two limits at once, with its slips.
func both(a, b func(limiter.Limit) client, la, lb limiter.Limit, join func(a, b func() bool) bool) func(limiter.Limit) client {
	return func(limiter.Limit) client {
		one, other := a(la), b(lb)
		return func(now, cost int64) bool {
			return join(func() bool { return one(now, cost) }, func() bool { return other(now, cost) })
		}
	}
}

var (
	perMinute = limiter.Limit{Max: 2, Window: 60e9}
	perSecond = limiter.Limit{Max: 1, Window: 1e9}
)

func inOrder(a, b func() bool) bool { return a() && b() }

var several = []Mutant{
	{Name: "multi-long-charged-first", Kind: "multi-limit", Promise: "multi:gcra@2/1m+gcra@1/1s", Slip: "the long limit is charged although the short one refuses",
		client: both(rateRule{}.start, rateRule{}.start, perMinute, perSecond, inOrder)},
	{Name: "multi-short-charged-first", Kind: "multi-limit", Promise: "multi:gcra@2/1m+gcra@1/1s", Slip: "the short limit is charged although the long one refuses",
		client: both(rateRule{}.start, rateRule{}.start, perSecond, perMinute, inOrder)},
	{Name: "multi-windows-long-first", Kind: "multi-limit", Promise: "multi:fixed:align=restart@10/1m+fixed:align=restart@30/30m",
		Slip: "the long limit is charged although the short one refuses",
		client: both(fixedRule{align: restart}.start, fixedRule{align: restart}.start, limiter.Limit{Max: 30, Window: 1800e9}, limiter.Limit{Max: 10, Window: 60e9},
			inOrder)},
	{Name: "multi-first-only", Kind: "multi-limit", Promise: "multi:log@2/1s+log@5/1m", Slip: "only the first limit is asked",
		client: both(logRule{closed: true}.start, logRule{}.start, limiter.Limit{Max: 2, Window: 1e9}, limiter.Limit{Max: 5, Window: 60e9},
			func(a, _ func() bool) bool { return a() })},
	{Name: "multi-any", Kind: "multi-limit", Promise: "multi:log@2/1s+log@5/1m", Slip: "one limit that admits is enough",
		client: both(logRule{closed: true}.start, logRule{closed: true}.start, limiter.Limit{Max: 2, Window: 1e9}, limiter.Limit{Max: 5, Window: 60e9},
			func(a, b func() bool) bool { first, second := a(), b(); return first || second })},
	{Name: "multi-blocks-not-trimmed", Kind: "never-slides", Promise: "multi:log:open@2/10s+log:open@100/1m",
		Slip: "aged blocks go only when exactly one has aged", client: blocks},
	{Name: "limit-per-minute-only", Kind: "unit-confusion", Promise: "fixed", Slip: "the window asked for is ignored, it is a minute",
		client: fixedRule{window: func(int64) int64 { return 60e9 }}.start},
}

// blocks are counts by the second under two limits; the loop that removes aged blocks of the shorter window runs only when
// exactly one has aged, and all go a minute after the last one was added to.
func blocks(limiter.Limit) client {
	counts := map[int64]int64{}
	oldest, last := int64(-1), int64(0)
	total := int64(0)
	tick := ascending()
	return func(now, cost int64) bool {
		block := tick(now) / 1e9
		if oldest >= 0 && block-last >= 60 {
			clear(counts)
			oldest, total = -1, 0
		}
		if oldest < 0 {
			oldest = block
		}
		if block-10-oldest == 0 {
			total -= counts[oldest]
			delete(counts, oldest)
			oldest++
		}
		if cost > 2-total {
			return false
		}
		total += cost
		counts[block] += cost
		last = block
		return true
	}
}

var (
	errHangs = errors.New("hangs")
	errDies  = errors.New("the process ended: exit status 3")
)

// told answers as a log does and says when to come back and how much is left, as it thinks.
func told(wait func(exact int64) int64, left func(exact int64) int64) func(limiter.Limit) func(limiter.Request) limiter.Answer {
	return func(l limiter.Limit) func(limiter.Request) limiter.Answer {
		past := map[string][]limiter.Request{}
		last := map[string]int64{}
		return func(r limiter.Request) limiter.Answer {
			r.Time = max(r.Time, last[r.Key])
			if r.Cost > 0 {
				last[r.Key] = r.Time
			}
			kept, count := past[r.Key], int64(0)
			for len(kept) > 0 && r.Time-kept[0].Time >= l.Window {
				kept = kept[1:]
			}
			for _, p := range kept {
				count += p.Cost
			}
			a := limiter.Answer{Admitted: r.Cost == 0 || r.Cost <= l.Max-count, RetryAfter: limiter.Unknown}
			if a.Admitted && r.Cost > 0 {
				kept = append(kept, r)
				count += r.Cost
			}
			past[r.Key] = kept
			if !a.Admitted && r.Cost <= l.Max {
				over := count + r.Cost - l.Max
				for _, p := range kept {
					if over -= p.Cost; over <= 0 {
						a.RetryAfter = wait(p.Time + l.Window - r.Time)
						break
					}
				}
			}
			a.Remaining = left(l.Max - count)
			return a
		}
	}
}

func same(exact int64) int64 { return exact }

var answering = []Mutant{
	{Name: "retry-after-too-soon", Kind: "retry-after", Promise: "log:open", Slip: "the waiting time is rounded down to whole seconds",
		answer: told(func(exact int64) int64 { return exact / 1e9 * 1e9 }, same)},
	{Name: "retry-after-now", Kind: "retry-after", Promise: "log:open", Slip: "a refusal says that waiting is not needed",
		answer: told(func(int64) int64 { return 0 }, same)},
	{Name: "retry-after-in-milliseconds", Kind: "retry-after", Promise: "log:open", Slip: "milliseconds where nanoseconds are due",
		answer: told(func(exact int64) int64 { return exact / 1e6 }, same)},
	{Name: "remaining-before", Kind: "remaining", Promise: "log:open", Slip: "what is left before the request, not after it",
		answer: told(same, func(exact int64) int64 { return exact + 1 })},
	{Name: "remaining-one-less", Kind: "remaining", Promise: "log:open", Slip: "one less than is left",
		answer: told(same, func(exact int64) int64 { return max(0, exact-1) })},
	{Name: "dies-at-large-limits", Kind: "crash", Promise: "counter", Slip: "the process ends under limits above 65535",
		client: counterRule{}.start, ending: func(l limiter.Limit, _ int) error {
			if l.Max > 65535 {
				return errDies
			}
			return nil
		}},
	{Name: "hangs-after-many", Kind: "hang", Promise: "log:open", Slip: "does not answer any more after 1000 requests",
		client: logRule{}.start, ending: func(_ limiter.Limit, served int) error {
			if served > 1000 {
				return errHangs
			}
			return nil
		}},
	{Name: "never-admits", Kind: "ttl-missing", Promise: "counter", Slip: "refuses everything",
		client: func(limiter.Limit) client { return func(int64, int64) bool { return false } }},
	{Name: "always-admits", Kind: "zero-or-negative", Promise: "counter", Slip: "the limit is taken for none",
		client: func(limiter.Limit) client { return func(int64, int64) bool { return true } }},
}
