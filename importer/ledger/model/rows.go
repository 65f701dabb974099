package model

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// StoredRows returns a record's rows as JSON: [source, row number] or [source, row number, cells] for each. The cells
// are left out if they are in a bundle. It is hand-written because it runs for every record.
func StoredRows(rows []Row, cells bool) string {
	text := make([]byte, 0, 16)
	text = append(text, '[')
	for n, row := range rows {
		if n > 0 {
			text = append(text, ',')
		}
		text = append(text, '[')
		text = strconv.AppendInt(text, int64(row.Source), 10)
		text = append(text, ',')
		text = strconv.AppendInt(text, int64(row.Number), 10)
		if cells && len(row.Cells) > 0 {
			text = append(text, ',')
			text = append(text, row.Cells...)
		}
		text = append(text, ']')
	}
	return string(append(text, ']'))
}

// RowsOf reads what StoredRows wrote, hand-written for the same reason. The cells, if asked for, are slices of the
// stored bytes.
func RowsOf(stored []byte, cells bool) ([]Row, error) {
	s := rowScanner{text: stored}
	rows := make([]Row, 0, 1)
	for s.take('['); !s.failed && !s.is(']'); s.take(']') {
		if len(rows) > 0 {
			s.take(',')
		}
		s.take('[')
		row := Row{Source: s.number()}
		s.take(',')
		if row.Number = s.number(); s.is(',') {
			s.take(',')
			if list := s.value(); cells {
				row.Cells = list
			}
		}
		rows = append(rows, row)
	}
	if s.take(']'); s.failed || s.at != len(stored) {
		return nil, fmt.Errorf("source rows: %.100q is not a list of rows", stored)
	}
	return rows, nil
}

// rowScanner goes through stored rows. It fails if it meets anything but what is expected.
type rowScanner struct {
	text   []byte
	at     int
	failed bool
}

func (s *rowScanner) is(c byte) bool { return s.at < len(s.text) && s.text[s.at] == c }

func (s *rowScanner) take(c byte) {
	s.failed = s.failed || !s.is(c)
	s.at++
}

func (s *rowScanner) number() int {
	from := min(s.at, len(s.text))
	for s.at < len(s.text) && (s.text[s.at] == '-' || s.text[s.at] >= '0' && s.text[s.at] <= '9') {
		s.at++
	}
	n, err := strconv.Atoi(string(s.text[from:min(s.at, len(s.text))]))
	s.failed = s.failed || err != nil
	return n
}

// value returns the JSON up to the bracket that closes its row.
func (s *rowScanner) value() json.RawMessage {
	from, depth := min(s.at, len(s.text)), 0
	for ; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '"':
			s.quoted()
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth < 0 {
				return s.text[from:s.at:s.at]
			}
		}
	}
	s.failed = true
	return nil
}

// quoted skips to the end of a quoted text.
func (s *rowScanner) quoted() {
	for s.at++; s.at < len(s.text) && s.text[s.at] != '"'; s.at++ {
		if s.text[s.at] == '\\' {
			s.at++
		}
	}
}
