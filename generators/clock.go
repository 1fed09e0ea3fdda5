package generators

// rebase is where a clock carries its nanoseconds over: below it the float's steps are under 2^-12 ns.
const rebase = 1 << 40

// A clock adds up gaps of real length and reads them in whole nanoseconds, rounded down, to the end of the span. Its error
// does not grow with the time, and what it reads does not depend on how the reading is divided into calls.
type clock struct {
	base int64   // nanoseconds carried over
	past float64 // since base
	left int64   // from base to the end of the span, >= 0
}

func newClock(span int64) clock { return clock{left: span} }

// carry moves whole nanoseconds from past to base. A clock at its end stays at past 0 and left 0.
func (c *clock) carry() {
	if !(c.past < float64(c.left)) || int64(c.past) >= c.left {
		c.stop()
		return
	}
	whole := int64(c.past)
	c.base += whole
	c.left -= whole
	c.past -= float64(whole)
}

// stop ends the clock's time.
func (c *clock) stop() { c.past, c.left = 0, 0 }
