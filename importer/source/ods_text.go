package source

import (
	"bytes"
)

// paragraphs appends the text of the cell up to its end: paragraphs by lines, without comments and drawings in it.
func (r *odsReader) paragraphs(to []byte) ([]byte, error) {
	paragraphs := 0
	inside := 0 // depth of the paragraph that is open, 0 for none
	for depth := len(r.xml.openLength); ; {
		token, err := r.xml.next()
		switch {
		case err != nil:
			return to, err
		case token == xmlEnd && len(r.xml.openLength) < depth:
			return to, nil
		case token == xmlEnd && len(r.xml.openLength) < inside:
			inside = 0
		case token == xmlText && inside > 0:
			to, err = r.collapsed(to)
		case token == xmlStart && (string(r.xml.name) == "p" || string(r.xml.name) == "h"):
			if paragraphs++; paragraphs > 1 {
				to = append(to, '\n')
			}
			inside = len(r.xml.openLength)
		case token == xmlStart:
			to, err = r.inline(to)
		}
		if err == nil && len(to) > maxTokenBytes {
			err = errLongToken
		}
		if err != nil {
			return to, err
		}
	}
}

// inline takes an element inside a cell: those that stand for blanks, and those that are not the cell's text.
func (r *odsReader) inline(to []byte) ([]byte, error) {
	switch string(r.xml.name) {
	case "s":
		text, err := r.xml.attribute("c")
		count := max(digitsValue([]byte(text)), 1)
		return append(to, bytes.Repeat([]byte(" "), min(count, maxTokenBytes))...), err
	case "tab":
		return append(to, '\t'), nil
	case "line-break":
		return append(to, '\n'), nil
	case "annotation", "frame", "custom-shape", "shape", "table", "ruby-text":
		return to, r.xml.skip()
	}
	return to, nil
}

// collapsed appends the text of the last token with its runs of white space collapsed to one blank: OpenDocument writes
// every further blank that counts as an element.
func (r *odsReader) collapsed(to []byte) ([]byte, error) {
	begin := len(to)
	to, err := r.xml.appendText(to)
	if err != nil {
		return to, err
	}
	write, inBlank := begin, false
	for _, c := range to[begin:] {
		if isBlank(c) {
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
