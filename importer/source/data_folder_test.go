package source

import (
	"bufio"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/source/sourcetest"
	"docketsync/mapping/table"
)

// expectation is what reading a file of the data folder must give: either fault, or the rest.
type expectation struct {
	password            string
	encoding, delimiter string // of a text file
	sheet, dates        string // of a workbook: the sheet chosen, the date system
	header              string // its row and how many lines it takes, "4+2"; "" for none
	rows, columns       int    // rows below the header, skipped ones included; names in the header
	skipped             string // how many for which reason
	first, last         string // rows below the header, cut at 200 bytes
	sum                 uint32 // checksum of all rows from the top of the table: every cell, its kind, its place
	codes               string // warnings
	fault               string
}

// Every file of the data folder is read to the last cell or refused for the reason given. The checksums of workbooks were
// taken when all cells of all these files agreed with what another library reads, by kind and value, but for differences
// that this package means to have: blanks at the ends of text without xml:space, line ends, formulas without a stored
// value.
func TestEveryFileOfTheDataFolder(t *testing.T) {
	t.Parallel()
	root := dataFolder(t)
	expectations := maps.Clone(textExpectations)
	maps.Copy(expectations, workbookExpectations)
	for _, name := range dataFiles(t, root) {
		want, known := expectations[name]
		delete(expectations, name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !known {
				t.Error("the table has no expectation for this file")
			}
			path := filepath.Join(root, filepath.FromSlash(name))
			got := expectationOf(t, path, want.password)
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(expectation{})); diff != "" {
				t.Errorf("%s\n%#v", diff, got)
			}
			if want.password != "" {
				checkLocked(t, path)
			}
		})
	}
	for name := range expectations {
		t.Errorf("the table expects %s, which the folder does not have", name)
	}
}

// checkLocked makes sure that an encrypted workbook says so when the password is missing or wrong.
func checkLocked(t *testing.T, path string) {
	t.Helper()
	if got := expectationOf(t, path, "").fault; !strings.HasSuffix(got, ": the workbook is encrypted") {
		t.Errorf("without a password: %q", got)
	}
	if got := expectationOf(t, path, "not it").fault; !strings.Contains(got, "does not open with the password") {
		t.Errorf("with a wrong password: %q", got)
	}
}

func expectationOf(t *testing.T, path, password string) expectation {
	t.Helper()
	s, err := Open(t.Context(), path, Options{Password: password})
	if err != nil {
		return expectation{password: password, fault: faultOf(t, err)}
	}
	defer s.Close()
	e := expectation{password: password, columns: len(s.Header().Names)}
	for row, err := range s.Rows(t.Context()) {
		if err != nil {
			return expectation{password: password, fault: faultOf(t, err)}
		}
		e.last = cutAt(shownRow(row), 200)
		if e.rows++; e.rows == 1 {
			e.first = e.last
		}
	}
	d := s.Detected()
	e.encoding, e.delimiter, e.sheet, e.dates, e.codes = d.Encoding, d.Delimiter, d.Sheet, d.DateSystem, sourcetest.Codes(d.Warnings)
	if d.HeaderRow > 0 {
		e.header = fmt.Sprintf("%d+%d", d.HeaderRow, d.HeaderRows)
	}
	for _, reason := range slices.Sorted(maps.Keys(d.Skipped)) {
		e.skipped = strings.TrimPrefix(fmt.Sprintf("%s, %s %d", e.skipped, reason, d.Skipped[reason]), ", ")
	}
	e.sum = checksum(t, s)
	return e
}

// faultOf is what an error says, which has to name what to do as well.
func faultOf(t *testing.T, err error) string {
	t.Helper()
	refused := faulted(t, reading{}, err)
	if refused.hint == "" {
		t.Errorf("%s: there is no hint what to do", refused.fault)
	}
	return refused.fault
}

func shownRow(row table.Row) string {
	line := sourcetest.Show([]table.Row{row})[0]
	if row.Line > 0 && row.Line != row.Number {
		line = fmt.Sprintf("%d/%d%s", row.Number, row.Line, strings.TrimPrefix(line, fmt.Sprint(row.Number)))
	}
	if row.Skip != "" {
		line += " [" + row.Skip + "]"
	}
	return line
}

func cutAt(text string, n int) string {
	for n < len(text) && text[n]&0xc0 == 0x80 {
		n--
	}
	return text[:min(n, len(text))]
}

func checksum(t *testing.T, s *Source) uint32 {
	t.Helper()
	rows, err := rowsOf(s)
	if err != nil {
		t.Fatal(err)
	}
	sum := crc32.NewIEEE()
	for _, line := range sourcetest.Show(rows) {
		fmt.Fprintln(sum, line)
	}
	return sum.Sum32()
}

// dataFolder finds the folder of files from elsewhere that reading is checked against. It is not part of the module: a
// test that needs it is skipped where it is missing, unless DOCKETSYNC_REQUIRE says that it may not be.
func dataFolder(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("DOCKETSYNC_TEST_DATA")
	if folder == "" {
		folder = filepath.Join(moduleRoot(t), "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(folder, "MANIFEST.tsv")); err == nil {
		return folder
	}
	message := fmt.Sprintf("no data folder at %s (set DOCKETSYNC_TEST_DATA)", folder)
	if strings.Contains(os.Getenv("DOCKETSYNC_REQUIRE"), "data") {
		t.Fatal(message)
	}
	t.Skip(message)
	return ""
}

func moduleRoot(t *testing.T) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			t.Fatal("no go.mod above the test")
		}
		folder = parent
	}
}

// dataFiles lists the files of the data folder, those of the manifest and those that lie there besides.
func dataFiles(t *testing.T, root string) []string {
	t.Helper()
	names := manifest(t, root)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && entry.Name() != "MANIFEST.tsv" {
			name, _ := filepath.Rel(root, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// manifest lists the files that the data folder's manifest names.
func manifest(t *testing.T, root string) []string {
	t.Helper()
	file, err := os.Open(filepath.Join(root, "MANIFEST.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var names []string
	lines := bufio.NewScanner(file)
	lines.Scan() // the header
	for lines.Scan() {
		name, _, _ := strings.Cut(lines.Text(), "\t")
		names = append(names, name)
	}
	if err := lines.Err(); err != nil || len(names) == 0 {
		t.Fatalf("the manifest lists no file: %v", err)
	}
	return names
}
