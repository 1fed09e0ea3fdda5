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

func TestBytes(t *testing.T) {
	for text, want := range map[string]int64{
		"512MiB": 512 << 20, "1.5GiB": 3 << 29, "512MB": 512e6, "64kB": 64e3, "64 KB": 64e3, "1e9": 1e9, "7": 7, "0.5KiB": 512, "3B": 3, "10k": 10e3,
	} {
		if got, err := ParseBytes(text); err != nil || got != want {
			t.Errorf("%q is %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "MiB", "1.3B", "-1MB", "1e3MB", "1..2MB", "99999999TiB", "12QB", "NaNMB"} {
		if got, err := ParseBytes(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1024: "1 KiB", 1536: "1.5 KiB", 512 << 20: "512 MiB", 3 << 29: "1.5 GiB", 12345: "12 KiB"} {
		if got := FormatBytes(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}
