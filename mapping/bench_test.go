package mapping

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"docketsync/mapping/lookup"
	"docketsync/mapping/table"
)

// benchMapping is like the mappings of firms: fifteen fields, four of them dates, three through lookups, one by an
// expression.
const benchMapping = `operation: update_trademark
key: Our Ref
rows:
  skip: 'row["Status"] == "Dead"'
dates: [DD/MM/YYYY, YYYY-MM-DD]
lookups: {ids: ids.csv, registries: registries.csv, agents: agents.csv}
fields:
  id:                 {column: Our Ref, lookup: ids}
  registry_id:        {column: Office, lookup: registries}
  mark_text:          Mark
  application_number: App No
  application_date:   Filing Date
  registration_number: Reg No
  registration_date:  Reg Date
  status_date:        Status Date
  expiry_date:        Expiry
  status:             {column: Status, values: {R: Registered, P: Pending}, default: Unknown}
  client_agent_id:    {column: Agent, lookup: agents}
  publication_notes:  Gazette
  image_url:          Image
  notes:              EXPRESSION
  do_not_create_file: {value: true}
`

var benchHeader = table.Header{Names: []string{"Our Ref", "Office", "Mark", "App No", "Filing Date", "Reg No", "Reg Date", "Status Date",
	"Expiry", "Status", "Agent", "Gazette", "Image", "Notes", "Remarks"}}

func benchMapper(tb testing.TB, text string) (*Mapper, []table.Row) {
	tb.Helper()
	m, err := Parse("marks.yaml", []byte(text), Options{Today: time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		tb.Fatal(err)
	}
	lookups := map[string]*lookup.Table{"ids": lookup.New("ids"), "registries": lookup.New("registries"), "agents": lookup.New("agents")}
	var rows []table.Row
	for i := range 1000 {
		id := fmt.Sprintf("00000000-0000-4000-8000-%012d", i)
		ref, office, agent := fmt.Sprintf("TM-%05d", i), fmt.Sprintf("Office %d", i%20), fmt.Sprintf("Agency Nº %d, S.L.", i%100)
		for name, value := range map[string]string{"ids": ref, "registries": office, "agents": agent} {
			if err := lookups[name].Add(value, strings.Replace(id, "8000", map[string]string{"ids": "8001", "registries": "8002", "agents": "8003"}[name], 1)); err != nil && name == "ids" {
				tb.Fatal(err)
			}
		}
		row := table.Row{Number: i + 2}
		for _, text := range []string{ref, office, fmt.Sprintf("SOLÉRA %d", i), fmt.Sprintf("0%08d", i), fmt.Sprintf("%02d/%02d/2014", i%28+1, i%12+1),
			fmt.Sprintf("M%07d", i), fmt.Sprintf("%02d/%02d/2015", i%28+1, i%12+1), fmt.Sprintf("2016-%02d-%02d", i%12+1, i%28+1),
			fmt.Sprintf("%02d/%02d/2034", i%28+1, i%12+1), []string{"R", "P"}[i%2], agent, "BOPI 12/2014", "https://marks.example/" + ref + ".png",
			"renewal agreed with the client", "see file"} {
			row.Cells = append(row.Cells, table.Cell{Kind: table.Text, Text: text})
		}
		rows = append(rows, row)
	}
	mapper, err := m.Bind(benchHeader, lookups)
	if err != nil {
		tb.Fatal(err)
	}
	return mapper, rows
}

// BenchmarkMap maps rows as a run does: Key, then Map.
func BenchmarkMap(b *testing.B) {
	for name, notes := range map[string]string{
		"plain":      `{columns: [Notes, Remarks], join: "; "}`,
		"expression": `{expr: 'row["Notes"] + "; " + row["Remarks"]'}`,
		"functions":  `{expr: 'join([row["Notes"], row["Remarks"]], "; ")'}`,
	} {
		b.Run(name, func(b *testing.B) {
			mapper, rows := benchMapper(b, strings.Replace(benchMapping, "EXPRESSION", notes, 1))
			b.ReportAllocs()
			b.ResetTimer()
			one := make([]table.Row, 1)
			for i := 0; b.Loop(); i++ {
				one[0] = rows[i%len(rows)]
				if _, skip, reasons := mapper.Key(one[0]); skip != "" || len(reasons) > 0 {
					b.Fatal(skip, reasons)
				}
				if _, reasons := mapper.Map(one); len(reasons) > 0 {
					b.Fatal(reasons)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
