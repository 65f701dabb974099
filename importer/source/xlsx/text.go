package xlsx

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"unicode/utf8"

	"docketsync/importer/source/archive"
	"docketsync/importer/source/format"
	"docketsync/importer/source/sheet"
	"docketsync/importer/source/sheetxml"
)

// appendRichText appends the text of the element that has just started (si or is): its runs one after the other,
// without the phonetic guide that East Asian workbooks add. It reports whether a part of the text is struck through and
// another is not.
func appendRichText(to []byte, xml *sheetxml.Scanner) (_ []byte, partly bool, err error) {
	begin := len(to)
	var struck, kept, gone bool // the run; whether there is text that is not struck through, and text that is
	err = xml.Children(func() (err error) {
		switch string(xml.Name) {
		case "r":
			struck = false
		case "strike":
			var off string
			off, err = xml.Attribute("val")
			struck = off != "0" && off != "false"
		case "t":
			before := len(to)
			to, err = appendRun(to, xml)
			if len(bytes.TrimSpace(to[before:])) > 0 {
				kept, gone = kept || !struck, gone || struck
			}
		case "rPh":
			err = xml.Skip()
		}
		if err == nil && len(to)-begin > sheetxml.MaxToken {
			err = sheetxml.ErrLong
		}
		return err
	})
	return to, kept && gone, err
}

// appendRun appends the text of the t element that has just started. Leading and trailing white space counts only if
// xml:space says so: otherwise spreadsheet programs drop it, and they write the attribute themselves if a person typed
// the space.
func appendRun(to []byte, xml *sheetxml.Scanner) ([]byte, error) {
	space, err := xml.Attribute("space")
	if err != nil {
		return to, err
	}
	begin := len(to)
	if to, err = appendContent(to, xml); err != nil {
		return to, err
	}
	if space != "preserve" {
		trimmed := bytes.Trim(to[begin:], " \t\r\n")
		to = append(to[:begin], trimmed...)
	}
	return unescapeControl(to, begin), nil
}

// appendContent appends the character data of the element that has just started, up to its end.
func appendContent(to []byte, xml *sheetxml.Scanner) ([]byte, error) {
	begin := len(to)
	for depth := xml.Depth(); ; {
		token, err := xml.Next()
		switch {
		case err != nil:
			return to, err
		case token == sheetxml.Text:
			if to, err = xml.AppendText(to); err != nil {
				return to, err
			}
			if len(to)-begin > sheetxml.MaxToken {
				return to, sheetxml.ErrLong
			}
		case token == sheetxml.End && xml.Depth() < depth:
			return to, nil
		}
	}
}

// unescapeControl resolves "_x000D_" from the given position on: in this form workbooks write characters that XML
// cannot hold (ECMA-376 part 1, 22.9.2.19), and an underscore that would start such a sequence as "_x005F_".
func unescapeControl(text []byte, from int) []byte {
	const length = len("_x000D_")
	mark := bytes.Index(text[from:], []byte("_x"))
	if mark < 0 {
		return text
	}
	read := from + mark
	write := read
	for read < len(text) {
		if read+length <= len(text) && text[read] == '_' && text[read+1] == 'x' && text[read+length-1] == '_' {
			code, err := strconv.ParseUint(string(text[read+2:read+length-1]), 16, 16)
			if err == nil && utf8.ValidRune(rune(code)) {
				write += utf8.EncodeRune(text[write:read+length], rune(code))
				read += length
				continue
			}
		}
		text[write] = text[read]
		read++
		write++
	}
	return text[:write]
}

// readStrings adds the shared strings of a part; a workbook may have none.
func readStrings(ctx context.Context, parts *archive.Archive, name string, to *sheet.Strings) error {
	if name == "" || !parts.Has(name) {
		return nil
	}
	var text []byte
	var partly bool
	err := sheetxml.Read(ctx, parts, name, archive.MaxStrings, func(xml *sheetxml.Scanner) (err error) {
		if string(xml.Name) != "si" {
			return nil
		}
		if text, partly, err = appendRichText(text[:0], xml); err != nil {
			return err
		}
		if partly {
			to.Strike()
		}
		return to.Add(text)
	})
	if err == nil {
		err = to.Finish()
	}
	if err != nil {
		return format.PartFault(name, errors.Join(err, to.Close()))
	}
	return nil
}
