package source

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/source/sourcetest"
)

func TestHeaderIsFound(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		o        Options
		row      int
		header   string
		first    string
	}{
		{"in the first row", "Ref,Mark\n1,A\n", Options{}, 1, "Ref|Mark", "2: 1|A"},
		{"below blank rows", "\n,\nRef,Mark\n1,A\n", Options{}, 3, "Ref|Mark", "4: 1|A"},
		{"below titles", "Docket report,,\nas of 1 May,,\n\nRef,Mark,Date\n1,A,2024-01-01\n2,B,2024-01-02\n", Options{}, 4, "Ref|Mark|Date", "5: 1|A|2024-01-01"},
		{"with blank names", "Ref,,Date\n1,A,2024-01-01\n", Options{}, 1, "Ref||Date", "2: 1|A|2024-01-01"},
		{"with repeated names", "Ref,Name,Name\n1,A,B\n", Options{}, 1, "Ref|Name|Name", "2: 1|A|B"},
		{"with blanks around names", " Ref , Mark\u00a0\n1,A\n", Options{}, 1, "Ref|Mark", "2: 1|A"},
		{"with years as names", "Office,2022,2023,2024\nEM,1,2,3\nUS,4,5,6\n", Options{}, 1, "Office|2022|2023|2024", "2: EM|1|2|3"},
		{"sparse rows below do not make it a title", "Ref,A,B,C,D,E\n1,,,,,\n2,,,,,\n3,x,,,,\n", Options{}, 1, "Ref|A|B|C|D|E", "2: 1|||||"},
		{"in two lines", "Ref,Applicant,,Mark,\n,Name,Country,Text,Class\n1,Acme,US,X,9\n2,Foo,DE,Y,35\n", Options{}, 1,
			"Ref|Applicant Name|Applicant Country|Mark Text|Mark Class", "3: 1|Acme|US|X|9"},
		{"in two lines, a group ending where both are blank", "Ref,G,,,\n,a,b,,c\n1,2,3,4,5\n6,7,8,9,10\n", Options{}, 1, "Ref|G a|G b||c", "3: 1|2|3|4|5"},
		{"with No for number over numbers", "Ref,No,Title\nA1,12,Alpha\nA2,13,Beta\n", Options{}, 1, "Ref|No|Title", "2: A1|12|Alpha"},
		{"with No over texts", "Client,Matter,No\nC one,M one,one\nC two,M two,two\n", Options{}, 1, "Client|Matter|No", "2: C one|M one|one"},
		{"with No over blanks", "Ref,No\nA1,\nA2,\n", Options{}, 1, "Ref|No", "2: A1|"},
		{"with No in the lower of two lines", "Client,,Mark,\nName,No,Text,No\nAcme,1,X,9\nFoo,2,Y,35\n", Options{}, 1, "Client Name|Client No|Mark Text|Mark No", "3: Acme|1|X|9"},
		{"with Yes over ticks", "Asked,Yes,No\nby mail,x,\nby phone,,x\n", Options{}, 1, "Asked|Yes|No", "2: by mail|x|"},
		{"with ordinals and short names", "Date,1st,2nd\nsoon,a,b\nlater,c,d\n", Options{}, 1, "Date|1st|2nd", "2: soon|a|b"},
		{"absent, for no is an answer like those beneath", "smith,no,open\njones,yes,closed\n", Options{}, 0, "A|B|C", "1: smith|no|open"},
		{"absent, for yes has nothing beneath", "smith,yes,open\njones,,closed\n", Options{}, 0, "A|B|C", "1: smith|yes|open"},
		{"absent, for a placeholder is no name", "smith,N/A,open\njones,soon,closed\n", Options{}, 0, "A|B|C", "1: smith|N/A|open"},
		{"absent, for the first row holds a number", "1001,A\n1002,B\n", Options{}, 0, "A|B", "1: 1001|A"},
		{"absent, for the first row holds a date", "A,2024-03-01,x\nB,2024-03-02,y\n", Options{}, 0, "A|B|C", "1: A|2024-03-01|x"},
		{"absent, and as wide as the widest row", "1,A\n2,B,C\n", Options{}, 0, "A|B|C", "1: 1|A|"},
		{"absent, for the first row holds a GUID", "EUIPO,6f1c2a1e-0000-4000-8000-000000000001\nUSPTO,6f1c2a1e-0000-4000-8000-000000000002\n", Options{}, 0, "A|B", "1: EUIPO|6f1c2a1e-0000-4000-8000-000000000001"},
		{"absent, for the first row holds addresses", "Ann,ann@firm.example\nBob,bob@firm.example\n", Options{}, 0, "A|B", "1: Ann|ann@firm.example"},
		{"with one name and one blank", "Name,\nEUIPO,x1\nUSPTO,x2\n", Options{}, 1, "Name|", "2: EUIPO|x1"},
		{"below a title over two columns", "Registries\nName,Id\nEUIPO,x1\n", Options{}, 2, "Name|Id", "3: EUIPO|x1"},
		{"by its columns, though it holds numbers", "x,y,z\n2024,Ref,Mark\n1,2,3\n", Options{Columns: []string{"mark", "REF"}}, 2, "2024|Ref|Mark", "3: 1|2|3"},
		{"by half of its columns", "a,b\nRef,Mark\n1,2\n", Options{Columns: []string{"Ref", "Class"}}, 2, "Ref|Mark", "3: 1|2"},
		{"by its looks when no row has its columns", "Ref,Mark\n1,2\n", Options{Columns: []string{"Class", "Owner"}}, 1, "Ref|Mark", "2: 1|2"},
		{"not by too few of its columns", "Nr,Mark\nOwner,x\n1,2\n", Options{Columns: []string{"Ref", "Class", "Owner"}}, 1, "Nr|Mark", "2: Owner|x"},
		{"by its looks when there is no row beneath", "Ref,No,Title\n", Options{}, 1, "Ref|No|Title", ""},
		{"configured", "a,b\nc,d\n1,2\n", Options{Header: 2}, 2, "c|d", "3: 1|2"},
		{"configured far down", "a,b\n" + strings.Repeat("x,y\n", 2000) + "c,d\n1,2\n", Options{Header: 2002}, 2002, "c|d", "2003: 1|2"},
		{"configured below many blank rows", "a,b\n" + strings.Repeat("\n", 2000) + "c,d\n1,2\n", Options{Header: 2002}, 2002, "c|d", "2003: 1|2"},
		{"configured as two lines", "x,y\nG,\na,b\n1,2\n", Options{Header: 2, HeaderRows: 2}, 2, "G a|G b", "4: 1|2"},
		{"configured as absent", "a,b\n1,2\n", Options{NoHeader: true}, 0, "A|B", "1: a|b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.o.Delimiter = "," // what is found here is the header alone
			got := readText(t, tt.in, tt.o)
			if got.fault != "" {
				t.Fatal(got.fault)
			}
			if header := strings.Join(got.header, "|"); got.detected.HeaderRow != tt.row || header != tt.header || strings.Join(got.rows[:min(1, len(got.rows))], "") != tt.first {
				t.Errorf("row %d (%s): %s, then %q", got.detected.HeaderRow, got.detected.HeaderWhy, header, got.rows)
			}
		})
	}
}

