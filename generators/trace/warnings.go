package trace

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// What may be wrong with how a log is read is said in Stats.Warnings, each with the flag that cures it. Some is told from the
// first lines of a file, some from all.

// headWarnings are what the first lines of a file tell.
func (p *reader) headWarnings(head [][]byte, o *Options) (list []string) {
	if noOffsets(p.parser) && o.zone == nil {
		list = append(list, "the times have no UTC offset and are taken for UTC: --time-zone names theirs, such as +01:00 or Europe/Berlin")
	}
	var r record
	requests, ports, lists := 0, 0, 0
	port := ""
	names := map[string]int{}
	for _, line := range head {
		if p.parse(line, &r) != request {
			continue
		}
		requests++
		if cleaned := cleanAddress(r.key, &r); len(cleaned) < len(r.key) && isAddress(cleaned) {
			ports++
			port = string(r.key)
		}
		if bytes.IndexByte(r.key, ',') >= 0 && isAddressList(r.key) {
			lists++
		}
		if !isAddress(r.key) {
			names[string(r.key)]++
		}
	}
	if 2*ports > requests {
		field := ""
		if len(o.key) == 1 && o.key[0].name != "client" {
			field = ":" + o.KeyField
		}
		list = append(list, fmt.Sprintf("keys have ports, as %s has, so that every connection is a client of its own: --key ip%s takes them off", port, field))
	}
	if lists > 0 && isClient(o.key) && separated(p.parser) == nil {
		list = append(list, "clients are lists of addresses, as in X-Forwarded-For: --key forwarded takes the first of each")
	}
	if p.usual && isClient(o.key) {
		list = append(list, hostWarning(names, requests)...)
	}
	return list
}

// noOffsets reports whether a format's times never have an offset.
func noOffsets(p parser) bool {
	switch p := p.(type) {
	case haproxy:
		return true
	case *w3c:
		return p.columns != nil && p.columns.kind == w3cLocal
	}
	return false
}

// hostWarning doubts a client that is the same name in most lines.
func hostWarning(names map[string]int, requests int) []string {
	for name, n := range names {
		if requests >= 10 && 2*n > requests {
			return []string{fmt.Sprintf("the client of most of the first lines is the name %s: if that is a virtual host, and the client stands elsewhere, "+
				"say where with --format, such as '$host $client $_ [$time] \"$request\" $_'", quote([]byte(name)))}
		}
	}
	return nil
}

// A crowd counts the requests of private addresses. Where there are many of them, those with few requests are forgotten, so that
// counts are the least that it can have been.
type crowd struct {
	list  []member
	share int // members kept
}

type member struct {
	key string
	n   int64
}

const (
	blockMembers = 16
	totalMembers = 256
)

func (c *crowd) add(key []byte, n int64) {
	for i := range c.list {
		if c.list[i].key == string(key) {
			c.list[i].n += n
			return
		}
	}
	if len(c.list) == c.share { // take from all what the smallest has
		least := n
		for _, m := range c.list {
			least = min(least, m.n)
		}
		for i := range c.list {
			c.list[i].n -= least
		}
		c.list = slices.DeleteFunc(c.list, func(m member) bool { return m.n == 0 })
		if n -= least; n == 0 {
			return
		}
	}
	c.list = append(c.list, member{string(key), n})
}

// A survey is what all lines tell.
type survey struct {
	crowd    crowd
	why      [len(reasons)]int64
	head     []string
	forwards bool // whether the log has X-Forwarded-For
	client   bool // whether the key is the client
}

func newSurvey() survey { return survey{crowd: crowd{share: totalMembers}} }

// add takes what a block tells.
func (v *survey) add(b *block) {
	if rd, ok := b.parser.(*reader); ok {
		for _, text := range rd.warnings {
			if !slices.Contains(v.head, text) {
				v.head = append(v.head, text)
			}
		}
		v.client, v.forwards = rd.client, v.forwards || rd.forwards
	}
	for _, m := range b.lines.private.list {
		v.crowd.add([]byte(m.key), m.n)
	}
	for why, n := range b.lines.why {
		v.why[why] += n
	}
}

// warnings are what it comes to, for a log of so many requests.
func (v *survey) warnings(parsed int64) []string {
	list := v.head
	for _, m := range v.crowd.list {
		if v.client && parsed >= 4 && 2*m.n > parsed {
			cure := "--key forwarded takes the clients from X-Forwarded-For"
			if !v.forwards {
				cure = "have the server log X-Forwarded-For, and take it with --key forwarded"
			}
			list = append(list, fmt.Sprintf("%s, a private address, sent %d %% of the requests: if it is a proxy, all clients behind it are taken for one; %s",
				m.key, m.n*100/parsed, cure))
		}
	}
	for _, c := range []struct {
		why  verdict
		cure string
	}{
		{hexEscape, "%s no JSON, since nginx escapes bytes in its own way: write escape=json into its log_format"},
		{noOffset, "%s skipped for a time without an offset: --time-zone names the zone"},
		{badCost, "%s skipped for a cost that is no whole number: --cost names another field, and --cost none makes each 1"},
	} {
		if n := v.why[c.why]; n > 0 {
			verb := " were"
			if n == 1 {
				verb = " was"
			}
			list = append(list, fmt.Sprintf(strings.Replace(c.cure, "%s", "%s%s", 1), plural(int(n), "line"), verb))
		}
	}
	return list
}
