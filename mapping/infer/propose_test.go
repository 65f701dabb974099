package infer_test

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/apiclient/payload"
	"docketsync/mapping/infer"
	"docketsync/mapping/table"
)

// sheet is a table as a test writes it: a header and rows, cells parted by |.
func sheet(lines ...string) (table.Header, iter.Seq2[table.Row, error]) {
	header := table.Header{Names: cellsOf(lines[0])}
	return header, func(yield func(table.Row, error) bool) {
		for i, line := range lines[1:] {
			row := table.Row{Number: i + 2}
			for _, text := range cellsOf(line) {
				cell := table.Cell{Kind: table.Text, Text: text}
				if text == "" {
					cell.Kind = table.Empty
				}
				row.Cells = append(row.Cells, cell)
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

func cellsOf(line string) []string {
	cells := strings.Split(line, "|")
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(strings.TrimSpace(cell), "⏎", "\n")
	}
	return cells
}

func propose(t *testing.T, op payload.Operation, lines ...string) infer.Proposal {
	t.Helper()
	header, rows := sheet(lines...)
	p, err := infer.Propose(infer.Options{Operation: op, File: "table"}, header, rows)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// has expects lines of a mapping, comments aside.
func has(t *testing.T, p infer.Proposal, lines ...string) {
	t.Helper()
	var got []string
	for line := range strings.Lines(p.Mapping) {
		line, _, _ = strings.Cut(strings.TrimRight(line, "\n"), "  # ")
		got = append(got, strings.TrimSpace(line))
	}
	for _, want := range lines {
		found := false
		for _, line := range got {
			found = found || line == want
		}
		if !found {
			t.Errorf("the mapping lacks %q:\n%s", want, p.Mapping)
		}
	}
}

func TestOperationIsWhatTheColumnsSpeakFor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		lines []string
		want  payload.Operation
	}{
		{"marks", []string{"Ref|Mark|App No|Filing Date|Reg No", "A1|SOL|001|2020-01-02|77"}, payload.UpdateTrademark},
		{"marks by their goods", []string{"A|B|C", "88001|SOL|IC 009. Software", "88002|MAR|IC 042. Design"}, payload.UpdateTrademark},
		{"folders", []string{"Carpeta|Cliente|Asunto|Número", "F1|Acme|Lease|1"}, payload.CreateFolder},
		{"cases that are there", []string{"Case Id|Matter Name|Status", "0f8fad5b-d9cb-469f-a165-70867728950e|Lease|Open"}, payload.UpdateCase},
		{"cases", []string{"Matter No|Matter Name|Client", "1|Lease|Acme"}, payload.CreateCase},
		{"anything", []string{"Foo|Bar", "x|y"}, payload.CreateCase},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if p := propose(t, "", test.lines...); p.Operation != test.want {
				t.Errorf("proposes %s (%s), want %s", p.Operation, p.Why, test.want)
			}
		})
	}
}

