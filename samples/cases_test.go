package samples_test

import (
	"fmt"
	"strings"
	"time"
)

// caseFile is the export of the Munich office's case data: what update_case sets beside what create_case has set. Only
// trademark filings are in it, since only they have these components.
func caseFile() [][]string {
	rows := [][]string{{"Aktenzeichen", "Mandant", "Bezeichnung", "Anwalt", "Stand", "Stichworte", "Amtliches Az.", "Anmeldetag",
		"Nächste Frist", "Amt", "Sachbearbeitung", "Budget (EUR)", "Aktiv"}}
	for i, m := range matters() {
		if m.kind == "Trademark filing" {
			rows = append(rows, caseRow(i, m))
		}
	}
	return mistakenCases(rows)
}

func caseRow(i int, m matter) []string {
	opened, err := time.Parse(time.DateOnly, m.opened)
	if err != nil {
		panic(err)
	}
	office, paralegal := officeOf(m.responsible)
	stand, active := [...]string{"angemeldet", "in Prüfung", "veröffentlicht", "eingetragen", "eingetragen"}[i%5], "ja"
	deadline := time.Date(2026, time.Month(3+i%9), 1+i*5%28, 0, 0, 0, 0, time.UTC).Format("02.01.2006")
	if m.closed != "" {
		stand, active, deadline = "erledigt", "nein", ""
	}
	filed := opened.AddDate(0, 0, 6+i%9).Format("02.01.2006")
	number := fmt.Sprintf("%d/%05d", opened.Year(), 10_000+i*137)
	budget := fmt.Sprintf("%d.%03d,%02d", 1+i%7, i*150%1000, i*25%100)
	if i%4 == 3 {
		budget = fmt.Sprintf("%d", 600+i*10)
	}
	return []string{m.number, m.client, m.name, m.responsible, stand, keywords(m), number, filed, deadline, office, paralegal, budget, active}
}

// officeOf gives the office that an attorney files with most, and the paralegal of the place.
func officeOf(initials string) (office, paralegal string) {
	switch initials {
	case "RFE", "LNI":
		return "OEPM", ""
	case "JWE", "KST":
		return "DPMA", "PHW"
	case "AHÖ":
		return "Österreichisches Patentamt", ""
	case "BDA", "TCA":
		return "INPI Brasil", "TCA"
	case "ELB":
		return "EUIPO", ""
	case "SVA":
		return "DKPTO", ""
	}
	return "UKIPO", "PHW"
}

// keywords are the tags of a matter, as its remarks hint at them.
func keywords(m matter) string {
	var words []string
	for _, hint := range [][2]string{{"Priority", "Priority claimed"}, {"Key client", "Key client"}, {"clé", "Key client"}, {"hurry", "Urgent"}} {
		if strings.Contains(m.remarks, hint[0]) {
			words = append(words, hint[1])
		}
	}
	if strings.Contains(m.name, "Madrid") {
		words = append(words, "Madrid")
	}
	return strings.Join(words, ", ")
}

// mistakenCases puts in what goes wrong when a list is kept by several hands.
func mistakenCases(rows [][]string) [][]string {
	at := map[string][]string{}
	for _, row := range rows {
		at[row[0]] = row
	}
	at["00203/0003"][7] = "31.02.2024"        // no such day
	at["00317/0003"][8] = "03/04/2026"        // March or April?
	at["00521/0002"][4] = "zurückgezogen"     // a word that the mapping does not know
	at["00241/0002"][11] = "2,500.00"         // the other decimal sign
	at["00614/0002"][3] = "L. Núñez"          // the name where initials belong
	at["00931/0001"][12] = "?"                // neither yes nor no
	at["00118/0003"][5] = "Madrid, Prioritty" // a tag misspelt
	at["00903/0001"][6] = ""                  // the filing number, which the template requires
	return rows
}
