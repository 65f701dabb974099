package source

import (
	"fmt"
	"slices"
	"strconv"

	"docketsync/mapping/table"
)

// rowNumbers finds a first column without a name that counts the rows, as R's write.csv and pandas' to_csv write it. It is no fault,
// since every cell stands under its own name; but it says nothing of a record, whose number is another after the next export.
type rowNumbers struct {
	column string // how a mapping names it; "" where the first column is something else
	first  int    // 0 in pandas, 1 in R
	rows   int
}

// pandasIndex is the name that pandas gives the column when it reads such a file and writes it again.
const pandasIndex = "Unnamed: 0"

func newRowNumbers(names []string) rowNumbers {
	switch {
	case len(names) < 2:
	case names[0] == "":
		return rowNumbers{column: "@A"}
	case names[0] == pandasIndex:
		return rowNumbers{column: pandasIndex}
	}
	return rowNumbers{}
}

// look takes in a row of data.
func (n *rowNumbers) look(row table.Row) {
	if n.column == "" || row.Skip != "" {
		return
	}
	number, err := strconv.Atoi(row.Cell(0).Text)
	if n.rows == 0 {
		n.first = min(number, 1)
	}
	if err != nil || number != n.first+n.rows {
		n.column = ""
		return
	}
	n.rows++
}

func (n rowNumbers) describe(d *Detected, columns []string) {
	if n.rows < 2 || n.column == "" {
		return
	}
	d.RowNumbers = n.column
	if slices.Contains(columns, n.column) {
		d.warn(Warning{Code: "row_numbers", Message: fmt.Sprintf("the column %s counts the rows of the export, and the mapping reads it", n.column),
			Hint: "A row that is inserted changes the numbers of all rows below it: use a column that belongs to the record, such as its reference."})
	}
}
