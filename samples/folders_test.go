package samples_test

import "strings"

// folderList is the Munich office's list of paper folders to be opened for the transfer of archived files: folder,
// client, file, number, owner, status, template. The lines of a folder need not stand together.
const folderList = `
Pfänder – Altakten 1969–1999|00521|PFÄNDER – Erstanmeldung 1969|690031|JWE|Closed|Trademark filing
Pfänder – Altakten 1969–1999|00521|PFÄNDER – Madrider Eintragung 1995|950114|JWE|Closed|Trademark filing
Rühmann – Altakten|00203|RÜHMANN – Erstanmeldung 1987|870022|KST|Closed|Trademark filing
Pfänder – Altakten 1969–1999|00521|PFÄNDER – Verlängerung 1989|890007|KST|Closed|
Zwettltal – Altakten|00317|ZWETTLTAL – Anmeldung 1979|790018|AHÖ|Closed|Trademark filing
Rühmann – Altakten|00203|RÜHMANN – Abgrenzung Rühmkorff|910055||Closed|General advice
Zwettltal – Altakten|00317|ZWETTLTAL – EU-Marke 2001|10240|AHÖ|Closed|Trademark filing
Kovařov – Altakten|00755|KOVÁŘOV – Anmeldung 2008|80467|AHÖ||Trademark filing
Ørsholm – arkiv|00508|ØRSHOLM – anmeldelse 2005|50118|SVA|Closed|Trademark filing
Ørsholm – arkiv|00508|ØRSHOLM – EU-varemærke 2007|70533|SVA|Closed|Trademark filing
Norvik – arkiv|00118|NORVIK – DK 2011|110203|SVA|Closed|Trademark filing
Norvik – arkiv|00118|NORVIK – EU 2012|120019|SVA|Closed|Trademark filing
Norvik – arkiv|00118|NORVIK – etiket|61107|SVA|Closed|Design registration
Peñalara – archivo|00241|PEÑALARA – solicitud 1985|850077|RFE|Closed|Trademark filing
Peñalara – archivo|00241|PEÑALARA – marca comunitaria 1999|990163|RFE|Closed|Trademark filing
Peñalara – archivo|00241|Oposición contra PEÑA LARGA|30408|LNI|Abandoned|Trademark opposition
Saint-Cyr – archives|00417|SAINT-CYR – dépôt 1994|940381|ELB|Closed|Trademark filing
Saint-Cyr – archives|00417|SAINT-CYR – marque communautaire 2003|30052|ELB|Closed|Trademark filing
Tomé – arquivo|00433|TOMÉ – registo 1991|910240|BDA|Closed|Trademark filing
Tomé – arquivo|00433|Cessão de 2009|90033|TCA|Closed|Licence agreement
Pedra Branca – arquivo|00305|PEDRA BRANCA – pedido 1997|970402|BDA|Closed|Trademark filing
Ashcombe – closed files|00112|ASHCOMBE – UK 1998|980110|MBA|Closed|Trademark filing
Ashcombe – closed files|00112|ASHCOMBE – CTM 2004|40218|MBA|Closed|Trademark filing
Ashcombe – closed files|00112|ASHCOMBE – renewal 2008|80331|MBA|Closed|Trademark filing
Ashcombe – closed files|00112|Tea caddy, registered design|160905|OKO|Closed|Design registration
Wrenfield – closed files|00639|WRENFIELD – UK 1962|620001|MBA|Closed|Trademark filing
Wrenfield – closed files|00639|WRENFIELD – CTM 1996|960040|MBA|Closed|Trademark filing
Wrenfield – closed files|00639|WRENFIELD – US 1999|990909|OKO|Closed|Trademark filing
Loopfield – closed files|00402|LOOPFIELD – US 2013|130611|OKO|Closed|Trademark filing
Loopfield – closed files|00402|LOOPFIELD – EM 2013|131209|OKO|Closed|Trademark filing
Medisolve – closed files|00702|MEDISOLVE – CTM 2006|60703|ELB|Closed|Trademark filing
Medisolve – closed files|00702|RESPIRANTE – EM|150427|ELB|Closed|Trademark filing
Yūgen – closed files|00560|YŪGEN – EM|181218|PHW|Closed|Trademark filing
Lindhaga – closed files|00771|LINDHAGA – CTM 2002|20212|SVA|Closed|Trademark filing
Lindhaga – closed files|00771|LINDHAGA – US 2002|20812|SVA|Closed|Trademark filing
Solvane – closed files|00826|SOLVANE – UK|170109|MBA|Closed|Trademark filing
Borgo Nuovo – archivio|00804|BORGO NUOVO – CTM 2010|100531|ELB|Closed|Trademark filing
`

// folderFile is the list as it was saved: a semicolon between cells, and letters that Windows-1252 lacks replaced by
// plain ones, as the program of the time did.
func folderFile() [][]string {
	rows := [][]string{{"Ordner", "Mandant", "Akte", "Nummer", "Anwalt", "Stand", "Vorlage"}}
	plain := strings.NewReplacer("ř", "r", "Ř", "R", "ū", "u", "Ū", "U")
	for _, row := range records(folderList) {
		for i := range row {
			row[i] = plain.Replace(row[i])
		}
		rows = append(rows, row)
	}
	return mistakenFolders(rows)
}

func mistakenFolders(rows [][]string) [][]string {
	at := map[string][]string{}
	for _, row := range rows {
		at[row[2]] = row
	}
	at["ZWETTLTAL – EU-Marke 2001"][3] = "010240"                                                                  // a zero in front, which no JSON number has
	at["TOMÉ – registo 1991"][3] = "TM-7/1991"                                                                     // no number
	at["NORVIK – etiket"][1] = "00112"                                                                             // another client in the same folder
	at["MEDISOLVE – CTM 2006"][4] = "ELE"                                                                          // nobody's initials
	at["SOLVANE – UK"][2] = "SOLVANE – UK, " + strings.Repeat("and all that followed from it, ", 8) + "until 2019" // over 254 characters
	return rows
}
