package chain

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
)

// exportForm is the name and version of the lines of an export. Members may be added, but none changes its meaning.
const exportForm = "docketsync-evidence/1"

// Line is an entry as a line of an export. It has no salts: what its sums cover stays in the ledger.
type Line struct {
	Form    string `json:"form"`
	Run     int64  `json:"run"` // 0 for the ledger's own chain
	Number  int64  `json:"number"`
	Kind    string `json:"kind"`
	At      int64  `json:"at"`      // microseconds since 1970
	Content string `json:"content"` // Base64 of the operations
	Hash    string `json:"hash"`
}

// Export writes an entry as a line.
func Export(w io.Writer, e *Entry) error {
	return json.NewEncoder(w).Encode(Line{exportForm, e.Run, e.Number, e.Kind, e.At, base64.StdEncoding.EncodeToString(e.Content), hex.EncodeToString(e.Hash)})
}

// longestLine is how long a line of an export may be.
const longestLine = 64 << 20

// Import yields the entries of an export.
func Import(r io.Reader) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(make([]byte, 0, 64<<10), longestLine)
		for number := 1; lines.Scan(); number++ {
			var l Line
			err := json.Unmarshal(lines.Bytes(), &l)
			if err == nil && l.Form != exportForm {
				err = errors.New("it is not of an export of evidence")
			}
			hash, unhex := hex.DecodeString(l.Hash)
			content, unreadable := base64.StdEncoding.DecodeString(l.Content)
			if err = errors.Join(err, unhex, unreadable); err != nil {
				err = fmt.Errorf("line %d: %w", number, err)
			}
			if !yield(Entry{Run: l.Run, Number: l.Number, Kind: l.Kind, At: l.At, Content: content, Hash: hash}, err) || err != nil {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(Entry{}, err)
		}
	}
}

// Break is a place where a chain does not hold.
type Break struct {
	Run, Number int64
	What        string
}

// Follower follows all chains, the ledger's first, and checks that each entry follows the one before it. It says
// nothing about what the entries mean.
type Follower struct {
	Entries int
	Breaks  []Break // by chain, the first of each, and what is missing at the end

	wanted Head
	run    int64 // whose chain is being followed
	broken bool
	ends   map[int64]Head
	joined map[int64]map[int64][]byte
}

// Follow returns a Follower. wanted, unless it is empty, is a head that the ledger's chain must have had.
func Follow(wanted Head) *Follower {
	return &Follower{wanted: wanted, ends: map[int64]Head{}, joined: map[int64]map[int64][]byte{}}
}

// Head returns the head of the ledger's own chain.
func (f *Follower) Head() Head { return f.ends[Ledger] }

// Joined returns the runs whose chains the ledger's has taken in, except those that were removed.
func (f *Follower) Joined() []int64 { return slices.Sorted(maps.Keys(f.joined)) }

// Add takes the next entry of a chain, or the first one of another.
func (f *Follower) Add(e *Entry) {
	fail := func(number int64, format string, args ...any) {
		if !f.broken {
			f.Breaks = append(f.Breaks, Break{e.Run, number, fmt.Sprintf(format, args...)})
		}
		f.broken = true
	}
	if e.Run != f.run {
		f.run, f.broken = e.Run, false
		if text := e.boundary(); text != nil {
			f.ends[e.Run] = Head{e.Number - 1, text}
			if at := f.joined[e.Run][e.Number-1]; at != nil && !bytes.Equal(at, text) {
				fail(e.Number, "what it says of the entries before it is not so")
			}
		}
	}
	f.Entries++
	head, joined := f.ends[e.Run], f.joined[e.Run][e.Number]
	switch {
	case e.Number != head.Number+1:
		fail(head.Number+1, "entries %d to %d are gone", head.Number+1, e.Number-1)
	case !bytes.Equal(e.Hash, e.Sum(head.Hash)):
		fail(e.Number, "the entry was changed, or one before it")
	case joined != nil && !bytes.Equal(joined, e.Hash):
		fail(e.Number, "the entry was changed after the ledger's own chain had taken it in")
	}
	f.ends[e.Run] = e.Head()
	if e.Run != Ledger {
		return
	}
	if f.wanted.Number == e.Number && !bytes.Equal(f.wanted.Hash, e.Hash) {
		fail(e.Number, "it is not the one that was vouched for: it was changed since, or one before it")
	}
	if err := e.joins(f.joined); err != nil {
		fail(e.Number, "the entry cannot be read")
	}
}

// End checks whether a chain is as long as it has to be.
func (f *Follower) End(run int64) {
	last := f.ends[run].Number
	if run == Ledger && f.wanted.Number > last {
		f.Breaks = append(f.Breaks, Break{run, f.wanted.Number, fmt.Sprintf("it is gone: the evidence ends with entry %d", last)})
	}
	if most := slices.Max(slices.AppendSeq([]int64{last}, maps.Keys(f.joined[run]))); most > last {
		f.Breaks = append(f.Breaks, Break{run, last + 1, fmt.Sprintf("entries %d to %d are gone", last+1, most)})
	}
}

// Check follows the entries of all chains to their ends.
func Check(entries iter.Seq2[Entry, error], wanted Head) (*Follower, error) {
	f := Follow(wanted)
	for e, err := range entries {
		if err != nil {
			return f, err
		}
		f.Add(&e)
	}
	for _, run := range append([]int64{Ledger}, f.Joined()...) {
		f.End(run)
	}
	return f, nil
}

// boundary returns the head up to which a chain was pruned, if the entry is the first that is left of it and says so.
func (e *Entry) boundary() (head []byte) {
	if e.Number > 1 {
		_ = e.each(func(op *Op) error { // an error here is found again
			if op.What == Boundary {
				head = op.Text
			}
			return nil
		})
	}
	return head
}

// joins adds to joined the entries of runs that the ledger's chain has taken in, by run and number, and removes runs
// that are gone.
func (e *Entry) joins(joined map[int64]map[int64][]byte) error {
	return e.each(func(op *Op) error {
		switch op.What {
		case Joined:
			if joined[op.Seq] == nil {
				joined[op.Seq] = map[int64][]byte{}
			}
			joined[op.Seq][op.Until] = op.Text
		case Removed:
			delete(joined, op.Seq)
		}
		return nil
	})
}
