package ledger

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// storedRows is a record's rows as JSON: [source, row number] or [source, row number, cells] for each. It is written by
// hand because it is written for every record.
func storedRows(rows []Row) string {
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
		if len(row.Cells) > 0 {
			text = append(text, ',')
			text = append(text, row.Cells...)
		}
		text = append(text, ']')
	}
	return string(append(text, ']'))
}

// rowsOf reads what storedRows wrote. The cells come back as the bytes they were.
func rowsOf(stored []byte) ([]Row, error) {
	var list [][]json.RawMessage
	if err := json.Unmarshal(stored, &list); err != nil {
		return nil, fmt.Errorf("source rows: %w", err)
	}
	rows := make([]Row, len(list))
	for n, parts := range list {
		if len(parts) < 2 {
			return nil, fmt.Errorf("source rows: %s has no row number", stored)
		}
		var err error
		if rows[n].Source, err = strconv.Atoi(string(parts[0])); err != nil {
			return nil, fmt.Errorf("source rows: %w", err)
		}
		if rows[n].Number, err = strconv.Atoi(string(parts[1])); err != nil {
			return nil, fmt.Errorf("source rows: %w", err)
		}
		if len(parts) > 2 {
			rows[n].Cells = parts[2]
		}
	}
	return rows, nil
}