func TestFieldsAreFoundInSixLanguages(t *testing.T) {
	t.Parallel()
	row := "TM-1|SOL|EM|302020 000 215|13/01/2020|R77|14/02/2021|15/03/2020|16/04/2030|Registered|17/05/2021|Acme|Word|see file"
	row2 := "TM-2|MAR|ES|302023 000 914|23/01/2020|R78|24/02/2021|25/03/2020|26/04/2030|Registered|27/05/2021|Acme|Word|see file"
	for _, header := range []string{
		"Our Ref|Trade Mark|Office|Application No.|Filing Date|Registration No.|Registration Date|Publication Date|Expiry Date|Status|Status Date|Agent|Mark Type|Notes",
		"our_ref|mark_text|registry|app_no|filing_dt|reg_no|reg_dt|pub_dt|expires|status|status_dt|agent|mark_type|remarks",
		"Nuestra referencia|Marca|Oficina|Nº de solicitud|Fecha de solicitud|Nº de registro|Fecha de registro|Fecha de publicación|Vencimiento|Situación|Fecha de situación|Agente|Tipo de marca|Observaciones",
		"Notre réf.|Marque|Office|N° de dépôt|Date de dépôt|N° d'enregistrement|Date d'enregistrement|Date de publication|Échéance|Statut|Date du statut|Mandataire|Type de marque|Remarques",
		"Unser Zeichen|Marke|Amt|Anmeldenummer|Anmeldetag|Registernummer|Eintragungsdatum|Veröffentlichung|Schutzende am Ablaufdatum|Stand|Datum Stand|Vertreter|Markentyp|Bemerkungen",
		"Unser Az.|Marke|Amt|Aktenzeichen|Anmeldetag|Registernummer|Eintragungstag|Veröffentlichungstag|Schutzende|Status|Statusdatum|Vertreter|Markenart|Bemerkungen",
		"Nostro riferimento|Marchio|Ufficio|Numero domanda|Data domanda|Numero registrazione|Data registrazione|Data pubblicazione|Scadenza|Stato|Data stato|Rappresentante|Tipo marchio|Osservazioni",
		"Nossa referência|Marca|Instituto|Nº do pedido|Data do pedido|Nº de registo|Data de registo|Data de publicação|Vencimento|Situação|Data da situação|Agente|Tipo de marca|Observações",
	} {
		t.Run(strings.SplitN(header, "|", 2)[0], func(t *testing.T) {
			t.Parallel()
			p := propose(t, payload.UpdateTrademark, header, row, row2)
			columns := strings.Split(header, "|")
			for i, field := range []string{"key", "mark_text", "registry_id", "application_number", "application_date", "registration_number",
				"registration_date", "publication_date", "expiry_date", "status", "status_date", "client_agent_id", "trademark_type_id", "notes"} {
				if line := lineOf(p.Mapping, field); !strings.Contains(line, strings.ReplaceAll(columns[i], "'", "''")) {
					t.Errorf("%s does not come from %q: %q", field, columns[i], line)
				}
			}
		})
	}
}

// A file number is the office's where the firm has a reference of its own, and may be the firm's where there is nothing else.
func TestFileNumberThatIsTheOnlyReferenceIsNotSentAsTheApplications(t *testing.T) {
	t.Parallel()
	p := propose(t, payload.UpdateTrademark, "Aktenzeichen|Marke|Anmeldetag|Status", "M-1|SOL|13.01.2020|ja", "M-2|MAR|23.01.2020|ja")
	has(t, p, "key: Aktenzeichen", "application_number: '? which column'")
}

func lineOf(mapping, field string) string {
	for line := range strings.Lines(mapping) {
		if strings.HasPrefix(strings.TrimSpace(line), field+":") {
			line, _, _ = strings.Cut(line, "  # ")
			return strings.TrimSpace(line)
		}
	}
	return ""
}

func TestGoodsAreFoundWhereverTheyStand(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"one cell", []string{"Ref|Mark|App No|Classes", "1|SOL|A1|9: software; games; 35: advertising", "2|MAR|A2|5: drugs"}, []string{"split: {column: Classes}"}},
		{"one cell, a line for each class", []string{"Ref|Mark|App No|Goods", "1|SOL|A1|9: software; games⏎35: advertising"}, []string{`split: {column: Goods, entries: "\n"}`}},
		{"classes alone", []string{"Ref|Mark|App No|Classes", "1|SOL|A1|9, 35", "2|MAR|A2|5"}, []string{`split: {column: Classes, entries: ","}`, "text: {value: all goods of the class}"}},
		{"pairs", []string{"Ref|Mark|App No|Class 1|Goods 1|Class 2|Goods 2", "1|SOL|A1|9|software|35|advertising"}, []string{"pairs: {class: 'Class #', text: 'Goods #'}"}},
		{"ordinal pairs", []string{"Ref|Mark|App No|1st Class|1st Goods|2nd Class|2nd Goods", "1|SOL|A1|9|software||"}, []string{"pairs: {class: '# Class', text: '# Goods'}"}},
		{"pairs of one name", []string{"Ref|Mark|App No|Class|Goods|Class|Goods", "1|SOL|A1|9|software|35|ads"}, []string{"pairs: {class: 'Class #', text: 'Goods #'}"}},
		{"flags", []string{"Ref|Mark|App No|Class1|Class2|Class3", "1|SOL|A1|x||x", "2|MAR|A2||x|"}, []string{"flags: 'Class#'"}},
		{"flags with gaps", []string{"Ref|Mark|App No|Class9|Class35", "1|SOL|A1|x|", "2|MAR|A2||x"}, []string{"flags: 'Class#'"}},
		{"pairs with gaps", []string{"Ref|Mark|App No|Class 1|Goods 1|Class 3|Goods 3", "1|SOL|A1|9|software|35|advertising"}, []string{"pairs: {class: 'Class #', text: 'Goods #'}"}},
		{"a row for each class", []string{"Ref|Mark|App No|Class|Goods", "1|SOL|A1|9|software", "1|SOL|A1|35|advertising", "2|MAR|A2|5|drugs"},
			[]string{"search_class_id: {column: Class, lookup: classes}", "text: Goods"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := propose(t, payload.UpdateTrademark, test.lines...)
			has(t, p, test.want...)
			bound(t, p, test.lines...)
		})
	}
}

