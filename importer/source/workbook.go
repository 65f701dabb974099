package source

import (
	"bytes"
	"context"
	"io"
	"os"

	"docketsync/importer/source/archive"
	"docketsync/importer/source/compound"
	"docketsync/importer/source/format"
	"docketsync/importer/source/ods"
	"docketsync/importer/source/xls"
	"docketsync/importer/source/xlsx"
)

// openFile opens a file until the source is closed.
func (s *Source) openFile(path string) (*os.File, int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, format.Unopened(err)
	}
	s.closers = append(s.closers, file.Close)
	info, err := file.Stat()
	if err != nil {
		return nil, 0, err
	}
	return file, info.Size(), nil
}

// openBook opens a workbook and its chosen sheets.
func (s *Source) openBook(ctx context.Context, file io.ReaderAt, size int64) error {
	book, err := readBook(ctx, file, size, s.options)
	if err != nil {
		return err
	}
	s.closers = append(s.closers, book.Close)
	s.base.Format, s.base.DateSystem = book.Format, book.DateSystem
	for _, tab := range book.Sheets {
		s.base.Sheets = append(s.base.Sheets, tab.Name)
	}
	s.parts, s.warnings, err = chooseSheets(ctx, book.Sheets, s.options)
	return err
}

// readBook opens a workbook according to its first bytes.
func readBook(ctx context.Context, file io.ReaderAt, size int64, o Options) (*format.Book, error) {
	head, err := format.ReadHead(io.NewSectionReader(file, 0, size), 8)
	if err != nil {
		return nil, err
	}
	switch containerShape(head) {
	case "zip":
		return openArchive(ctx, file, size, o)
	case "compound":
		return openCompound(ctx, file, size, o)
	case "biff":
		return xls.Open(ctx, file, size, o.sheet())
	}
	return nil, &format.Error{What: "this is not a workbook: it does not begin like an .xlsx, .ods or .xls file", Hint: "If it is text, name it .csv or set format: csv; otherwise export it again as .xlsx."}
}

// openCompound opens the container of Microsoft's older formats: an encrypted workbook or an .xls.
func openCompound(ctx context.Context, file io.ReaderAt, size int64, o Options) (*format.Book, error) {
	c, err := compound.Read(file, size)
	if err != nil {
		return nil, format.WorkbookFault(err)
	}
	plain, encrypted, err := xlsx.Decrypt(file, size, c, o.Password)
	switch {
	case err != nil:
		return nil, err
	case encrypted:
		return openArchive(ctx, bytes.NewReader(plain), int64(len(plain)), o)
	}
	return xls.OpenCompound(ctx, c, o.sheet())
}

// containerShape says what kind of file begins with these bytes: "zip" (.xlsx, .ods), "compound" (.xls, or an encrypted
// .xlsx), "biff" (the stream of an .xls without a container, as before 1995), or "" for any other.
func containerShape(head []byte) string {
	begins := func(magic string) bool { return len(head) >= len(magic) && string(head[:len(magic)]) == magic }
	switch {
	case archive.Is(head):
		return "zip"
	case begins("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
		return "compound"
	case begins("\x09\x00\x04\x00"), begins("\x09\x02\x06\x00"), begins("\x09\x04\x06\x00"), begins("\x09\x08\x08\x00"), begins("\x09\x08\x10\x00"):
		return "biff"
	}
	return ""
}

// openArchive opens a zip archive that holds a workbook.
func openArchive(ctx context.Context, file io.ReaderAt, size int64, o Options) (*format.Book, error) {
	parts, err := archive.Open(file, size)
	if err != nil {
		return nil, format.WorkbookFault(err)
	}
	switch archiveFormat(parts) {
	case "ods":
		return ods.Open(ctx, parts, int(size), o.sheet())
	case "xlsx":
		return xlsx.Open(ctx, parts, int(size), o.sheet())
	case "xlsb":
		return nil, &format.Error{What: "this is a binary workbook (.xlsb), which is not supported", Hint: "Open it in Excel and save it as .xlsx."}
	case "numbers":
		return nil, &format.Error{What: "this is an Apple Numbers workbook, which is not supported", Hint: "Open it in Numbers and export it to Excel (.xlsx)."}
	}
	return nil, &format.Error{What: "this archive holds no workbook", Hint: "If it is a document, export the table in it as .xlsx or .csv."}
}

// archiveFormat says what a zip archive holds: "xlsx", "ods", "xlsb", "numbers", or "" for anything else.
func archiveFormat(parts *archive.Archive) string {
	switch {
	case parts.Has("xl/workbook.bin"):
		return "xlsb"
	case parts.Has("index/document.iwa"), parts.Has("index.zip"):
		return "numbers"
	case ods.Is(parts):
		return "ods"
	case xlsx.Is(parts):
		return "xlsx"
	}
	return ""
}
