package infer_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"docketsync/apiclient/payload"
	"docketsync/mapping"
	"docketsync/mapping/date"
	"docketsync/mapping/infer"
	"docketsync/mapping/lookup"
	"docketsync/mapping/table"
)

// bind parses a proposal and binds it to a header, with an id for each name of the lookups. Dates are proven by the rows.
func bind(t fataler, p infer.Proposal, header table.Header, rows ...table.Row) (*mapping.Mapper, error) {
	t.Helper()
	m, err := mapping.Parse("mapping.yaml", []byte(p.Mapping), mapping.Options{})
	if err != nil {
		t.Fatalf("the proposal does not parse: %v\n%s", err, p.Mapping)
	}
	lookups := map[string]*lookup.Table{}
	for _, l := range p.Lookups {
		lookups[l.Name] = lookup.New(l.Name)
		for _, name := range l.Names {
			if err := lookups[l.Name].Add(name.Text, uuid.NewSHA1(uuid.NameSpaceOID, []byte(name.Text)).String()); err != nil {
				t.Fatalf("lookup %s: %v", l.Name, err)
			}
		}
	}
	mapper, err := m.Bind(header, lookups)
	if err != nil || !m.InfersDates() {
		return mapper, err
	}
	proof := date.Columns{}
	for _, row := range rows {
		mapper.InferDates(proof, row)
	}
	if m, err = m.Inferred(proof, nil); err != nil {
		return nil, err
	}
	return m.Bind(header, lookups)
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func bindFaults(t *testing.T, p infer.Proposal, header string) string {
	t.Helper()
	if _, err := bind(t, p, table.Header{Names: strings.Split(header, "|")}); err != nil {
		return err.Error()
	}
	return ""
}

// bound maps the rows by the proposal and expects that every one goes in. It gives the number of those that are left out.
func bound(t *testing.T, p infer.Proposal, lines ...string) (skipped int) {
	t.Helper()
	header, rows := sheet(lines...)
	var all []table.Row
	for row := range rows {
		all = append(all, row)
	}
	m, err := bind(t, p, header, all...)
	if err != nil {
		t.Fatalf("%v\n%s", err, p.Mapping)
	}
	for _, row := range all {
		if _, skip, reasons := m.Key(row); skip != "" {
			skipped++
			continue
		} else if len(reasons) > 0 {
			t.Errorf("row %d has no key: %v", row.Number, reasons)
		}
		if _, reasons := m.Map([]table.Row{row}); len(reasons) > 0 {
			t.Errorf("row %d is rejected: %v\n%s", row.Number, reasons, p.Mapping)
		}
	}
	return skipped
}

// TestHeadersThatYAMLCouldMistake has each as a component of a case, the name and the column.
func TestHeadersThatYAMLCouldMistake(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"true", "No", "null", "~", "12", "1e5", "0x1F", "2024-01-02", "a: b", "- x", "#", "a #b", "{x}", "[y]", "it's", `say "so"`, `back\slash`, "!tag",
		"&a", "*a", "% x", "| x", "> x", "@x", "`x`", "x:", "trailing,", "Ünï ©ode", "№ 5", "日付", "é\u0301", "?", "=", "<<"} {
		header := table.Header{Names: []string{"Matter No", "Name", name}}
		p, err := infer.Propose(infer.Options{Operation: payload.UpdateCase}, header, func(yield func(table.Row, error) bool) {
			yield(table.Row{Number: 2, Cells: []table.Cell{{Kind: table.Text, Text: "1"}, {Kind: table.Text, Text: "Lease"}, {Kind: table.Text, Text: "of land"}}}, nil)
		})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(p.Mapping, "of land") {
			t.Errorf("%q is not mapped:\n%s", name, p.Mapping)
		}
		onlyAsked(t, p, header)
	}
}

// onlyAsked expects that a proposal finds all columns but those that it asks for.
func onlyAsked(t fataler, p infer.Proposal, header table.Header) {
	t.Helper()
	_, err := bind(t, p, header)
	if err == nil {
		return
	}
	for _, fault := range strings.Split(err.Error(), "mapping.yaml:")[1:] {
		if !strings.Contains(fault, "? which column") {
			t.Fatalf("%v\n%s", err, p.Mapping)
		}
	}
}