func TestRowsAboveTheHeaderAreCounted(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in   string
		o    Options
		want int
	}{
		"titles":               {"Title\n\nas of,1 May\nRef,Mark,Date,Office,Owner\n1,2,3,4,5\n1,2,3,4,5\n", Options{}, 2},
		"a header far down":    {"a,b\n" + strings.Repeat("x,y\n\n", 2000) + "c,d\n1,2\n", Options{Header: 4002}, 2001},
		"none above the first": {"a,b\n1,2\n", Options{}, 0},
	}
	for name, tt := range tests {
		tt.o.Delimiter = ","
		if got := readText(t, tt.in, tt.o); got.detected.AboveHeader != tt.want || got.fault != "" {
			t.Errorf("%s: %d %s", name, got.detected.AboveHeader, got.fault)
		}
	}
}

func TestHeaderIsNotThere(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"a,b\n1,2\n", "a,b\n1,2\n\n\n"} {
		got := readText(t, in, Options{Header: 4})
		if !strings.Contains(got.fault, "in.csv, row 4: the header row is blank or missing") || got.hint == "" {
			t.Errorf("%q: %s", got.rows, got.fault)
		}
	}
}

func TestRowsAreSkippedAndCounted(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		o        Options
		want     []string
		skipped  map[string]int
	}{
		{"blank ones", "a,b\n1,2\n\n,\n3,4\n", Options{}, []string{"2: 1|2", "3: | [blank]", "4: | [blank]", "5: 3|4"}, map[string]int{"blank": 2}},
		{"the header repeated", "Ref,Mark\n1,2\n Ref,Mark \n3,4\n\ufeffRef,Mark,\nREF,mark\nRef,marks\n", Options{},
			[]string{"2: 1|2", "3:  Ref|Mark  [repeated header]", "4: 3|4", "5: \ufeffRef|Mark| [repeated header]", "6: REF|mark [repeated header]", "7: Ref|marks"}, map[string]int{"repeated header": 3}},
		{"the end of a DOS file", "a,b\n1,2\n\x1a", Options{}, []string{"2: 1|2", "3: \x1a| [blank]"}, map[string]int{"blank": 1}},
		{"not a value that is the only column's name", "Mark\nACME\nMark\n", Options{}, []string{"2: ACME", "3: Mark"}, nil},
		{"both lines of a header repeated", "Ref,G,\n,a,b\n1,2,3\nRef,G,\n,a,b\n4,5,6\n", Options{},
			[]string{"3: 1|2|3", "4: Ref|G| [repeated header]", "5: |a|b [repeated header]", "6: 4|5|6"}, map[string]int{"repeated header": 2}},
		{"footer rows, blank ones not counted", "a,b\n1,2\n3,4\nsum,6\n\nend,\n\n", Options{FooterRows: 2},
			[]string{"2: 1|2", "3: 3|4", "4: sum|6 [footer]", "5: | [blank]", "6: end| [footer]", "7: | [blank]"}, map[string]int{"blank": 2, "footer": 2}},
		{"a footer longer than the table", "a,b\n1,2\n", Options{FooterRows: 5}, []string{"2: 1|2 [footer]"}, map[string]int{"footer": 1}},
		{"a footer by its words", "a,b\n1,2\n,Subtotal 2\n3,4\nTotal,6\n", Options{Footer: `(?i)^(sub)?total\b`},
			[]string{"2: 1|2", "3: |Subtotal 2 [footer]", "4: 3|4", "5: Total|6 [footer]"}, map[string]int{"footer": 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.o.Delimiter = ","
			got := readText(t, tt.in, tt.o)
			if diff := cmp.Diff(tt.want, got.rows); diff != "" || got.fault != "" {
				t.Errorf("%s\n%s", got.fault, diff)
			}
			if len(got.detected.Skipped)+len(tt.skipped) > 0 && !cmp.Equal(tt.skipped, got.detected.Skipped) {
				t.Error(cmp.Diff(tt.skipped, got.detected.Skipped))
			}
			if got.detected.Rows != len(got.rows) {
				t.Errorf("%d rows were counted as %d", len(got.rows), got.detected.Rows)
			}
		})
	}
}

