package main

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"docketsync/apiclient/payload"
	"docketsync/samples"
)

// TestBundleHasNoWordOfTheClient runs the sample firm, whose rows are as wrong as a firm's, and searches the bundle of each run, with
// the log of all, for every cell of the sources, every header, every value of the lookups, every name and every secret.
func TestBundleHasNoWordOfTheClient(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, samples.Files); err != nil {
		t.Fatal(err)
	}
	words := clientWords(t, dir)
	code, out := program(t, dir, "run", "--verbose")
	if !strings.Contains(out, "run ended") {
		t.Fatalf("the runs ended with %d:\n%s", code, out)
	}
	write(t, dir, "run.log", out)
	listed := programJSON[struct {
		Runs []struct{ ID, Name, Job string }
	}](t, dir, "runs")
	if len(listed.Runs) != 5 || len(words) < 500 {
		t.Fatalf("%d runs, %d words", len(listed.Runs), len(words))
	}
	for _, run := range listed.Runs {
		path := filepath.Join(dir, "bundle.zip")
		if code, out := program(t, dir, "bundle", run.Name, "--log", "run.log", "--out", path); code != 0 {
			t.Fatalf("bundle ended with %d:\n%s", code, out)
		}
		members := bundled(t, path)
		for name, text := range members {
			text = fractions.ReplaceAllString(text, "$1")
			for _, word := range append(words, run.Name, run.Job, "sandbox-key", "sandbox-cookie", "127.0.0.1") {
				if at := spelledIn(text, word); at >= 0 {
					t.Errorf("%s of %s has %q: …%s…", name, run.Name, word, text[max(0, at-60):min(len(text), at+60)])
				}
			}
		}
		keepsEveryReason(t, dir, run.Name, members)
	}
}

// fractions matches the fraction of a second in a time, which may have the digits of a client's number by chance.
var fractions = regexp.MustCompile(`(T\d\d:\d\d:\d\d)\.\d+`)

// bundled are the members of an archive by their names, those of archives within it too.
func bundled(t *testing.T, path string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	members := map[string]string{}
	unzip(t, filepath.Base(path), data, members)
	return members
}

func unzip(t *testing.T, name string, data []byte, into map[string]string) {
	t.Helper()
	into[name] = string(data)
	if !bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		return
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, member := range archive.File {
		file, err := member.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(file)
		if err != nil {
			t.Fatal(err)
		}
		unzip(t, name+"/"+member.Name, text, into)
	}
}

// keepsEveryReason compares a bundle with the report: as many reasons and notes of each code, and each where it was.
func keepsEveryReason(t *testing.T, dir, run string, members map[string]string) {
	t.Helper()
	type reason struct {
		Code, Cell string
		Row        int
	}
	type reasons struct {
		Seq            int64
		Reasons, Notes []reason
		Attempts       []struct{ Status int }
	}
	places := func(text string, keep func(reasons) bool) (list []string) {
		for line := range strings.Lines(text) {
			var r reasons
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatal(err)
			}
			if keep(r) {
				place, _ := json.Marshal(r)
				list = append(list, string(place))
			}
		}
		return list
	}
	said := func(r reasons) bool { return len(r.Reasons)+len(r.Notes) > 0 }
	_, all := program(t, dir, "report", run, "--json", "--all")
	want, got := places(all, said), places(members["bundle.zip/records.jsonl"], said)
	if !slices.Equal(want, got) {
		t.Errorf("%s: the bundle has\n%s\nthe report has\n%s", run, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !strings.Contains(members["bundle.zip/log.jsonl"], `"message":"run ended"`) || !strings.Contains(members["bundle.zip/run.json"], `"checked": true`) ||
		!strings.Contains(members["bundle.zip/settings.json"], `"concurrency": 8`) {
		t.Errorf("%s: no line of the log, no check of the ledger or no settings", run)
	}
}

// notTheirs are the words that the program has for itself: fields of the service, codes, and what it says of files.
var notTheirs = regexp.MustCompile(`^[0-9.,:-]{1,5}$|^(true|false|null|none|date|text|name|number|status|page|other|case|type|active|file|value|record|rows?|cell)$`)

// clientWords are the cells, headers and lookup values of the sample firm, and the names of its files; those that say something.
func clientWords(t *testing.T, dir string) (words []string) {
	t.Helper()
	own := map[string]bool{}
	for _, op := range payload.Operations {
		for _, f := range payload.Fields(op, payload.Switches{}) {
			own[f.Name] = true
		}
	}
	add := func(text string) {
		if text = strings.TrimSpace(text); len(text) > 3 && !own[text] && !notTheirs.MatchString(strings.ToLower(text)) && !slices.Contains(words, text) {
			words = append(words, text)
		}
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Dir(path) == dir {
			return err
		}
		switch filepath.Ext(path) {
		case ".csv", ".tsv", ".xlsx":
			add(d.Name())
		}
		for _, cell := range cellsOf(t, path) {
			add(cell)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return words
}

// cellsOf are the cells of a file, headers too; none of a file that is no table.
func cellsOf(t *testing.T, path string) (cells []string) {
	t.Helper()
	switch filepath.Ext(path) {
	case ".csv", ".tsv":
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, delimiter := range ",;\t" {
			read := csv.NewReader(bytes.NewReader(text))
			read.Comma, read.LazyQuotes, read.FieldsPerRecord = delimiter, true, -1
			if rows, err := read.ReadAll(); err == nil && len(rows) > 0 && len(rows[0]) > 1 {
				return slices.Concat(rows...)
			}
		}
	case ".xlsx":
		book, err := excelize.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		defer book.Close()
		for _, sheet := range book.GetSheetList() {
			rows, err := book.GetRows(sheet)
			if err != nil {
				t.Fatal(err)
			}
			cells = append(append(cells, sheet), slices.Concat(rows...)...)
		}
	}
	return cells
}

// spelledIn says where a word stands in a text, in any of the ways in which it may be spelled; -1 for nowhere.
func spelledIn(text, word string) int {
	quoted, _ := json.Marshal(word)
	var escaped bytes.Buffer
	_ = xml.EscapeText(&escaped, []byte(word))
	ways := []string{word, string(quoted[1 : len(quoted)-1]), escaped.String()}
	for _, coding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if len(word) > 5 { // of a shorter one too little is left to know it by
			ways = append(ways, coding.EncodeToString([]byte(word))[:len(word)*4/3])
		}
	}
	for _, way := range ways {
		if at := strings.Index(text, way); at >= 0 {
			return at
		}
	}
	return -1
}
