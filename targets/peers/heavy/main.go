// Heavy serves rate limiters that come with a web framework or with a licence that keeps them out of rlbench's own
// binary: juju/ratelimit, labstack/echo, gofiber/fiber. It speaks the command protocol, so that rlbench judges them as
//
//	rlbench run -a counter -a "command:heavy fiber-sliding"
//
// in virtual time. Its benchmarks measure what they cost (go test -bench . in this folder).
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/rlbench/rlbench/targets/peers"
)

// Peers lists the libraries. To add one, write its file and add its row here.
var Peers = []peers.Peer{
	juju,
	echoStore,
	fiberFixed, fiberSliding,
}

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "heavy: %v\n", err)
		os.Exit(2)
	}
}

// run serves the library that the only argument names, or lists them all.
func run(args []string, in io.Reader, out io.Writer) error {
	if len(args) != 1 {
		for i := range Peers {
			fmt.Fprintf(out, "%s\n    %s\n", Peers[i].Name, Peers[i].Doc())
		}
		return nil
	}
	for i := range Peers {
		if Peers[i].Name == args[0] {
			target, err := Peers[i].Open()
			if err != nil {
				return err
			}
			defer target.Close()
			return serve(target, in, out)
		}
	}
	return fmt.Errorf("no library %q: run it without arguments for a list", args[0])
}
