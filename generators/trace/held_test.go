package trace

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// A held trace is read whole into memory, its clients in the order of their keys.
type held struct {
	stats   Stats
	clients []heldClient
}

type heldClient struct {
	key          string
	times, costs []int64
}

func (h *held) Stats() Stats { return h.stats }
func (h *held) Clients() int { return len(h.clients) }

func (h *held) Client(i int) (key string, times, costs []int64) {
	c := h.clients[i]
	return c.key, c.times, c.costs
}

// hold reads a trace, in pieces of some size, and closes it.
func hold(t testing.TB, tr *Trace, piece int) *held {
	t.Helper()
	h := &held{stats: tr.Stats()}
	times, costs := make([]int64, piece), make([]int64, piece)
	for shard := range tr.Shards() {
		err := tr.Visit(context.Background(), shard, func(key string, read func(times, costs []int64) (int, error)) error {
			c := heldClient{key: key}
			for {
				n, err := read(times, costs)
				if err != nil {
					return err
				}
				if n == 0 {
					break
				}
				c.times, c.costs = append(c.times, times[:n]...), append(c.costs, costs[:n]...)
			}
			h.clients = append(h.clients, c)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if err := tr.Close(); err != nil {
		t.Error(err)
	}
	slices.SortFunc(h.clients, func(a, b heldClient) int { return strings.Compare(a.key, b.key) })
	return h
}
