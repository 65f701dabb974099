package infer_test

import (
	"fmt"
	"strings"
	"testing"

	"docketsync/apiclient/payload"
	"docketsync/mapping/infer"
)

// TestDatesOfOtherThingsAreNotTaken has headers that name a field's date and mean another one: a deadline's, a payment's, a licence's.
func TestDatesOfOtherThingsAreNotTaken(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ header, field, want string }{
		{"Renewal due|Renewal Instruction Date", "expiry_date", "Renewal due"},
		{"Renewal Reminder Date|Renewal due", "expiry_date", "Renewal due"},
		{"Renewal Paid Date|Renewed Until", "expiry_date", ""},
		{"Next renewal date|Renewal Fee Due", "expiry_date", "Next renewal date"},
		{"Renewal Deadline|Expiry", "expiry_date", "Expiry"},
		{"Filing Deadline|x", "application_date", ""},
		{"Registration Fee Due|x", "registration_date", ""},
		{"Publication Deadline|x", "publication_date", ""},
		{"Office Action Deadline|Office Action Response", "office_action_date", ""},
		{"Grant Deadline|x", "grant_date", ""},
		{"Status Review Date|Next Status Date", "status_date", ""},
		{"VAT Registration Number|Opposition Registration No", "registration_number", ""},
		{"Madrid Registration Number|Seniority Reg No", "registration_number", ""},
		{"Registration Cancelled Date|Assignment Registration Date", "registration_date", ""},
		{"Ablauf der Widerspruchsfrist|x", "expiry_date", ""},
		{"Licence Expiry Date|POA Expiry Date", "expiry_date", ""},
		{"Grace Period Expiry|Expiry Notice Date", "expiry_date", ""},
		{"Ablauf der Frist|Verlängerung bezahlt am", "expiry_date", ""},
		{"Ablauf der Schutzfrist|Verlängerung Gebühr", "expiry_date", "Ablauf der Schutzfrist"},
		{"Recordatorio de renovación|Próxima renovación", "expiry_date", "Próxima renovación"},
		{"Rappel de renouvellement|Échéance", "expiry_date", "Échéance"},
		{"更新期限|更新通知日", "expiry_date", "更新期限"},
	} {
		t.Run(test.header, func(t *testing.T) {
			t.Parallel()
			p := propose(t, payload.UpdateTrademark, "Ref|Mark|App No|"+test.header, "1|SOL|A1|2030-01-13|2029-02-14", "2|MAR|A2|2031-01-23|2030-02-24")
			if got, want := lineOf(p.Mapping, test.field), test.field+": "+test.want; test.want != "" && got != want || test.want == "" && got != "" {
				t.Errorf("%q, want %q:\n%s", got, test.want, p.Mapping)
			}
			if asked := strings.Join(p.Decide, "\n"); strings.Contains(asked, "is taken as "+test.field) {
				t.Errorf("asks %q", asked)
			}
		})
	}
	p := propose(t, payload.UpdateTrademark, "Ref|Mark|App No|Opposed Application Number", "1|SOL||A1", "2|MAR||A2")
	has(t, p, "application_number: '? which column'")
}

// TestADateWithAnotherWordInItsHeaderIsAskedFor has dates that may be the field's, as no word of their headers says that they are not.
func TestADateWithAnotherWordInItsHeaderIsAskedFor(t *testing.T) {
	t.Parallel()
	for header, field := range map[string]string{"Original Filing Date": "application_date", "Company Registration Date": "registration_date",
		"Expiry Acme": "expiry_date", "登録証日": "registration_date"} {
		p := propose(t, payload.UpdateTrademark, "Ref|Mark|App No|"+header, "1|SOL|A1|2020-01-13", "2|MAR|A2|2021-01-23")
		has(t, p, field+": "+header)
		if want := fmt.Sprintf("%s is taken as %s", header, field); !strings.Contains(strings.Join(p.Decide, "\n"), want) || !strings.Contains(p.Mapping, header+"  # CHECK") {
			t.Errorf("asks %q, want %q:\n%s", p.Decide, want, p.Mapping)
		}
	}
	for _, header := range []string{"Date of filing", "Filed on", "Trademark Filing Date", "F. solicitud", "Angemeldet am", "Data della domanda", "Date de dépôt", "出願日", "filing_dt"} {
		p := propose(t, payload.UpdateTrademark, "Ref|Mark|App No|"+header, "1|SOL|A1|2020-01-13", "2|MAR|A2|2021-01-23")
		has(t, p, "application_date: "+header)
		if strings.Contains(strings.Join(p.Decide, "\n"), "is taken as") {
			t.Errorf("%s: asks %q", header, p.Decide)
		}
	}
}

