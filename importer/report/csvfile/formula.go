package csvfile

import (
	"strings"
	"unicode/utf8"
)

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
	case '\r', '\n': // a line break where a cell begins anyhow; \r\n and \n are the same, since Read gives one for the other
		if at == 0 || len(behind) < len(rest) || apostrophes > 0 || first == '\r' && !strings.HasPrefix(behind, "\r\n") {
			return apostrophes
		}
	}
	return -1
}
