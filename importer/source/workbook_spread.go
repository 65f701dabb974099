package source

import "fmt"

// A sheet may make few stored cells stand for very many: by a cell in the last column of every row, by merged ranges that
// are to be filled, by repetitions in an .ods. Every one of them takes time, so that a file of some megabytes could take
// hours; no table of a firm comes near.
const (
	spreadFloor = 100_000_000 // cells that any sheet may have
	spreadShare = 100         // beyond that, as many for each one that is stored
)

// spread counts the cells of a sheet as it is read.
type spread struct {
	cells, stored int
	size          int64 // of the file
}

// add counts the cells of a row, and those of them that the file stores.
func (s *spread) add(cells, stored int) error {
	s.cells += cells
	s.stored += stored
	if s.cells > spreadFloor && s.cells/spreadShare > s.stored {
		return &Error{What: fmt.Sprintf("the sheet makes more than %d million cells of the %d that it stores", spreadFloor/1_000_000, s.stored),
			Hint: "Look for cells far to the right of the table, and for merged ranges over whole columns, and delete them; or copy the table into a new workbook."}
	}
	return nil
}
