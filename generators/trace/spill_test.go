package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"pgregory.net/rapid"
)

// crowdedLog is a log with costs, ties and late lines, two fifths of it one client's.
func crowdedLog(n int) []byte {
	rng := rand.New(rand.NewPCG(8, 9))
	var b bytes.Buffer
	for i := range n {
		client := rng.IntN(3000)
		if rng.IntN(5) < 2 {
			client = 7
		}
		fmt.Fprintf(&b, "%d,client-%d,%d\n", 1772438400+i/9-rng.IntN(4)*rng.IntN(100), client, rng.IntN(5))
	}
	return b.Bytes()
}

// However many shards and workers there are and however little memory, the requests are the same, and nothing is left behind.
func TestShardsWorkersAndBudgets(t *testing.T) {
	data := crowdedLog(8000)
	want, _, _, _ := oracleLog("csv", data, "")
	names := write(t, data)
	var stats Stats
	spilled := false
	for _, shards := range []int{1, 2, 3, 7, 64} {
		for _, memory := range []int64{1, 30_000, 200_000, 1 << 30} {
			for _, fan := range []int{2, mostRuns} {
				dir := t.TempDir()
				o := Options{Shards: shards, Memory: memory, TempDir: dir, Workers: shards%3 + 1}
				o.Spilling = func(folder string, size int64) {
					spilled = true
					if folder != dir || size < 1 {
						t.Errorf("spilling %d bytes to %s", size, folder)
					}
				}
				tr, err := Load(context.Background(), names, o)
				if err != nil {
					t.Fatal(err)
				}
				tr.mostRuns = fan
				h := hold(t, tr, 1+shards)
				if stats.Files == nil {
					stats = h.stats
				}
				if !contents(h).equal(want) {
					t.Errorf("%d shards, %d bytes, %d runs at a time: not the same requests", shards, memory, fan)
				}
				if h.stats.Digest != stats.Digest || h.stats.Late != stats.Late || h.stats.WorstStepBackNS != stats.WorstStepBackNS || h.stats.FirstNS != stats.FirstNS {
					t.Errorf("%d shards, %d bytes: %+v is not %+v", shards, memory, h.stats, stats)
				}
				if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
					t.Errorf("%d shards, %d bytes: left behind %v, %v", shards, memory, left, err)
				}
			}
		}
	}
	if !spilled {
		t.Error("no temporary file was announced")
	}
}

// The parts of a log put together are the log.
func TestParts(t *testing.T) {
	names := write(t, crowdedLog(5000))
	whole := contents(load(t, Options{}, names...))
	for _, parts := range []int{2, 3, 100} {
		together := byClient{}
		for part := range parts {
			h := load(t, Options{Part: part, Parts: parts, Shards: 1 + part%5}, names...)
			for key, list := range contents(h) {
				if len(together[key]) > 0 {
					t.Fatalf("%s is in part %d of %d and in one before it", key, part, parts)
				}
				together[key] = list
			}
		}
		if !together.equal(whole) {
			t.Errorf("%d parts are not the whole", parts)
		}
	}
	one := contents(load(t, Options{Only: "client-7"}, names...))
	if len(one) != 1 || !slices.Equal(one["client-7"], whole["client-7"]) {
		t.Errorf("the only client is not as in the whole: %d clients", len(one))
	}
}

// Packing and unpacking change nothing, whatever times and costs there are.
func TestPacking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := division{shards: rapid.SampledFrom([]uint64{1, 2, 5, 64}).Draw(t, "shards")}
		unit := rapid.SampledFrom(powers[:]).Draw(t, "unit")
		base := rapid.SampledFrom([]int64{0, 1772438400e9, math.MinInt64 / 2, math.MaxInt64 / 2}).Draw(t, "base") / unit
		var l lines
		r := record{}
		want := map[uint64][]event{}
		for range rapid.IntRange(0, 60).Draw(t, "requests") {
			r.key = []byte(rapid.SampledFrom([]string{"a", "bb", strings.Repeat("long", 60), "\x00", "c"}).Draw(t, "key"))
			r.time = (base + rapid.Int64Range(-3, 3).Draw(t, "time")) * unit
			if rapid.IntRange(0, 30).Draw(t, "far") == 0 {
				r.time = rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64, -1, 1}).Draw(t, "extreme")
			}
			r.cost = rapid.SampledFrom([]int64{1, 1, 1, 0, 300, math.MaxInt64}).Draw(t, "cost")
			l.add(&r)
			shard := d.place(xxhash.Sum64(r.key), r.key)
			want[shard] = append(want[shard], event{string(r.key), r.time, r.cost})
		}
		var p packed
		p.pack(&l, &d)
		from := 0
		for shard, end := range p.ends {
			reader := segmentReader{data: p.segments[from:end]}
			var got []event
			for key, at, cost, ok := reader.next(); ok; key, at, cost, ok = reader.next() {
				got = append(got, event{string(key), at, cost})
			}
			if !slices.Equal(got, want[uint64(shard)]) || len(reader.data) > 0 || int(p.counts[shard]) != len(got) {
				t.Fatalf("shard %d came as %v, want %v", shard, got, want[uint64(shard)])
			}
			from = end
		}
	})
}

