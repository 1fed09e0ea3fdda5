package limitertest

import (
	"fmt"
	"strings"

	"github.com/rlbench/rlbench/limiter"
)

// families are keys that careless limiters take for one another.
func families() map[string][]string {
	long := strings.Repeat("tenant-0123456789/", 12)
	return map[string][]string{
		"keys that share a long prefix":      {long + "user-1", long + "user-2", long, long[:len(long)-1]},
		"keys that share a long suffix":      {"1" + long, "2" + long, "x1" + long},
		"keys that differ in case":           {"Alice", "alice", "ALICE"},
		"keys that differ in punctuation":    {"a:b", "a::b", "ab", "a-b", "a_b", "a.b", ":ab", "ab:"},
		"keys that are numbers":              {"1", "01", "1.0", "257", "65537", "4294967297", "18446744073709551617", "-1"},
		"IPv6 addresses":                     {"2001:db8::1", "2001:db8::2", "2001:db8:0:1::1", "2001:db8:0:1::2", "::1", "::ffff:192.0.2.1", "192.0.2.1", "fe80::1%eth0", "fe80::1"},
		"IPv4 addresses":                     {"192.0.2.1", "192.0.2.11", "192.0.21.1", "192.02.1.1", "192.0.2.1:80", "192.0.2.1:8080"},
		"keys whose letters sum up alike":    {"ab", "ba", "ac", "bb", "abc", "acb", "cab"},
		"a key within another":               {"a", "aa", "aaa", "*", "a*", "?", "%61"},
		"keys of the largest length":         {strings.Repeat("k", 255), strings.Repeat("k", 254) + "l", strings.Repeat("k", 254)},
		"keys that are words of programming": {"__proto__", "constructor", "null", "undefined", "None", "0", "true"},
	}
}

// keys interleaves many clients.
func keys(c *check) {
	for _, s := range c.settings(few...) {
		l, w := s.scale.Max, s.scale.Window
		if !fits(w, 40) {
			continue
		}
		for _, note := range sortedNames(families()) {
			members := families()[note]
			script := newScript()
			for round := range min(l, 50) + 2 {
				for _, key := range members { // at one instant: not every limiter's clock can go back for another client
					script.as(key).one(10*w + round)
				}
			}
			for _, at := range []int64{11*w + w/2, 13 * w} {
				for _, key := range members {
					script.as(key).one(at)
				}
			}
			c.try(s, note, script)
		}
		n := 3000
		if c.quick {
			n = 1200
		}
		if l > 5 {
			n = min(n, 300)
		}
		if !c.try(s, "many clients that alternate", interleaved(l, w, n)) {
			return
		}
	}
	if !c.quick {
		for _, s := range c.settings(limiter.Limit{Max: 1, Window: 3600e9}) {
			if s.scale.Max <= 5 && !c.try(s, "very many clients, each twice", interleaved(1, s.scale.Window, 70_000)) {
				return
			}
		}
	}
}

func interleaved(l, w int64, n int) *script {
	script := newScript()
	for round := range min(l, 60) + 1 {
		for i := range n {
			script.as(fmt.Sprintf("client-%d", i)).one(10*w + w/20*(round*5/min(l+1, 61)) + round)
		}
	}
	return script
}

// cleanUp has clients come and go while others stay.
func cleanUp(c *check) {
	settings := c.settings(append([]limiter.Limit{{Max: 3, Window: 86400e9}, {Max: 5, Window: 600e9}}, few...)...)
	for _, s := range settings {
		l, w := s.scale.Max, s.scale.Window
		if !fits(w, 100) {
			continue
		}
		for _, visitors := range []int{3, 400} {
			script := newScript()
			script.as("busy").over(10*w, l)
			script.as("slow").one(10 * w)
			t := 10 * w
			for i := range visitors * 5 {
				t += w * 4 / int64(visitors*5)
				script.as(fmt.Sprintf("visitor-%d", i)).one(t)
				if i%visitors == visitors/2 {
					script.as("busy").one(t + 1)
					script.as("slow").one(t + 1)
				}
			}
			script.as("busy").over(t+2, l)
			script.as("slow").over(t+3, l)
			for i := range visitors {
				script.as(fmt.Sprintf("visitor-%d", visitors*5-1-i)).over(t+4, min(l, 3))
			}
			c.try(s, "clients come and go while two stay", script)
			script = newScript().as("busy").over(10*w, l)
			for i := range visitors {
				script.as(fmt.Sprintf("visitor-%d", i)).one(10*w + w/100 + int64(i))
			}
			script.as("busy").over(10*w+w/50, 1).over(10*w+w/2, 1).over(10*w+w-1, 1)
			c.try(s, "others within the window of a client at its limit", script)
			script = newScript().as("busy").over(10*w+w/20, l)
			for i := range visitors * 3 {
				script.as(fmt.Sprintf("visitor-%d", i)).one(11*w + w/10 + int64(i))
			}
			script.as("busy").over(11*w+w/4, l).over(11*w+w/2, l)
			c.try(s, "others in the window after that of a client at its limit", script)
			script = newScript().as("busy").burst(10*w, l)
			script.as("other").one(10*w + 3*w + w/2)
			script.as("busy").over(13*w+w/2+1, l)
			if !c.try(s, "another client while one is away", script) {
				return
			}
		}
	}
}
