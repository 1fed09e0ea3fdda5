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
	make: func(s setting) (library, error) {
		window := func() (slidingwindow.Window, slidingwindow.StopFunc) { return slidingwindow.NewLocalWindow() }
		return slidingWindows{newPerKey(func() *slidingwindow.Limiter {
			l, _ := slidingwindow.NewLimiter(time.Duration(s.limit.Window), s.limit.Max, window)
			return l
		})}, nil
	},
}

type slidingWindows struct {
	perKey[*slidingwindow.Limiter]
}

func (w slidingWindows) Allow(key string) bool { return w.of(key).Allow() }

func (w slidingWindows) decide(key string, now time.Time, cost int64) limiter.Answer {
	return answer(w.of(key).AllowN(now, cost))
}
