package upload

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"

	"docketsync/importer/source"
	"docketsync/importer/source/format"
	"docketsync/mapping/infer"
	"docketsync/mapping/table"
)

// Propose reads the whole file and starts the draft anew, with the lookups that it needs, if the draft still has the
// digest. The digest of an upload without a draft is "".
func (u *Upload) Propose(ctx context.Context, digest string) error {
	switches, err := u.store.Switches()
	if err != nil {
		return err
	}
	p, err := u.proposal(ctx, infer.Options{Operation: u.Operation, File: u.Name, KeepTotals: u.Read.Totals == "keep", Mapping: switches})
	if err != nil {
		return u.named(err)
	}
	u.store.writing.Lock()
	defer u.store.writing.Unlock()
	if err := u.unchanged(digest); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(u.dir(), "lookups")); err != nil {
		return err
	}
	for _, l := range p.Lookups {
		if l.Ledger {
			continue
		}
		text, err := LookupCSV(l)
		if err == nil {
			err = u.write(filepath.Join("lookups", l.Name+".csv"), text)
		}
		if err != nil {
			return err
		}
	}
	u.Why, u.Decide, u.Skipped = p.Why, p.Decide, p.Skipped
	return errors.Join(u.write("proposed.yaml", []byte(p.Mapping)), u.write("mapping.yaml", []byte(p.Mapping)), u.remember())
}

func (u *Upload) proposal(ctx context.Context, o infer.Options) (p infer.Proposal, err error) {
	from, err := source.Open(ctx, u.Path(), u.Read.Options())
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	p, err = infer.Propose(o, from.Header(), iter.Seq2[table.Row, error](from.Rows(ctx)))
	if err == nil && p.Rows == 0 {
		err = &format.Error{File: u.Path(), What: "there are no rows below the header", Hint: "Choose another sheet, or set header to the row that holds the column names."}
	}
	return p, err
}

// OpenWarnings returns the warnings about a file that its mapping does not deal with. Total and lone-cell rows that the
// mapping leaves out (leftOut of them) are no trouble.
func OpenWarnings(all []format.Warning, leftOut int) []format.Warning {
	type place struct {
		sheet string
		row   int
	}
	aside, dealt := map[place]bool{}, map[string]bool{}
	for _, w := range all {
		if (w.Code == "looks_like_total" || w.Code == "lone_cell") && w.Count <= leftOut {
			leftOut -= w.Count
			dealt[w.Code+w.Sheet] = true
			for _, row := range w.Rows {
				aside[place{w.Sheet, row}] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(w format.Warning) bool {
		stays := func(row int) bool { return !aside[place{w.Sheet, row}] }
		return dealt[w.Code+w.Sheet] || w.Code == "ragged_rows" && w.Count == len(w.Rows) && !slices.ContainsFunc(w.Rows, stays)
	})
}

// named makes an error name the file as the browser named it.
func (u *Upload) named(err error) error { return named(err, u.Name) }

func named(err error, name string) error {
	if unreadable, ok := errors.AsType[*format.Error](err); ok {
		told := *unreadable
		told.File = name
		return &told
	}
	return err
}

// Text returns the draft of the mapping.
func (u *Upload) Text() (string, error) { return u.text("mapping.yaml") }

func (u *Upload) text(name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(u.dir(), name))
	return string(text), err
}

// asideFile holds a text that somebody wrote and that is not a valid draft.
const asideFile = "aside.yaml"

// Typed returns a text that somebody wrote instead of the draft and that is not valid; "" for none.
func (u *Upload) Typed() (string, error) {
	text, err := u.text(asideFile)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return text, err
}

// PutAside keeps such a text, so that the draft itself stays valid; "" removes it.
func (u *Upload) PutAside(text string) error {
	if text != "" {
		return u.write(asideFile, []byte(text))
	}
	err := os.Remove(filepath.Join(u.dir(), asideFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, u.store.share(context.Background(), u.ID, u.File, false))
}

// Proposed returns the mapping that was proposed.
func (u *Upload) Proposed() (string, error) { return u.text("proposed.yaml") }

// ErrChanged says that a draft has changed since it was shown.
var ErrChanged = errors.New("the draft has changed since this page was loaded, in another window or by somebody else")

// DigestOf identifies the text of a draft.
func DigestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// Digest identifies the draft and its lookups; it changes when any of them does. It is "" if there is no draft.
func (u *Upload) Digest() (string, error) {
	var draft bytes.Buffer
	if _, err := u.Text(); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return "", err
	}
	err := u.store.pack(&draft, u.ID, u.File)
	return DigestOf(draft.String()), err
}

// unchanged returns ErrChanged if the draft no longer has the digest.
func (u *Upload) unchanged(digest string) error {
	now, err := u.Digest()
	if err == nil && now != digest {
		err = ErrChanged
	}
	return err
}

// Change replaces the draft by the result of change if its text still has the digest; otherwise it returns ErrChanged.
func (u *Upload) Change(digest string, change func(text string) (string, error)) error {
	u.store.writing.Lock()
	defer u.store.writing.Unlock()
	text, err := u.Text()
	if err != nil {
		return err
	}
	if DigestOf(text) != digest {
		return ErrChanged
	}
	next, err := change(text)
	if err != nil || next == text {
		return err
	}
	return u.write("mapping.yaml", []byte(next))
}

// Look is what was detected about a file, and its first rows.
type Look struct {
	source.Detected
	Header  []string
	First   []table.Row
	Columns []Column
	Data    int // rows that are not skipped
	// Left are the first skipped rows of each kind that are not blank.
	Left []table.Row
}

// Column is a column by the name that a mapping uses, with its first values.
type Column struct {
	Name     string
	Examples []string
}

// How many rows, skipped rows of each kind, and examples a look keeps.
const (
	firstRows   = 8
	leftRows    = 50
	maxExamples = 3
)

// glanceRows is how many rows a glance reads.
const glanceRows = 2000

// Look reads the whole file.
func (u *Upload) Look(ctx context.Context) (Look, error) { return u.look(ctx, math.MaxInt) }

// Glance reads the beginning of the file; its counts and warnings are only about that.
func (u *Upload) Glance(ctx context.Context) (Look, error) { return u.look(ctx, glanceRows) }

func (u *Upload) look(ctx context.Context, rows int) (_ Look, err error) {
	from, err := source.Open(ctx, u.Path(), u.Read.Options())
	if err != nil {
		return Look{}, u.named(err)
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	look := Look{Header: from.Header().Names}
	for _, name := range infer.ColumnNames(from.Header()) {
		look.Columns = append(look.Columns, Column{Name: name})
	}
	left := map[string]int{}
	for row, err := range from.Rows(ctx) {
		if err != nil {
			return Look{}, u.named(err)
		}
		if row.Skip != "" {
			if left[row.Skip]++; left[row.Skip] <= leftRows && slices.ContainsFunc(row.Cells, func(c table.Cell) bool { return !format.BlankText(c.Text) }) {
				row.Cells = slices.Clone(row.Cells)
				look.Left = append(look.Left, row)
			}
			continue
		}
		if look.Data++; look.Data > rows {
			break
		}
		if len(look.First) < firstRows {
			row.Cells = slices.Clone(row.Cells)
			look.First = append(look.First, row)
		}
		for n := range look.Columns {
			c, text := &look.Columns[n], row.Cell(n).Text
			if text != "" && len(c.Examples) < maxExamples && !slices.Contains(c.Examples, text) {
				c.Examples = append(c.Examples, text)
			}
		}
	}
	look.Detected = from.Detected()
	return look, nil
}
