// How workbooks are read
//
// A workbook is a zip archive of XML parts. excelize, the library for them, decodes what the parts around the cells say:
// the workbook's properties, its tabs, its styles; and it opens encrypted files. The cells themselves come from a
// reader of our own over the sheet's part, for two reasons. excelize's row iterator streams values without their type
// and style, so that a date is a number like any other, and its calls that tell a cell's type load the whole sheet. And
// it decodes each cell by reflection, which costs several times what reading the text does.
//
// So memory does not grow with a workbook: at any time there is one row, a window of the unpacked XML (64 KiB, at most
// 4 MiB for an absurd cell), up to 48 MiB of shared strings, the rest of them in a temporary file, and 16 MiB of
// properties and styles at most. Everything beyond the stated limits is refused before it is unpacked. An encrypted
// workbook is the exception: it is decrypted in memory, up to 64 MiB of it.
//
// A part is read to its end even when the rows are over, because only then is its checksum known to be right. Names of
// XML namespaces are ignored, which takes in strict workbooks and every prefix; document types are refused, and with
// them entity bombs.

package source

import (
	"context"
	"errors"
	"io"
	"os"
)

const (
	hintRepair  = "Open the file in a spreadsheet program, let it repair the file, and save it as .xlsx; or export it again."
	hintHostile = "If the file can be trusted, copy its rows into a new workbook and read that; otherwise do not open it."
)

// workbook is an opened .xlsx, .xlsm or .xls; its sheets share it.
type workbook struct {
	format   string      // "xlsx" or "xls"
	size     int         // of the file, in bytes
	parts    *container  // of an .xlsx
	stream   io.ReaderAt // of an .xls
	cover    *cover
	strings  *stringTable
	warnings []Warning
	file     *sharedFile
}

// sharedFile is a file that several tables read from; it is closed with the last of them.
type sharedFile struct {
	io.Closer
	users int
}

// Close gives up one table's use of the file.
func (f *sharedFile) Close() error {
	f.users--
	if f.users == 0 {
		return f.Closer.Close()
	}
	return nil
}

// openWorkbook opens a workbook and returns its chosen sheets as tables. It tells formats apart by the file's content.
func openWorkbook(ctx context.Context, path string, o Options) ([]grid, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, unopened(err)
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = &Error{What: "this is a folder", Hint: "Name a file in it."}
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	tables, err := openAs(ctx, file, info.Size(), o)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return tables, nil
}

func unopened(err error) error {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return &Error{What: "the file does not exist", Hint: "Check the path; a relative one counts from the configuration file.", Err: err}
	case errors.Is(err, os.ErrPermission):
		return &Error{What: "the file may not be read", Hint: "Check its permissions, and that no other program holds it open.", Err: err}
	}
	return err
}

// workbookFile is an open file, or a decrypted one in memory.
type workbookFile interface {
	io.ReaderAt
	io.Closer
}

// openAs opens the file by its first bytes.
func openAs(ctx context.Context, file workbookFile, size int64, o Options) ([]grid, error) {
	head := make([]byte, 8)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch shape := containerShape(head[:n]); shape {
	case "zip":
		return openArchive(ctx, file, size, o)
	case "compound":
		return openCompound(ctx, file, size, o)
	case "biff":
		return openBIFF(ctx, file, size, file, o)
	}
	return nil, &Error{What: "this is no workbook: it begins like no .xlsx, .ods or .xls", Hint: "If it is text, name it .csv or set format: csv; otherwise export it again as .xlsx."}
}