func TestRequiredFieldsTheFileLacksAreAskedFor(t *testing.T) {
	t.Parallel()
	p := propose(t, payload.CreateCase, "Matter No|Opened", "1|2020-01-02")
	has(t, p, "name: '? which column'", "active: {value: true}", "file_template_id: {value: template of the cases, lookup: constants}")
	faults := bindFaults(t, p, "Matter No|Opened")
	if !strings.Contains(faults, `the file has no column "? which column"`) {
		t.Errorf("binding says %q", faults)
	}
	p = propose(t, payload.UpdateCase, "Matter No|Name|Court", "1|Lease|High Court")
	has(t, p, "file_client_id: '? which column'", "lookup: components", "Court: Court")
}

func TestIDsNeedNoLookup(t *testing.T) {
	t.Parallel()
	p := propose(t, payload.CreateCase, "Matter No|Name|Client|Lawyer", "1|Lease|0f8fad5b-d9cb-469f-a165-70867728950e|JD", "2|Sale|{0F8FAD5B-D9CB-469F-A165-70867728950E}|JD")
	has(t, p, "client_id: Client", "user_id: {column: Lawyer, lookup: users}")
}

func TestLookupsListNamesOnceTheMostFrequentFirst(t *testing.T) {
	t.Parallel()
	p := propose(t, payload.CreateCase, "Matter No|Name|Client|Lawyer|Co-Supervisors", "1|Lease|Acme|JD|AB; CD", "2|Sale|Bolt|JD|CD", "3|Will|BOLT |JD|", "4|Deed|bolt|EF|CD")
	want := []infer.Lookup{
		{Name: "constants", Names: []infer.Name{{Text: "template of the cases", Count: 4}}},
		{Name: "users", Names: []infer.Name{{Text: "JD", Count: 3}, {Text: "CD", Count: 3}, {Text: "EF", Count: 1}, {Text: "AB", Count: 1}}},
		{Name: "clients", Names: []infer.Name{{Text: "Bolt", Count: 3}, {Text: "Acme", Count: 1}}},
	}
	if diff := cmp.Diff(want, p.Lookups); diff != "" {
		t.Errorf("lookups (-want +got):\n%s", diff)
	}
	has(t, p, `other_supervisors: {column: Co-Supervisors, split: ";", lookup: users}`)
}

