package rows

import (
	"context"

	"docketsync/importer/report/wording"
	"docketsync/mapping"
	"docketsync/mapping/date"
)

// InferDates returns the mapping of a walk, ready to map: where it says dates: proven, the rows are read once for how the dates
// of each column are written, over all inputs. Another mapping comes back as it is, without anything being read. The error
// is of type diagnostic.Faults when a column does not prove it.
//
// The proof follows from the files, the mapping and its lookups alone, so a run that is resumed needs no other one.
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
