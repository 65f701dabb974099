package samples_test

// matterList is what the firm's practice management prints: number, client, name, type, responsible, others, opened,
// closed, status, language, remarks. A number of six digits dates from before 2015 and stands in a number cell.
const matterList = `
00112/0001|00112|ASHCOMBE – UK and EU portfolio|Trademark filing|MBA|OKO|2015-02-11||Open|English|
00112/0002|00112|ASHCOMBE GOLDEN HOUR – UK application|Trademark filing|OKO|MBA|2019-01-28||Open|English|Filed in a hurry, see e-mail
00112/0003|00112|ASHCOMBE GOLDEN HOUR – US extension|Trademark filing|OKO||2019-07-30||Open|English|
00112/0004|00112|THE KETTLE KNOWS – opposition by Kettle & Co.|Trademark opposition|MBA|OKO; ELB|2022-03-09||Open|English|Key client
00112/0005|00112|Tea caddy, registered design|Design registration|PHW|OKO|2016-09-05|2021-09-05|Closed|English|
00112/0006|00112|Blend recipes – licence to Qalb Coffee|Licence agreement|MBA||2023-10-02||Open|English|
104417|00112|ASHCOMBE – renewal 2008|Trademark filing|MBA||2008-03-31|2008-06-02|Closed|English|Paper file in the cellar
00118/0001|00118|NORVIK – Nordic filings|Trademark filing|SVA||2015-04-20||Open|Danish|
00118/0002|00118|FJORDGULL – EU trade mark|Trademark filing|SVA|MBA|2022-03-01||Open|English|
00118/0003|00118|FJORDGULL – Madrid extension|Trademark filing|SVA||2022-08-29||Open|English|Priority claimed
103982|00118|NORVIK – label design|Design registration|SVA||2006-11-07|2007-01-15|Closed|Danish|
00203/0001|00203|RÜHMANN – Überwachung|General advice|JWE|KST|2016-01-04||Open|German|Jahresrechnung
00203/0002|00203|RÜHMANN BLÜTENKRAFT – DE und EM|Trademark filing|KST|JWE|2015-02-20||Open|German|
00203/0003|00203|hautnah & ehrlich – Anmeldung|Trademark filing|KST||2023-05-02||Open|German|
00203/0004|00203|ALMSEIFE – österreichische Marke|Trademark filing|AHÖ||2020-10-12||Open|German|
00203/0005|00203|Tiegel mit Spender – Geschmacksmuster|Design registration|JWE||2018-06-19||Open|German|
00241/0001|00241|PEÑALARA – cartera española|Trademark filing|RFE|LNI|2015-06-15||Open|Spanish|
00241/0002|00241|PEÑALARA 12 LUNAS – marca de la UE|Trademark filing|LNI||2016-10-31||Open|Spanish|
00241/0003|00241|Oposición a CUESTA LARGA|Trademark opposition|RFE|LNI|2024-11-08||Open|Spanish|Plazo muy corto
00241/0004|00241|Contrato de licencia con Bodega Tres Arcos|Licence agreement|RFE||2020-02-17|2024-12-31|Closed|Spanish|
00305/0001|00305|PEDRA BRANCA – carteira Brasil|Trademark filing|BDA|TCA|2015-08-24||Open|Portuguese|
00305/0002|00305|PEDRA BRANCA – EU trade mark|Trademark filing|BDA|MBA|2018-05-02||Open|English|
00305/0003|00305|Cachaça do Avô – pedido|Trademark filing|TCA|BDA|2023-03-13||Open|Portuguese|
00317/0001|00317|ZWETTLTAL – Markenpflege|Trademark filing|AHÖ||2015-01-12||Open|German|
00317/0002|00317|MÜHLENSTOLZ – Anmeldung Österreich|Trademark filing|AHÖ|KST|2018-02-26||Open|German|
00317/0003|00317|KORNBLUM'S BESTES – DE|Trademark filing|KST||2025-01-13||Open|German|Farbe klären
00317/0004|00317|Mahlwerk mit Kühlung – EP-Patent|Patent prosecution|AHÖ|JWE|2019-04-09||Open|German|
00402/0001|00402|LOOPFIELD – US portfolio|Trademark filing|MBA||2015-03-03||Open|English|
00402/0002|00402|LOOPFIELD – comparable UK mark|Trademark filing|OKO||2021-01-04||Open|English|
00402/0003|00402|<loop> – figurative, US|Trademark filing|OKO|PHW|2022-04-11||Open|English|Client writes it in angle brackets
00402/0004|00402|=SUM – word mark, US|Trademark filing|OKO||2024-09-24||Open|English|
00402/0005|00402|DOCKET, DONE. – use and renewal|Trademark filing|PHW|OKO|2020-07-20||Open|English|
00402/0006|00402|Scheduling of deadlines over time zones – PCT|Patent prosecution|MBA||2021-11-15||Open|English|
00417/0001|00417|SAINT-CYR – portefeuille France et UE|Trademark filing|ELB||2015-05-18||Open|French|
00417/0002|00417|Maison d'Été – dépôt|Trademark filing|ELB||2017-05-15||Open|French|
00417/0003|00417|L'Ourse « bleue » – dépôt et surveillance|Trademark filing|ELB|MBA|2023-08-28||Open|French|Client clé
00417/0004|00417|Sac « Corolle » – modèle communautaire|Design registration|ELB||2020-01-06|2025-01-06|Closed|French|
00433/0001|00433|TOMÉ – marcas em Portugal e no Brasil|Trademark filing|BDA|TCA|2015-09-21||Open|Portuguese|
00433/0002|00433|PASSO LEVE – oposição no INPI|Trademark opposition|TCA|BDA|2021-08-30||Open|Portuguese|Urgente
105120|00433|TOMÉ – cessão de 2009|Licence agreement|BDA||2009-02-16|2009-09-30|Closed|Portuguese|
00508/0001|00508|ØRSHOLM – DK og EU|Trademark filing|SVA||2015-02-02||Open|Danish|
00508/0002|00508|LADCYKLEN – indsigelse|Trademark opposition|SVA|JWE|2021-10-11||Open|Danish|Descriptive?
00508/0003|00508|ØRSHOLM VOLT – Madrid|Trademark filing|SVA|OKO|2023-01-30||Open|English|Priority claimed
00508/0004|00508|Frame with removable battery – EP|Patent prosecution|SVA||2022-06-07||Open|English|
00521/0001|00521|PFÄNDER – Stammakte|Trademark filing|JWE|KST|2015-01-07||Open|German|
00521/0002|00521|PFÄNDER GIPFELRUF – DE|Trademark filing|KST|JWE|2019-09-23||Open|German|
00521/0003|00521|GRATWANDERER – AT und EM|Trademark filing|AHÖ|JWE|2015-10-12||Open|German|AT verfallen lassen
00521/0004|00521|Draußen. Daheim. – Anmeldung|Trademark filing|KST||2024-02-22||Open|German|
00521/0005|00521|Lizenz an Bergsportschule Dornbirn|Licence agreement|JWE||2021-03-15||Open|German|
00560/0001|00560|YŪGEN / 幽玄 – EU trade marks|Trademark filing|MBA|PHW|2018-12-10||Open|English|
00560/0002|00560|YUGEN KILN – UK|Trademark filing|PHW||2022-07-25||Open|English|
00560/0003|00560|Glaze pattern "tide" – design|Design registration|PHW|MBA|2023-06-12||Open|English|
00614/0001|00614|SIERRA DEL SUR – cartera|Trademark filing|LNI|RFE|2015-03-23||Open|Spanish|
00614/0002|00614|ORO DE LA SIERRA – España y UE|Trademark filing|LNI||2021-07-12||Open|Spanish|
00614/0003|00614|AOVE Nº 1 – recurso de alzada|Trademark opposition|RFE|LNI|2023-10-16||Open|Spanish|
00639/0001|00639|WRENFIELD – house mark|Trademark filing|MBA|PHW|2015-01-05||Open|English|Key client
00639/0002|00639|LITTLE CARTOGRAPHER – UK and EU|Trademark filing|OKO|PHW|2023-10-30||Open|English|
00639/0003|00639|LITTLE CARTOGRAPHER – opposition EM|Trademark opposition|OKO|ELB; KST|2024-09-02||Open|English|
00639/0004|00639|Tick—Tock—Tortoise – US application|Trademark filing|PHW||2025-02-04||Open|English|
00702/0001|00702|MEDISOLVE – portfolio|Trademark filing|ELB|MBA|2015-10-05||Open|English|
00702/0002|00702|PNEUMOCLAIR 24/7 – opposition by Pneumaclar|Trademark opposition|ELB|JWE|2021-07-19||Open|English|
00702/0003|00702|RESPIRANTE – abandoned US application|Trademark filing|OKO||2015-10-12|2018-02-28|Closed|English|
00755/0001|00755|KOVÁŘOV – pivo, EM a DE|Trademark filing|AHÖ||2015-11-30||Open|German|
00771/0001|00771|LINDHAGA – EU and US|Trademark filing|SVA|OKO|2016-02-15||Open|English|
00771/0002|00771|sonic signature (4 notes) – sound mark|Trademark filing|SVA||2024-03-11||Open|English|First sound mark of the firm
00804/0001|00804|BORGO NUOVO – marchio UE|Trademark filing|ELB||2015-12-14||Open|Italian|
00826/0001|00826|SUNSHARE – refusal UK, opposition EM|Trademark opposition|MBA|OKO|2020-02-17||Open|English|
00849/0001|00849|CANTAFLUX – cartera|Trademark filing|RFE||2016-04-18||Open|Spanish|
00903/0001|00903|QALB – US, EU, Mexico|Trademark filing|OKO|BDA|2015-07-06||Open|English|
00931/0001|00931|MŁYN STARY – EU|Trademark filing|KST||2015-09-28||Open|German|
`

