package peers

import (
	"time"

	"github.com/RussellLuo/slidingwindow"

	"github.com/rlbench/rlbench/limiter"
)

var slidingWindow = Peer{
	Name:      "slidingwindow",
	Module:    "github.com/RussellLuo/slidingwindow",
	License:   "MIT",
	Algorithm: "sliding window counter, the share of the last window cut to an integer, windows aligned to the clock; one for each client in a concurrent map (puzpuzpuz/xsync)",
	Promise:   "2L",
	Clock:     Told,
	Like:      "counter",
	But:       "up to one request looser, as the weighted count is cut",
	Costs:     true,
	Make: func(s Setting) (Library, error) {
		window := func() (slidingwindow.Window, slidingwindow.StopFunc) { return slidingwindow.NewLocalWindow() }
		return slidingWindows{NewPerKey(func() *slidingwindow.Limiter {
			l, _ := slidingwindow.NewLimiter(time.Duration(s.Limit.Window), s.Limit.Max, window)
			return l
		})}, nil
	},
}

type slidingWindows struct {
	PerKey[*slidingwindow.Limiter]
}

func (w slidingWindows) Allow(key string) bool { return w.Of(key).Allow() }

func (w slidingWindows) Decide(key string, now time.Time, cost int64) limiter.Answer {
	return Answer(w.Of(key).AllowN(now, cost))
}
