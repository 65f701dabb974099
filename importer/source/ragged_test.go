package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/source/sourcetest"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// faultsOf reads a file and lists the faults of its rows as "row: column of the fault", with + for what goes on behind it.
func faultsOf(t *testing.T, path string, o Options) (faults []string, refused string) {
	t.Helper()
	s, err := Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for row, err := range s.Rows(t.Context()) {
		if err != nil {
			e := faulted(t, reading{}, err)
			return nil, e.fault + "\n" + e.hint
		}
		for _, f := range row.Faults {
			faults = append(faults, fmt.Sprintf("%d: %d%s", row.Number, f.Column, map[bool]string{true: "+"}[f.Onward]))
		}
	}
	return faults, ""
}

func TestRowsOfAnotherWidthHaveAFault(t *testing.T) {
	t.Parallel()
	const head, good = "Ref,Mark,App No,Notes\n", "A1,ACME,1,\nA2,BEAM,2,\nA3,CORE,3,\n"
	for _, tt := range []struct {
		name, in string
		o        Options
		want     []string
	}{
		{"as wide as the header", head + good, Options{}, nil},
		{"a delimiter without quotes", head + good + "A4,MILLER, SMITH & CO,4,x\n", Options{}, []string{"5: -1"}},
		{"a delimiter without quotes, and a blank at the end", head + good + "A4,MILLER, SMITH & CO,4,\n", Options{}, []string{"5: -1"}},
		{"too short", head + good + "A4,DUNE\n", Options{}, []string{"5: 2+"}},
		{"too short, and kept", head + good + "A4,DUNE\nA5,E,F,5,x\n", Options{Ragged: "keep"}, nil},
		{"all rows end in a delimiter", "Ref,Mark\nA1,ACME,\nA2,BEAM,\n", Options{}, nil},
		{"the header alone ends in a delimiter", "Ref,Mark,\nA1,ACME\nA2,BEAM\nA3,CORE\nA4,MILLER, SMITH & CO\n", Options{}, []string{"5: -1"}},
		{"a last column without a name", "Ref,Mark,\nA1,ACME,x\nA2,BEAM,y\nA3,CORE\n", Options{}, nil},
		{"short, though not by what is asked for", head + good + "A4,DUNE,4\n", Options{Columns: []string{"Ref", "Mark"}}, []string{"5: 3+"}},
		{"without a header", "A1,1,x\nA2,2,y\nA3,3,4,z\n", Options{NoHeader: true}, []string{"3: -1"}},
		{"rows that are no data", head + good + "\nTotal,3\n", Options{Footer: "^Total"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, refused := faultsOf(t, textFile(t, "in.csv", tt.in), tt.o)
			if diff := cmp.Diff(tt.want, got); diff != "" || refused != "" {
				t.Errorf("%s\n%s", refused, diff)
			}
		})
	}
}

