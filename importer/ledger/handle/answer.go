package handle

import (
	"strings"
)

// DropAnswer removes what an ordinary answer of a run says where no request is made of it any more: it is what the service said of one
// record, and goes when that does.
func (tx *Tx) DropAnswer(run int64) error {
	_, err := tx.Exec(`update runs set answer = null where number = $1 and answer is not null
		and not exists (select 1 from records r where r.run_no = runs.number and r.took_us is not null)`, run)
	return err
}

// IDInAnswer stands in the answer that is kept with a run for the id that the service gave.
const IDInAnswer = "{id}"

// AnswerOf is the answer of a form for a record; ordinaryAttempts says the same.
func AnswerOf(form, id string) string { return strings.ReplaceAll(form, IDInAnswer, id) }
