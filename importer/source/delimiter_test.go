package source

import (
	"strings"
	"testing"

	"docketsync/importer/source/format"
	"docketsync/importer/source/sourcetest"
)

func TestDialectIsFound(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file, in          string
		delimiter, quote, codes string
		first                   string
	}{
		{"commas", "in.csv", "a,b\n1,2\n", "comma", `"`, "", "2: 1|2"},
		{"semicolons with decimal commas", "in.csv", "a;b;c\n1,5;2,5;3,5\n4,5;5,5;6,5\n", "semicolon", `"`, "", "2: 1,5|2,5|3,5"},
		{"semicolons with decimal commas and no header", "in.csv", "1,5;2,5;3,5\n4,5;5,5;6,5\n", "semicolon", `"`, "", "1: 1,5|2,5|3,5"},
		{"semicolons with names that have commas", "in.csv", "Ref;Owner\n1;Foods, Inc.\n2;Acme, Ltd.\n3;Verdier, S.A.\n", "semicolon", `"`, "", "2: 1|Foods, Inc."},
		{"commas with lists of semicolons", "in.csv", "Ref,Classes,Owner\n1,9;35,A\n2,9;42,B\n", "comma", `"`, "", "2: 1|9;35|A"},
		{"commas with lists of semicolons in quotes", "in.csv", "Ref,Classes\n1,\"9;35\"\n2,\"9;42\"\n", "comma", `"`, "", "2: 1|9;35"},
		{"tabs with sentences", "in.txt", "Ref\tNotes\n1\tone, two; three\n2\tfour, five\n", "tab", `"`, "", "2: 1|one, two; three"},
		{"pipes", "in.txt", "a|b|c\n1|x, y|3\n", "pipe", `"`, "", "2: 1|x, y|3"},
		{"a title above", "in.csv", "Matters, exported by J. Doe, 2024\n\na;b;c\n1;2;3\n4;5;6\n7;8;9\n", "semicolon", `"`, "", "4: 1|2|3"},
		{"one column of names with commas", "in.csv", "Client\nAcme, Inc.\nFoo GmbH\nBar Ltd.\n", "none", `"`, "", "2: Acme, Inc."},
		{"commas with blanks behind them, and an odd row", "in.csv", "Ref, Mark\n" + strings.Repeat("a1, b c\n", 20) + "end of list\n", "comma", `"`, "ragged_rows [22]", "2: a1| b c"},
		{"one column of numbers", "in.csv", "Amount\n1\n2\n", "none", `"`, "", "2: 1"},
		{"the extension decides between two that fit", "in.tsv", "a,x\tb,y\n1,p\t2,q\n", "tab", `"`, "", "2: 1,p|2,q"},
		{"a sep= line", "in.csv", "sep=;\r\na;b,c\r\n1;2,3\r\n", "semicolon", `"`, "", "2/3: 1|2,3"},
		{"a sep= line in quotes, of a rare delimiter", "in.csv", "\"sep=^\"\na^b\n1^2\n", "^", `"`, "", "2/3: 1|2"},
		{"quotes that are characters", "in.csv", "a,b\n5\" pipe,1\n6,7\n", "comma", "none", "", `2: 5" pipe|1`},
		{"quotes that are characters, until they are not", "in.csv", "a|b\n5\" pipe|1\n" + strings.Repeat("6|7\n", 256<<10/4) + "\"x\"|\"\n", "pipe", "none", "quotes_kept [65539]", `2: 5" pipe|1`},
		{"backslashes before quotes", "in.csv", "a,b\n\"say \\\"hi\\\", you\",1\n", "comma", `"`, "", `2: say "hi", you|1`},
		{"a backslash before a closing quote", "in.csv", "a,b\n\"C:\\\",\"D:\\\"\n", "comma", `"`, "", `2: C:\|D:\`},
		{"two delimiters that fit equally well", "in.csv", "a:1;b:1,c:1\nd:2;e:2,f:2\n", "comma", `"`, "delimiter_doubtful []", "2: d:2;e:2|f:2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := readFile(t, textFile(t, tt.file, tt.in), Options{})
			if got.fault != "" || len(got.rows) == 0 {
				t.Fatalf("%d rows: %s", len(got.rows), got.fault)
			}
			if got.detected.Delimiter != tt.delimiter || got.detected.Quote != tt.quote || sourcetest.Codes(got.detected.Warnings) != tt.codes || got.rows[0] != tt.first {
				t.Errorf("delimiter %s (%s), quote %s, warnings %q, first %q", got.detected.Delimiter, got.detected.DelimiterWhy, got.detected.Quote, sourcetest.Codes(got.detected.Warnings), got.rows[0])
			}
		})
	}
}

