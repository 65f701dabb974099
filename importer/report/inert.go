package report

import (
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// A spreadsheet takes a cell for a formula by its first character, and splits lines where its country's separator is, whatever the
// file was written with: x;=1+1 is one cell where commas separate, and a formula where semicolons do. So an apostrophe is put
// wherever a cell may begin: at the beginning of a text, and behind each separator and line break in it. What has apostrophes there
// already gets one more, so that taking one away again (Plain) gives back exactly what was written.

// inert puts the apostrophes into a text.
func inert(text string) string { return respot(text, "'", 0) }

// Plain takes the apostrophes out of a cell of a CSV file that docketsync has written, as a spreadsheet may have saved it since.
func Plain(text string) string { return respot(text, "", 1) }

// respot goes over the places where a cell may begin. Where what begins there could become a formula and has at least so many
// apostrophes in front, so many of them are replaced.
func respot(text, mark string, least int) string {
	if !strings.ContainsAny(text, "=+-@\t\r\n＝＋－＠") {
		return text
	}
	var b strings.Builder
	for at := 0; at < len(text); {
		if apostrophes := risky(text, at); apostrophes >= least {
			b.WriteString(mark)
			at += least
		}
		next := strings.IndexAny(text[at:], ",;\t\r\n")
		if next < 0 {
			b.WriteString(text[at:])
			break
		}
		b.WriteString(text[at : at+next+1])
		at += next + 1
	}
	return b.String()
}

// risky tells how many apostrophes stand in front of what could become a formula at a place, -1 where nothing could. Quotes in front
// do not help: some programs take them away.
func risky(text string, at int) (apostrophes int) {
	rest := strings.TrimLeft(text[at:], "'")
	apostrophes = len(text) - at - len(rest)
	behind := strings.TrimLeft(rest, `"`)
	first, _ := utf8.DecodeRuneInString(behind)
	switch first {
	case '=', '+', '-', '@', '＝', '＋', '－', '＠', '\t':
		return apostrophes
	case '\r': // with a line feed behind it is a line break, which ends a cell
		if at == 0 || len(behind) < len(rest) || apostrophes > 0 || !strings.HasPrefix(behind, "\r\n") {
			return apostrophes
		}
	case '\n':
		if at == 0 {
			return apostrophes
		}
	}
	return -1
}

// ReadCSV reads what BeginCSV writes, letter by letter; the first line is the header.
func ReadCSV(text string) (lines [][]string, err error) {
	text = strings.TrimPrefix(text, byteOrderMark)
	var line []string
	for len(text) > 0 {
		var cell string
		if cell, text, err = csvCell(text); err != nil {
			return nil, err
		}
		line = append(line, Plain(cell))
		if rest, more := strings.CutPrefix(text, ","); more {
			if text = rest; text == "" {
				return nil, io.ErrUnexpectedEOF
			}
			continue
		}
		text = strings.TrimPrefix(strings.TrimPrefix(text, "\r"), "\n")
		lines, line = append(lines, line), nil
	}
	return lines, nil
}

// csvCell cuts the first cell off a text.
func csvCell(text string) (cell, rest string, err error) {
	if !strings.HasPrefix(text, `"`) {
		end := strings.IndexAny(text, ",\r\n")
		if end < 0 {
			end = len(text)
		}
		return text[:end], text[end:], nil
	}
	for at := 1; ; {
		quote := strings.IndexByte(text[at:], '"')
		if quote < 0 {
			return "", "", io.ErrUnexpectedEOF
		}
		at += quote + 1
		if !strings.HasPrefix(text[at:], `"`) {
			if rest = text[at:]; rest != "" && !strings.ContainsRune(",\r\n", rune(rest[0])) {
				return "", "", errors.New(`a quote inside a quoted cell is not doubled`)
			}
			return strings.ReplaceAll(text[1:at-1], `""`, `"`), rest, nil
		}
		at++
	}
}
