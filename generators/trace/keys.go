package trace

import "bytes"

// keys numbers keys in order of first appearance. It is a hash table that tells keys apart by their bytes; hashes only say
// where to look. No part of it holds pointers to keys, so that the garbage collector has nothing to follow.
type keys struct {
	text   []byte   // all keys, one after the other
	ends   []int    // of each key in text
	hashes []uint64 // of each key
	slots  []uint32 // number of a key plus 1, or 0; the length is a power of two, at least twice the number of keys
}

func (k *keys) len() int { return len(k.ends) }

// reset forgets all keys, but not the memory.
func (k *keys) reset() {
	k.text, k.ends, k.hashes = k.text[:0], k.ends[:0], k.hashes[:0]
	clear(k.slots)
}

func (k *keys) key(i uint32) []byte {
	from := 0
	if i > 0 {
		from = k.ends[i-1]
	}
	return k.text[from:k.ends[i]]
}

// number returns the key's number, which is a new one if the key is.
func (k *keys) number(hash uint64, key []byte) uint32 {
	if 2*k.len() >= len(k.slots) {
		k.grow()
	}
	mask := uint64(len(k.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		switch i := k.slots[at]; {
		case i == 0:
			k.text = append(k.text, key...)
			k.ends = append(k.ends, len(k.text))
			k.hashes = append(k.hashes, hash)
			k.slots[at] = uint32(k.len())
			return uint32(k.len() - 1)
		case k.hashes[i-1] == hash && bytes.Equal(k.key(i-1), key):
			return i - 1
		}
	}
}

func (k *keys) grow() {
	k.slots = make([]uint32, max(2*len(k.slots), 64))
	mask := uint64(len(k.slots) - 1)
	for i, hash := range k.hashes {
		at := hash & mask
		for k.slots[at] != 0 {
			at = (at + 1) & mask
		}
		k.slots[at] = uint32(i + 1)
	}
}