// TestANumberWithAnotherWordInItsHeaderIsAskedFor, as it may be that of another register.
func TestANumberWithAnotherWordInItsHeaderIsAskedFor(t *testing.T) {
	t.Parallel()
	for header, asked := range map[string]bool{"Owner Registration Number": true, "Registration Number": false, "Reg. No.": false, "Registernummer": false} {
		p := propose(t, payload.UpdateTrademark, "Ref|Mark|App No|"+header, "1|SOL|A1|1007919", "2|MAR|A2|1007920")
		if got := strings.Contains(strings.Join(p.Decide, "\n"), header+" is taken as registration_number: check that it is that number"); got != asked || !strings.Contains(p.Mapping, "registration_number: "+header) {
			t.Errorf("%s: asked %t, want %t:\n%s", header, got, asked, p.Mapping)
		}
	}
}

// TestAFeeEarnerIsALawyer though a fee is no date of a mark.
func TestAFeeEarnerIsALawyer(t *testing.T) {
	t.Parallel()
	p := propose(t, payload.CreateCase, "Matter No|Matter Name|Fee Earner", "1|Lease|JD", "2|Sale|JD")
	has(t, p, "user_id: {column: Fee Earner, lookup: users}")
}

// TestWhatSaysThatACaseIsNotActiveIsTurnedAround has columns whose yes is a no; a word that the file does not have is rejected in later ones.
func TestWhatSaysThatACaseIsNotActiveIsTurnedAround(t *testing.T) {
	t.Parallel()
	for _, header := range []string{"Not Active", "Non-Active", "In-active", "No Activo", "Inactive", "Is Inactive", "Nicht aktiv", "Is Closed", "Closed (Y/N)", "Matter Closed", "Geschlossen"} {
		lines := []string{"Matter No|Matter Name|" + header, "1|Lease|Yes", "2|Sale|No"}
		p := propose(t, payload.CreateCase, lines...)
		has(t, p, "active: {column: "+infer.Scalar(header)+", values: {'Yes': false, 'No': true}, unknown: reject}")
		if asked := strings.Join(p.Decide, "\n"); !strings.Contains(asked, header+" is taken as active") || strings.Contains(asked, "No column says") {
			t.Errorf("%s: asks %q", header, asked)
		}
		bound(t, p, lines...)
	}
	p := propose(t, payload.CreateCase, "Matter No|Matter Name|Not Active|Status", "1|Lease|No|Open", "2|Sale|Yes|Closed")
	has(t, p, "active: {column: Status, yes: [Open], no: [Closed]}")
}

// TestWhatIsOpenOfOtherThingsSaysNothingOfACase has states and closings of accounts, clients and deals.
func TestWhatIsOpenOfOtherThingsSaysNothingOfACase(t *testing.T) {
	t.Parallel()
	for _, header := range []string{"Billing Status", "Conflict Status", "Invoice Status", "Client Active", "Client Status", "Billing Active", "Billing Closed", "Not Closed", "Client Closed",
		"Closed to new time"} {
		p := propose(t, payload.CreateCase, "Matter No|Matter Name|"+header, "1|Lease|Open", "2|Sale|Closed")
		has(t, p, "active: {value: true}")
		p = propose(t, payload.CreateCase, "Matter No|Matter Name|"+header, "1|Lease|Yes", "2|Sale|No")
		has(t, p, "active: {value: true}")
	}
	for _, header := range []string{"Expected Closing Date", "Closed Review Date", "File Closing Due", "Client Closed Date", "Escrow Closing Date"} {
		p := propose(t, payload.CreateCase, "Matter No|Matter Name|"+header, "1|Lease|2030-01-13", "2|Sale|")
		has(t, p, "active: {value: true}")
	}
}

