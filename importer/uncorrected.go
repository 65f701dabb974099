package importer

import (
	"context"
	"errors"
	"maps"
	"slices"

	"docketsync/apiclient/payload"
	"docketsync/importer/guard"
	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
	"docketsync/importer/rows"
	"docketsync/mapping/table"
)

// examineCorrected stops a run that would send records that are new to the job without the corrections of their cells. The
// cells were corrected for another job with its scope, for example one that was renamed or split, or under another key
// of a record whose id the rows name.
func (i *Importer) examineCorrected(ctx context.Context, run *ledger.Run, first bool) error {
	last, err := i.lastExport(ctx, run)
	if err != nil || last == nil && !first && run.Export == nil {
		return err
	}
	own, err := i.Ledger.Corrections(ctx, run.Job)
	if err != nil {
		return err
	}
	uncorrected := func(key string, cells []ledger.CellCorrection) (bool, error) {
		r, err := i.Ledger.RecordByKey(ctx, run.ID, key)
		if errors.Is(err, ledger.ErrNotFound) || err == nil && (r.State != ledger.Planned || len(own[key]) > 0) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if is, err := saysStill(run, r, cells); err != nil || !is || last == nil {
			return is, err
		}
		before, err := i.Ledger.RecordByKey(ctx, last.ID, key)
		if errors.Is(err, ledger.ErrNotFound) {
			return true, nil
		}
		return err == nil && (before.State == ledger.Rejected || before.State == ledger.Held), err
	}
	jobs, err := i.Ledger.CorrectedJobs(ctx, run.Job, run.Scope)
	for n := 0; n < len(jobs) && err == nil; n++ {
		var corrected map[string][]ledger.CellCorrection
		corrected, err = i.Ledger.Corrections(ctx, jobs[n])
		records := 0
		for key, cells := range corrected {
			is, failed := uncorrected(key, cells)
			if err = errors.Join(err, failed); is {
				records++
			}
		}
		if records > 0 {
			run.Guards = append(run.Guards, guard.CorrectedElsewhere(records))
			i.log().Warn("cells were corrected for another job", otherJob(run, jobs[n])...)
		}
	}
	if err != nil {
		return err
	}
	return i.examineRekeyed(ctx, run, own, uncorrected)
}

// saysStill reports whether a row of a record still has what was corrected in one of some cells.
func saysStill(run *ledger.Run, r ledger.Record, corrected []ledger.CellCorrection) (bool, error) {
	for _, row := range r.Rows {
		cells, err := table.StoredCells(row.Cells)
		if err != nil {
			return false, err
		}
		for _, one := range corrected {
			column := rows.ColumnNamed(wording.SourceOf(*run, row.Source).Header, one.Column)
			if column >= 0 && column < len(cells) && cells[column].Text == one.Old || column >= len(cells) && one.Old == "" {
				return true, nil
			}
		}
	}
	return false, nil
}

// examineRekeyed stops a run if a record whose cells were corrected has another key in it.
func (i *Importer) examineRekeyed(ctx context.Context, run *ledger.Run, corrected map[string][]ledger.CellCorrection, uncorrected func(string, []ledger.CellCorrection) (bool, error)) error {
	if len(corrected) == 0 || run.Export == nil || payload.Operation(run.Operation).Creates() {
		return nil
	}
	known, err := i.Ledger.Known(ctx, run.Scope, slices.Collect(maps.Keys(corrected)))
	ids := map[string]string{}
	for key, k := range known {
		_, there := i.Ledger.RecordByKey(ctx, run.ID, key)
		switch id := payload.ID(k.Payload); {
		case errors.Is(there, ledger.ErrNotFound) && id != "":
			ids[payload.PlainID(id)] = key
		case there != nil && !errors.Is(there, ledger.ErrNotFound):
			err = there
		}
	}
	if err != nil || len(ids) == 0 {
		return err
	}
	for r, err := range i.Ledger.Records(ctx, run.ID, ledger.RecordFilter{States: []ledger.State{ledger.Planned}}) {
		if err != nil {
			return err
		}
		former, is := ids[payload.PlainID(payload.ID(r.Payload))]
		if is {
			is, err = uncorrected(r.Key, corrected[former])
		}
		if err != nil {
			return err
		}
		if is {
			run.Guards = append(run.Guards, guard.CorrectedAs(former, r.Key))
			return nil
		}
	}
	return nil
}
