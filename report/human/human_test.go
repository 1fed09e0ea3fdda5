package human

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"":                      "",
		"10.0.0.1":              "10.0.0.1",
		"Zoë 東京 🙂":              "Zoë 東京 🙂",
		"a\x00b\tc\r\n":         `a\x00b\x09c\x0d\x0a`,
		"\x1b[31mred\x1b[0m":    `\x1b[31mred\x1b[0m`,
		"\x7f":                  `\x7f`,
		"\u009b31m":             `\u009b31m`,
		"\xff\xc3(":             `\xff\xc3(`,
		"abc\u202edef\u2066":    `abc\u202edef\u2066`,
		"zero\u200bwidth\ufeff": `zero\u200bwidth\ufeff`,
		"\u00a0":                `\u00a0`,
		"a\ufe0f\u034f\u3164":   `a\ufe0f\u034f\u3164`,
		"\u0301a":               `\u0301a`,
		"e\u0301":               "e\u0301",
		"\U000e0041":            `\U000e0041`,
		`back\slash`:            `back\\slash`,
		"<script>":              "<script>",
	} {
		if got := Escape(in); got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
	}
}

// Two different texts must not look the same after escaping.
func TestEscapeIsUnambiguous(t *testing.T) {
	if a, b := Escape("\x1b"), Escape(`\x1b`); a == b {
		t.Errorf("a control byte and its spelling both give %q", a)
	}
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{
		{"counter", 7, "counter"}, {"counter", 6, "cou…er"}, {"counter", 1, "…"}, {"counter", 2, "c…"},
		{"abcdefghij", 5, "ab…ij"}, {"東京東京東京", 7, "東…京"}, {"", 3, ""},
	} {
		got := Shorten(c.in, c.width)
		if got != c.want && !(strings.Contains(got, "東") && Width(got) <= c.width) {
			t.Errorf("Shorten(%q, %d) = %q, want %q", c.in, c.width, got, c.want)
		}
	}
}

func FuzzEscapeShorten(f *testing.F) {
	f.Add("\x1b[31m\u202e東京", 7)
	f.Add("e\u0301\u0301\u0301\u0301👨‍👩‍👧", 3)
	f.Fuzz(func(t *testing.T, s string, width int) {
		escaped := Escape(s)
		if !utf8.ValidString(escaped) {
			t.Fatalf("%q is not UTF-8", escaped)
		}
		for _, r := range escaped {
			if r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200b {
				t.Fatalf("%q holds %U", escaped, r)
			}
		}
		width = max(width&127, 1)
		if got := Shorten(escaped, width); Width(got) > width {
			t.Fatalf("Shorten(%q, %d) = %q has %d columns", escaped, width, got, Width(got))
		}
	})
}

func TestNumbers(t *testing.T) {
	for want, got := range map[string]string{
		"0": Count(0), "999,999": Count(999999), "1M": Count(1e6), "1.23M": Count(1234567), "400M": Count(400e6), "1G": Count(999999999),
		"1T": Count(1e12), "9.2e+18": Count(1<<63 - 1), "-9.2e+18": Count(-1 << 63), "-1.23M": Count(-1234567),
		"-1,234": Commas(-1234), "-123": Commas(-123), "12": Commas(12), "9,223,372,036,854,775,807": Commas(1<<63 - 1),
		"0.0031": Percent(0.000031), "0.41": Percent(0.0041), "6.0": Percent(0.06), "33.4": Percent(0.334), "100": Percent(1), "-0.12": Percent(-0.0012),
		"1.43×": Ratio(1.43), "1.00×": Ratio(1), ">1.00×": Ratio(1.0001), "1.01×": Ratio(1.01), "200×": Ratio(200), "2,000×": Ratio(2000),
		"1 client": Plural(1, "client"), "2 clients": Plural(2, "client"), "a, b and c": List([]string{"a", "b", "c"}), "a": List([]string{"a"}),
		"2013-07-01 00:00:00.5Z": Instant(1372636800500000000, true), "1m30s": Instant(90e9, false),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestUncertain(t *testing.T) {
	for _, c := range []struct {
		x, low, high float64
		places       int
		value, more  string
	}{
		{0.0041, 0.0038, 0.0044, 7, "0.41", "±0.03"},
		{0, 0, 0.00003, 7, "0", "≤0.003"},
		{0.0041, 0, 0.0093, 7, "0.41", "≤0.93"},
		{0.0041, 0.0001, 0.0044, 7, "0.41", "±0.40"}, // the wider side
		{0.000031, 0.000027, 0.000035, 7, "0.0031", "±0.0004"},
		{0.000031, 0.000027, 0.000035, 3, "0.003", "±0.001"},
		{0.0000031, 0.0000027, 0.0000035, 3, "<0.001", ""},
		{-0.0012, -0.0013, -0.0011, 7, "-0.12", "±0.01"},
		{0.334, 0.334, 0.334, 7, "33.4", "±0"},
		{1, 1, 1, 7, "100", "±0"},
		{0.3341, 0.3191, 0.3491, 7, "33.4", "±1.5"},
	} {
		value, more := Uncertain(c.x, c.low, c.high, c.places)
		if value != c.value || more != c.more {
			t.Errorf("Uncertain(%v, %v, %v, %d) = %q %q, want %q %q", c.x, c.low, c.high, c.places, value, more, c.value, c.more)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, line := range Wrap("one two  three\nfour "+strings.Repeat("x", 50), 10) {
		if Width(line) > 10 || line == "" {
			t.Errorf("%q", line)
		}
	}
	if got := strings.Join(Wrap("one two  three\nfour", 8), "|"); got != "one two|three|four" {
		t.Errorf("%q", got)
	}
}
