package numfmt

import (
	"math"
	"strconv"
	"testing"

	"docketsync/mapping/table"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestNumbersKeepTheDigitsThatAPersonSees(t *testing.T) {
	t.Parallel()
	tests := []struct{ raw, want string }{
		{"0", "0"},
		{"-0", "0"},
		{"1323722", "1323722"},
		{"1323722.0", "1323722"},
		{"+7", "7"},
		{"007", "7"},
		{".5", "0.5"},
		{"5.", "5"},
		{"-0.25", "-0.25"},
		{"3.003", "3.003"},
		{"3.0030", "3.0030"},
		{"0.30000000000000004", "0.3"},
		{"1.1499999999999999", "1.15"},
		{"45.999999999999993", "46"},
		{"9.9999999999999995", "10"},
		{"0.1234567890123455", "0.123456789012346"},
		{"0.12345678901234549", "0.123456789012345"},
		{"0.99999999999999994", "1"},
		{"1234.5678999999999", "1234.5679"},
		{"123456789012345.6", "123456789012346"},
		{"1051527.3933333333", "1051527.39333333"},
		{"1.23E+16", "12300000000000000"},
		{"1.23456789e+22", "12345678900000000000000"},
		{"1.5E-3", "0.0015"},
		{"1E-7", "0.0000001"},
		{"6.0221407599999999E+23", "602214075999999990000000"},
		{"12345678901234567890", "12345678901234567890"},
		{"1234567890123456", "1234567890123456"},
		{"1E2", "100"},
		{"100E-2", "1"},
	}
	for _, test := range tests {
		n, ok := ParseNumeral(test.raw)
		if !ok {
			t.Errorf("number %q is taken for none", test.raw)
			continue
		}
		if got := numberCell(n, formatSection{}).Text; got != test.want {
			t.Errorf("number %q reads as %q, want %q", test.raw, got, test.want)
		}
	}
}

func TestWhatIsNoNumber(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"", "-", ".", "abc", "1,5", "1e", "1e5000", "1e-5000", "1e999999999999", "0x10", "NaN", "Inf", "1.2.3", "--1", "1 2"} {
		if n, ok := ParseNumeral(raw); ok {
			t.Errorf("%q is taken for the number %+v", raw, n)
		}
	}
}

