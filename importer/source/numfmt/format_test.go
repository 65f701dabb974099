package numfmt

import (
	"slices"
	"strings"
	"testing"

	"docketsync/mapping/table"
)

func TestFormatCodesAreTakenForWhatTheyShow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		code string
		want formatClass
	}{
		{"General", formatNumber},
		{"GENERAL", formatNumber},
		{"General;[Red]-General", formatNumber},
		{"0", formatNumber},
		{"0.00E+00", formatNumber},
		{"##0.0E+0", formatNumber},
		{"#,##0.00;[Red]-#,##0.00", formatNumber},
		{`"$"#,##0.00_);("$"#,##0.00)`, formatNumber},
		{`[$€-407] #,##0.00`, formatNumber},
		{"0%", formatNumber},
		{"@", formatNumber},
		{`0" days"`, formatNumber},
		{`0\ \d`, formatNumber},
		{`0_d`, formatNumber},
		{`0*d`, formatNumber},
		{"[Red]0", formatNumber},
		{"[Color 10]0", formatNumber},
		{`"dd/mm/yyyy"`, formatNumber},
		{"", formatHidden},
		{";;;", formatHidden},
		{"[Red]", formatHidden},

		{"yyyy-mm-dd", formatDate},
		{`yyyy\-mm\-dd;@`, formatDate},
		{`[$-409]d\-mmm\-yy;@`, formatDate},
		{`[$-C09]dddd\,\ d\ mmmm\ yyyy;@`, formatDate},
		{`[$-F800]dddd\,\ mmmm\ dd\,\ yyyy`, formatDate},
		{"[$-F800]", formatDate},
		{"D", formatDate},
		{"MMDDYY", formatDate},
		{"mmm", formatDate},
		{"mm", formatDate},
		{"mmmmm", formatDate},
		{`[Red]dd/mm/yyyy`, formatDate},
		{`yyyy"年"m"月"d"日"`, formatDate},
		{`[$-411]ge.m.d`, formatDate},
		{`[$-411]ggge"年"`, formatDate},
		{`[$-411]ggg`, formatDate},
		{"bbbb", formatDate},
		{"aaaa", formatDate},
		{`m/d`, formatDate},
		{`dd\"mm`, formatDate},

		{"h:mm", formatTime},
		{"mm:ss", formatTime},
		{"mmss.0", formatTime},
		{"hh:mm:ss.000", formatTime},
		{"h AM/PM", formatTime},
		{"h:mm a/p", formatTime},
		{"[$-F400]h:mm:ss AM/PM", formatTime},
		{`h"時"mm"分"ss"秒"`, formatTime},

		{"m/d/yy h:mm", formatDateTime},
		{`dd\ mmmm\ yyyy\ hh:mm`, formatDateTime},
		{"yyyy-mm-ddThh:mm:ss", formatDateTime},
		{"mm-dd hh:mm", formatDateTime},
		{"hh:mm mm/yy", formatDateTime},

		{"[h]:mm", formatDuration},
		{"[hh]:mm:ss", formatDuration},
		{"[mm]:ss", formatDuration},
		{"[ss]", formatDuration},
		{`[Blue][h]"h"`, formatDuration},
	}
	for _, test := range tests {
		if got := parseNumberFormat(test.code).section(1).class; got != test.want {
			t.Errorf("format %q is taken for class %d, want %d", test.code, got, test.want)
		}
	}
}

