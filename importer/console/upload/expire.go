package upload

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"
)

// Expire removes uploads in which nothing has changed since a time: files with their drafts, and files that jobs read
// once. An upload stays while something still reads one of its files, which used reports. Nothing else in the folder is
// touched. If Expire is interrupted, the next call continues; a missing folder is no error. removed are the folders
// that it removed.
func Expire(dir string, before time.Time, used func(path string) bool) (removed []string, err error) {
	removed = []string{}
	for _, upload := range uploads(dir) {
		old, looking := idle(upload, before, used)
		if looking == nil && old {
			looking = os.RemoveAll(upload)
		}
		switch {
		case looking != nil:
			err = errors.Join(err, fmt.Errorf("remove the old upload %s: %w", upload, looking))
		case old:
			removed = append(removed, upload)
		}
	}
	return removed, err
}

// uploads returns the folders that Take and KeepCorrected have made.
func uploads(dir string) (list []string) {
	entries, _ := os.ReadDir(dir) // none if the folder is missing
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if _, err := os.Stat(filepath.Join(path, uploadFile)); err == nil && entry.IsDir() && idPattern.MatchString(entry.Name()) {
			list = append(list, path)
		}
	}
	entries, _ = os.ReadDir(filepath.Join(dir, correctedFolder))
	for _, entry := range entries {
		if id, err := uuid.Parse(entry.Name()); err == nil && id.String() == entry.Name() && entry.IsDir() {
			list = append(list, filepath.Join(dir, correctedFolder, entry.Name()))
		}
	}
	return list
}

// idle reports whether all files of a folder are older than a time and nothing reads any of them.
func idle(dir string, before time.Time, used func(path string) bool) (old bool, err error) {
	old = true
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil && (!info.ModTime().Before(before) || used(path)) {
			old = false
			return fs.SkipAll
		}
		return err
	})
	return old, err
}
