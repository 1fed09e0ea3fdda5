package report

import (
	"testing"

	"github.com/rlbench/rlbench/report/human"
	"github.com/rlbench/rlbench/results"
)

func TestBanded(t *testing.T) {
	for _, c := range []struct {
		band *results.Band
		want string
	}{
		{&results.Band{6886, 8326}, "33.7..40.8"}, {&results.Band{0, 10}, "0..0.049"}, {&results.Band{7, 7}, "0.034"}, {nil, "as it was"},
	} {
		if got := banded(c.band, text("as it was"), ofTotal(20429)).joined(); got != c.want {
			t.Errorf("%v is shown as %q, want %q", c.band, got, c.want)
		}
	}
	if got := banded(&results.Band{-0.4, 0.24}, text(""), human.Percent).joined(); got != "-40.0..24.0" {
		t.Errorf("a band across zero is shown as %q", got)
	}
}
