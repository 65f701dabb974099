package source

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"docketsync/importer/source/format"
	"docketsync/importer/source/header"
	"docketsync/importer/source/officexml"
	"docketsync/importer/source/text"
)

func fileOpener(path string) format.Opener {
	return func() (io.ReadCloser, error) {
		file, err := os.Open(path)
		if err != nil {
			return nil, format.Unopened(err)
		}
		return file, nil
	}
}

// open determines the file's format by its first bytes and opens its tables.
func (s *Source) open(ctx context.Context) error {
	head, err := beginning(s.file)
	if err != nil {
		return err
	}
	if isGzip(head) {
		return s.openGzip(ctx)
	}
	if containerShape(head) == "zip" {
		return s.openZip(ctx)
	}
	return s.openPlain(ctx, head, s.file, fileOpener(s.file))
}

const headLength = 512

// beginning returns the first bytes of a file. It refuses a file that cannot hold a table.
func beginning(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, format.Unopened(err)
	case info.IsDir():
		return nil, format.ErrFolder
	case !info.Mode().IsRegular():
		return nil, &format.Error{What: "this is not a regular file", Hint: "Write its content to a file first: it has to be read twice."}
	}
	return readHead(fileOpener(path))
}

func readHead(open format.Opener) ([]byte, error) {
	in, err := open()
	if err != nil {
		return nil, err
	}
	head, err := format.ReadHead(in, headLength)
	if err == nil && len(head) == 0 {
		err = &format.Error{What: "the file is empty", Hint: "Check that the export completed, and export the file again."}
	}
	return head, errors.Join(err, in.Close())
}

// openPlain opens content that is not, or no longer, compressed. name is its file name.
func (s *Source) openPlain(ctx context.Context, head []byte, name string, open format.Opener) error {
	extension := strings.ToLower(filepath.Ext(name))
	if s.isWorkbook(head, extension) {
		file, size, err := s.openFile(s.file)
		if err != nil {
			return err
		}
		return s.openBook(ctx, file, size)
	}
	if officexml.Is(head) {
		return s.openOffice(ctx, head, open)
	}
	if err := refuse(head); err != nil {
		return err
	}
	s.base.Format = "csv"
	t, err := text.Open(ctx, open, extension, refuse, s.options.text())
	if err != nil {
		return err
	}
	if isBookName(extension) {
		s.warnings = append(s.warnings, format.Warning{Code: "not_as_named", Message: "the file is named like a workbook but holds text, and was read as text",
			Hint: "If rows look wrong, export it again as .xlsx or name it .csv."})
	}
	s.parts = []part{{table: t}}
	return nil
}

// openOffice opens a trademark file of an office.
func (s *Source) openOffice(ctx context.Context, head []byte, open format.Opener) error {
	t, err := officexml.Open(ctx, open, head, s.options.Encoding, s.options.Limits)
	if err != nil {
		return err
	}
	s.base.Format, s.base.Encoding = "xml", t.Encoding()
	s.parts = []part{{table: t, layout: header.Layout{Names: t.Header(), Lines: [][]string{t.Header()}, Row: 1, Last: 1, Why: "the elements of the marks"}}}
	return nil
}

func (s *Source) isWorkbook(head []byte, extension string) bool {
	switch {
	case s.options.Format != "":
		return s.options.Format != "csv"
	case containerShape(head) != "":
		return true
	}
	return isBookName(extension) && bytes.ContainsAny(head, "\x01\x02\x03\x04\x05\x06\x07\x0e\x0f\x10")
}

func isBookName(extension string) bool {
	return slices.Contains([]string{".xlsx", ".xlsm", ".xltx", ".xltm", ".xls", ".xlsb", ".ods"}, extension)
}

// foreign are the beginnings of files that are not tables, with what they are and what to do.
var foreign = []struct{ begins, what, hint string }{
	{"%PDF", "this is a PDF", "Export the table itself, as .csv or .xlsx."},
	{"SQLite format 3\x00", "this is a SQLite database", "Export the table from it as .csv."},
	{"PAR1\x15", "this is a Parquet file", "Export it as .csv."},
	{"7z\xbc\xaf\x27\x1c", "this is a 7-Zip archive", "Unpack it first; .zip and .gz are read as they are."},
	{"Rar!", "this is a RAR archive", "Unpack it first; .zip and .gz are read as they are."},
	{"BZh", "this is a bzip2 archive", "Unpack it first; .zip and .gz are read as they are."},
	{"\xfd7zXZ", "this is an xz archive", "Unpack it first; .zip and .gz are read as they are."},
	{"\x28\xb5\x2f\xfd", "this is a Zstandard archive", "Unpack it first; .zip and .gz are read as they are."},
	{"\x89PNG", "this is a picture", "Export the table itself, as .csv or .xlsx."},
	{"\xff\xd8\xff", "this is a picture", "Export the table itself, as .csv or .xlsx."},
	{"{\\rtf", "this is a document in Rich Text Format", "Copy its table into a spreadsheet and save that as .xlsx."},
	{"<!doctype html", "this is a web page", hintPage},
	{"<html", "this is a web page", hintPage},
	{"<table", "this is a web page", hintPage},
	{"<?xml", "this is an XML file", "Open it in a spreadsheet program and save it as .xlsx; or export it again as .csv."},
}

const hintPage = "Many systems export web pages under the name .xls: open it in a spreadsheet program and save it as .xlsx; or, if it is a sign-in page, fetch the export again."

// refuse returns an error for files that begin like something that is not a table.
func refuse(head []byte) error {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	for _, f := range foreign {
		begins := string(text[:min(len(text), len(f.begins))])
		if begins == f.begins || f.begins[0] == '<' && strings.EqualFold(begins, f.begins) { // markup ignores case
			return &format.Error{What: f.what + ", not a table", Hint: f.hint}
		}
	}
	if isJSON(text) {
		return &format.Error{What: "this is a JSON file, not a table", Hint: "Export the data as .csv."}
	}
	return nil
}

// isJSON reports whether a text begins like a JSON object, a list of them, or an empty one.
func isJSON(text []byte) bool {
	if len(text) < 2 {
		return false
	}
	next := bytes.TrimLeft(text[1:], " \t\r\n")
	return len(next) > 0 && (text[0] == '{' && strings.IndexByte("\"}", next[0]) >= 0 || text[0] == '[' && strings.IndexByte("{]", next[0]) >= 0)
}
