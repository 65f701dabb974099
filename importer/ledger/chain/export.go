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
)

// exportForm is the name and version of the lines of an export. Members may be added; none changes its meaning.
const exportForm = "docketsync-evidence/1"

// Line is an entry as a line of an export. It has no salts: what its sums are of stays in the ledger.
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

// Break is where a chain does not hold.
type Break struct {
	Run, Number int64
	What        string
}

// checked is what came of following chains.
type checked struct {
	Head    Head // of the ledger's own chain
	Entries int
	Breaks  []Break // by chain, the first one of each
}

// Check follows all chains, that of the ledger first, each entry behind the one before it. wanted, unless it is empty, is a head that the
// ledger's chain has to have had. It says nothing of what the entries are about.
func Check(entries iter.Seq2[Entry, error], wanted Head) (c checked, err error) {
	var head Head
	run, met, broken := int64(Ledger), wanted.Number == 0, false
	joined, ends := map[int64]map[int64][]byte{}, map[int64]Head{}
	fail := func(number int64, format string, args ...any) {
		if !broken {
			c.Breaks = append(c.Breaks, Break{run, number, fmt.Sprintf(format, args...)})
		}
		broken = true
	}
	for e, err := range entries {
		if err != nil {
			return c, err
		}
		if e.Run != run {
			run, head, broken = e.Run, Head{}, false
			if text := e.boundary(); text != nil {
				head = Head{e.Number - 1, text}
				if at := joined[run][e.Number-1]; at != nil && !bytes.Equal(at, text) {
					fail(e.Number, "what it says of the entries before it is not so")
				}
			}
		}
		c.Entries++
		switch {
		case e.Number != head.Number+1:
			fail(head.Number+1, "entries %d to %d are gone", head.Number+1, e.Number-1)
		case !e.Follows(head):
			fail(e.Number, "the entry was changed, or one before it")
		case run != Ledger && joined[run][e.Number] != nil && !bytes.Equal(joined[run][e.Number], e.Hash):
			fail(e.Number, "the entry was changed after the ledger's own chain had taken it in")
		}
		head = e.Head()
		if ends[run] = head; run != Ledger {
			continue
		}
		if wanted.Number == e.Number {
			if met = true; !bytes.Equal(wanted.Hash, e.Hash) {
				fail(e.Number, "it is not the one that was vouched for: it was changed since, or one before it")
			}
		}
		if err := e.joins(joined); err != nil {
			fail(e.Number, "the entry cannot be read")
		}
	}
	c.Head = ends[Ledger]
	if run, broken = Ledger, false; !met {
		fail(wanted.Number, "it is gone: the evidence ends with entry %d", c.Head.Number)
	}
	for of, at := range joined {
		run, broken = of, false
		for number := range at {
			if number > ends[of].Number {
				fail(ends[of].Number+1, "entries %d to %d are gone", ends[of].Number+1, number)
			}
		}
	}
	return c, nil
}

// each calls do for the operations of an entry, salts or not.
func (e *Entry) each(do func(op *Op)) error {
	var last Op
	for r := (opReader{rest: e.Content}); len(r.rest) > 0; {
		op := r.op(&last)
		if r.bad {
			return errContent
		}
		last = op
		do(&op)
	}
	return nil
}

// boundary is the head up to which a chain was pruned, where the entry is the first that is left of it and says so.
func (e *Entry) boundary() (head []byte) {
	if e.Number > 1 {
		_ = e.each(func(op *Op) { // what is wrong with it is found again
			if op.What == Boundary {
				head = op.Text
			}
		})
	}
	return head
}

// joins takes in which entries of runs the ledger's chain has taken in, by run and number, and which runs are gone.
func (e *Entry) joins(joined map[int64]map[int64][]byte) error {
	return e.each(func(op *Op) {
		switch op.What {
		case Joined:
			if joined[op.Seq] == nil {
				joined[op.Seq] = map[int64][]byte{}
			}
			joined[op.Seq][op.Until] = op.Text
		case Removed:
			delete(joined, op.Seq)
		}
	})
}