func TestRaggedRowsGiveOneWarningPerShape(t *testing.T) {
	t.Parallel()
	in := "a,b,c\n1\n1,2\n1,2,3\n9\n1,2,3,4\n"
	for n := range 30 {
		in += strings.Repeat(",", 10+n) + "x\n"
	}
	got := readText(t, in, Options{Delimiter: ",", Header: 1, Ragged: "keep"})
	if got.fault != "" {
		t.Fatal(got.fault)
	}
	warnings := got.detected.Warnings
	if len(warnings) != mostShapes+1 || sourcetest.Codes(warnings[1:4]) != "ragged_rows [2 5], ragged_rows [3], ragged_rows [6]" {
		t.Errorf("%d warnings: %s", len(warnings), sourcetest.Codes(warnings))
	}
	if warnings[0].Count != 33-mostShapes || warnings[1].Message != "rows of 1 cell where the header has 3" || warnings[0].Message != "rows of other lengths than the 3 cells of the header" {
		t.Errorf("%+v", warnings[:2])
	}
	if len(got.rows) != 35 || got.rows[0] != "2: 1||" || got.rows[3] != "5: 9||" || got.rows[4] != "6: 1|2|3|4" {
		t.Errorf("%d rows, %q", len(got.rows), got.rows[:5])
	}
}

// TestFirstColumnThatCountsTheRowsIsTold reads files as R and pandas write them: no cell is shifted, and no row has a fault.
func TestFirstColumnThatCountsTheRowsIsTold(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in string
		columns  []string
		want     string
		warnings int
	}{
		{"R's write.csv", "\"\",\"Ref\",\"Mark\"\n\"1\",\"A1\",\"ACME\"\n\"2\",\"A2\",\"BEAM\"\n", []string{"Ref", "Mark"}, "@A", 0},
		{"pandas' to_csv", ",Ref,Mark\n0,A1,ACME\n1,A2,BEAM\n", []string{"Ref"}, "@A", 0},
		{"what pandas has read and written again", "Unnamed: 0,Ref,Mark\n0,A1,ACME\n1,A2,BEAM\n", nil, "Unnamed: 0", 0},
		{"a mapping that reads them", ",Ref,Mark\n0,A1,ACME\n1,A2,BEAM\n", []string{"@A", "Ref"}, "@A", 1},
		{"references", ",Ref,Mark\n17,A1,ACME\n18,A2,BEAM\n", []string{"@A"}, "", 0},
		{"a column with a name", "No,Ref,Mark\n1,A1,ACME\n2,A2,BEAM\n", []string{"No"}, "", 0},
		{"numbers with a gap", ",Ref,Mark\n1,A1,ACME\n3,A2,BEAM\n", []string{"@A"}, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := readText(t, tt.in, Options{Columns: tt.columns})
			if got.fault != "" || got.detected.RowNumbers != tt.want || len(got.detected.Warnings) != tt.warnings || !strings.HasSuffix(got.rows[0], "|A1|ACME") {
				t.Errorf("%s%q, warnings %+v, rows %q", got.fault, got.detected.RowNumbers, got.detected.Warnings, got.rows)
			}
		})
	}
}
