package mutants

import "github.com/rlbench/rlbench/limiter"

// Correct lists limiters that are right, written apart from package limiter, some with liberties that are no faults.
var Correct = []Mutant{
	{Name: "log-closed", Promise: "log", Slip: "the closed edge", client: logRule{closed: true}.start},
	{Name: "log-open", Promise: "log", Slip: "the half-open edge", client: logRule{}.start},
	{Name: "log-open-strict", Promise: "log:open", Slip: "as promised", client: logRule{}.start},
	{Name: "log-counts-all", Promise: "log:open:count=all", Slip: "refused requests count, as declared", client: logRule{refused: true}.start},
	{Name: "log-in-milliseconds", Promise: "log:resolution=1ms", Slip: "a clock of milliseconds, as declared",
		client: logRule{clock: func(t int64) int64 { return t / 1e6 * 1e6 }}.start},
	{Name: "log-in-seconds", Promise: "log:open:resolution=1s", Slip: "a clock of seconds, as declared",
		client: logRule{clock: func(t int64) int64 { return t / 1e9 * 1e9 }}.start},
	{Name: "log-says-when", Promise: "log:open", Slip: "says when to come back and how much is left", answer: told(same, same)},
	{Name: "log-says-a-little-later", Promise: "log:open", Slip: "rounds the waiting time up to whole seconds",
		answer: told(func(exact int64) int64 { return (exact + 999_999_999) / 1e9 * 1e9 }, same)},
	{Name: "log-sweeps", Promise: "log:open", Slip: "removes clients silent for two windows", shared: swept(func(w int64) int64 { return 2 * w })},
	{Name: "counter-rounded-up", Promise: "counter", Slip: "rounds the weighted count up, which is the rule", client: counterRule{}.start},
	{Name: "counter-from-first", Promise: "counter:align=first", Slip: "windows from the first request on", client: counterRule{align: first}.start},
	{Name: "counter-forgets", Promise: "counter:align=first", Slip: "forgets clients silent for two windows", client: counterRule{align: first, forgets: 2}.start},
	{Name: "counter-forgets-late", Promise: "counter:align=first", Slip: "forgets clients silent for five windows", client: counterRule{align: first, forgets: 5}.start},
	{Name: "counter-counts-all", Promise: "counter:count=all", Slip: "refused requests count, as declared", client: counterRule{refused: true}.start},
	{Name: "counter-in-milliseconds", Promise: "counter:resolution=1ms", Slip: "a clock of milliseconds, as declared",
		client: counterRule{clock: func(t int64) int64 { return t / 1e6 * 1e6 }}.start},
	{Name: "buckets", Promise: "buckets:12", Slip: "as promised", client: bucketRule{k: 12}.start},
	{Name: "fixed", Promise: "fixed", Slip: "as promised", client: fixedRule{}.start},
	{Name: "fixed-from-first", Promise: "fixed:align=first", Slip: "as promised", client: fixedRule{align: first}.start},
	{Name: "fixed-restart", Promise: "fixed:align=restart", Slip: "as promised", client: fixedRule{align: restart}.start},
	{Name: "bucket", Promise: "token-bucket", Slip: "as promised", client: rateRule{}.start},
	{Name: "bucket-of-5", Promise: "gcra:burst=5", Slip: "as promised", client: rateRule{burst: func(int64) int64 { return 5 }}.start},
	{Name: "bucket-at-most", Promise: "at-most:200", Slip: "burst and refill stay below the bound that is promised", client: rateRule{}.start,
		Limit: limiter.Limit{Max: 100, Window: 60e9}},
	{Name: "multi", Promise: "multi:log:open@2/10s+log:open@5/1m", Slip: "checks all, then charges all", client: checksAll},
}

// checksAll is two logs, charged only if both admit.
func checksAll(limiter.Limit) client {
	type entry struct{ time, cost int64 }
	var past []entry
	tick := ascending()
	room := func(now, cost, most, w int64) bool {
		for _, e := range past {
			if now-e.time < w {
				most -= e.cost
			}
		}
		return cost <= most
	}
	return func(now, cost int64) bool {
		now = tick(now)
		if !room(now, cost, 2, 10e9) || !room(now, cost, 5, 60e9) {
			return false
		}
		past = append(past, entry{now, cost})
		return true
	}
}
