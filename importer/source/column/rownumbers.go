package column

import (
	"fmt"
	"slices"
	"strconv"

	"docketsync/importer/source/format"
	"docketsync/mapping/table"
)

// RowNumbers finds a first column without a name that counts the rows, as R's write.csv and pandas' to_csv write it.
// This is not a fault, because every cell is under its own name. But the number does not belong to the record: after
// the next export it may be another one.
type RowNumbers struct {
	column string // its name in a mapping; "" if the first column is something else
	first  int    // 0 in pandas, 1 in R
	rows   int
}

// CountsRows is the code of the warning about such a column.
const CountsRows = "row_numbers"

// pandasIndex is the name that pandas gives the column if it reads such a file and writes it again.
const pandasIndex = "Unnamed: 0"

// NewRowNumbers watches the first of the columns with these names.
func NewRowNumbers(names []string) RowNumbers {
	switch {
	case len(names) < 2:
	case names[0] == "":
		return RowNumbers{column: "@A"}
	case names[0] == pandasIndex:
		return RowNumbers{column: pandasIndex}
	}
	return RowNumbers{}
}

// AddRow takes in a row of data.
func (n *RowNumbers) AddRow(row table.Row) {
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

// Found returns a mapping's name for the column that counts the rows, or "" if there is none.
func (n RowNumbers) Found() string {
	if n.rows < 2 {
		return ""
	}
	return n.column
}

// Warnings returns a warning if the column is among the wanted ones.
func (n RowNumbers) Warnings(wanted []string) []format.Warning {
	column := n.Found()
	if column == "" || !slices.Contains(wanted, column) {
		return nil
	}
	return []format.Warning{{Code: CountsRows, Message: fmt.Sprintf("the column %s counts the rows of the export, and the mapping reads it", column),
		Hint: "A row that is inserted changes the numbers of all rows below it: use a column that belongs to the record, such as its reference."}}
}
