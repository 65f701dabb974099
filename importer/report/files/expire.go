package files

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"docketsync/importer/report"
)

// Expired is what Expire did: the folders it removed, and those it emptied of our files but left because they hold
// files that somebody else put there.
type Expired struct {
	Removed []string `json:"removed"`
	Kept    []string `json:"kept"`
}

// folderName matches the names that Folder makes; the first group is when the run started.
var folderName = regexp.MustCompile(`^.+-(\d{4}-\d{2}-\d{2}-\d{6})-[0-9A-Za-z]+$`)

// Expire removes the reports of runs that started before a time from the folder that holds all reports. It removes only
// what Write made: our own files, in folders with such a name and a report.json of our form. If it is interrupted, the
// next call continues. A missing folder is no error.
func Expire(dir string, before time.Time) (done Expired, err error) {
	done = Expired{Removed: []string{}, Kept: []string{}}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return done, nil
	}
	for _, entry := range entries {
		match := folderName.FindStringSubmatch(entry.Name())
		if match == nil || !entry.IsDir() {
			continue
		}
		began, parsing := time.Parse("2006-01-02-150405", match[1])
		path := filepath.Join(dir, entry.Name())
		if parsing != nil || !began.Before(before) || !isReport(path) {
			continue
		}
		empty, removing := removeReport(path)
		switch {
		case removing != nil:
			err = errors.Join(err, fmt.Errorf("remove the old report %s: %w", path, removing))
		case empty:
			done.Removed = append(done.Removed, path)
		default:
			done.Kept = append(done.Kept, path)
		}
	}
	return done, err
}

// isReport reports whether a folder holds a report of ours.
func isReport(dir string) bool {
	f, err := os.Open(filepath.Join(dir, report.JSONFile))
	if err != nil {
		return false
	}
	defer f.Close()
	line, _ := bufio.NewReaderSize(f, 64).ReadSlice('\n')
	return strings.HasPrefix(string(line), `{"form":"`+jsonName)
}

// removeReport removes our files, report.json last because it marks the folder as a report, and the folder if nothing
// else is in it.
func removeReport(dir string) (empty bool, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	foreign := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !ours(e.Name()) })
	for _, entry := range entries {
		if ours(entry.Name()) && entry.Name() != report.JSONFile {
			if err := remove(filepath.Join(dir, entry.Name())); err != nil {
				return false, err
			}
		}
	}
	if err := remove(filepath.Join(dir, report.JSONFile)); err != nil || foreign {
		return false, err
	}
	return true, os.Remove(dir)
}

// ours reports whether Write makes files of this name, or leaves them behind when it is interrupted.
func ours(name string) bool {
	return strings.HasPrefix(name, streamPrefix) || slices.ContainsFunc(report.Files, func(file string) bool {
		return name == file || strings.HasPrefix(name, "."+file+".")
	})
}

// streamPrefix begins the names of the files in which excelize keeps the rows of a workbook until it is complete.
const streamPrefix = "excelize-"