// TestEveryProposalParsesAndFindsItsColumns holds for any header and cells: whatever they are called and hold, the mapping is
// sound YAML, and the only columns it does not find are those that it asks for.
func TestEveryProposalParsesAndFindsItsColumns(t *testing.T) {
	t.Parallel()
	names := rapid.OneOf(
		rapid.SampledFrom([]string{"", " ", "Name", "name", "NAME ", "Name#2", "@Z", "Matter No", "Client", "Mark", "App No", "Filing Date", "Class 1", "Class 2",
			"Class", "Goods 1", "Goods", "value", "type_code", "Status", "Closed", "yes", "No", "null", "~", "1", "1.5", "a: b", "- x", "#", "Class#1", "{x}", "[y]",
			"it's", `say "so"`, "back\\slash", "two\nlines", "tab\there", "a #b", "Ünï ©ode", "\ufeffRef", "Ref\u200b", "% x", "& anchor", "*alias", "!tag", "| pipe",
			"? which", "Client First Name", "Client Last Name", "Folder", "Id", "Tags", "Language"}),
		rapid.String())
	cells := rapid.OneOf(
		rapid.SampledFrom([]string{"", "", "SOL", "M-1", "M-2", "0012", "0000", "03/04/2020", "31/12/2020", "2020-01-02", "1.2.99", "yes", "Open", "Closed", "9", "9, 35",
			"9: software; 35: ads", "x", "https://a.example/x.png", "0f8fad5b-d9cb-469f-a165-70867728950e", "Total", "(date)", "Record 1", "it's: #a", "two\nlines"}),
		rapid.String())
	operations := rapid.SampledFrom(append([]payload.Operation{""}, payload.Operations...))
	rapid.Check(t, func(t *rapid.T) {
		header := table.Header{Names: rapid.SliceOfN(names, 1, 12).Draw(t, "names")}
		rows := rapid.SliceOfN(rapid.SliceOfN(cells, 0, len(header.Names)+1), 0, 8).Draw(t, "rows")
		p, err := infer.Propose(infer.Options{Operation: operations.Draw(t, "operation"), File: rapid.String().Draw(t, "file")}, header,
			func(yield func(table.Row, error) bool) {
				for i, texts := range rows {
					row := table.Row{Number: i + 2}
					for _, text := range texts {
						row.Cells = append(row.Cells, table.Cell{Kind: table.Text, Text: text})
					}
					if !yield(row, nil) {
						return
					}
				}
			})
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.ValidString(p.Mapping) {
			t.Fatalf("the mapping is no UTF-8: %q", p.Mapping)
		}
		onlyAsked(t, p, header)
	})
}

// TestAmountsWithACurrencyAreNumbers has a workbook's column that shows a currency as a component of a case.
func TestAmountsWithACurrencyAreNumbers(t *testing.T) {
	t.Parallel()
	header := table.Header{Names: []string{"Fee", "Matter No", "Name", "Client", "Attorney", "Status", "Active"}}
	row := func(number int, fee table.Cell) table.Row {
		r := table.Row{Number: number, Cells: []table.Cell{fee}}
		for _, text := range []string{fmt.Sprint("M-", number), fmt.Sprint("Lease of land ", number), "Acme", "jd", "Open", "yes"} {
			r.Cells = append(r.Cells, table.Cell{Kind: table.Text, Text: text})
		}
		return r
	}
	euros := &table.Shown{Format: `"€"#,##0.00`}
	all := []table.Row{row(2, table.Cell{Kind: table.Number, Text: "1234.50", Shown: euros}), row(3, table.Cell{Kind: table.Number, Text: "7.00", Shown: euros})}
	p, err := infer.Propose(infer.Options{Operation: payload.UpdateCase}, header, func(yield func(table.Row, error) bool) {
		for _, row := range all {
			if !yield(row, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	has(t, p, "Fee: {column: Fee, type: number}")
	m, err := bind(t, p, header, all...)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range all {
		// The ids of cases are those of a ledger, which is not here.
		if _, reasons := m.Map([]table.Row{row}); len(reasons) != 1 || reasons[0].Field != "id" {
			t.Errorf("row %d: %v", row.Number, reasons)
		}
	}
}