// A line break in a last or first cell without quotes leaves half of a value in a row as wide as any: the fault is about that cell.
func TestValuesBesideShortRowsHaveAFault(t *testing.T) {
	t.Parallel()
	const head, good = "Ref,Mark,Notes\n", "A1,ACME,x\nA2,BEAM,y\n"
	const names = "Name,Mark\nAda,ACME\nBob,BEAM\nCy,CORE\nDot,DUNE\n"
	for _, tt := range []struct {
		name, in string
		o        Options
		want     []string
	}{
		{"a rest of several words that is as long as a reference", "Ref,Notes\nM-2019-0001,x\nM-2019-0002,Acme GmbH\nHauptstr. 5\nM-2019-0003,z\n", Options{}, []string{"3: 1", "4: 1+"}},
		{"a last cell", head + good + "A3,CORE,one\ntwo\nA4,DUNE,z\n", Options{}, []string{"4: 2", "5: 1+"}},
		{"a last cell in three pieces, and one after the next row", head + good + "A3,CORE,one\ntwo\nthree\nA4,DUNE,four\nfive\nA5,ECHO,z\n", Options{}, []string{"4: 2", "5: 1+", "6: 1+", "7: 2", "8: 1+"}},
		{"a last cell, with a delimiter in its rest", head + good + "A3,CORE,one\ntwo, three\nA4,DUNE,z\n", Options{}, []string{"4: 2", "5: 2+"}},
		{"a last cell that begins with a line break", head + good + "A3,CORE,\ntwo\nA4,DUNE,z\n", Options{}, []string{"4: 2", "5: 1+"}},
		{"a first cell", names + "Ed\nith,ECHO\nFay,FORD\n", Options{}, []string{"5: 1", "6: 1+", "7: 0"}},
		{"a first cell with digits", head + good + "A\n3,CORE,x\nA4,DUNE,z\n", Options{}, []string{"3: 2", "4: 1+", "5: 0"}},
		{"a first cell of the first row", names[:10] + "A\n" + names[10:], Options{}, []string{"2: 1+", "3: 0"}},
		{"a cell in the middle", head + good + "A3,CO\nRE,z\nA10,DUNE,z\n", Options{}, []string{"4: 2+", "5: 2+"}},
		{"a row that has lost its end", head + good + "A3,CORE\nA4,DUNE,z\n", Options{}, []string{"4: 2+"}},
		{"a row that has lost its end, in a table of names", "Name,Mark,Notes\nAda,ACME,x\nBob,BEAM\nCy,CORE,z\n", Options{}, []string{"2: 2", "3: 2+"}},
		{"a line above a blank one", names + "Europe\n\nEd,ECHO\n", Options{}, []string{"5: 1", "6: 1+", "8: 0"}},
		{"blank lines between the pieces", head + good + "A3,CORE,one\n\n\ntwo\nA4,DUNE,z\n", Options{}, []string{"4: 2", "7: 1+"}},
		{"blank lines and no piece", head + good + "\n\nA3,CORE,z\n\n", Options{}, nil},
		{"kept", head + good + "A3,CORE,one\ntwo\nA4,DUNE,z\n", Options{Ragged: "keep"}, nil},
		{"in quotes", head + good + "A3,CORE,\"one\ntwo\"\nA4,DUNE,z\n", Options{}, nil},
		{"a line behind a blank one", head + good + "\nEurope\nA3,CORE,z\n", Options{}, []string{"3: 2", "5: 1+"}},
		{"a line that a pattern leaves out", head + good + "Europe\nA3,CORE,z\n", Options{Footer: "^Europe$"}, nil},
		{"a total", head + good + "Total,2\nA3,CORE,z\n", Options{}, []string{"4: 2+", "4: -2"}},
		{"a line below the table", head + good + "End of list\n", Options{}, []string{"3: 2", "4: 1+"}},
		{"lines below the table, and blank ones", head + good + "End of list\n\nPrinted by Ada\n\n\n", Options{}, []string{"3: 2", "4: 1+", "6: 1+"}},
		{"a line below the table that a pattern leaves out", head + good + "\nEnd of list\n", Options{Footer: "^End of list$"}, nil},
		{"a line below the table that a line break does not end", head + good + "End of list", Options{}, []string{"3: 2", "4: 1+", "4: -1"}},
		{"the sheet of rejects", "docketsync: reasons,Ref,Mark\n,A1,ACME\nHoldings\n,A2,BEAM\n", Options{}, []string{"3: 1+"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, refused := faultsOf(t, textFile(t, "in.csv", tt.in), tt.o)
			if diff := cmp.Diff(tt.want, got); diff != "" || refused != "" {
				t.Errorf("%s\n%s", refused, diff)
			}
		})
	}
	workbook := bookFile(t, nil, "S", [][]any{{"Ref", "Mark"}, {"A1", "ACME"}, {"Holdings"}, {"A2", "BEAM"}})
	if got, _ := faultsOf(t, workbook, Options{}); got != nil {
		t.Errorf("in a workbook, whose cells have their places: %q", got)
	}
}

// Below a table may stand more than is held in memory.
func TestShortRowsAreHeldUpToALimit(t *testing.T) {
	t.Parallel()
	in := "Ref,Mark\n" + strings.Repeat("A1,ACME\n", 90) + strings.Repeat("note\n", mostHeld+1)
	got, refused := faultsOf(t, textFile(t, "in.csv", in), Options{})
	if len(got) != mostHeld+3 || got[0] != "91: 1" || got[1] != "92: 1+" || refused != "" {
		t.Errorf("%d: %q %s", len(got), got, refused)
	}
}

// TestMostRowsOfAnotherWidthAreRefused shows the probable cause for each way of writing such a file.
func TestMostRowsOfAnotherWidthAreRefused(t *testing.T) {
	t.Parallel()
	const head = "Ref,Mark,Fee\n"
	many := strings.Repeat("A,B\n", 900_000) // would be read long after it is known
	for _, tt := range []struct {
		name, in string
		o        Options
		want     string
	}{
		{"R's write.table with row numbers", "\"Ref\",\"Mark\"\n\"1\",\"A1\",\"ACME\"\n\"2\",\"A2\",\"BEAM\"\n", Options{}, "in.csv, row 2: 2 of 2 rows have another number of cells than the header, which has 2; row 2 has 3: 1 | A1 | ACME. The header is probably one name short"},
		{"R's write.table with row names", "Ref,Mark\nx,A1,ACME\ny,A2,BEAM\n", Options{}, "col.names = NA"},
		{"R's write.table, and a last column that is mostly blank", head + "1,A1,ACME,\n2,A2,BEAM,\n3,A3,CORE,\n4,A4,DUNE,9\n", Options{}, "4 of 4 rows"},
		{"decimal commas", head + "A1,ACME,100,00\nA2,BEAM,95,50\nA3,CORE,80\n", Options{}, "decimal comma"},
		{"a column with delimiters", head + "A1,ACME, Inc.,1\nA2,BEAM, Inc.,2\nA3,C, D, E,3\nA4,CORE,4\n", Options{Delimiter: ","}, "A column seems to hold the delimiter"},
		{"another delimiter", head + "A1;ACME;1\nA2;BEAM;2\n", Options{Delimiter: ","}, "The delimiter of the header is probably not that of the rows"},
		{"rows that leave the last cell out", head + "A1,ACME\nA2,BEAM\n", Options{}, "ragged: keep"},
		{"a long file", head + many, Options{}, "1000 of 1000 rows"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, refused := faultsOf(t, textFile(t, "in.csv", tt.in), tt.o); !strings.Contains(refused, tt.want) {
				t.Errorf("refused with %q, want %q", refused, tt.want)
			}
		})
	}
}

