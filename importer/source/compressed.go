package source

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"docketsync/importer/source/archive"
	"docketsync/importer/source/format"
	"docketsync/mapping/table"
)

func isGzip(head []byte) bool { return len(head) > 2 && head[0] == 0x1f && head[1] == 0x8b }

// openGzip opens the table inside a .gz file.
func (s *Source) openGzip(ctx context.Context) error {
	s.base.Compression = "gzip"
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(s.file), ".gz"), ".GZ")
	open := func() (io.ReadCloser, error) {
		file, err := fileOpener(s.file)()
		if err != nil {
			return nil, err
		}
		return archive.Gunzip(file, s.options.Limits.Unpacked)
	}
	return s.openMember(ctx, name, open)
}

// openZip opens a workbook, which is a zip archive, or the only table in an archive of files.
func (s *Source) openZip(ctx context.Context) error {
	file, size, err := s.openFile(s.file)
	if err != nil {
		return err
	}
	parts, err := archive.Open(file, size)
	isArchive := strings.EqualFold(filepath.Ext(s.file), ".zip") || s.options.Format == "csv"
	switch {
	case err != nil && isArchive:
		return archive.Damaged(err)
	case err != nil || archiveFormat(parts) != "" || s.options.Format != "" && !isArchive:
		return s.openBook(ctx, file, size)
	}
	member, err := onlyTable(parts)
	if err != nil {
		if !isArchive && isBookName(strings.ToLower(filepath.Ext(s.file))) {
			return s.openBook(ctx, file, size)
		}
		return err
	}
	s.base.Compression, s.base.Member = "zip", archive.Name(member.Name)
	return s.openMember(ctx, s.base.Member, func() (io.ReadCloser, error) { return archive.Unzip(member, s.options.Limits.Unpacked) })
}

// onlyTable returns the only file of an archive that can be a table.
func onlyTable(parts *archive.Archive) (*zip.File, error) {
	var all, tables []*zip.File
	var names []string
	for name, part := range parts.Files() {
		base := path.Base(name)
		if part == nil || strings.HasPrefix(name, "__MACOSX/") || strings.HasPrefix(base, ".") || strings.EqualFold(base, "thumbs.db") {
			continue
		}
		all, names = append(all, part), append(names, name)
		switch extension := strings.ToLower(path.Ext(name)); {
		case isBookName(extension), slices.Contains([]string{".csv", ".tsv", ".psv", ".tab", ".xml", ".txt", ".dat"}, extension) && !about(strings.ToLower(base)):
			tables = append(tables, part)
		}
	}
	switch {
	case len(tables) == 1:
		return tables[0], nil
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0:
		return nil, &format.Error{What: "the archive holds no file", Hint: "Check that the export completed, and export the file again."}
	}
	const most = 5
	slices.Sort(names)
	if len(names) > most {
		names = append(names[:most], "…")
	}
	return nil, &format.Error{What: fmt.Sprintf("the archive holds %d files (%s), and any of them may be the table", len(all), strings.Join(names, ", ")),
		Hint: "Unpack it and name the one that is meant, or pack that one alone."}
}

// aboutOthers are words in the names of texts that describe the other files in an archive.
var aboutOthers = table.Words("readme license licence manifest log info checksum checksums md5 sha1 sha256 copyright disclaimer liesmich lisezmoi leggimi leeme hinweis")

// about reports whether the name of a file has such a word: export_log.txt has one, catalog.txt does not.
func about(name string) bool {
	words := strings.FieldsFunc(name, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	return slices.ContainsFunc(words, func(word string) bool { return aboutOthers[word] })
}

// openMember opens what was compressed. A workbook must be readable at any position, so it is unpacked to a temporary
// file.
func (s *Source) openMember(ctx context.Context, name string, open format.Opener) error {
	head, err := readHead(open)
	if err != nil {
		return err
	}
	if isGzip(head) {
		return packedTwice
	}
	if !s.isWorkbook(head, strings.ToLower(filepath.Ext(name))) {
		return s.openPlain(ctx, head, name, open)
	}
	file, size, err := s.unpack(ctx, open)
	if err != nil {
		return err
	}
	if holdsFiles(file, size) {
		return packedTwice
	}
	return s.openBook(ctx, file, size)
}

// packedTwice means an archive within an archive. Only one level is opened, because the second may contain anything.
var packedTwice = &format.Error{What: "the file is packed twice", Hint: "Unpack it once."}

// holdsFiles reports whether a file is an archive of files and not a workbook or another document.
func holdsFiles(file io.ReaderAt, size int64) bool {
	parts, err := archive.Open(file, size)
	return err == nil && archiveFormat(parts) == "" && !parts.Has("[Content_Types].xml") && !parts.Has("mimetype")
}

// longestPackedBook is the maximum size of a workbook inside an archive; it is itself compressed.
const longestPackedBook = 1 << 30

// unpack writes the content to a temporary file, which Close removes.
func (s *Source) unpack(ctx context.Context, open format.Opener) (*os.File, int64, error) {
	in, err := open()
	if err != nil {
		return nil, 0, err
	}
	defer in.Close()
	file, err := os.CreateTemp("", "docketsync-*")
	if err != nil {
		return nil, 0, err
	}
	s.closers = append(s.closers, func() error { return errors.Join(file.Close(), os.Remove(file.Name())) })
	n, err := io.Copy(file, io.LimitReader(archive.WithContext(ctx, in), longestPackedBook+1))
	if n > longestPackedBook {
		err = archive.TooMuch(longestPackedBook)
	}
	return file, n, err
}
