// Package human writes figures and foreign text the way a person reads them: short, exact where it matters, and with
// nothing in it that a terminal or a page could take for more than text.
package human

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// terminal measures text as a terminal outside East Asia does, whatever the environment says: output must not depend on it.
var terminal = &runewidth.Condition{EastAsianWidth: false, StrictEmojiNeutral: true}

// Width is the number of columns that s takes on a terminal.
func Width(s string) int { return terminal.StringWidth(s) }

// Escape makes s safe to show anywhere: control bytes, bytes that are no UTF-8, and characters that have no shape of their
// own or change their neighbours' order (zero-width, bidirectional, private, unassigned) become \x1b or \u202e; a
// backslash is doubled, so that the text stays unambiguous. All else is kept as it is.
func Escape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\\':
			b.WriteString(`\\`)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case !unicode.IsPrint(r) || invisible(r):
			if r > 0xffff {
				fmt.Fprintf(&b, `\U%08x`, r)
			} else {
				fmt.Fprintf(&b, `\u%04x`, r)
			}
		case i == 0 && unicode.Is(unicode.M, r): // it would sit on whatever stands before
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// invisible tells the characters that count as letters, marks or symbols and yet show nothing.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == '\u2800'
}

// Shorten cuts the middle out of s so that it takes at most width columns (at least 1), and marks the cut. Its two ends
// are what tells long names apart.
func Shorten(s string, width int) string {
	if Width(s) <= width {
		return s
	}
	if width <= 1 {
		return "…"
	}
	left, right := (width-1+1)/2, (width-1)/2
	head := terminal.Truncate(s, left, "")
	runes := []rune(s)
	start, taken := len(runes), 0
	for start > 0 && taken+terminal.RuneWidth(runes[start-1]) <= right {
		start--
		taken += terminal.RuneWidth(runes[start])
	}
	return head + "…" + string(runes[start:])
}

// Wrap breaks text into lines of at most width columns at its blanks; a word longer than a line is shortened.
func Wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		word = Shorten(word, width)
		switch {
		case line == "":
			line = word
		case Width(line)+1+Width(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
