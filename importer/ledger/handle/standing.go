package handle

import (
	"database/sql"
	"errors"
	"fmt"

	"docketsync/importer/ledger/model"
)

// ErrRefused marks the errors that concern one call only.
var ErrRefused = errors.New("refused")

// refused is an error that concerns one call only.
type refused struct{ error }

// Refuse marks an error as one that concerns one call only.
func Refuse(err error) error { return refused{err} }

func (r refused) Is(target error) bool { return target == ErrRefused }
func (r refused) Unwrap() error        { return r.error }

// Standing reads in which state a record is and what it is about, as stored.
func (tx *Tx) Standing(p model.Place) (state model.State, of model.ScopedKey, err error) {
	err = tx.One(`select state, scope, key from records where run_no = $1 and seq = $2`, []any{p.Number, p.Seq}, &state, &of.Scope, &of.Key)
	if errors.Is(err, sql.ErrNoRows) {
		err = refused{fmt.Errorf("run %s, record %d: %w", p.Run, p.Seq, ErrNotFound)}
	}
	return state, of, err
}
