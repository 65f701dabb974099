package inbox

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// sighting is the state in which a file was seen, and since when.
type sighting struct {
	info  fs.FileInfo
	since time.Time
}

// same reports whether two looks saw one file in one state.
func same(a, b fs.FileInfo) bool {
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && os.SameFile(a, b)
}

// look notes the state of a file now, and returns since when it has been in it. The file's own time is not compared
// with our clock: a share has its own clock, and copying keeps the time of the original.
func (f *Folder) look(path string, info fs.FileInfo, now time.Time) (since time.Time) {
	if f.sightings == nil {
		f.sightings = map[string]sighting{}
	}
	if seen, ok := f.sightings[path]; ok && same(seen.info, info) {
		return seen.since
	}
	f.sightings[path] = sighting{info, now}
	return now
}

// settled reports whether a file may be taken as it is now: it held still and is complete. A file that stays incomplete
// for longer than Patience will not become complete: it is taken, so that its run says what is wrong with it.
func (f *Folder) settled(path string, info fs.FileInfo, now time.Time) bool {
	since := f.look(path, info, now)
	return now.Sub(since) >= f.Still && (complete(path, f.ended) || now.Sub(f.waitedSince(path, info, since)) >= f.Patience)
}

// waitingName is the file that keeps since when files have been waited for, because a process that visits the folder
// and ends does not last as long as Patience.
const waitingName = "waiting.json"

type waiting struct {
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	Since    time.Time `json:"since"`
}

// waitedSince returns since when a file that held still has been as it is, as far as this process and those before it know.
func (f *Folder) waitedSince(path string, info fs.FileInfo, since time.Time) time.Time {
	all, kept := map[string]waiting{}, filepath.Join(f.Path, ownFolder, waitingName)
	_ = readJSON(kept, &all) // what cannot be read is waited for anew
	name, _ := filepath.Rel(f.Path, path)
	if w, ok := all[name]; ok && w.Size == info.Size() && w.Modified.Equal(info.ModTime()) && !w.Since.After(since) {
		return w.Since
	}
	maps.DeleteFunc(all, func(name string, _ waiting) bool { return !exists(filepath.Join(f.Path, name)) })
	all[name] = waiting{info.Size(), info.ModTime(), since}
	_ = errors.Join(os.MkdirAll(filepath.Dir(kept), 0o700), writeJSON(kept, all)) // what cannot be kept is waited for anew
	return since
}

// scratch lists the endings of files that somebody is still working on: browsers, transfer programs, editors.
var scratch = []string{".part", ".partial", ".filepart", ".tmp", ".temp", ".crdownload", ".download", ".swp", ".lock", "~"}

// wanted reports whether a file of this name should be taken: the name fits a pattern, ignoring case as the people who
// name files do, and is neither scratch nor a marker.
func (f *Folder) wanted(name string) bool {
	low := strings.ToLower(name)
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "~") || f.isMarker(name) {
		return false
	}
	if slices.ContainsFunc(scratch, func(ending string) bool { return strings.HasSuffix(low, ending) }) {
		return false
	}
	return slices.ContainsFunc(f.Patterns, func(pattern string) bool {
		fits, err := filepath.Match(strings.ToLower(pattern), low)
		return err == nil && fits
	})
}

func (f *Folder) isMarker(name string) bool {
	return f.Marker != "" && strings.HasSuffix(strings.ToLower(name), strings.ToLower(f.Marker))
}

// compareNames orders names by their text and the numbers in it. It ignores case unless nothing else tells them apart.
func compareNames(a, b string) int {
	x, y := strings.ToLower(a), strings.ToLower(b)
	for x != "" && y != "" {
		n, m := digits(x), digits(y)
		if n == 0 || m == 0 {
			if x[0] != y[0] {
				return cmp.Compare(x[0], y[0])
			}
			x, y = x[1:], y[1:]
			continue
		}
		p, q := strings.TrimLeft(x[:n], "0"), strings.TrimLeft(y[:m], "0")
		if order := cmp.Or(cmp.Compare(len(p), len(q)), cmp.Compare(p, q)); order != 0 {
			return order
		}
		x, y = x[n:], y[m:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(a, b))
}

// digits counts the digits that a text begins with.
func digits(text string) int { return len(text) - len(strings.TrimLeft(text, "0123456789")) }

// unpackLimit is how much of a compressed file is unpacked to see that it is whole. Larger files are left to the reader
// of the file.
const unpackLimit = 4 << 30

// complete reports whether a file is whole as far as its format shows: a zip archive, which workbooks are, has its
// directory at its end, and a gzip file ends with a checksum. A text file should end with a line break if ended says
// that those before it did; otherwise nothing can be told. A file that cannot be read now, perhaps because another
// program has locked it, is not complete yet.
func complete(path string, ended bool) bool {
	file, err := openPlain(path)
	if err != nil {
		return false
	}
	defer file.Close()
	var head [4]byte
	n, err := io.ReadFull(file, head[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return false
	}
	info, err := file.Stat()
	if err != nil {
		return false
	}
	switch start := string(head[:n]); {
	case n == 4 && (start == "PK\x03\x04" || start == "PK\x05\x06"):
		return wholeZip(file, info.Size())
	case n >= 2 && start[:2] == "\x1f\x8b":
		return wholeGzip(file)
	case ended && n >= 2 && start[:2] != "\xd0\xcf": // the older workbooks are no text
		return endsLine(file, info.Size())
	}
	return true
}

// endsLine tells whether a text file ends with a line break, of whatever width its characters are.
func endsLine(file *os.File, size int64) bool {
	const widest = 4
	last := make([]byte, min(widest, size))
	if _, err := file.ReadAt(last, size-int64(len(last))); err != nil {
		return false
	}
	last = bytes.TrimRight(last, "\x00\x1a")
	return bytes.HasSuffix(last, []byte{'\n'}) || bytes.HasSuffix(last, []byte{'\r'})
}

func wholeZip(file *os.File, size int64) bool {
	archive, err := zip.NewReader(file, size)
	return err == nil && !slices.ContainsFunc(archive.File, func(member *zip.File) bool {
		_, err := member.DataOffset()
		return err != nil
	})
}

func wholeGzip(file *os.File) bool {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return false
	}
	in, err := gzip.NewReader(file)
	if err != nil {
		return false
	}
	_, err = io.CopyN(io.Discard, in, unpackLimit)
	return err == nil || err == io.EOF
}
