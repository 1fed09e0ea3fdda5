package trace

import (
	"bytes"
	"encoding/binary"
	"net/netip"
)

// clientOf is the client that a field of a log names: an address without its port, or a name; empty if it says that there is none.
func clientOf(b []byte, r *record) []byte { return orNothing(cleanAddress(b, r)) }

// cleanAddress takes the port off an address or a name, and makes an IPv4 address of one that is mapped into IPv6. Anything else,
// lists of addresses among it, stays as it stands.
func cleanAddress(b []byte, r *record) []byte {
	if n := len(b); n >= 8 && n <= 16 && !hasColon(binary.LittleEndian.Uint64(b)) && !hasColon(binary.LittleEndian.Uint64(b[n-8:])) {
		return b
	}
	i := bytes.IndexByte(b, ':')
	if i < 0 {
		return b
	}
	switch {
	case b[0] == '[':
		end := bytes.IndexByte(b, ']')
		if end < 0 || end+1 >= len(b) || b[end+1] != ':' || !isPort(b[end+2:]) {
			return b
		}
		b = b[1:end]
	case bytes.IndexByte(b[i+1:], ':') < 0:
		if i > 0 && isPort(b[i+1:]) {
			return b[:i]
		}
		return b
	}
	if b[0] == ':' || b[0] == '0' { // ::ffff:1.2.3.4
		if a, err := netip.ParseAddr(string(b)); err == nil && a.Is4In6() && a.Zone() == "" {
			r.address = a.Unmap().AppendTo(r.address[:0])
			return r.address
		}
	}
	return b
}

// hasColon reports whether one of eight bytes is a colon.
func hasColon(x uint64) bool {
	x ^= 0x3a3a3a3a3a3a3a3a
	return (x-0x0101010101010101)&^x&0x8080808080808080 != 0
}

func isPort(b []byte) bool {
	return len(b) <= 5 && isNumber(b)
}

// parseAddress reads an address, with a port or brackets or without. One that is mapped into IPv6 is an IPv4 address.
func parseAddress(b []byte, r *record) (a netip.Addr, ok bool) {
	b = cleanAddress(b, r)
	if n := len(b); n > 2 && b[0] == '[' && b[n-1] == ']' {
		b = b[1 : n-1]
	}
	a, err := netip.ParseAddr(string(b))
	return a.Unmap(), err == nil
}

// firstAddress returns the first of a list as in X-Forwarded-For, without port and brackets; empty if there is none.
func firstAddress(b []byte, r *record) []byte {
	b, _, _ = bytes.Cut(b, []byte(","))
	b = bytes.Trim(b, " \t\"")
	if len(b) == 0 || string(b) == "-" || string(b) == "unknown" {
		return nil
	}
	b = cleanAddress(b, r)
	if n := len(b); n > 2 && b[0] == '[' && b[n-1] == ']' {
		b = b[1 : n-1]
	}
	return b
}

// isAddressList reports whether b is addresses separated by commas, or "-".
func isAddressList(b []byte) bool {
	if string(b) == "-" {
		return true
	}
	var r record
	for part := range bytes.SplitSeq(b, []byte(",")) {
		part = bytes.Trim(part, " \t")
		if _, ok := parseAddress(part, &r); !ok && string(part) != "unknown" {
			return false
		}
	}
	return true
}

// sharedSpace is what carriers use between their customers and themselves.
var sharedSpace = netip.MustParsePrefix("100.64.0.0/10")

// isPrivate reports whether b is an address that no client on the Internet has.
func isPrivate(b []byte) bool {
	if len(b) < 3 || len(b) > 45 || !mayBePrivate(b) {
		return false
	}
	a, err := netip.ParseAddr(string(bytes.Trim(b, "[]")))
	if err != nil {
		return false
	}
	a = a.Unmap()
	return a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || sharedSpace.Contains(a)
}

// mayBePrivate is a quick look at the first bytes.
func mayBePrivate(b []byte) bool {
	switch b[0] {
	case '1':
		switch uint32(b[1])<<8 | uint32(b[2]) {
		case '0'<<8 | '.', '2'<<8 | '7', '9'<<8 | '2', '7'<<8 | '2', '6'<<8 | '9', '0'<<8 | '0':
			return true
		}
		return false
	case 'f', 'F':
		return b[1] == 'c' || b[1] == 'C' || b[1] == 'd' || b[1] == 'D' || b[1] == 'e' || b[1] == 'E'
	}
	return b[0] == ':' || b[0] == '['
}
