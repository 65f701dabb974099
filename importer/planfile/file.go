package planfile

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"docketsync/importer/ledger"
)

// File is an approved plan that is being read.
type File struct {
	Head Head
	Seal string // names the plan: another file has another seal

	path   string
	file   *os.File
	opened os.FileInfo // as it was then
	in     *bufio.Reader
	next   int64 // the offset of what is read next, for line-by-line reading
}

// FormError says that a file is not a plan that can be carried out: it was changed, cut off, or has another form.
type FormError struct{ What, Hint string }

// Error says what is wrong and what to do.
func (e *FormError) Error() string { return e.What + "\n" + e.Hint }

// Open reads a plan to its end to check that its seal matches. The error is a *FormError if it does not.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the plan cannot be opened: %w", err)
	}
	p := &File{path: path, file: f}
	if p.opened, err = f.Stat(); err == nil {
		err = p.check()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return p, nil
}

// Close closes the file.
func (p *File) Close() error { return p.file.Close() }

func (p *File) rewind() error {
	_, err := p.file.Seek(0, io.SeekStart)
	p.in, p.next = bufio.NewReaderSize(p.file, 1<<16), -1
	return err
}

// check compares the file with its seal.
func (p *File) check() error {
	if err := p.rewind(); err != nil {
		return err
	}
	broken := &FormError{p.path + " is not a valid plan: it was changed or is incomplete, so nothing was sent",
		"Make a new one with: docketsync plan JOB --out FILE"}
	sum := sha256.New()
	var last []byte
	for n := 0; ; n++ {
		text, err := p.in.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(text) == 0 {
			break
		}
		if err != nil {
			return broken // also a line without its end
		}
		if n == 0 && (json.Unmarshal(text, &p.Head) != nil || p.Head.Form == 0) {
			return broken
		}
		sum.Write(last)
		last = text
	}
	var seal sealLine
	if json.Unmarshal(last, &seal) != nil || seal.Seal == "" || seal.Seal != hex.EncodeToString(sum.Sum(nil)) {
		return broken
	}
	if p.Head.Form < firstForm || p.Head.Form > form {
		return &FormError{fmt.Sprintf("%s was written by another version of docketsync (format %d; this version supports %d to %d)", p.path, p.Head.Form, firstForm, form), "Make a new plan with this version"}
	}
	p.Seal = seal.Seal
	return nil
}

// approved is the part of a line by which it is compared, and the line as it is in the file.
type approved struct {
	Seq    int64        `json:"seq"`
	Key    string       `json:"key"`
	State  ledger.State `json:"state"`
	Digest string       `json:"digest"`
	text   []byte
}

// records yields the records that would be sent.
func (p *File) records(yield func(approved, error) bool) {
	for place, err := range p.Lines() {
		then := approved{text: place.Text}
		if err == nil {
			err = json.Unmarshal(then.text, &then)
		}
		if err == nil && (then.State != ledger.Planned || then.Seq == 0) {
			return // the others follow
		}
		if !yield(then, err) || err != nil {
			return
		}
	}
}

// Place is the line of a record, without its end, and where it begins in the file. The text is valid until the next
// one.
type Place struct {
	At   int64
	Text []byte
}

// Lines yields the lines of the records, first of those that would be sent. It leaves out the head and the seal.
func (p *File) Lines() iter.Seq2[Place, error] {
	return func(yield func(Place, error) bool) {
		err := p.rewind()
		var held []byte // the last line read, which is the seal if no other follows
		for at, n := int64(0), 0; err == nil; n++ {
			var text []byte
			if text, err = p.in.ReadBytes('\n'); errors.Is(err, io.EOF) {
				return
			}
			if n > 1 && err == nil && !yield(Place{at, bytes.TrimSuffix(held, []byte("\n"))}, nil) {
				return
			}
			at, held = at+int64(len(held)), text
		}
		yield(Place{}, fmt.Errorf("read the plan %s: %w", p.path, err))
	}
}

// Unchanged returns an error if the file was written to since it was opened.
func (p *File) Unchanged() error {
	is, err := p.file.Stat()
	if err == nil && (is.Size() != p.opened.Size() || !is.ModTime().Equal(p.opened.ModTime())) {
		err = errors.New("it was changed while it was being read")
	}
	if err != nil {
		return fmt.Errorf("read the plan %s: %w", p.path, err)
	}
	return nil
}

// Record returns the record whose line begins at a place, as the ledger had it. Lines must have yielded the place.
// Its previous payload is not known. Places that follow each other cost least.
func (p *File) Record(at int64) (ledger.Record, error) {
	text, err := p.lineAt(at)
	if err != nil {
		return ledger.Record{}, fmt.Errorf("read the plan %s: %w", p.path, err)
	}
	return recordOf(text)
}

// lineAt reads a line, continuing after the last one if it can.
func (p *File) lineAt(at int64) ([]byte, error) {
	if p.next != at {
		if _, err := p.file.Seek(at, io.SeekStart); err != nil {
			return nil, err
		}
		p.in.Reset(p.file)
	}
	text, err := p.in.ReadBytes('\n')
	p.next = at + int64(len(text))
	return text, err
}

func recordOf(text []byte) (ledger.Record, error) {
	var kept struct {
		line
		Changes json.RawMessage `json:"changes"` // not needed
	}
	err := json.Unmarshal(text, &kept)
	r := ledger.Record{Seq: kept.Seq, Key: kept.Key, Action: kept.Action, State: kept.State, Digest: kept.Digest, Payload: kept.Payload, Body: kept.Body, Reasons: kept.Reasons}
	if len(r.Payload) == 0 {
		r.Payload, r.Body = r.Body, nil
	}
	r.Rows = make([]ledger.Row, len(kept.Rows))
	for n, number := range kept.Rows {
		r.Rows[n].Number = number
		if n < len(kept.Cells) {
			r.Rows[n].Cells = kept.Cells[n]
		}
		if n < len(kept.From) {
			r.Rows[n].Source = kept.From[n]
		}
	}
	return r, err
}