// Runs that are merged come as sort.SliceStable has them.
func TestMergeIsAStableSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := []string{"a", "b", "c", strings.Repeat("k", 300), "e"}
		spread := rapid.SampledFrom([]int64{1, 3, 1000}).Draw(t, "spread")
		unit := rapid.SampledFrom([]int64{1, 1000, 1e9}).Draw(t, "unit")
		var want []event
		var runs []*runReader
		for range rapid.IntRange(0, 9).Draw(t, "runs") {
			s := &sorter{budget: 1 << 20}
			for range rapid.IntRange(1, 80).Draw(t, "requests") {
				e := event{rapid.SampledFrom(keys).Draw(t, "key"), rapid.Int64Range(-spread, spread).Draw(t, "time") * unit, int64(len(want))}
				if rapid.Bool().Draw(t, "unit cost") && len(s.costs) == 0 {
					e.cost = 1
				}
				want = append(want, e)
				if err := s.unpack(oneSegment(e), nil); err != nil {
					t.Fatal(err)
				}
			}
			var data []byte
			w := newRunWriter(rapid.IntRange(1, 100).Draw(t, "writes"), func(b []byte) error { data = append(data, b...); return nil })
			s.sort()
			s.write(w)
			if err := w.close(); err != nil {
				t.Fatal(err)
			}
			piece := rapid.IntRange(1, 50).Draw(t, "reads")
			runs = append(runs, &runReader{more: func(buf []byte) ([]byte, error) {
				if len(data) == 0 {
					return buf, io.EOF
				}
				n := min(piece, len(data))
				buf, data = append(buf, data[:n]...), data[n:]
				return buf, nil
			}})
		}
		m, err := newMerger(runs)
		if err != nil {
			t.Fatal(err)
		}
		var got []event
		times, costs := make([]int64, rapid.IntRange(1, 9).Draw(t, "piece")), make([]int64, 9)
		err = m.visit(func(key string, read func(times, costs []int64) (int, error)) error {
			for {
				n, err := read(times, costs)
				if n == 0 || err != nil {
					return err
				}
				for i := range n {
					got = append(got, event{key, times[i], costs[i]})
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		sort.SliceStable(want, func(i, j int) bool {
			a, b := want[i], want[j]
			if h, k := xxhash.Sum64String(a.key), xxhash.Sum64String(b.key); h != k {
				return h < k
			}
			return a.time < b.time
		})
		if !slices.Equal(got, want) {
			t.Fatalf("got %v\nwant %v", got, want)
		}
	})
}

// oneSegment packs one request.
func oneSegment(e event) []byte {
	var l lines
	l.add(&record{key: []byte(e.key), time: e.time, cost: e.cost})
	var p packed
	p.pack(&l, &division{shards: 1})
	return p.segments
}

// An interruption leaves no file behind, whether it comes while reading or while a shard is sorted.
func TestInterruptedSpill(t *testing.T) {
	names := write(t, crowdedLog(30000))
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	o := Options{Memory: 1, TempDir: dir, Shards: 2, Workers: 1}
	o.Progress = func(int64, int64) { cancel() }
	if _, err := Load(ctx, names, o); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted Load gives %v", err)
	}
	empty := func(when string) {
		t.Helper()
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: left behind %v, %v", when, left, err)
		}
	}
	empty("interrupted while reading")

	o.Progress = nil
	tr, err := Load(context.Background(), names, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Visit(ctx, 0, func(string, func(_, _ []int64) (int, error)) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted Visit gives %v", err)
	}
	if err := tr.Close(); err != nil {
		t.Error(err)
	}
	empty("interrupted while sorting")
}

// A temporary file that can't be made is an error that says what to do.
func TestNoRoomForSpill(t *testing.T) {
	dir := t.TempDir() + "/gone"
	_, err := Load(context.Background(), write(t, crowdedLog(3000)), Options{Memory: 1, TempDir: dir})
	if err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "TMPDIR") || !strings.Contains(err.Error(), "--memory") {
		t.Errorf("no folder for the temporary file gives %v", err)
	}
}

// What one worker holds of a shard stays within its budget, though one client has most of it.
func TestSorterKeepsToItsBudget(t *testing.T) {
	const budget = 100_000
	s := &sorter{budget: budget}
	cuts, most := 0, 0
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 50000 {
		e := event{"hot", int64(rng.IntN(1000)), 1}
		if i%4 == 0 {
			e.key = fmt.Sprint(i)
		}
		err := s.unpack(oneSegment(e), func() error {
			cuts++
			s.sort()
			s.reset()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		k := &s.keys
		held := 4*len(s.clients) + 16*len(s.times) + len(k.text) + 8*len(k.ends) + 8*len(k.hashes) + 4*len(k.slots) + 20*k.len()
		most = max(most, held)
	}
	if cuts < 5 || most > budget*5/4 {
		t.Errorf("%d cuts, %d bytes at most, of %d", cuts, most, budget)
	}
}