// TestActiveIsAskedForUnlessItsColumnIsCalledSo has what the ordinary names say without a question, and the others with one.
func TestActiveIsAskedForUnlessItsColumnIsCalledSo(t *testing.T) {
	t.Parallel()
	for header, asks := range map[string]bool{"Active": false, "Active?": false, "Active (Y/N)": false, "IsActive": false, "active_flag": false, "Status": false, "Matter Status": false,
		"Estado del expediente": false, "Active Retainer": true, "Status Name": true} {
		p := propose(t, payload.CreateCase, "Matter No|Matter Name|"+header, "1|Lease|Open", "2|Sale|Closed")
		if line := lineOf(p.Mapping, "active"); !strings.Contains(line, header) || !strings.Contains(line, "yes: [Open], no: [Closed]") {
			t.Errorf("%s: %s", header, line)
		}
		if got := strings.Contains(strings.Join(p.Decide, "\n"), header+" is taken as active"); got != asks {
			t.Errorf("%s: asks %q", header, p.Decide)
		}
	}
	p := propose(t, payload.CreateCase, "Matter No|Matter Name|Closing Date", "1|Lease|2030-01-13", "2|Sale|")
	has(t, p, `active: {expr: 'row["Closing Date"] == ""'}`)
	if asked := strings.Join(p.Decide, "\n"); !strings.Contains(asked, "Closing Date is taken as") {
		t.Errorf("asks %q", asked)
	}
}

// TestGoodsOfAllClassesAreNotSentWithEach has the classes in one cell and all goods in the next; nothing goes in until somebody has said which are whose.
func TestGoodsOfAllClassesAreNotSentWithEach(t *testing.T) {
	t.Parallel()
	for _, classes := range []string{"9, 35", "9; 35", "9⏎35"} {
		lines := []string{"Ref|Mark|App No|Classes|Goods", "1|SOL|A1|" + classes + "|software; ads", "2|MAR|A2|5|drugs"}
		p := propose(t, payload.UpdateTrademark, lines...)
		has(t, p, "text: '? which column'")
		if asked := strings.Join(p.Decide, "\n"); !strings.Contains(asked, "Goods the goods of all of them") || !strings.Contains(p.Mapping, "# CHECK: Goods holds") {
			t.Errorf("asks %q:\n%s", asked, p.Mapping)
		}
		if faults := bindFaults(t, p, lines[0]); !strings.Contains(faults, `the file has no column "? which column"`) {
			t.Errorf("binding says %q", faults)
		}
	}
}

// TestFilesNumberedForEachClientAreNotOneCase has numbers that begin anew with each client, whose column no field takes: the cases of two
// clients that are called alike would become one.
func TestFilesNumberedForEachClientAreNotOneCase(t *testing.T) {
	t.Parallel()
	lines := []string{"Cl. Code|File|Subject|Team", "A|1|Advice|x", "A|2|Lease|x", "B|1|Advice|x", "B|2|Sale|x", "C|1|Advice|y", "B|1|Advice|x"}
	p := propose(t, payload.CreateCase, lines...)
	has(t, p, "key: '? which column'", "number: File")
	if asked := strings.Join(p.Decide, "\n"); !strings.Contains(asked, "key: [Cl. Code, File]") || strings.Contains(asked, "make one record") || strings.Contains(p.Mapping, "group") {
		t.Errorf("asks %q:\n%s", asked, p.Mapping)
	}
	if faults := bindFaults(t, p, lines[0]); !strings.Contains(faults, `the file has no column "? which column"`) {
		t.Errorf("binding says %q", faults)
	}
	decided := p
	decided.Mapping = strings.Replace(p.Mapping, "key: '? which column'", "key: [Cl. Code, File]", 1)
	bound(t, decided, lines...)
	// A case in several rows that nothing tells apart is one.
	p = propose(t, payload.CreateCase, "Matter No|Subject|Team", "1|Advice|x", "1|Advice|x", "2|Lease|x", "2|Lease|x")
	has(t, p, "key: Matter No", "group: true")
}
