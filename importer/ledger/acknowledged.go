package ledger

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"time"

	"docketsync/importer/ledger/store"
	"docketsync/mapping/reason"
)

// Acknowledged says that somebody knows of a rejected record and accepts it as it is. Nothing about what is sent changes.
type Acknowledged struct {
	Scope string    `json:"scope"`
	Key   string    `json:"key"`
	Print string    `json:"print"` // of what was acknowledged, see Record.RejectPrint
	Who   string    `json:"who"`
	Note  string    `json:"note,omitempty"`
	At    time.Time `json:"at"`
}

// placesInWords are the rows that a message names, such as those that have the same key.
var placesInWords = regexp.MustCompile(`\brows? \d[\d, ]*`)

// RejectPrint is what a rejected record is recognised by until it changes: the cells of its rows and its reasons, wherever in the
// file they stand. "" for a record that was not rejected, or whose cells the ledger does not keep.
func (r Record) RejectPrint() string {
	if r.State != Rejected && r.State != Refused || len(r.Rows) == 0 {
		return ""
	}
	print := struct {
		Cells   []string
		Reasons []Reason
		Message string
	}{}
	if len(r.Reasons) == 0 {
		print.Message = r.Message // otherwise the reasons say it
	}
	for _, row := range r.Rows {
		if len(row.Cells) == 0 {
			return ""
		}
		print.Cells = append(print.Cells, string(row.Cells))
	}
	for _, why := range r.Reasons {
		why.Cell, why.Row, why.Source, why.Hint, why.Form, why.Args = "", 0, 0, "", "", nil // as releases before them made it
		if r.State == Refused {                                                             // the next morning it is rejected without being sent, and is still the same
			why.Code = reason.RefusedBefore
		}
		why.Message = placesInWords.ReplaceAllString(why.Message, "row")
		print.Reasons = append(print.Reasons, why)
	}
	slices.Sort(print.Cells)
	slices.SortStableFunc(print.Reasons, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Message, b.Message))
	})
	text, err := json.Marshal(print)
	if err != nil {
		return "" // it holds nothing that cannot be encoded
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Acknowledge writes down that somebody accepts rejected records as they are, until they change. They are on disk when it returns, and
// what was acknowledged before stays as it was.
func (l *Ledger) Acknowledge(ctx context.Context, records []Record, who, note string) error {
	if who == "" {
		return fmt.Errorf("acknowledge %d records: the name of the person who does is required", len(records))
	}
	return l.wrap("acknowledge rejected records", l.do(ctx, false, func(tx *transaction) error {
		for _, r := range records {
			print := r.RejectPrint()
			if print == "" {
				return fmt.Errorf("record %d is not rejected, or its row is no longer kept", r.Seq)
			}
			if _, err := tx.Exec(`insert into acknowledged (scope, key, print, who, note, at) values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
				store.Plain(r.Scope), store.StoredKey(r.Key), print, store.Plain(who), store.Plain(note), l.now().UnixMicro()); err != nil {
				return err
			}
		}
		return nil
	}))
}

// Withdraw takes back what was acknowledged of records.
func (l *Ledger) Withdraw(ctx context.Context, records []Record) error {
	return l.wrap("withdraw acknowledgements", l.do(ctx, false, func(tx *transaction) error {
		for _, r := range records {
			if _, err := tx.Exec(`delete from acknowledged where scope = $1 and key = $2 and print = $3`, store.Plain(r.Scope), store.StoredKey(r.Key), r.RejectPrint()); err != nil {
				return err
			}
		}
		return nil
	}))
}

// AcknowledgedIn returns which rejected records of a run somebody has acknowledged as they are in it, by their place in the run; nil for
// none. It goes through the rejected records where anything of their scope was ever acknowledged.
func (l *Reader) AcknowledgedIn(ctx context.Context, run Run) (map[int64]Acknowledged, error) {
	known := map[[2]string]Acknowledged{}
	list, err := store.List(ctx, l.read, func(rows *sql.Rows) (a Acknowledged, err error) {
		var at int64
		err = rows.Scan(&a.Scope, &a.Key, &a.Print, &a.Who, &a.Note, &at)
		a.Key, a.At = store.KeyOf(a.Key), store.TimeOf(&at)
		return a, err
	}, `select scope, key, print, who, note, at from acknowledged where scope = $1`, store.Plain(run.Scope))
	if err != nil || len(list) == 0 {
		return nil, l.wrap("read what was acknowledged", err)
	}
	for _, a := range list {
		known[[2]string{a.Key, a.Print}] = a
	}
	found := map[int64]Acknowledged{}
	for r, err := range l.Records(ctx, run.ID, RecordFilter{States: []State{Rejected, Refused}}) {
		if err != nil {
			return nil, err
		}
		if a, ok := known[[2]string{r.Key, r.RejectPrint()}]; ok {
			found[r.Seq] = a
		}
	}
	return found, nil
}
