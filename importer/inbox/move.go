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

// move moves a file, to another filesystem if need be. The file is at its new place whole, or not at all; if the
// process dies in the middle, the file is still at the old one.
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

// copyFile copies a file, keeps its time, and makes sure that it did not change in the meantime. The seal that it
// returns describes both files.
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
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) { // left by a crash, or a link that somebody put there
		return nil, err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o640)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, sum), in)
	err = errors.Join(err, out.Sync(), out.Close(), os.Chtimes(to, before.ModTime(), before.ModTime()))
	var still *seal
	if err == nil {
		still, err = sealOf(from, before)
	}
	if err == nil && (still == nil || still.SHA256 != hex.EncodeToString(sum.Sum(nil))) {
		err = fmt.Errorf("%s changed while it was being copied", filepath.Base(from))
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(to))
	}
	return still, nil
}

// digestOf returns the SHA-256 of a file's content, in hex.
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

// writeJSON writes a small file in one step.
func writeJSON(path string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return atomicfile.Put(path, 0o600, text)
}

// Whoever fills the folder may be a stranger. A link there leads to whatever docketsync may read, and a pipe or a
// device blocks whoever opens it. So only regular files are opened, and anything else that has a wanted name is put
// among the rejected unread. A hard link cannot be told from a file; systems refuse to make one to a file that its
// maker may not read.

// plain reports whether something is a regular file. Some systems mark files as irregular that are stored elsewhere
// until they are read.
func plain(info fs.FileInfo) bool { return info.Mode().Type()&^fs.ModeIrregular == 0 }

// openPlain opens a file, but neither what a link of its name leads to nor what takes its place in the meantime.
func openPlain(path string) (*os.File, error) {
	before, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !plain(before) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("this is %s, not a file", kindOf(before))}
	}
	file, err := os.OpenFile(path, os.O_RDONLY|unfollowed, 0)
	if err != nil {
		return nil, err
	}
	if after, err := file.Stat(); err != nil || !os.SameFile(before, after) {
		_ = file.Close()
		return nil, &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("it was replaced by something else")}
	}
	return file, nil
}

func kindOf(info fs.FileInfo) string {
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode.IsDir():
		return "a folder"
	}
	return "a device or a socket"
}

// refuse puts something that is not a file among the rejected, without reading it, with the reason beside it.
func (f *Folder) refuse(from, name string, info fs.FileInfo) (Aside, error) {
	why := fmt.Sprintf("It is %s. Only regular files are taken, so it was not opened and nothing it points to was read. Put the file itself into the inbox.", kindOf(info))
	to, err := f.withNote(f.Rejected, name, why)
	if err == nil {
		err = os.Rename(from, to)
	}
	if err != nil {
		return Aside{}, fmt.Errorf("%s is %s and cannot be put away; remove it: %w", name, kindOf(info), err)
	}
	return Aside{Name: name, Path: to, Why: why, Refused: true}, nil
}

// ownPlace makes sure that nobody else has redirected the folders that files are moved to: they may be in the inbox,
// where whoever fills it can make links.
func (f *Folder) ownPlace() error {
	for _, own := range []string{filepath.Join(f.Path, ownFolder), f.Archive, f.Rejected} {
		if info, err := os.Lstat(own); err == nil && !info.IsDir() && !ours(info) {
			return fmt.Errorf("%s is %s; remove it", own, kindOf(info))
		}
	}
	return nil
}