// containerShape tells what kind of file begins with these bytes: "zip" (.xlsx, .ods), "compound" (.xls, or an encrypted
// .xlsx), "biff" (the stream of an .xls without a container, as before 1995), or "" for none.
func containerShape(head []byte) string {
	begins := func(magic string) bool { return len(head) >= len(magic) && string(head[:len(magic)]) == magic }
	switch {
	case begins("PK\x03\x04"), begins("PK\x05\x06"), begins("PK00PK\x03\x04"):
		return "zip"
	case begins("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
		return "compound"
	case begins("\x09\x00\x04\x00"), begins("\x09\x02\x06\x00"), begins("\x09\x04\x06\x00"), begins("\x09\x08\x08\x00"), begins("\x09\x08\x10\x00"):
		return "biff"
	}
	return ""
}

// openArchive opens a zip archive that holds a workbook.
func openArchive(ctx context.Context, file workbookFile, size int64, o Options) ([]grid, error) {
	parts, err := openContainer(file, size)
	if err != nil {
		return nil, workbookFault(err)
	}
	switch archiveFormat(parts) {
	case "ods":
		return openODS(ctx, parts, file, size, o)
	case "xlsx":
		return openXLSX(ctx, parts, file, size, o)
	case "xlsb":
		return nil, &Error{What: "this is a binary workbook (.xlsb), which is not read", Hint: "Open it in Excel and save it as .xlsx."}
	case "numbers":
		return nil, &Error{What: "this is a workbook of Apple Numbers, which is not read", Hint: "Open it in Numbers and export it to Excel (.xlsx)."}
	}
	return nil, &Error{What: "this archive holds no workbook", Hint: "If it is a document, export the table in it as .xlsx or .csv."}
}

// archiveFormat tells what a zip archive holds: "xlsx", "ods", "xlsb", "numbers", or "" for none of them.
func archiveFormat(parts *container) string {
	switch {
	case parts.has("xl/workbook.bin"):
		return "xlsb"
	case parts.has("index/document.iwa"), parts.has("index.zip"):
		return "numbers"
	case parts.has("content.xml") && (parts.has("mimetype") || parts.has("META-INF/manifest.xml")):
		return "ods"
	}
	if book, err := bookPart(parts); err == nil && parts.has(book) && !parts.has("word/document.xml") && !parts.has("ppt/presentation.xml") {
		return "xlsx"
	}
	if parts.has("[Content_Types].xml") && !parts.has("word/document.xml") && !parts.has("ppt/presentation.xml") {
		return "xlsx"
	}
	return ""
}

func openXLSX(ctx context.Context, parts *container, file io.Closer, size int64, o Options) ([]grid, error) {
	book := &workbook{format: "xlsx", size: int(size), parts: parts, file: &sharedFile{Closer: file}}
	var err error
	if book.cover, err = readCover(parts); err == nil {
		err = book.readStrings(ctx)
	}
	if err != nil {
		return nil, workbookFault(err)
	}
	return book.open(ctx, o)
}

// open returns the chosen sheets.
func (b *workbook) open(ctx context.Context, o Options) ([]grid, error) {
	var sheets []candidate
	for i, info := range b.cover.sheets {
		sheets = append(sheets, candidate{name: info.name, number: i + 1, hidden: info.hidden, table: info.table, open: func(why string) grid {
			return &sheet{book: b, info: info, why: why, merged: o.Merged, keepCovered: o.Covered == "keep", limits: o.Limits}
		}})
	}
	tables, warnings, err := chooseSheets(ctx, sheets, o)
	if err != nil {
		return nil, errors.Join(err, b.strings.close())
	}
	b.warnings, b.file.users = warnings, len(tables)
	return tables, nil
}

func (b *workbook) readStrings(ctx context.Context) error {
	name := b.cover.strings
	if name == "" || !b.parts.has(name) {
		return nil
	}
	xml, in, err := b.parts.scan(ctx, name, maxStringsBytes)
	if err != nil {
		return partFault(name, err)
	}
	defer in.Close()
	if b.strings, err = readStrings(xml, stringsInMemory); err != nil {
		return partFault(name, err)
	}
	return nil
}

func (b *workbook) sheetNames() []string {
	names := make([]string, len(b.cover.sheets))
	for i, s := range b.cover.sheets {
		names[i] = s.name
	}
	return names
}

// close gives up one sheet's use of the workbook; the last one removes temporary files.
func (b *workbook) close() error {
	err := b.file.Close()
	if b.file.users == 0 {
		return errors.Join(err, b.strings.close())
	}
	return err
}

// fault says what is wrong with a part, for a person.
func (b *workbook) fault(err error, part string) error { return workbookFault(partFault(part, err)) }

// placed puts a row number on an error that has none.
func placed(err error, row int) error {
	var e *Error
	if errors.As(err, &e) {
		if e.Row == 0 {
			e.Row = row
		}
		return err
	}
	return &rowError{row, err}
}

// rowError is a fault in a row; its text leaves the row out, as the Error made of it names it.
type rowError struct {
	row int
	err error
}

func (e *rowError) Error() string { return e.err.Error() }
func (e *rowError) Unwrap() error { return e.err }
