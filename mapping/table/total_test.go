package table

import "testing"

// A row that adds others up is told by how it begins; a name, a mark or a reference that begins like that is none.
func TestLooksLikeTotal(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"Total", "TOTAL:", "Total:300", "Total: 300", "Total : 300", "Total = 300", "Total(12)", "Total (12)", "Total 1.234,50", "Total € 300", "Total EUR 300", "Totals",
		"Total 12 matters", "Total: 12 matters of Acme", "Total matters", "Total number of matters: 300", "Total général", "Total general 12", "Totale", "Totale generale", "Totaal 12",
		"Subtotal", "Subtotal OEPM", "Sub-total", "Sub-Total: 12", "Sub total", "Sub Total Acme", "SUBTOTAL:5", "Sous-total", "Sous-total : 12", "Sous total", "Somme", "Somme:12", "Suma", "Suma total",
		"Soma 3", "Sum: 3", "Summe: 12 Akten", "Zwischensumme", "Zwischensumme Akten", "Gesamt", "Gesamt: 12", "Gesamtsumme", "Gesamtergebnis", "Grand total", "GRAND TOTAL 12", "Grand Totals:", "合計", "合計：300",
		"Insgesamt 12 Akten", "TOTAUX", "Σ", "Σ = 5", "Anzahl: 5", "Anzahl Datensätze: 5", "Average", "Average 2.5", "Number of records", "Number of records: 5", "Generated", "Generated 29.11.2026",
		"Generated on 29.11.2026", "Printed by", "Printed by:"} {
		if !LooksLikeTotal(text) {
			t.Errorf("%q is no total", text)
		}
	}
	for _, text := range []string{"", "Total Oil", "Total Oil 2024", "TOTAL WAR 2", "Total War Ltd", "Total: Holdings", "Total 3D Printing", "Total Records Ltd", "Total General Insurance", "Total-Energies", "TOTAL1",
		"Totale S.A.", "Totals Ltd", "Totaliser", "Grand Hyatt", "Grand 12", "Grand", "Grand Totality", "Sub", "Sub Zero 12", "Sous Chef", "Sum Ltd", "SUM-001", "Suma Capital", "Somme River 1916", "Summer 2024",
		"Gesamt GmbH", "Gesamtschule Ost", "Subway 12", "Soma2024", "A Total", "12 Total",
		"Average Joe", "Number of the Beast", "Number 5", "Number", "Anzahlung", "Generated Images Ltd", "Printed by Nature", "Printed", "Σ Labs"} {
		if LooksLikeTotal(text) {
			t.Errorf("%q is a total", text)
		}
	}
}
