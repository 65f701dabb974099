package rows

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"docketsync/importer/decide"
	"docketsync/importer/ledger"
	"docketsync/mapping/table"
)

// aside holds the rows of a grouped mapping in the ledger until all are read, because the rows of one record may be
// anywhere in the file.
type aside struct {
	book *ledger.Ledger
	run  string
	rows []ledger.Staged
}

func (a *aside) add(ctx context.Context, key string, row table.Row) error {
	kept := LedgerRows([]table.Row{row}, true)[0]
	if len(row.Faults) > 0 {
		var err error
		if kept.Cells, err = json.Marshal(faultyRow{row.Cells, row.Faults}); err != nil {
			return fmt.Errorf("set row %d aside: %w", row.Number, err)
		}
	}
	a.rows = append(a.rows, ledger.Staged{Key: key, Row: kept})
	if len(a.rows) < BatchSize {
		return nil
	}
	return a.flush(ctx)
}

func (a *aside) flush(ctx context.Context) error {
	if len(a.rows) == 0 {
		return nil
	}
	rows := a.rows
	a.rows = a.rows[:0]
	return a.book.Stage(ctx, a.run, rows)
}

// groups maps each group of rows of one key. If too many rows have a key, all its groups are rejects: the first keeps
// the key, the others have none.
func (a *aside) groups(ctx context.Context, m *maker, add func(context.Context, decide.Mapped, ...table.Row) error) error {
	most := m.mapping.MostRows()
	before := "" // the key of the last group
	for group, err := range a.book.Groups(ctx, a.run, most) {
		if err != nil {
			return err
		}
		rows, err := restored(group.Rows)
		if err != nil {
			return fmt.Errorf("map the rows of %s: %w", group.Key, err)
		}
		var made decide.Mapped
		switch {
		case group.Size <= most:
			made = m.group(group.Key, rows)
		default:
			made = decide.Mapped{Operation: m.mapping.Operation(), Key: group.Key, Reasons: []ledger.Reason{CrowdReason(group.Key, most)}}
			if group.Key == before {
				made.Key = ""
			}
		}
		before = group.Key
		if err := add(ctx, made, rows...); err != nil {
			return err
		}
	}
	return a.book.Unstage(ctx, a.run)
}

// faultyRow is the stored form of a row with faults. Of any other row only the cells are stored.
type faultyRow struct {
	Cells  []table.Cell  `json:"cells"`
	Faults []table.Fault `json:"faults"`
}

func restored(staged []ledger.Row) ([]table.Row, error) {
	rows := make([]table.Row, len(staged))
	for n, s := range staged {
		var err error
		var faulty faultyRow
		if bytes.HasPrefix(s.Cells, []byte{'{'}) {
			err = json.Unmarshal(s.Cells, &faulty)
		} else {
			err = json.Unmarshal(s.Cells, &faulty.Cells)
		}
		if err != nil {
			return nil, fmt.Errorf("row %d as it was set aside: %w", s.Number, err)
		}
		rows[n] = table.Row{Source: s.Source, Number: s.Number, Cells: faulty.Cells, Faults: faulty.Faults}
	}
	return rows, nil
}
