package importer_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/apiclient/payload"
	"docketsync/apiclient/sandbox"
	"docketsync/importer/revert"
	"docketsync/importer/source"
)

// TestRevertSheetBringsPayloadsBack writes difficult payloads into a sheet and maps the sheet: the same bytes come out.
func TestRevertSheetBringsPayloadsBack(t *testing.T) {
	t.Parallel()
	const g = "0b5e4c5a-7f11-4b7e-9a55-%012d"
	id := func(n int) string { return fmt.Sprintf(g, n) }
	tests := []struct {
		name      string
		operation payload.Operation
		payloads  []string
	}{
		{"cases", payload.UpdateCase, []string{
			`{"id":"` + id(1) + `","name":"  a \"quoted\", name;\nin two lines ","file_status_id":"` + id(2) + `","file_client_id":null,"tags":["` + id(3) + `","` + id(4) + `"],"user_id":"` + id(5) +
				`","number":"00123","components":[{"file_template_component_id":"` + id(6) + `","value":" 1,50 "},{"file_template_component_id":"` + id(7) + `","entity_id":"` + id(8) + `"}],"active":true}`,
			`{"id":"` + id(9) + `","name":"3-4","file_status_id":"` + id(2) + `","file_client_id":"` + id(3) + `","tags":[],"user_id":"` + id(5) +
				`","number":"","components":[],"active":false}`,
			`{"id":"` + id(10) + `","name":"#N/A","file_status_id":"` + id(2) + `","file_client_id":"` + id(3) + `","tags":[],"user_id":"` + id(5) +
				`","number":"","components":[{"file_template_component_id":"` + id(7) + `","entity_id":"` + id(8) + `"}],"active":false}`,
		}},
		{"cases without components", payload.UpdateCase, []string{
			`{"id":"` + id(1) + `","name":"=1+1","file_status_id":"` + id(2) + `","file_client_id":null,"user_id":"` + id(5) + `","components":[],"active":true}`,
		}},
		{"marks", payload.UpdateTrademark, []string{
			`{"id":"` + id(1) + `","registry_id":"` + id(2) + `","mark_text":"SOL","application_number":"018/1","application_date":"2024-03-01T00:00:00Z","registration_number":"0007",` +
				`"status_date":"2024-03-01T10:30:00Z","good_and_services":[{"id":null,"language_id":"` + id(3) + `","text":"software; games: all","search_class_id":"` + id(4) + `"},` +
				`{"id":"` + id(5) + `","language_id":"` + id(3) + `","text":"zweite\r\nZeile","search_class_id":"` + id(6) + `"}],"image_url":"https://x.example/a?b=c","do_not_create_file":true}`,
			`{"id":"` + id(7) + `","registry_id":"` + id(2) + `","mark_text":"01/02/2024","application_number":"1e5","notes":"n","do_not_create_file":false}`,
			`{"id":"` + id(8) + `","registry_id":"` + id(2) + `","mark_text":"true","application_number":"12345678901234567890.10","application_date":"2124-12-31T00:00:00Z"}`,
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sandbox.Faults{})
			sheet := revert.NewSheet(test.operation, "a scope: of its own", payload.Switches{})
			for _, payload := range test.payloads {
				w.must(sheet.Learn(json.RawMessage(payload)))
			}
			var text bytes.Buffer
			out := csv.NewWriter(&text)
			w.must(out.Write(sheet.Header()))
			for n, payload := range test.payloads {
				rows, err := sheet.Rows(fmt.Sprintf("K %d", n), json.RawMessage(payload))
				w.must(err)
				w.must(out.WriteAll(rows))
			}
			job := w.job("revert", sheet.Mapping(), text.String())
			job.Inputs[0].Options = source.Options{Format: "csv", Encoding: "utf-8", Delimiter: ",", Header: 1, HeaderRows: 1}
			run, err := w.importer().Check(t.Context(), job)
			w.must(err)
			if run.Scope != "a scope: of its own" {
				t.Errorf("the scope came back as %q", run.Scope)
			}
			if n := len(w.records(run)); n != len(test.payloads) {
				t.Errorf("%d payloads came back of %d", n, len(test.payloads))
			}
			for n, record := range w.records(run) {
				if diff := cmp.Diff(test.payloads[n], string(record.Payload)); diff != "" || record.Key != fmt.Sprintf("K %d", n) {
					t.Errorf("%s came back otherwise (-want +got):\n%s%v", record.Key, diff, record.Reasons)
				}
			}
		})
	}
}