// TestSettingThatWouldReadTheFileIsNamed reads files that are refused or doubtful, and again with what was named.
func TestSettingThatWouldReadTheFileIsNamed(t *testing.T) {
	t.Parallel()
	const aligned = "Ref   Mark          Date\nA1    ACME, INC     2024-01-01\nA2    BEAM          2024-01-02\n A30  CORE LINE     2024-01-03\n"
	for _, tt := range []struct {
		name, in string
		o        Options
		names    string // in the fault or a warning
		set      Options
		want     string
	}{
		{"single quotes", "'Ref','Mark'\n'A1','ACME'\n'A2','BEAM'\n", Options{}, `quote: "'"`, Options{Quote: "'"}, "2: A1|ACME"},
		{"single quotes that belong to the values", "Ref,Mark\n'A1',1\n'A2',2\n", Options{}, `quote: '"'`, Options{Quote: `"`}, "2: 'A1'|1"},
		{"single quotes around a delimiter", "Ref,Mark\n'A1','O''NEILL, SMITH'\n'A2','BEAM'\n'A3','A, B'\n", Options{}, `such as 'A1'`, Options{Quote: "'"}, "2: A1|O'NEILL, SMITH"},
		{"a name in single quotes", "Ref,Mark\nA1,'ACME'\nA2,BEAM\nA3,CORE\nA4,'SOL'\nA5,MAR\n", Options{}, "", Options{}, "2: A1|'ACME'"},
		{"a space, and names that are asked for", "Ref Mark\nA1 ACME\nA2 BEAM\n", Options{Columns: []string{"ref", "Mark"}}, "Set delimiter: space.", Options{Delimiter: "space"}, "2: A1|ACME"},
		{"a space, and quotes", "Ref \"Mark\"\nA1 \"ACME CO\"\n", Options{}, "all 2 rows examined have 2 cells", Options{Delimiter: "space"}, "2: A1|ACME CO"},
		{"a space, when nobody asks", "Ref Mark Date\nA1 ACME 2024-01-01\n", Options{}, "space fits nearly as well", Options{Delimiter: "space"}, "2: A1|ACME|2024-01-01"},
		{"one column of two words", "Full Name\nAnn Lee\nJo Smith\n", Options{}, "", Options{}, "2: Ann Lee"},
		{"one column that is asked for", "Full Name\nAnn Lee\nJo Smith\n", Options{Columns: []string{"Full Name"}}, "", Options{}, "2: Ann Lee"},
		{"aligned columns", aligned, Options{Columns: []string{"Mark"}}, "Set delimiter: spaces.", Options{Delimiter: "spaces"}, "2: A1|ACME, INC|2024-01-01"},
		{"aligned columns, when nobody asks", aligned, Options{}, "spaces fits nearly as well", Options{Delimiter: "spaces"}, "2: A1|ACME, INC|2024-01-01"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := readText(t, tt.in, tt.o)
			said := got.fault + got.hint
			for _, w := range got.detected.Warnings {
				said += w.Message
			}
			if !strings.Contains(said, tt.names) || tt.names == "" && said != "" {
				t.Errorf("said %q", said)
			}
			if got = readText(t, tt.in, tt.set); got.fault != "" || got.rows[0] != tt.want {
				t.Errorf("%q %s", got.rows, got.fault)
			}
		})
	}
	// A blank cell leaves fewer cells, and so a fault.
	if got, _ := faultsOf(t, textFile(t, "in.txt", aligned+"A4                  2024-01-04\n"), Options{Delimiter: "spaces"}); len(got) != 1 || got[0] != "5: 2+" {
		t.Errorf("a blank cell: %q", got)
	}
}

func TestDialectIsConfigured(t *testing.T) {
	t.Parallel()
	const in = "a,b;c\n1,2;3\n4,5;6\n"
	for delimiter, want := range map[string]string{",": "2: 1|2;3", "semicolon": "2: 1,2|3", "none": "2: 1,2;3", "Comma": "2: 1|2;3"} {
		got := readText(t, in, Options{Delimiter: delimiter})
		if got.fault != "" || got.rows[0] != want || got.detected.DelimiterWhy != format.Configured {
			t.Errorf("%s: %q, %s, %s", delimiter, got.rows, got.detected.DelimiterWhy, got.fault)
		}
	}
	// The separator line is no row, whatever is configured.
	if got := readText(t, "sep=;\na;b,c\n1;2,3\n", Options{Delimiter: ","}); got.rows[0] != "2/3: 1;2|3" {
		t.Error(got.rows)
	}
	// A quote that was asked for is not overruled by rows that would be regular without it.
	if got := readText(t, "a,b\n5\" pipe,1\n6,7\n", Options{Quote: `"`}); got.fault == "" {
		t.Error(got.rows)
	}
}

func TestDialectIsRefused(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{Delimiter: "\n"}, {Delimiter: "123456789"}, {Quote: "«"}, {Quote: "''"}, {Escape: "caret"}, {Format: "doc"},
		{Header: -1}, {Header: 1, NoHeader: true}, {Footer: "("}, {Quote: ",", Delimiter: ","}, {Quote: "'", Delimiter: "spaces"}} {
		if got := readText(t, "a,b\n1,2\n", o); got.fault == "" || got.hint == "" {
			t.Errorf("%+v was taken: %q", o, got.rows)
		}
	}
}
