package upload

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"docketsync/importer/report/csvfile"
	"docketsync/importer/report/workbook"
	"docketsync/mapping/infer"
	"docketsync/mapping/table"
)

// longestJob is how long the name of a job may be.
const longestJob = 64

// notInNames matches what the name of a job may not contain.
var notInNames = regexp.MustCompile(`[^a-z0-9_.]+`)

// JobName makes a name that is valid for a job, a folder and a file: lower-case letters, digits, dots and underscores,
// with single hyphens for everything else.
func JobName(text string) string {
	name := notInNames.ReplaceAllString(table.Fold(text), "-")
	if name = strings.Trim(name[:min(len(name), longestJob)], "-._"); name == "" {
		return "import"
	}
	return name
}

// LookupCSV is a lookup to fill in. The byte order mark makes spreadsheets read it as UTF-8.
func LookupCSV(l infer.Lookup) ([]byte, error) {
	lines := make([]Line, len(l.Names))
	for n, name := range l.Names {
		lines[n] = Line{Name: name.Text, Count: name.Count}
	}
	return CSV(lines)
}

// Line is a line of a lookup file: a name, how many rows use it, and the id that somebody gave it.
type Line struct {
	Name  string
	Count int
	ID    string
}

// Workbook is lines as a workbook, for people who do not want Excel to open a CSV file.
func Workbook(title string, lines []Line) (_ []byte, err error) {
	book := workbook.New(title, "", time.Now(), "")
	defer func() { err = errors.Join(err, book.Close()) }()
	sheet := book.Sheet("ids", true, 48, 8, 40)
	sheet.Put(book.Style(workbook.Look{Bold: true, Underlined: true}), "name", "count", "id")
	plain := book.Style(workbook.Look{Format: "@"}) // what is filled in stays as written: 0017 is not a number
	for _, line := range lines {
		sheet.Put(plain, line.Name, line.Count, line.ID)
	}
	var b bytes.Buffer
	err = book.Write(&b)
	return b.Bytes(), err
}

// CSV writes lines in the form of LookupCSV.
func CSV(lines []Line) ([]byte, error) {
	var b bytes.Buffer
	out := bufio.NewWriter(&b)
	write := csvfile.Begin(out, "name", "count", "id")
	for _, line := range lines {
		_ = write(line.Name, strconv.Itoa(line.Count), line.ID) // the buffer keeps the error for the end
	}
	err := out.Flush()
	return b.Bytes(), err
}

// linesOf reads what CSV wrote.
func linesOf(text string) ([]Line, error) {
	all, err := csvfile.Read(text)
	if err != nil {
		return nil, err
	}
	var lines []Line
	for n, cells := range all {
		if n == 0 {
			continue
		}
		if len(cells) != 3 {
			return nil, fmt.Errorf("line %d has %d cells, not 3", n+1, len(cells))
		}
		count, _ := strconv.Atoi(cells[1]) // only for display
		lines = append(lines, Line{Name: cells[0], Count: count, ID: cells[2]})
	}
	return lines, nil
}
