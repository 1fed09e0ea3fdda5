// Versions prints the module and the version of each library that it was built with.
package main

import (
	"fmt"

	"github.com/rlbench/rlbench/targets/peers"
)

func main() {
	for i := range peers.Peers {
		p := &peers.Peers[i]
		fmt.Println(p.Module, p.Version())
	}
}
