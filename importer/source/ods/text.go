package ods

import (
	"bytes"

	"docketsync/importer/source/sheetxml"
)

// paragraphs appends the text of the cell up to its end: paragraphs by lines, without comments and drawings in it.
func (r *sheetReader) paragraphs(to []byte) ([]byte, error) {
	paragraphs := 0
	inside := 0 // depth of the paragraph that is open, 0 for none
	for depth := r.xml.Depth(); ; {
		token, err := r.xml.Next()
		switch {
		case err != nil:
			return to, err
		case token == sheetxml.End && r.xml.Depth() < depth:
			return to, nil
		case token == sheetxml.End && r.xml.Depth() < inside:
			inside = 0
		case token == sheetxml.Text && inside > 0:
			to, err = r.collapsed(to)
		case token == sheetxml.Start && (string(r.xml.Name) == "p" || string(r.xml.Name) == "h"):
			if paragraphs++; paragraphs > 1 {
				to = append(to, '\n')
			}
			inside = r.xml.Depth()
		case token == sheetxml.Start:
			to, err = r.inline(to)
		}
		if err == nil && len(to) > sheetxml.MaxToken {
			err = sheetxml.ErrLong
		}
		if err != nil {
			return to, err
		}
	}
}

// inline takes an element inside a cell: those that stand for blanks, and those that are not the cell's text.
func (r *sheetReader) inline(to []byte) ([]byte, error) {
	switch string(r.xml.Name) {
	case "s":
		text, err := r.xml.Attribute("c")
		count := max(sheetxml.Digits([]byte(text)), 1)
		return append(to, bytes.Repeat([]byte(" "), min(count, sheetxml.MaxToken))...), err
	case "tab":
		return append(to, '\t'), nil
	case "line-break":
		return append(to, '\n'), nil
	case "annotation", "frame", "custom-shape", "shape", "table", "ruby-text":
		return to, r.xml.Skip()
	}
	return to, nil
}

// collapsed appends the text of the last token with its runs of white space collapsed to one blank: OpenDocument writes
// every further blank that counts as an element.
func (r *sheetReader) collapsed(to []byte) ([]byte, error) {
	begin := len(to)
	to, err := r.xml.AppendText(to)
	if err != nil {
		return to, err
	}
	write, inBlank := begin, false
	for _, c := range to[begin:] {
		if sheetxml.IsBlank(c) {
			if inBlank {
				continue
			}
			c = ' '
		}
		inBlank = c == ' '
		to[write] = c
		write++
	}
	return to[:write], nil
}
