// Package targets reaches the limiters that are not rlbench's own: Go libraries, programs, servers. It has one table of
// kinds; each is a limiter.Foreign behind a prefix of its own.
package targets

import (
	"fmt"
	"strings"

	"github.com/rlbench/rlbench/limiter"
	"github.com/rlbench/rlbench/targets/command"
	"github.com/rlbench/rlbench/targets/peers"
)

// A Kind is one row of Kinds.
type Kind struct {
	Prefix string
	Form   string                                     // how a spec of this kind is written
	Doc    string                                     // what it is, in a line
	Parse  func(text string) (limiter.Foreign, error) // text is the whole spec, prefix included
	List   func() []Entry                             // what can be named behind the prefix; nil if anything can
}

// An Entry is something that can be named behind a prefix.
type Entry struct{ Name, Doc string }

// Kinds lists all kinds of foreign limiters. To add one, write a package with its Parse and add its row here.
var Kinds = []Kind{
	{peers.Prefix, peers.Form, "a Go library, in virtual time; rate L/W and burst L where it takes a rate", peers.Parse, listPeers},
	{command.Prefix, command.Form, "any program that reads requests as lines and answers each with a line, pipelined", command.Parse, nil},
}

func listPeers() (entries []Entry) {
	for i := range peers.Peers {
		p := &peers.Peers[i]
		entries = append(entries, Entry{p.Name, p.Doc()})
	}
	return entries
}

// Specs reads specs, foreign ones included.
var Specs = limiter.Parser{Foreign: parse}

func parse(prefix, text string) (limiter.Spec, error) {
	var known []string
	for _, k := range Kinds {
		if k.Prefix == prefix {
			f, err := k.Parse(text)
			if err != nil {
				return limiter.Spec{}, err
			}
			return f.Spec(), nil
		}
		known = append(known, k.Prefix+":")
	}
	return limiter.Spec{}, fmt.Errorf("limiters with the prefix %s: are not built into this version; there are %s", prefix, strings.Join(known, ", "))
}
