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
	"os"
)

// File is an approved plan that is being read.
type File struct {
	Head Head
	Seal string // names the plan: another file has another one

	path string
	file *os.File
	in   *bufio.Reader
}

// FormError says that a file is no plan that can be carried out: it was changed, cut off, or has another form.
type FormError struct{ What, Hint string }

// Error says what is wrong and what to do.
func (e *FormError) Error() string { return e.What + "\n" + e.Hint }

// Open reads a plan to its end to see that its seal fits. The error is a *FormError where it does not.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the plan cannot be opened: %w", err)
	}
	p := &File{path: path, file: f}
	if err := p.check(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return p, nil
}

// Close closes the file.
func (p *File) Close() error { return p.file.Close() }

func (p *File) rewind() error {
	_, err := p.file.Seek(0, io.SeekStart)
	p.in = bufio.NewReaderSize(p.file, 1<<16)
	return err
}

// check holds the file to its seal.
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
			return broken // a line without its end, too
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
	if p.Head.Form != form {
		return &FormError{fmt.Sprintf("%s was written by another version of docketsync (format %d; this version supports %d)", p.path, p.Head.Form, form), "Make a new plan with this version"}
	}
	p.Seal = seal.Seal
	return nil
}

// approved is as much of a line as it is compared by, and the line as it stands there.
type approved struct {
	Seq    int64  `json:"seq"`
	Key    string `json:"key"`
	Digest string `json:"digest"`
	text   []byte
}

// records yields the records; the seal is left out.
func (p *File) records(yield func(approved, error) bool) {
	err := p.rewind()
	for n := 0; err == nil; n++ {
		var text []byte
		if text, err = p.in.ReadBytes('\n'); err != nil {
			break
		}
		if n == 0 {
			continue // the head
		}
		then := approved{text: bytes.TrimSuffix(text, []byte("\n"))}
		if err = json.Unmarshal(then.text, &then); err != nil {
			break
		}
		if then.Seq == 0 || !yield(then, nil) {
			return // the seal
		}
	}
	yield(approved{}, fmt.Errorf("read the plan %s: %w", p.path, err))
}
