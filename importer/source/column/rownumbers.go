package column

import (
	"fmt"
	"slices"
	"strconv"

	"docketsync/importer/source/format"
	"docketsync/mapping/table"
)

// RowNumbers finds a first column without a name that counts the rows, as R's write.csv and pandas' to_csv write it. It is no fault,
// since every cell stands under its own name; but it says nothing of a record, whose number is another after the next export.
type RowNumbers struct {
	column string // how a mapping names it; "" where the first column is something else
	first  int    // 0 in pandas, 1 in R
	rows   int
}

// CountsRows is the code of a warning of such a column.
const CountsRows = "row_numbers"

// pandasIndex is the name that pandas gives the column when it reads such a file and writes it again.
const pandasIndex = "Unnamed: 0"

// NewRowNumbers watches the first of columns with these names.
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

// Found is how a mapping names the column that counts the rows; "" when none does.
func (n RowNumbers) Found() string {
	if n.rows < 2 {
		return ""
	}
	return n.column
}

// Warnings warns when the column is among those that are asked for.
func (n RowNumbers) Warnings(wanted []string) []format.Warning {
	column := n.Found()
	if column == "" || !slices.Contains(wanted, column) {
		return nil
	}
	return []format.Warning{{Code: CountsRows, Message: fmt.Sprintf("the column %s counts the rows of the export, and the mapping reads it", column),
		Hint: "A row that is inserted changes the numbers of all rows below it: use a column that belongs to the record, such as its reference."}}
}