func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	t.Parallel()
	const rows = 20_000
	header := table.Header{Names: []string{"Matter No", "Name", "Client", "Lawyer"}}
	p, err := infer.Propose(infer.Options{File: "big"}, header, func(yield func(table.Row, error) bool) {
		cells := make([]table.Cell, 4)
		for i := range rows {
			for j, text := range []string{fmt.Sprintf("M-%05d", i), "Lease", fmt.Sprintf("Client %d", i), "JD"} {
				cells[j] = table.Cell{Kind: table.Text, Text: text}
			}
			if !yield(table.Row{Number: i + 2, Cells: cells}, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range p.Lookups {
		if l.Name == "clients" && (len(l.Names) != 2000 || !l.More) {
			t.Errorf("the lookup has %d names, more: %v; want 2000 and more", len(l.Names), l.More)
		}
	}
	if !strings.Contains(p.Mapping, "there are more") || p.Rows != rows {
		t.Errorf("read %d rows; the mapping:\n%s", p.Rows, p.Mapping)
	}
}

// Matter may be the name or the number of a case: it is what the other columns leave open.
func TestColumnsAreGivenToAllFieldsAtOnce(t *testing.T) {
	t.Parallel()
	p := propose(t, payload.CreateCase, "Matter|Matter Name|Client", "M-1|Lease|Acme", "M-2|Sale|Acme", "M-3|Will|Bolt")
	has(t, p, "key: Matter", "number: Matter", "name: Matter Name")
	p = propose(t, payload.CreateCase, "Number|Matter|Client", "M-1|Lease|Acme", "M-2|Sale|Acme", "M-3|Will|Bolt")
	has(t, p, "number: Number", "name: Matter")
}

func TestANameInSeveralColumnsIsOneName(t *testing.T) {
	t.Parallel()
	p := propose(t, payload.CreateCase, "Matter No|Title|Client Company|Client First Name|Client Last Name", "1|Lease|Acme||", "2|Sale||Ann|Doe")
	has(t, p, "client_id: {columns: [Client Company, Client First Name, Client Last Name], lookup: clients}")
	for _, l := range p.Lookups {
		if want := []infer.Name{{Text: "Acme", Count: 1}, {Text: "Ann Doe", Count: 1}}; l.Name == "clients" {
			if diff := cmp.Diff(want, l.Names); diff != "" {
				t.Errorf("clients (-want +got):\n%s", diff)
			}
		}
	}
}

func TestWordsSayWhetherACaseIsActive(t *testing.T) {
	t.Parallel()
	p := propose(t, payload.CreateCase, "Matter No|Title|Status", "1|Lease|Open", "2|Sale|closed", "3|Will|CLOSED", "4|Deed|Pending", "5|Loan|Open", "6|Trust|Mystery")
	has(t, p, "active: {column: Status, yes: [Open, Pending], no: [closed]}")
	if asked := strings.Join(p.Decide, "\n"); !strings.Contains(asked, `"Mystery"`) {
		t.Errorf("asks %q", asked)
	}
	p = propose(t, payload.CreateCase, "Matter No|Title|Closed", "1|Lease|", "2|Sale|2020-01-02")
	has(t, p, `active: {expr: 'row["Closed"] == ""'}`)
}

func TestAnAddressIsNoRegistry(t *testing.T) {
	t.Parallel()
	rows := []string{"1|SOL|A1|Spain|28001", "2|MAR|A2|France|75001"}
	p := propose(t, payload.UpdateTrademark, append([]string{"Ref|Mark|App No|Country|Postcode"}, rows...)...)
	has(t, p, "registry_id: {value: registry of the marks, lookup: constants}")
	p = propose(t, payload.UpdateTrademark, append([]string{"Ref|Mark|App No|Country|Box"}, rows...)...)
	has(t, p, "registry_id: {column: Country, lookup: registries}")
}

func TestRowsThatAreNoDataAreLeftOut(t *testing.T) {
	t.Parallel()
	lines := []string{"Matter No|Name|Client|Opened", "||(as billed)|(date)", "Team 1|||", "1|Lease|Acme|2020-01-02", "2|Sale|Bolt|2020-02-03", "Team 22|||",
		"3|Will|Acme|2020-03-04", "Total:|3||"}
	p := propose(t, payload.CreateCase, lines...)
	has(t, p, `second line of the header: 'row["Client"] == "(as billed)"'`, `totals: 'row["Matter No"] startsWith "Total:" and row["Client"] == ""'`,
		`headings between the rows: 'row["Matter No"] matches "^Team [0-9]+$"'`)
	if p.Rows != 3 || p.Skipped != 4 {
		t.Errorf("%d rows and %d left out, want 3 and 4", p.Rows, p.Skipped)
	}
	if skipped := bound(t, p, lines...); skipped != 4 {
		t.Errorf("the mapping leaves out %d rows, want 4", skipped)
	}
}

// A row with a single cell is below the table only where nothing follows it; in the middle it is a record that lacks the rest.
func TestRowsWithASingleCellAreDataWhereOthersFollow(t *testing.T) {
	t.Parallel()
	lines := []string{"Matter No|Name|Client|Opened", "1|Lease|Acme|2020-01-02", "7|||", "8|||", "2|Sale|Bolt|2020-02-03", "Source: the ledger|||"}
	p := propose(t, payload.CreateCase, lines...)
	has(t, p, "key: Matter No", `skip: {footer: 'row["Matter No"] == "Source: the ledger"'}`)
	if p.Rows != 4 || p.Skipped != 1 {
		t.Errorf("%d rows and %d left out, want 4 and 1:\n%s", p.Rows, p.Skipped, p.Mapping)
	}
}

// The firm of a client called Total loses no matter to a filter of totals.
func TestRecordsThatBeginLikeTotalsAreKept(t *testing.T) {
	t.Parallel()
	lines := []string{"Client|Name|Matter No|Opened", "Total Energies|Lease|1|2020-01-02", "Acme|Sale|2|2020-02-03", "Total|||2", "Total Energies|Will|3|2020-03-04",
		"Total|||1", "Total 2020|||3"}
	p := propose(t, payload.CreateCase, lines...)
	has(t, p, `skip: {totals: 'row["Client"] startsWith "Total" and row["Name"] == ""'}`)
	if skipped := bound(t, p, lines...); p.Rows != 3 || p.Skipped != 3 || skipped != 3 {
		t.Errorf("%d rows and %d left out, by the mapping %d, want 3, 3 and 3", p.Rows, p.Skipped, skipped)
	}
}

// Filters that a file has proposed lose no matter of the files that come after it.
func TestFiltersLoseNoMatterOfLaterFiles(t *testing.T) {
	t.Parallel()
	const header = "Client|Name|Matter No|Opened"
	for _, test := range []struct {
		name  string
		lines []string // of the file that they are proposed for
		out   []string // of a later one
		in    []string
	}{
		{"totals and a footer", []string{"Acme|Lease|1|2020-01-02", "Bolt|Sale|2|2020-02-03", "Bolt Total|||1", "Total|||2", "Printed 31.12.2020 by JD|||"},
			[]string{"Core Total|||1", "Total: 3|||", "Printed 1 Jan by KL|||"}, []string{"Total Energies|Will|3|", "Groupe Total|Will|4|", "Printed Matter Ltd|Deed|5|"}},
		{"no column that every record fills", []string{"Acme|Lease||", "Bolt||2|", "Core|Deed|3|2020-02-03", "Total|||2", "Page 1|||"},
			[]string{"Total|||3", "Page 2|||"}, []string{"Total Energies|||", "Page Industries|Deed|4|"}},
		{"headings", []string{"Team 1|||", "Acme|Lease|1|2020-01-02", "Team 22|||", "Bolt|Sale|2|2020-02-03"}, []string{"Team 3|||"}, []string{"Team Sports Ltd|||"}},
	} {
		p := propose(t, payload.CreateCase, append([]string{header}, test.lines...)...)
		sheetHeader, rows := sheet(append([]string{header}, slices.Concat(test.out, test.in)...)...)
		m, err := bind(t, p, sheetHeader)
		if err != nil {
			t.Fatal(err)
		}
		for row := range rows {
			if _, skip, _ := m.Key(row); (skip != "") != (row.Number <= 1+len(test.out)) {
				t.Errorf("%s: %q is left out as %q:\n%s", test.name, row.Cells[0].Text, skip, p.Mapping)
			}
		}
	}
}

func TestAnErrorOfTheRowsIsHandedOn(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	_, err := infer.Propose(infer.Options{}, table.Header{Names: []string{"A"}}, func(yield func(table.Row, error) bool) { yield(table.Row{}, broken) })
	if !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
}
