package planfile

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
	"docketsync/mapping/table"
)

// Kind is a kind of change: a create, the first update of a record, or an update of what the service holds already.
type Kind struct {
	Action ledger.Action
	// Fields are the names of those that change, or empty if all of the record is sent for the first time.
	Fields  []string
	Records int
	First   []int64 // the seqs of the first records, as many as KindsOf was asked for
}

// kindsTold is how many kinds are told apart. The remaining records are one kind without a name.
const kindsTold = 12

// others are the fields of that kind.
var others = []string{""}

// KindOf returns the kind of one planned record, and its changes: everything that is sent, if the service does not hold
// the record yet.
func KindOf(run ledger.Run, r ledger.Record) (Kind, []payload.Change, error) {
	if len(r.Previous) == 0 {
		changes, err := payload.Changes("", nil, r.Sent())
		return first(r), changes, err
	}
	kind := first(r)
	changes, err := payload.Changes(payload.Operation(run.Operation), r.Previous, r.Payload)
	for _, change := range changes {
		name := change.Field[:strings.IndexAny(change.Field+".", ".[")]
		if !slices.Contains(kind.Fields, name) {
			kind.Fields = append(kind.Fields, name)
		}
	}
	slices.Sort(kind.Fields)
	return kind, changes, err
}

// first returns the kind of a record that the service does not hold yet.
func first(r ledger.Record) Kind { return Kind{Action: r.Action, Records: 1} }

// is reports whether two kinds are the same.
func (k Kind) is(other Kind) bool {
	return k.Action == other.Action && slices.Equal(k.Fields, other.Fields)
}

// Words says what is done to how many records: "400 updates of status, status date".
func (k Kind) Words() string {
	count := wording.Counted(k.Records, string(k.Action))
	switch {
	case len(k.Fields) == 0 && k.Action == ledger.Create:
		return count
	case len(k.Fields) == 0:
		return count + " of records that docketsync has not sent before"
	case slices.Equal(k.Fields, others):
		return count + " of other fields"
	}
	var labels []string
	for _, field := range k.Fields {
		labels = append(labels, payload.Label(field))
	}
	const told = 4
	if more := len(labels) - told; more > 1 {
		labels = append(labels[:told], wording.Counted(more, "more field"))
	}
	return count + " of " + strings.Join(labels, ", ")
}

// Kinds are the kinds of change in a plan, creates first, then those of the most records.
type Kinds []Kind

// KindsOf reads the records of a run in a state and returns their kinds. Of each kind it keeps the seqs of up to keep
// records.
func KindsOf(ctx context.Context, book *ledger.Reader, run ledger.Run, state ledger.State, keep int) (kinds Kinds, err error) {
	for record, err := range book.Records(ctx, run.ID, ledger.RecordFilter{States: []ledger.State{state}, Payloads: true}) {
		if err != nil {
			return nil, err
		}
		kind := first(record)
		if len(record.Previous) > 0 {
			if kind, _, err = KindOf(run, record); err != nil {
				return nil, err
			}
		}
		kinds = kinds.add(kind, record.Seq, keep)
	}
	slices.SortStableFunc(kinds, func(a, b Kind) int {
		return cmp.Or(cmp.Compare(a.Action, b.Action), cmp.Compare(b.Records, a.Records))
	})
	return kinds, nil
}

func (k Kinds) add(kind Kind, seq int64, keep int) Kinds {
	n := k.Place(kind)
	if n < 0 {
		if kind.Records = 0; len(k) >= kindsTold {
			kind.Fields = others
		}
		k, n = append(k, kind), len(k)
	}
	k[n].Records++
	if len(k[n].First) < keep {
		k[n].First = append(k[n].First, seq)
	}
	return k
}

// Place returns the index of a record's kind among the kinds.
func (k Kinds) Place(kind Kind) int {
	n := slices.IndexFunc(k, kind.is)
	if n < 0 {
		kind.Fields = others
		n = slices.IndexFunc(k, kind.is)
	}
	return n
}

// Change is a change of a record, with the source's name for the id that the field gets.
type Change struct {
	payload.Change
	Name string // "" if the field has no id that was looked up, or nobody can tell
}

// Named returns changes of a record with the names of their ids.
func Named(run ledger.Run, r ledger.Record, changes []payload.Change) []Change {
	named := make([]Change, len(changes))
	for n, change := range changes {
		named[n] = Change{Change: change}
		if change.New != nil && !change.New.Literal {
			named[n].Name = nameOf(run, r, change.Field)
		}
	}
	return named
}

// nameOf returns the text of the cells by which an id was looked up, if it is one column's and the same in all rows of
// the record.
func nameOf(run ledger.Run, r ledger.Record, field string) (name string) {
	for _, row := range r.Rows {
		if row.Source < 0 || row.Source >= len(run.Sources) {
			return ""
		}
		origins := run.Sources[row.Source].Origins
		n := slices.IndexFunc(origins, func(o ledger.Origin) bool { return o.Field == payload.FieldOf(field) })
		if n < 0 || origins[n].Lookup == "" || origins[n].Type != string(payload.TypeGUID) || len(origins[n].Columns) != 1 {
			return ""
		}
		var cells []table.Cell
		if json.Unmarshal(row.Cells, &cells) != nil || origins[n].Columns[0] >= len(cells) {
			return ""
		}
		text := strings.TrimSpace(cells[origins[n].Columns[0]].Text)
		if text == "" || name != "" && name != text {
			return ""
		}
		name = text
	}
	return name
}