func TestBuiltinFormatIDs(t *testing.T) {
	t.Parallel()
	want := map[int]formatClass{
		0: formatNumber, 1: formatNumber, 2: formatNumber, 9: formatNumber, 11: formatNumber, 13: formatNumber,
		14: formatDate, 15: formatDate, 16: formatDate, 17: formatDate,
		18: formatTime, 19: formatTime, 20: formatTime, 21: formatTime, 22: formatDateTime,
		23: formatNumber, 26: formatNumber,
		27: formatDate, 28: formatDate, 29: formatDate, 30: formatDate, 31: formatDate,
		32: formatTime, 33: formatTime, 34: formatEither, 35: formatEither, 36: formatDate,
		37: formatNumber, 41: formatNumber, 44: formatNumber,
		45: formatTime, 46: formatDuration, 47: formatTime, 48: formatNumber, 49: formatNumber,
		50: formatDate, 51: formatDate, 52: formatDate, 53: formatDate, 54: formatDate,
		55: formatEither, 56: formatEither, 57: formatDate, 58: formatDate,
		59: formatNumber, 71: formatDate, 75: formatTime, 77: formatDateTime, 79: formatDuration, 81: formatDate,
		163: formatNumber,
	}
	for id, class := range want {
		if got := builtinFormat(id).section(1).class; got != class {
			t.Errorf("built-in format %d is taken for class %d, want %d", id, got, class)
		}
	}
}

func TestDatesOfWhichAPartIsShown(t *testing.T) {
	t.Parallel()
	partial := []string{"mmm-yy", "d-mmm", "mm/yyyy", "yyyy", "dddd", `mmmm\ yy\ h:mm`, `[$-411]ggge"年"`}
	whole := []string{"d-mmm-yy", "yyyy-mm-dd", "[$-F800]", `[$-411]ge.m.d`, `dddd\,\ dd\ mmmm\ bbbb`, "m/d/yy h:mm", "General"}
	codes := map[int]string{}
	ids := []int{14, 15, 16, 17, 22}
	for n, code := range append(slices.Clone(partial), whole...) {
		codes[200+n] = code
		ids = append(ids, 200+n)
	}
	styles := NewStyles(ids, codes, system1900)
	for style, id := range ids {
		code, _ := codes[id]
		cell := styles.Cell([]byte("45352"), style)
		want := id == 16 || id == 17 || slices.Contains(partial, code)
		if cell.Partial() != want || want && (cell.Text != "2024-03-01" && cell.Text != "2024-03-01T00:00:00" || cell.Shown.Format == "") {
			t.Errorf("format %d %s gives %+v, of which a part is shown: %v", id, code, cell, cell.Partial())
		}
	}
}

func TestTheSectionForAValueIsChosenAsSpreadsheetsDo(t *testing.T) {
	t.Parallel()
	tests := []struct {
		code  string
		value float64
		want  formatClass
	}{
		{"dd/mm/yyyy;;", 45352, formatDate},
		{"dd/mm/yyyy;;", 0, formatHidden},
		{"dd/mm/yyyy;@", 0, formatDate},
		{"0;-0;dd/mm/yyyy", 5, formatNumber},
		{"0;-0;dd/mm/yyyy", 0, formatDate},
		{"0;dd/mm/yyyy", -1, formatDate},
		{"[<1]h:mm;dd/mm/yyyy", 0.5, formatTime},
		{"[<1]h:mm;dd/mm/yyyy", 45352, formatDate},
		{"[>=40000]dd/mm/yyyy;0", 45352, formatDate},
		{"[>=40000]dd/mm/yyyy;0", 12, formatNumber},
		{"[=0]0;[<>7]dd/mm/yyyy;h:mm", 8, formatDate},
		{"[=0]0;[<>7]dd/mm/yyyy;h:mm", 7, formatTime},
		{`0";"0;dd`, 3, formatNumber},
		{`[$-409;x]0;dd`, 3, formatNumber},
	}
	for _, test := range tests {
		if got := parseNumberFormat(test.code).section(test.value).class; got != test.want {
			t.Errorf("format %q shows %v as class %d, want %d", test.code, test.value, got, test.want)
		}
	}
}

