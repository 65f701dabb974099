package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/source/sourcetest"
)

func TestLostZerosAreSuspected(t *testing.T) {
	t.Parallel()
	many := func(n int, value string) []string {
		return strings.Split(strings.TrimSuffix(strings.Repeat(value+" ", n), " "), " ")
	}
	tests := []struct {
		name   string
		values []string
		style  int
		rows   []int
		count  int
		whole  bool // the column may be right
	}{
		{name: "identifiers with four decimals", values: append(many(10, "3.0031"), "3.003", "4.01", "5"), rows: []int{11, 12, 13}, count: 3},
		{name: "more than ten of them", values: append(many(40, "3.0031"), many(12, "3.003")...), rows: []int{41, 42, 43, 44, 45, 46, 47, 48, 49, 50}, count: 12},
		{name: "whole numbers among them", values: append(many(10, "3.0031"), "3", "5"), rows: []int{11, 12}, count: 2, whole: true},
		{name: "a format that shows the zeros", values: append(many(10, "3.0031"), "3.003"), style: 7},
		{name: "amounts", values: append(many(10, "3.31"), "3.3", "4")},
		{name: "measurements", values: append(many(10, "3.1415927"), "3.14159", "3.1")},
		{name: "percentages", values: append(many(10, "0.0931"), "0.093"), style: 5},
		{name: "a few numbers", values: append(many(8, "3.0031"), "3.003")},
		{name: "mixed numbers", values: append(many(10, "3.0031"), many(10, "3.003")...)},
		{name: "whole numbers", values: many(20, "3")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			data := ""
			for _, value := range test.values {
				data += fmt.Sprintf(`<row><c t="str"><v>x</v></c><c s="%d"><v>%s</v></c></row>`, test.style, value)
			}
			sheet := openOne(t, sheetsBytes(t, sourcetest.Sheet{Name: "Data", Data: data}), Options{})
			mustRows(t, sheet)
			d := sheet.Detected()
			if test.count == 0 {
				if len(d.Warnings) > 0 {
					t.Errorf("warnings %+v", d.Warnings)
				}
				return
			}
			if len(d.Warnings) != 1 || d.Warnings[0].Code != "zeros_lost" || d.Warnings[0].Count != test.count || !strings.Contains(d.Warnings[0].Message, "column B: most numbers have 4 decimals") {
				t.Fatalf("warnings %+v", d.Warnings)
			}
			if column := d.Warnings[0].Column; column != 1 && !test.whole || column != -1 && test.whole {
				t.Errorf("column %d is probably wrong", column)
			}
			if diff := cmp.Diff(test.rows, d.Warnings[0].Rows); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

// A text file that was exported from such a sheet has lost the zeros as well.
func TestLostZerosAreSeenInTextFiles(t *testing.T) {
	t.Parallel()
	in := "Id,Fee,Mixed\n" + strings.Repeat("3.0031,5.50,1.25\n", 20) + "3.003,5.5,7\n3.1,7,x\n"
	got := readText(t, in, Options{Delimiter: ","})
	if got.fault != "" || sourcetest.Codes(got.detected.Warnings) != "zeros_lost [22 23]" {
		t.Errorf("%s %s", sourcetest.Codes(got.detected.Warnings), got.fault)
	}
}

// pandas writes 1001 as 1001.0 where a cell of the column is blank.
func TestReferencesThatBecameDecimalsAreSeenInTextFiles(t *testing.T) {
	t.Parallel()
	for values, codes := range map[string]string{"1001.0 1002.0 x 1003.0": "zeros_lost [2 3 5]", "1001.0 1002.0 1003.5": "", "1001.0 1002.0 1003": "", "1001.0 1002.0 1.00": "", "1.0 2.0": ""} {
		got := readText(t, "Id,Name\n"+strings.ReplaceAll(values, " ", ",a\n")+",a\n", Options{Delimiter: ","})
		if got.fault != "" || sourcetest.Codes(got.detected.Warnings) != codes {
			t.Errorf("%s: %s %s", values, sourcetest.Codes(got.detected.Warnings), got.fault)
		}
	}
}

// A spreadsheet writes numbers of more digits than it keeps with zeros at their ends. Where one ends otherwise, none came from there.
func TestDigitsThatBecameZerosAreSeenInTextFiles(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, values, codes string }{
		{"cut", "1234567890123450 1234567890123460 12345678901234500 12", "zeros_lost [2 3 4]"},
		{"one that is whole", "1234567890123450 1234567890123460 1234567890123470 1234567890123456", ""},
		{"few", "1234567890123450 1234567890123460", ""},
		{"one that comes again", "1234567890123450 1234567890123450 1234567890123450", ""},
		{"as many digits as are kept", "123456789012340 123456789012350 123456789012360", ""},
		{"zeros in front, which numbers do not have", "0234567890123450 0234567890123460 0234567890123470", ""},
		{"other text", "1234567890123450A 1234567890123460B 1234567890123470C", ""},
	} {
		got := readText(t, "Id,Name\n"+strings.ReplaceAll(test.values, " ", ",x\n")+",x\n", Options{Delimiter: ","})
		if codes := sourcetest.Codes(got.detected.Warnings); got.fault != "" || codes != test.codes {
			t.Errorf("%s: %q %s", test.name, codes, got.fault)
		}
	}
}
