//go:build !unix

package command

import "os/exec"

func ownGroup(*exec.Cmd) {}

// killGroup ends the program alone: there are no groups here.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = cmd.Process.Kill()
	}
}
