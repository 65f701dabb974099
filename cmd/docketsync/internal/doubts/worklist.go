package doubts

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/csvfile"
	"docketsync/importer/source"
)

// worklistColumns are the columns of the file to fill in; decisions are read by these names.
var worklistColumns = []string{"run", "key", "decision", "id", "note", "operation", "rows", "last tried", "what was seen", "what was sent"}

// WriteWorklist writes records in doubt to a new CSV file, in which a person fills in the decisions.
func WriteWorklist(path string, records []ledger.Record) error {
	if !strings.EqualFold(filepath.Ext(path), ".csv") {
		return exit.Mistakef("the worklist is a CSV file: give it a name that ends in .csv, not %s", path)
	}
	var list bytes.Buffer
	out := bufio.NewWriter(&list)
	line := csvfile.Begin(out, worklistColumns...)
	for _, r := range records {
		of := ofLedger(r)
		_ = line(r.Run, r.Key, "", "", "", of["operation"], of["rows"], moment.Known(r.Settled), r.Message, of["what was sent"]) // the buffer keeps the error
	}
	if err := out.Flush(); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("the worklist must be a new file: %w", err)
	}
	_, err = f.Write(list.Bytes())
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the worklist: %w", err)
	}
	return nil
}

// ofLedger returns the cells of a line that come from the ledger and are not filled in.
func ofLedger(r ledger.Record) map[string]string {
	return map[string]string{"operation": r.Scope, "rows": RowNumbers(r), "what was sent": string(r.Sent())}
}

// ReadDecisions reads a filled-in worklist. All its mistakes are reported at once, and nothing is decided if there are any.
func ReadDecisions(ctx context.Context, path string, doubts []ledger.Record) ([]Decision, error) {
	byPlace := map[[2]string]ledger.Record{}
	for _, r := range doubts {
		byPlace[[2]string{r.Run, r.Key}] = r
	}
	file, err := source.Open(ctx, path, source.Options{Header: 1})
	if err != nil {
		return nil, err
	}
	defer file.Close()
	columns := map[string]int{}
	for n, name := range file.Header().Names {
		columns[strings.ToLower(strings.TrimSpace(name))] = n
	}
	for _, name := range worklistColumns[:5] {
		if _, ok := columns[name]; !ok {
			return nil, exit.Mistakef("%s has no column %q; write a list with 'docketsync resolve --worklist FILE' and fill that in", path, name)
		}
	}
	var list []Decision
	var problems []error
	first := map[[2]string]int{}
	for row, err := range file.Rows(ctx) {
		if err != nil {
			return nil, err
		}
		cell := func(name string) string { return csvfile.Plain(row.Cell(columns[name]).Text) }
		id := strings.TrimSpace(cell("id"))
		if row.Skip != "" || strings.TrimSpace(cell("decision")) == "" && id == "" {
			continue
		}
		place := [2]string{cell("run"), cell("key")}
		record, ok := byPlace[place]
		if !ok {
			problems = append(problems, fmt.Errorf("%s, row %d: %q is not in doubt in run %s", path, row.Number, cell("key"), cell("run")))
			continue
		}
		if earlier, twice := first[place]; twice {
			problems = append(problems, fmt.Errorf("%s, row %d: %q is already decided in row %d", path, row.Number, cell("key"), earlier))
			continue
		}
		first[place] = row.Number
		for name, is := range ofLedger(record) {
			if _, there := columns[name]; there && strings.TrimSpace(cell(name)) != strings.TrimSpace(is) {
				problems = append(problems, fmt.Errorf("%s, row %d: the column %q is not that of %q, as when one column is sorted without the others\n"+
					"Write a new list and fill that in; or, if the key is right, remove the column %[3]q", path, row.Number, name, record.Key))
			}
		}
		d, err := NewDecision(record, cell("decision"), id, cell("note"))
		if err != nil {
			problems = append(problems, fmt.Errorf("%s, row %d: %w", path, row.Number, err))
		}
		list = append(list, d)
	}
	if len(problems) > 0 {
		return nil, exit.As(exit.Usage, errors.Join(problems...))
	}
	return list, nil
}
