package value

import (
	"strings"
	"testing"

	"docketsync/mapping/table"
)

// What can stand in JSON as a number does so with exactly its digits; whatever would lose some is refused.
func TestNumbersKeepTheirDigits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		whole bool
		want  string // part of the message, "" where it is a number
	}{
		{"42", true, ""}, {"0", true, ""}, {"-7", true, ""}, {"12345678901234567890", true, ""}, {"0.50", false, ""},
		{"00123", true, "leading zeros"}, {"-007", true, "leading zeros"}, {"00.5", false, "leading zeros"},
		{"1.5", true, "not a whole number"}, {"1E5", true, "exponent"}, {"7.9e+07", false, "exponent"},
		{"TM-7/2024", true, "plain digits"}, {"1,5", false, "plain digits"}, {"", true, "plain digits"}, {".5", false, "plain digits"}, {"+1", true, "plain digits"},
	} {
		message := ""
		if fail := CheckNumber(c.text, c.whole); fail != nil {
			message = fail.Message
		}
		if (message == "") != (c.want == "") || !strings.Contains(message, c.want) {
			t.Errorf("%q, whole %v: %q, want %q", c.text, c.whole, message, c.want)
		}
	}
}

func TestNumberConventionsChangeNoDigit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ convention, text, want string }{
		{"1.234,56", "1.234.567,80", "1234567.80"},
		{"1.234,56", "-1234,50", "-1234.50"},
		{"1.234,56", "007", "007"}, // CheckNumber refuses it, with its zeros
		{"1,234.56", "12,345", "12345"},
		{"1'234.56", "1’234", "1234"},
		{"1 234,56", "1\u00a0234,00", "1234.00"},
		{"1.234,56", "1.23,4", ""},
		{"1.234,56", "0.123", ""},
		{"1.234,56", "1.2345", ""},
		{"1234,56", "1.234", ""},
		{"1,234.56", "1.", ""},
	} {
		convention, ok := ParseNumberConvention(c.convention)
		if !ok {
			t.Fatalf("%s is no convention", c.convention)
		}
		if got, fail := convention.Read(c.text); got != c.want || (fail == nil) != (c.want != "") {
			t.Errorf("%s reads %q as %q (%v), want %q", c.convention, c.text, got, fail, c.want)
		}
	}
	for _, text := range []string{"1.234.56", "1234", "1;234,56", "2.345,67", ""} {
		if _, ok := ParseNumberConvention(text); ok {
			t.Errorf("%q is a convention", text)
		}
	}
}

func TestNumbersThatWereRoundedAreKnown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text    string
		kind    table.Kind
		rounded bool
	}{
		{"1234567890123456", table.Number, true}, {"123456789012345", table.Number, false}, {"0.1234567890123456", table.Number, false},
		{"1234567890123456", table.Text, false}, {"7.9E+07", table.Text, true}, {"7,9E+07", table.Text, true}, {"1E+15", table.Text, true}, {"7.9E7", table.Text, true},
		{"1E5", table.Text, false}, {"2E-10", table.Text, false},
	} {
		if fail := Rounded(c.text, c.kind); (fail != nil) != c.rounded {
			t.Errorf("%q: %v, rounded %v", c.text, fail, c.rounded)
		}
	}
}
