package store

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Micros returns a time as it is stored: microseconds since 1970, or null for the zero time.
func Micros(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

// TimeOf reads what Micros stored.
func TimeOf(stored *int64) time.Time {
	if stored == nil {
		return time.Time{}
	}
	return time.UnixMicro(*stored).UTC()
}

// escape introduces two hexadecimal digits in a stored key.
const escape = '\x1b'

// StoredKey returns a key as the database holds it. Keys are compared byte by byte, but PostgreSQL accepts neither a
// zero byte nor invalid UTF-8. So the bytes of such keys are escaped, in a way that keeps different keys different.
func StoredKey(key string) string {
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

// KeyOf reads what StoredKey made.
func KeyOf(stored string) string {
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

// Plain returns text that may be stored: a server's answer can contain anything.
func Plain(text string) string {
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 {
		return text
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\x00", "\ufffd")
}

// Optional returns a value as it is stored if the zero value is null.
func Optional[T comparable](value T) any {
	if value == *new(T) {
		return nil
	}
	return value
}

// Raw returns JSON as it is stored: byte for byte, or null if empty.
func Raw(data json.RawMessage) any {
	if len(data) == 0 {
		return nil
	}
	return string(data)
}

// Listed returns a list as it is stored: JSON, or null if empty.
func Listed[T any](list []T) (any, error) {
	if len(list) == 0 {
		return nil, nil
	}
	data, err := json.Marshal(list)
	return string(data), err
}

// Unlisted reads what Listed stored.
func Unlisted[T any](stored []byte, into *[]T) error {
	if len(stored) == 0 {
		return nil
	}
	return json.Unmarshal(stored, into)
}

// Time is where a time is scanned to that Micros stored.
type Time time.Time

// Scan makes a Time an sql.Scanner.
func (t *Time) Scan(column any) error {
	var us sql.Null[int64]
	err := us.Scan(column)
	if *t = (Time{}); us.Valid {
		*t = Time(TimeOf(&us.V))
	}
	return err
}

// Key is where a key is scanned to that StoredKey made.
type Key string

// Scan makes a Key an sql.Scanner.
func (k *Key) Scan(column any) error {
	var stored sql.Null[string]
	err := stored.Scan(column)
	*k = Key(KeyOf(stored.V))
	return err
}

// JSON returns where a value is scanned to that is stored as JSON, and not set if it is null or empty.
func JSON[T any](into *T) sql.Scanner { return stored[T]{into} }

type stored[T any] struct{ into *T }

func (s stored[T]) Scan(column any) error {
	var text sql.Null[[]byte]
	if err := text.Scan(column); err != nil || len(text.V) == 0 {
		return err
	}
	return json.Unmarshal(text.V, s.into)
}

// Into returns the reader of rows whose columns are scanned to what fields returns.
func Into[T any](fields func(*T) []any) func(*sql.Rows) (T, error) {
	return func(rows *sql.Rows) (item T, err error) {
		err = rows.Scan(fields(&item)...)
		return item, err
	}
}
