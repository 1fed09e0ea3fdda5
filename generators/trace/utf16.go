package trace

import (
	"bufio"
	"io"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// decode makes UTF-8 of UTF-16, which is told by its mark, or by every other one of the first bytes being zero.
func decode(r io.Reader) io.Reader {
	in := bufio.NewReaderSize(r, 64<<10)
	head, _ := in.Peek(8)
	order, ok := byteOrder(head)
	if !ok {
		return in
	}
	return transform.NewReader(in, unicode.UTF16(order, unicode.UseBOM).NewDecoder())
}

func byteOrder(head []byte) (order unicode.Endianness, ok bool) {
	if len(head) < 2 {
		return order, false
	}
	switch {
	case head[0] == 0xff && head[1] == 0xfe:
		return unicode.LittleEndian, true
	case head[0] == 0xfe && head[1] == 0xff:
		return unicode.BigEndian, true
	}
	if len(head) < 8 {
		return order, false
	}
	little, big := true, true
	for i, c := range head {
		zero := c == 0
		little = little && zero == (i%2 == 1)
		big = big && zero == (i%2 == 0)
	}
	if big {
		return unicode.BigEndian, true
	}
	return unicode.LittleEndian, little
}
