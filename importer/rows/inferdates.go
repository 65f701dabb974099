package rows

import (
	"context"

	"docketsync/importer/report/wording"
	"docketsync/mapping"
	"docketsync/mapping/date"
)

// InferDates returns the mapping of a walk, ready to map. If the mapping says dates: proven, InferDates reads the rows
// of all inputs once to find out how the dates of each column are written. It returns any other mapping as it is and
// reads nothing. If a column does not show its format, the error is of type diagnostic.Faults.
//
// The result follows from the files, the mapping and its lookups alone, so a resumed run has no need of it again.
func (w Walk) InferDates(ctx context.Context) (*mapping.Mapping, error) {
	if !w.Mapping.InfersDates() {
		return w.Mapping, nil
	}
	proof, names := date.Columns{}, []string(nil)
	err := w.Each(ctx, func(t *Table) error {
		for row, err := range t.allRows(ctx) {
			if err != nil {
				return err
			}
			t.Mapper.InferDates(proof, row)
		}
		for _, part := range t.Sources() {
			names = append(names, part.File+wording.Prefixed(", sheet ", part.Sheet))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return w.Mapping.Inferred(proof, func(source int) string { return names[source] })
}
