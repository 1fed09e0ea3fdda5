package units

import "testing"

func TestParseCount(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "100": 100, "1e6": 1e6, "10k": 1e4, "400M": 4e8, "1_000_000": 1e6, "1.5M": 15e5, "2.5e3": 2500,
		"9223372036854775807": 1<<63 - 1, "1T": 1e12,
	} {
		if got, err := ParseCount(text); err != nil || got != want {
			t.Errorf("ParseCount(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "k", "-1", "1.5", "abc", "1e", "1e99", "9223372036854775808", "0x10", "1/2", "1e-3", "inf", "١"} {
		if got, err := ParseCount(text); err == nil {
			t.Errorf("ParseCount(%q) = %d; want an error", text, got)
		}
	}
}

func TestDuration(t *testing.T) {
	for text, want := range map[string]int64{"60s": 60e9, "1m30s": 90e9, "30d": 2592000e9, "1d12h": 129600e9, "1ns": 1, "0": 0, "1.5s": 15e8} {
		got, err := ParseDuration(text)
		if err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %d, %v; want %d", text, got, err, want)
		}
		if back, err := ParseDuration(FormatDuration(got)); err != nil || back != got {
			t.Errorf("%q formats as %q, which reads as %d, %v", text, FormatDuration(got), back, err)
		}
	}
	for _, text := range []string{"", "60", "d", "xd", "1dd", "999999999d", "-"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("ParseDuration(%q) = %d; want an error", text, got)
		}
	}
	for ns, want := range map[int64]string{60e9: "1m", 3600e9: "1h", 90e9: "1m30s", 86400e9: "1d", 1: "1ns", 0: "0s", 1e9: "1s"} {
		if got := FormatDuration(ns); got != want {
			t.Errorf("FormatDuration(%d) = %q; want %q", ns, got, want)
		}
	}
}
