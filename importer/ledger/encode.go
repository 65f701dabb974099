package ledger

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// micros is how a time is stored: microseconds since 1970, or null for none.
func micros(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

// timeOf reads what micros stored.
func timeOf(stored *int64) time.Time {
	if stored == nil {
		return time.Time{}
	}
	return time.UnixMicro(*stored).UTC()
}

// escape introduces two hexadecimal digits in a stored key.
const escape = '\x1b'

// storedKey is a key as the database holds it. Keys are compared byte by byte, but PostgreSQL takes neither a zero byte
// nor invalid UTF-8, so the bytes of such keys are escaped, in a way that two different keys stay different.
func storedKey(key string) string {
	if utf8.ValidString(key) && strings.IndexByte(key, 0) < 0 && strings.IndexByte(key, escape) < 0 {
		return key
	}
	var stored strings.Builder
	for at := 0; at < len(key); {
		r, size := utf8.DecodeRuneInString(key[at:])
		if r == 0 || r == escape || r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&stored, "%c%02x", escape, key[at])
		} else {
			stored.WriteString(key[at : at+size])
		}
		at += size
	}
	return stored.String()
}

// keyOf reads what storedKey made.
func keyOf(stored string) string {
	if strings.IndexByte(stored, escape) < 0 {
		return stored
	}
	var key strings.Builder
	for at := 0; at < len(stored); at++ {
		if stored[at] == escape && at+2 < len(stored) {
			if b, err := strconv.ParseUint(stored[at+1:at+3], 16, 8); err == nil {
				key.WriteByte(byte(b))
				at += 2
				continue
			}
		}
		key.WriteByte(stored[at])
	}
	return key.String()
}

// plain is text as it may be stored: what a server answered can hold anything.
func plain(text string) string {
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 {
		return text
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\x00", "\ufffd")
}

// raw is JSON as it is stored: byte for byte, or null for none.
func raw(data json.RawMessage) any {
	if len(data) == 0 {
		return nil
	}
	return string(data)
}

// listed is a list as it is stored: JSON, or null when it is empty.
func listed[T any](list []T) (any, error) {
	if len(list) == 0 {
		return nil, nil
	}
	data, err := json.Marshal(list)
	return string(data), err
}

// unlisted reads what listed stored.
func unlisted[T any](stored []byte, into *[]T) error {
	if len(stored) == 0 {
		return nil
	}
	return json.Unmarshal(stored, into)
}

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