// TestRejectsThatAreStillTooWideHaveAFault imports the workbook of rejects with a row as it was rejected.
func TestRejectsThatAreStillTooWideHaveAFault(t *testing.T) {
	t.Parallel()
	path := bookFile(t, nil, "Rejects", [][]any{{"docketsync: reasons", "Ref", "Mark"}, {"", "A1", "MILLER", " SMITH & CO"}, {"", "A2", "BEAM"}, {"", "A3"}})
	if got, _ := faultsOf(t, path, Options{}); !cmp.Equal(got, []string{"2: -1"}) {
		t.Error(got)
	}
	path = textFile(t, "rejects.csv", "docketsync: reasons"+",Ref,Mark,Notes\n,A1,ACME,#N/A\n,A2,BEAM,\n\"The row has 3 cells and the header 4, so "+
		reason.WrongNames+"\",A3,ACME,#N/A\nThe client is not known,A4,ACME,#N/A\n")
	if got, _ := faultsOf(t, path, Options{}); !cmp.Equal(got, []string{"2: 3+", "4: 3+"}) {
		t.Errorf("a row that was too short: %q", got)
	}
	path = bookFile(t, nil, "Marks", [][]any{{"Ref", "Mark"}, {"A1", "MILLER", "a remark beside the table"}})
	if got, _ := faultsOf(t, path, Options{}); got != nil {
		t.Errorf("a cell beside the table of a workbook: %q", got)
	}
	path = textFile(t, "in.csv", "docketsync: reasons"+",Ref,Mark,\n,A1,MILLER, SMITH & CO\n,A2,BEAM,\n")
	if got, _ := faultsOf(t, path, Options{}); !cmp.Equal(got, []string{"2: " + fmt.Sprint(table.WholeRow)}) {
		t.Errorf("the sheet of rejects as text: %q", got)
	}
}

// A blank cell that is merged with one that shows a value may have that value or none, and only a person can tell: it has a fault, unless a
// setting says what it is. So in every format, and also where the row ends before it.
func TestBlankCellsOfMergedOnesHaveAFault(t *testing.T) {
	t.Parallel()
	cells := [][]any{{"Ref", "Mark", "Owner"}, {"A1", "ACME", "Sol"}, {"A2", "BEAM"}, {"A3", nil, "Luna"}, {}, {"A4", "DUNE", "Mar"}}
	for _, tt := range []struct {
		name   string
		merged []string
		o      Options
		want   []string
	}{
		{"the last column, over two rows", []string{"C2:C3"}, Options{}, []string{"3: 2"}},
		{"over two columns", []string{"A4:B4"}, Options{}, []string{"4: 1"}},
		{"over rows of which one is blank", []string{"C4:C5"}, Options{}, nil},
		{"of nothing", []string{"B4:B5"}, Options{}, nil},
		{"with values repeated", []string{"C2:C3"}, Options{Merged: "down"}, nil},
		{"and kept", []string{"C2:C3"}, Options{Covered: "keep"}, nil},
	} {
		if got, _ := faultsOf(t, bookFile(t, merge(tt.merged...), "S", cells), tt.o); !cmp.Equal(got, tt.want) {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
}

// TestValuesBeneathMergedCellsHaveAFault merges cells as the format painter does, which leaves what they held.
func TestValuesBeneathMergedCellsHaveAFault(t *testing.T) {
	t.Parallel()
	var data strings.Builder
	for n, cells := range [][]string{{"Ref", "Mark", "Owner"}, {"A1", "ACME", "Sol"}, {"A2", "BEAM", "Luna"}, {"A3", "CORE", "Sol"}, {"A4", "DUNE", "Sol"}, {"A5", " ", "Mar"}} {
		fmt.Fprintf(&data, "<row r=\"%d\">", n+1)
		for _, text := range cells {
			fmt.Fprintf(&data, `<c t="str"><v>%s</v></c>`, text)
		}
		data.WriteString("</row>")
	}
	book := sourcetest.Book("", "", "", sourcetest.Sheet{Name: "S", Data: data.String(),
		After: `<mergeCells><mergeCell ref="A1:C1"/><mergeCell ref="C2:C3"/><mergeCell ref="A4:B4"/><mergeCell ref="C4:C5"/><mergeCell ref="B5:B6"/></mergeCells>`})
	path := textFile(t, "marks.xlsx", string(sourcetest.Archive(t, book)))
	for _, tt := range []struct {
		name string
		o    Options
		want []string
	}{
		{"by default", Options{}, []string{"3: 2", "4: 1", "6: 1"}},
		{"with values repeated", Options{Merged: "down"}, []string{"3: 2", "4: 1"}},
		{"and kept", Options{Covered: "keep"}, nil},
	} {
		if got, _ := faultsOf(t, path, tt.o); !cmp.Equal(got, tt.want) {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
}
