package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rlbench/rlbench/results"
)

// tool says what this program is and what it runs on.
func tool() results.Tool {
	t := results.Tool{
		Version: "(devel)", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		CPU: processor("/proc/cpuinfo"), Cores: runtime.NumCPU(),
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return t
	}
	if info.Main.Version != "" {
		t.Version = info.Main.Version
	}
	modified := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			t.Commit = s.Value
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	if modified && t.Commit != "" {
		t.Commit += "-modified"
	}
	return t
}

// processor reads the name of the processor where the system tells it in a file as Linux does; elsewhere it is the
// architecture.
func processor(cpuinfo string) string {
	f, err := os.Open(cpuinfo)
	if err != nil {
		return runtime.GOARCH
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// version is the tool in a line.
func version() string {
	t := tool()
	s := t.Version
	if t.Commit != "" {
		s += fmt.Sprintf(" (%.12s)", t.Commit)
	}
	return fmt.Sprintf("%s, %s %s/%s", s, t.Go, t.OS, t.Arch)
}

func versionCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long:  "Version prints the version of rlbench, its commit, and that of Go.",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(c.stdout, "rlbench "+version())
			return err
		},
	}
}
