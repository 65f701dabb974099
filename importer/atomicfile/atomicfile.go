// Package atomicfile writes files that appear whole or not at all. A file is written to disk under a hidden name in the
// same folder before it gets its own name. A process that is killed leaves the older file, and a hidden one: ".NAME.…".
// It imports nothing of ours.
package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// File is a file that does not have its name yet.
type File struct {
	*os.File
	path string
}

// Create begins a file, which only its owner may read until it is kept.
func Create(path string) (*File, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, err
	}
	return &File{f, path}, nil
}

// Keep writes the file to disk and gives it its name, replacing any file that had it.
func (f *File) Keep(mode fs.FileMode) error {
	if err := errors.Join(f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), f.path); err != nil {
		return err
	}
	f.path = ""
	return nil
}

// Discard removes a file that has not been kept; it may always be called.
func (f *File) Discard() error {
	if f.path == "" {
		return nil
	}
	_ = f.Close() // it may be closed already; its content is thrown away
	if err := os.Remove(f.Name()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Put writes a file with the given text.
func Put(path string, mode fs.FileMode, text []byte) error {
	return Write(path, mode, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// Write writes a whole file.
func Write(path string, mode fs.FileMode, write func(io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Keep(mode)
	}
	return errors.Join(err, f.Discard())
}