func TestDigitsThatAFormatAlwaysShows(t *testing.T) {
	t.Parallel()
	tests := []struct {
		code string
		want formatSection
	}{
		{"00000", formatSection{zeros: 5}},
		{"0.0000", formatSection{zeros: 1, decimals: 4}},
		{"#,##0.00", formatSection{zeros: 1, decimals: 2}},
		{"0.0#", formatSection{zeros: 1, decimals: 1}},
		{"0,", formatSection{zeros: 1, scaled: true}},
		{"0.0,,", formatSection{zeros: 1, decimals: 1, scaled: true}},
		{"0.0%", formatSection{zeros: 1, decimals: 1, percent: true}},
		{"0.00E+00", formatSection{zeros: 3, decimals: 2, inexact: true}},
		{"# ?/?", formatSection{inexact: true, fraction: true}},
		{`"000"0`, formatSection{zeros: 1, template: "000\x00"}},
	}
	for _, test := range tests {
		got := parseNumberFormat(test.code).section(1)
		if test.want.inexact { // the digits of an exponent are nobody's business
			got.zeros, got.decimals, test.want.zeros, test.want.decimals = 0, 0, 0, 0
		}
		if got != test.want {
			t.Errorf("format %q compiles to %+v, want %+v", test.code, got, test.want)
		}
	}
}

func TestWhatASheetShowsBesideTheDigits(t *testing.T) {
	t.Parallel()
	const nothing, unsure = "(digits)", "(unsure)"
	for _, tt := range []struct{ code, raw, want string }{
		{`"TM-"0000`, "42", "TM-0042"},
		{`"TM-"0000`, "123456", "TM-123456"},
		{`\T\M0000`, "42", "TM0042"},
		{`0000"/2020"`, "42", "0042/2020"},
		{`[$TM]0000`, "42", "TM0042"},
		{`[$TM-409]0000`, "42", "TM0042"},
		{`[$TM-]0000`, "42", unsure},
		{`"ES "#`, "7", "ES 7"},
		{`"ES "#`, "0", unsure},
		{`"№"General`, "1323722", "№1323722"},
		{`"TM-"@`, "42", "TM-42"},
		{`00\-0000`, "123456", "12-3456"},
		{`00\-0000`, "42", "00-0042"},
		{`000\-00\-0000`, "1234567890", "1234-56-7890"},
		{`##\-0000`, "42", unsure},
		{`"TM-"0000`, "42.5", unsure},
		{`"TM-"0000`, "-42", unsure},
		{`"TM-"0000`, "1234567890123456", unsure},
		{`"TM-"??00`, "42", unsure},
		{`"€"#,##0`, "950", "€950"},
		{`"€"#,##0`, "1950", unsure},
		{`"€"#,##0.00`, "950", unsure},
		{`0" days"`, "30", "30 days"},
		{`"none";"none";"none"`, "5", "none"},
		{`0.00"%"`, "5", unsure},
		{"General", "42", nothing},
		{"0000", "42", nothing},
		{"#,##0.00", "42", nothing},
		{"0%", "42", nothing},
		{"0.00E+00", "42", nothing},
		{`#\ ##0`, "1234", nothing},
		{`#,##0_);(#,##0)`, "42", nothing},
		{`_-* #,##0_-;\-* #,##0_-;_-* "-"_-;_-@_-`, "0", nothing},
		{`[Red]0`, "42", nothing},
		{`[$-409]0`, "42", nothing},
	} {
		c := NewStyles([]int{164}, map[int]string{164: tt.code}, system1900)
		cell, got := c.Cell([]byte(tt.raw), 0), nothing
		if cell.Shown != nil {
			if got = cell.Shown.Text; got == "" {
				got = unsure
			}
			if cell.Shown.Format != tt.code {
				t.Errorf("the format %q is told as %q", tt.code, cell.Shown.Format)
			}
		}
		if got != tt.want || cell.Kind != table.Number || strings.TrimLeft(cell.Text, "-0") != strings.TrimLeft(tt.raw, "-0") {
			t.Errorf("format %q shows %s as %s, want %s; the cell is %+v", tt.code, tt.raw, got, tt.want, cell)
		}
	}
}

func FuzzNumberFormat(f *testing.F) {
	for _, seed := range []string{"General", `[$-409]d\-mmm\-yy;@`, `"`, `\`, "[", "[]", "[<", "0;;;;", "_", "*é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, code string) {
		parsed := parseNumberFormat(code)
		if n := len(parsed.sections); n < 1 || n > 4 {
			t.Fatalf("format %q compiles to %d sections", code, n)
		}
		for _, value := range []float64{-1, 0, 0.5, 45352} {
			parsed.section(value)
		}
	})
}
