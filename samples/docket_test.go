package samples_test

import (
	"fmt"
	"strings"
	"time"
)

// docketHeader is the header of the London docket's export.
var docketHeader = []string{"Our Ref", "Client No", "Owner", "Mark", "Office", "Kind", "App No", "Filing Date", "Reg No", "Reg Date",
	"Published", "Expires", "Status", "Status Date", "Lang", "Classes and Goods", "Notes", "Image"}

// docketFile is the London docket as it was exported: two pages, each with its header.
func docketFile() [][]string {
	var rows [][]string
	for i, m := range londonMarks() {
		if i == 47 {
			rows = append(rows, make([]string, len(docketHeader)), docketHeader)
		}
		rows = append(rows, docketRow(m))
	}
	return append([][]string{docketHeader}, mistakenDocket(rows)...)
}

func docketRow(m mark) []string {
	number, registered := m.registration()
	image := ""
	if m.kind == "F" || m.kind == "C" {
		image = "https://images.marlowe-quintana.example/marks/" + strings.ToLower(m.ref) + ".png"
	}
	return []string{m.ref, m.client, clientName(m.client), m.text, m.office, m.kind, m.number(), m.day(m.filed), number, m.day(registered),
		m.day(m.published()), m.day(m.expiry()), m.status, m.day(m.statusDate()), m.language, m.goods(), m.notes(), image}
}

// day writes a date as the docket does: by the English name of its month, but for the marks that were taken over from
// Munich.
func (m mark) day(t time.Time) string {
	switch {
	case t.IsZero():
		return ""
	case m.office == "DE" || m.office == "AT":
		return t.Format("02.01.2006")
	}
	return t.Format("02-Jan-2006")
}

// goods is the cell with one line for each class.
func (m mark) goods() string {
	var lines []string
	for _, class := range m.classes {
		text := goods[m.language][class]
		if text == "" {
			panic(fmt.Sprintf("no goods of class %d in %s", class, m.language))
		}
		lines = append(lines, fmt.Sprintf("%d: %s", class, text))
	}
	return strings.Join(lines, "\n")
}

func (m mark) notes() string {
	switch m.index % 9 {
	case 2:
		return "Client says \"no\" to a renewal in class " + fmt.Sprint(m.classes[0]) + ";\nask again before the next one"
	case 5:
		return "Colours: claimed; see drawing, page 2"
	case 7:
		return "Übertragung eingetragen – Vollmacht liegt vor"
	}
	return ""
}

// mistakenDocket puts in what a docket of many years has.
func mistakenDocket(rows [][]string) [][]string {
	at := map[string][]string{}
	for _, row := range rows {
		at[row[0]] = row
	}
	set := func(ref, column, value string) {
		for i, name := range docketHeader {
			if name == column {
				at[ref][i] = value
			}
		}
	}
	set("TM-0026", "Filing Date", "31-Feb-2019")              // no such day
	set("TM-0053", "Status Date", "03/04/23")                 // March or April, and which century?
	set("TM-0065", "Reg Date", "see file")                    // words where a date belongs
	set("TM-0095", "Mark", "")                                // no mark
	set("TM-0128", "Office", "UK")                            // the office's code is GB
	set("TM-0158", "Classes and Goods", "49: Time travel")    // no such class
	set("TM-0197", "Lang", "en-GB")                           // a language the list does not know
	set("TM-0212", "App No", "")                              // required
	set("TM-0227", "Status", "Regd.")                         // a word the mapping does not know
	set("TM-0242", "Client No", "00950")                      // the holding, which is no agent
	set("TM-0173", "Office", "EM ")                           // trailing blank
	set("TM-0182", "Mark", "  RESPIRANTE ")                   // blanks around
	set("TM-0203", "Our Ref", "TM-0203 ")                     // trailing blank
	twice := append([]string(nil), at["TM-0020"]...)          // a mark entered again
	twice[12] = "Lapsed"                                      //
	stranger := append([]string(nil), at["TM-0029"]...)       // in no list of ids
	stranger[0], stranger[3] = "TM-0999", "ASHCOMBE MOONRISE" //
	gone := append([]string(nil), at["TM-0044"]...)           // in the list of ids, but deleted in the service
	gone[0], gone[3] = "TM-0998", "FJORDGULL JUNIOR"          //
	return append(rows, twice, stranger, gone)
}

// marcasHeader is the header of the Madrid list.
var marcasHeader = []string{"Expediente", "Marca", "Oficina", "Cliente", "Titular", "Tipo", "Idioma", "Clase", "Productos y servicios",
	"Nº solicitud", "Fecha de solicitud", "Nº registro", "Fecha de registro", "Situación", "Vencimiento", "Observaciones"}

// marcasFile is the list of the Madrid and São Paulo offices, one line for each class. It is sorted by class, so that
// the lines of a mark stand far from each other.
func marcasFile() [][]string {
	rows := [][]string{marcasHeader}
	for class := 1; class <= 45; class++ {
		for _, m := range iberianMarks() {
			for _, c := range m.classes {
				if c == class {
					rows = append(rows, marcasRow(m, class))
				}
			}
		}
	}
	return mistakenMarcas(rows)
}

func marcasRow(m mark, class int) []string {
	day := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.Format("02/01/2006")
	}
	number, registered := m.registration()
	notes := ""
	if m.office == "BR" {
		notes = "Procurador: São Paulo"
	}
	return []string{m.ref, m.text, m.office, m.client, clientName(m.client), m.kind, m.language, fmt.Sprint(class), goods[m.language][class],
		m.number(), day(m.filed), number, day(registered), m.status, day(m.expiry()), notes}
}

func mistakenMarcas(rows [][]string) [][]string {
	at := map[string][]string{} // by mark and class
	for _, row := range rows {
		at[row[0]+" "+row[7]] = row
	}
	at["M-0020 35"][10] = "05/06/2016" // day and month turned round: the lines of the mark disagree
	at["M-0026 43"][8] = ""            // no goods for the class
	at["M-0035 35"][7] = "36 bis"      // no class
	at["M-0050 32"][10] = "29/02/2019" // no such day
	at["M-0059 25"][13] = "Caducada"   // a word that the mapping does not know
	return rows
}
