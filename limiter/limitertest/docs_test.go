package limitertest_test

import (
	"os"
	"strings"
	"testing"

	"github.com/rlbench/rlbench/limiter/limitertest"
)

// The page on conformance lists every probe with what it catches.
func TestDocsListProbes(t *testing.T) {
	page, err := os.ReadFile("../../docs/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range limitertest.Probes {
		if row := "| " + p.Name + " | " + p.Catches + " |"; !strings.Contains(string(page), row) {
			t.Errorf("docs/conformance.md lacks %s", row)
		}
	}
}
