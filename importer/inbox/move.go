package inbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"docketsync/importer/atomicfile"
)

// move gives a file another place, on whatever filesystem that is. The file is at its new place whole, or not at all; a
// process that dies in the middle leaves it at the old one.
func move(from, to string) error {
	err := os.Rename(from, to)
	if !otherDevice(err) {
		return err
	}
	scratch := filepath.Join(filepath.Dir(to), "."+filepath.Base(to)+".tmp")
	if _, err := copyFile(from, scratch); err != nil {
		return err
	}
	if err := os.Rename(scratch, to); err != nil {
		return err
	}
	return os.Remove(from)
}

// copyFile copies a file to another place, keeps its time, and makes sure that it did not change meanwhile. What it returns
// describes the copy.
func copyFile(from, to string) (*seal, error) {
	in, err := openPlain(from)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	before, err := in.Stat()
	if err != nil {
		return nil, err
	}
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) { // left by a crash, or a link put there
		return nil, err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o640)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, sum), in)
	err = errors.Join(err, out.Sync(), out.Close(), os.Chtimes(to, before.ModTime(), before.ModTime()))
	if err == nil {
		err = unchangedSince(from, before, hex.EncodeToString(sum.Sum(nil)))
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(to))
	}
	return &seal{Size: before.Size(), Modified: before.ModTime(), SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
}

func unchangedSince(path string, before os.FileInfo, digest string) error {
	now, err := digestOf(path)
	if err != nil {
		return err
	}
	after, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if now != digest || !same(before, after) {
		return fmt.Errorf("%s changed while it was being copied", filepath.Base(path))
	}
	return nil
}

// digestOf is the SHA-256 of a file's content, hex.
func digestOf(path string) (string, error) {
	file, err := openPlain(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// writeJSON puts a small file in place in one step.
func writeJSON(path string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return atomicfile.Put(path, 0o600, text)
}