// matter is a line of the list.
type matter struct {
	number, client, name, kind, responsible, others, opened, closed, status, language, remarks string
}

func matters() []matter {
	var list []matter
	for _, c := range records(matterList) {
		list = append(list, matter{c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9], c[10]})
	}
	return list
}

// mistaken changes the list by what real exports get wrong: nobody corrected it before it was printed.
func mistaken(list []matter) []matter {
	at := map[string]*matter{}
	for i := range list {
		at[list[i].number] = &list[i]
	}
	at["00112/0005"].responsible = "PWH"                        // initials turned round: nobody has them
	at["00203/0005"].name = ""                                  // no name
	at["00317/0004"].kind = "Patent prosecutoin"                // typed by hand
	at["00402/0006"].responsible = ""                           // left the firm, nobody took over
	at["00402/0002"].number = "00402/0001"                      // number given twice
	at["00433/0002"].others = "BDA; MBÁ"                        // an accent too many, which is found all the same
	at["00241/0004"].closed = "31/11/2024"                      // no such day
	at["00560/0003"].client = "00561"                           // no such client
	at["00771/0002"].responsible = "#N/A"                       // formula that found nobody
	at["00826/0001"].client = "00950"                           // the holding, which is no agent
	at["00118/0002"].responsible = "SVA "                       // trailing blank
	at["00639/0002"].name = "LITTLE CARTOGRAPHER – UK and EU  " // trailing blanks
	at["00804/0001"].number = "00804/0001 "
	return list
}
