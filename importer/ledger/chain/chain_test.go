package chain

import (
	"bytes"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// someOps are operations with every field, at random.
func someOps(n int) (list []Op) {
	for range n {
		op := Op{What: What(1 + rand.N(16)), State: byte(rand.N(10)), Repeatable: rand.N(2) == 0, Seq: rand.Int64N(9), Until: rand.Int64N(9), Sent: rand.Int64N(1 << 50),
			SettledAt: rand.Int64N(1 << 50), Took: rand.Int64N(99), Status: rand.Int64N(600), Tried: rand.Int64N(3), Count: rand.Int64N(3)}
		if rand.N(2) == 0 {
			op.Text = []byte("text")
		}
		for f := range Facets {
			if rand.N(3) == 0 {
				op.Put(f, Sum{byte(f), 1, 2})
			}
		}
		list = append(list, op)
	}
	return list
}

func TestOperationsComeBackAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	var b Builder
	want := someOps(500)
	for n := range want {
		var salt []byte
		if want[n].Salted() {
			salt = b.Salt()
		}
		b.Add(&want[n], salt)
	}
	e := Entry{Content: b.Content, Salts: b.Salts}
	var got []Op
	if err := e.Ops(func(op *Op, salt int) error {
		if op.Salted() != (salt >= 0) {
			t.Errorf("operation %d has its salt at %d", len(got), salt)
		}
		got = append(got, *op)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzOps reads what is no content of an entry: it ends in an error or in something.
func FuzzOps(f *testing.F) {
	var b Builder
	for _, op := range someOps(5) {
		b.Add(&op, nil)
	}
	f.Add(b.Content)
	f.Fuzz(func(t *testing.T, content []byte) {
		e := Entry{Content: content, Salts: make([]byte, 1<<10)}
		_ = e.Ops(func(*Op, int) error { return nil })
	})
}

// chained are the entries of a ledger with one run, whose chain it has joined.
func chained() (list []Entry) {
	add := func(run int64, previous []byte, number int64, op Op) Entry {
		var b Builder
		b.Add(&op, nil)
		e := Entry{Run: run, Number: number, Kind: "kind", At: number, Content: b.Content}
		e.Hash = e.Sum(previous)
		return e
	}
	var run []Entry
	var last []byte
	for n := range int64(6) {
		run = append(run, add(1, last, n+1, Op{What: Planned, Seq: n}))
		last = run[n].Hash
	}
	first := add(Ledger, nil, 1, Op{What: Opened})
	second := add(Ledger, first.Hash, 2, Op{What: Joined, Seq: 1, Until: 6, Text: last})
	return append([]Entry{first, second}, run...)
}

func each(list []Entry) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// TestAnyByteOfAnExportThatIsChangedIsFound changes each byte of each entry, takes each out, and puts the whole through an export.
func TestAnyByteOfAnExportThatIsChangedIsFound(t *testing.T) {
	t.Parallel()
	whole := chained()
	head := whole[1].Head()
	var out bytes.Buffer
	for n := range whole {
		if err := Export(&out, &whole[n]); err != nil {
			t.Fatal(err)
		}
	}
	if c, err := Check(Import(&out), head); err != nil || len(c.Breaks) > 0 || c.Entries != len(whole) || !bytes.Equal(c.Head().Hash, head.Hash) {
		t.Errorf("%+v %v", c, err)
	}
	for n := range whole {
		first := func(list []Entry) Break {
			t.Helper()
			c, err := Check(each(list), head)
			if err != nil || len(c.Breaks) == 0 {
				t.Fatalf("entry %d: nothing is found: %v", n, err)
			}
			return c.Breaks[0]
		}
		for _, part := range []func(e *Entry) *[]byte{func(e *Entry) *[]byte { return &e.Content }, func(e *Entry) *[]byte { return &e.Hash }} {
			for at := range *part(&whole[n]) {
				list := slices.Clone(whole)
				changed := bytes.Clone(*part(&list[n]))
				changed[at] ^= 1
				*part(&list[n]) = changed
				if b := first(list); b.Run != whole[n].Run || b.Number != whole[n].Number {
					t.Errorf("entry %d of run %d: %+v", whole[n].Number, whole[n].Run, b)
				}
			}
		}
		b := first(slices.Delete(slices.Clone(whole), n, n+1))
		if b.Run == whole[n].Run && b.Number != whole[n].Number {
			t.Errorf("without entry %d of run %d: %+v", whole[n].Number, whole[n].Run, b)
		}
	}
}
