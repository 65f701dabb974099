// Package csvfile writes CSV that every spreadsheet opens by a double click and that none of them executes, and reads
// it back.
//
// Files are RFC 4180 in UTF-8 with a byte order mark. A spreadsheet recognises a formula by a cell's first character,
// and splits lines at its country's separator, whatever the file was written with: x;=1+1 is one cell where commas
// separate, and contains a formula where semicolons do. So an apostrophe is put wherever a cell may begin: at the
// beginning of a text, and after each separator and line break in it. If there are apostrophes already, one more is
// added, so that removing one (Plain) gives back exactly what was written. Read returns line breaks within a cell as
// line feeds.
//
// It imports nothing of ours.
package csvfile

import (
	"bufio"
	"encoding/csv"
	"strings"
	"unicode/utf8"
)

// byteOrderMark at the beginning makes a spreadsheet read the file as UTF-8 when it is opened by a double click.
const byteOrderMark = "\ufeff"

// Begin writes the header of a file, and returns a function that writes its lines. What is not UTF-8 in a cell is
// replaced by U+FFFD. out keeps the first error until its Flush.
func Begin(out *bufio.Writer, header ...string) (line func(cells ...string) error) {
	line = func(cells ...string) error {
		for n, text := range cells {
			if n > 0 {
				_ = out.WriteByte(',')
			}
			_, _ = out.WriteString(written(text, len(cells) == 1))
		}
		_, err := out.WriteString("\r\n")
		return err
	}
	_, _ = out.WriteString(byteOrderMark)
	_ = line(header...)
	return line
}

// written returns a cell with the quotes it needs. An empty cell that is alone needs them, because an empty line counts
// as no line.
func written(text string, alone bool) string {
	if isPlain(text) && (text != "" || !alone) {
		return text
	}
	text = inert(strings.ToValidUTF8(text, "\ufffd"))
	if !strings.ContainsAny(text, ",\"\r\n") && strings.TrimSpace(text) == text && (text != "" || !alone) {
		return text
	}
	return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
}

// isPlain reports quickly, for most cells, that they need no quotes or apostrophes: they begin and end with a letter or
// a digit, and contain nothing that separates cells anywhere.
func isPlain(text string) bool {
	for n := range len(text) {
		switch c := text[n]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		case n > 0 && n < len(text)-1 && (c == '-' || c == '_' || c == '.' || c == ' ' || c == '/' || c == ':'):
		default:
			return false
		}
	}
	return true
}

// Read reads the lines of a file that begins with Begin; the first one is the header.
func Read(text string) (lines [][]string, err error) {
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, byteOrderMark)))
	r.FieldsPerRecord = -1
	lines, err = r.ReadAll()
	for _, line := range lines {
		for n, cell := range line {
			line[n] = Plain(cell)
		}
	}
	return lines, err
}

// inert puts the apostrophes into a text.
func inert(text string) string { return respot(text, "'", 0) }

// Plain removes the apostrophes from a cell of a CSV file that docketsync has written, even if a spreadsheet has saved
// it since.
func Plain(text string) string { return respot(text, "", 1) }

// respot goes over the places where a cell may begin. If what begins there could become a formula and has at least
// least apostrophes in front, it replaces that many with mark.
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

// risky returns how many apostrophes are in front of what could become a formula at a place, -1 if nothing could.
// Quotes in front do not help: some programs remove them.
func risky(text string, at int) (apostrophes int) {
	rest := strings.TrimLeft(text[at:], "'")
	apostrophes = len(text) - at - len(rest)
	behind := strings.TrimLeft(rest, `"`)
	first, _ := utf8.DecodeRuneInString(behind)
	switch first {
	case '=', '+', '-', '@', '＝', '＋', '－', '＠', '\t':
		return apostrophes
	case '\r', '\n': // a line break where a cell begins anyhow; \r\n and \n are the same, since Read gives one for the other
		if at == 0 || len(behind) < len(rest) || apostrophes > 0 || first == '\r' && !strings.HasPrefix(behind, "\r\n") {
			return apostrophes
		}
	}
	return -1
}
