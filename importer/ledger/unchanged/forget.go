package unchanged

import (
	"database/sql"

	"docketsync/importer/ledger/store"
)

// forgetPart is how many segments are read at once.
const forgetPart = 64

// Forget replaces each key of a scope that token knows by a token, and leaves nothing of its record but where it was.
// It is the only change ever made to a segment. The records keep their order, so all ranges stay right.
func Forget(tx *store.Tx, scope string, token func(key string) (string, bool)) error {
	for last := int64(-1); ; {
		list, err := store.All(tx.Query, func(rows *sql.Rows) (*segment, error) {
			var number int64
			var content []byte
			if err := rows.Scan(&number, &content); err != nil {
				return nil, err
			}
			return decodeSegment(number, string(content))
		}, `select number, content from segments where scope = $1 and number > $2 order by number limit $3`, store.Plain(scope), last, forgetPart)
		if err != nil {
			return err
		}
		for _, s := range list {
			last = s.number
			if err := s.forget(tx, token); err != nil {
				return err
			}
		}
		if len(list) < forgetPart {
			return nil
		}
	}
}

func (s *segment) forget(tx *store.Tx, token func(key string) (string, bool)) error {
	changed := false
	for n := range s.entries {
		if to, ok := token(s.entries[n].key); ok {
			s.entries[n].key, s.entries[n].digest, s.entries[n].id = to, packedText{}, packedText{}
			changed = true
		}
	}
	if !changed {
		return nil
	}
	s.encode()
	first, last := s.bounds()
	_, err := tx.Exec(`update segments set first_key = $2, last_key = $3, content = $4 where number = $1`, s.number, first, last, []byte(s.content))
	return err
}

// bounds returns the least and the greatest of a segment's keys, as they are stored.
func (s *segment) bounds() (first, last string) {
	first = store.StoredKey(s.entries[0].key)
	last = first
	for n := range s.entries {
		key := store.StoredKey(s.entries[n].key)
		first, last = min(first, key), max(last, key)
	}
	return first, last
}