func TestNumbersInTheirFormats(t *testing.T) {
	t.Parallel()
	tests := []struct {
		raw, format string
		want        table.Cell
	}{
		{"123", "00000", table.Cell{Kind: table.Number, Text: "00123", Note: noteZerosShown}},
		{"123456", "00000", table.Cell{Kind: table.Number, Text: "123456"}},
		{"123456789", `000\-00\-0000`, table.Cell{Kind: table.Number, Text: "123456789", Note: noteMasked}},
		{"20240012", `0000"/"0000`, table.Cell{Kind: table.Number, Text: "20240012", Note: noteMasked}},
		{"202412", "0000-00", table.Cell{Kind: table.Number, Text: "202412", Note: noteMasked}},
		{"1234567", `#\ ##0`, table.Cell{Kind: table.Number, Text: "1234567"}},
		{"45", `0" days"`, table.Cell{Kind: table.Number, Text: "45"}},
		{"3.003", "0.0000", table.Cell{Kind: table.Number, Text: "3.0030", Note: noteZerosShown}},
		{"3.0031", "0.0000", table.Cell{Kind: table.Number, Text: "3.0031"}},
		{"3.00314", "0.0000", table.Cell{Kind: table.Number, Text: "3.00314"}},
		{"12.5", "#,##0.00", table.Cell{Kind: table.Number, Text: "12.50"}},
		{"1323722", "0.00", table.Cell{Kind: table.Number, Text: "1323722"}},
		{"0.15", "0%", table.Cell{Kind: table.Number, Text: "0.15", Note: NotePercent}},
		{"0.1", "0.00%", table.Cell{Kind: table.Number, Text: "0.1", Note: NotePercent}},
		{"1500000", "0.0,,", table.Cell{Kind: table.Number, Text: "1500000", Note: NoteScaled}},
		{"12.5", "0.000E+00", table.Cell{Kind: table.Number, Text: "12.5"}},
		{"12.5", "# ?/?", table.Cell{Kind: table.Number, Text: "12.5", Shown: &table.Shown{Format: "# ?/?"}}},
		{"12", "# ?/?", table.Cell{Kind: table.Number, Text: "12"}},
		{"7", ";;;", table.Cell{Kind: table.Number, Text: "7", Note: noteHidden}},
		{"7", "@", table.Cell{Kind: table.Number, Text: "7"}},
		{"1234567890123456", "0", table.Cell{Kind: table.Number, Text: "1234567890123456", Note: noteLongNumber}},
		{"12300000000000000", "0", table.Cell{Kind: table.Number, Text: "12300000000000000"}},
		{"0", "dd/mm/yyyy;;", table.Cell{Note: noteHidden}},
		{"45352", "dd/mm/yyyy;;", table.Cell{Kind: table.Date, Text: "2024-03-01"}},
		{"45352", "[<1]h:mm;dd/mm/yyyy", table.Cell{Kind: table.Date, Text: "2024-03-01"}},
		{"abc", "0", table.Cell{Kind: table.Error, Text: "abc", Note: NoteUnreadable}},
		{" ", "0", table.Cell{}},
	}
	for _, test := range tests {
		c := &Styles{formats: []numberFormat{parseNumberFormat(test.format)}}
		if diff := cmp.Diff(test.want, c.Cell([]byte(test.raw), 0)); diff != "" {
			t.Errorf("%s as %q (-want +got):\n%s", test.raw, test.format, diff)
		}
	}
	if got := (&Styles{}).Cell([]byte("12"), 99); got.Text != "12" {
		t.Errorf("a style that does not exist makes %+v of 12", got)
	}
}

// Whatever a program writes for a double, at least as exactly as spreadsheets do, must come back as the same number.
func TestNumbersComeBackUnchanged(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value, err := strconv.ParseFloat(strconv.FormatFloat(rapid.Float64Range(-1e20, 1e20).Draw(t, "value"), 'g', visibleDigits, 64), 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []byte{'g', 'f', 'E'} {
			raw := strconv.FormatFloat(value, form, -1, 64)
			n, ok := ParseNumeral(raw)
			if !ok {
				t.Fatalf("%s is taken for no number", raw)
			}
			text := numberCell(n, formatSection{}).Text
			back, err := strconv.ParseFloat(text, 64)
			if err != nil || math.Abs(back-value) > math.Abs(value)*1e-15 {
				t.Fatalf("%s reads as %s, which is another number", raw, text)
			}
		}
	})
}

func FuzzNumeral(f *testing.F) {
	for _, seed := range []string{"1323722.0", "1.23E+16", "0.30000000000000004", "-1e-300", ".", "9.9999999999999999"} {
		f.Add(seed, 0, 0)
	}
	f.Fuzz(func(t *testing.T, raw string, zeros, decimals int) {
		n, ok := ParseNumeral(raw)
		if !ok {
			return
		}
		text := numberCell(n, formatSection{zeros: min(max(zeros, 0), 50), decimals: min(max(decimals, 0), 50)}).Text
		back, ok := ParseNumeral(text)
		if !ok || back.places < 0 {
			t.Fatalf("%q reads as %q, which is no plain decimal", raw, text)
		}
		value, err := strconv.ParseFloat(raw, 64)
		again, errAgain := strconv.ParseFloat(text, 64)
		if err == nil && errAgain == nil && math.Abs(value-again) > math.Abs(value)*1e-14 {
			t.Fatalf("%q reads as %q, which is another number", raw, text)
		}
	})
}
