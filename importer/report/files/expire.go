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

// Expired is what Expire has done: the folders that it removed, and those that it emptied of our files and left because
// somebody has put files of their own into them.
type Expired struct {
	Removed []string `json:"removed"`
	Kept    []string `json:"kept"`
}

// folderName is the form of the names that the function folder makes; the first part is when the run began.
var folderName = regexp.MustCompile(`^.+-(\d{4}-\d{2}-\d{2}-\d{6})-[0-9A-Za-z]+$`)

// Expire removes the reports of runs that began before a time from the folder that holds all reports. It removes only
// what Write has made: in folders with such a name and a report.json of our form, only our files. It touches nothing
// else. If it is interrupted, the next call continues; a missing folder is no error.
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

// isReport tells whether a folder holds a report of ours.
func isReport(dir string) bool {
	f, err := os.Open(filepath.Join(dir, report.JSONFile))
	if err != nil {
		return false
	}
	defer f.Close()
	line, _ := bufio.NewReaderSize(f, 64).ReadSlice('\n')
	return strings.HasPrefix(string(line), `{"form":"`+jsonName)
}

// removeReport removes our files, the one that makes the folder a report last, and the folder when nothing else is in it.
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

// ours tells whether Write makes files of this name, or has left one behind when it was cut off.
func ours(name string) bool {
	return strings.HasPrefix(name, streamPrefix) || slices.ContainsFunc(report.Files, func(file string) bool {
		return name == file || strings.HasPrefix(name, "."+file+".")
	})
}

// streamPrefix begins the names of the files in which excelize keeps the rows of a workbook until it is whole.
const streamPrefix = "excelize-"
