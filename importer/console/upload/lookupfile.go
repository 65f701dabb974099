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

// notInNames is what no name of a job has.
var notInNames = regexp.MustCompile(`[^a-z0-9_.]+`)

// JobName makes a name that a job, a folder and a file may have: letters and digits with single hyphens between.
func JobName(text string) string {
	name := notInNames.ReplaceAllString(table.Fold(text), "-")
	if name = strings.Trim(name[:min(len(name), longestJob)], "-._"); name == "" {
		return "import"
	}
	return name
}

// LookupCSV is a lookup to be filled in. The byte order mark makes spreadsheets read it as UTF-8.
func LookupCSV(l infer.Lookup) ([]byte, error) {
	lines := make([]Line, len(l.Names))
	for n, name := range l.Names {
		lines[n] = Line{Name: name.Text, Count: name.Count}
	}
	return CSV(lines)
}

// Line is a line of a lookup file: a name, the rows that use it, and the id that somebody gave it.
type Line struct {
	Name  string
	Count int
	ID    string
}

// Workbook is lines as a workbook, for those who would rather not have Excel open a CSV file.
func Workbook(title string, lines []Line) (_ []byte, err error) {
	book := workbook.New(title, "", time.Now(), "")
	defer func() { err = errors.Join(err, book.Close()) }()
	sheet := book.Sheet("ids", true, 48, 8, 40)
	sheet.Put(book.Style(workbook.Look{Bold: true, Underlined: true}), "name", "count", "id")
	plain := book.Style(workbook.Look{Format: "@"}) // what is filled in stays as it is written: 0017 is no number
	for _, line := range lines {
		sheet.Put(plain, line.Name, line.Count, line.ID)
	}
	var b bytes.Buffer
	err = book.Write(&b)
	return b.Bytes(), err
}

// CSV is lines as LookupCSV has them.
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
		count, _ := strconv.Atoi(cells[1]) // for the eye alone
		lines = append(lines, Line{Name: cells[0], Count: count, ID: cells[2]})
	}
	return lines, nil
}
