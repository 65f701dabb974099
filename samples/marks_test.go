package samples_test

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// mark is a trademark of the firm's docket.
type mark struct {
	ref, client, text, office, kind, language, status string
	classes                                           []int
	filed                                             time.Time
	index                                             int
}

// docketed are the marks of the London docket: client, mark, office, kind, classes, language, day of filing, status.
const docketed = `
00112|ASHCOMBE|GB|W|30 35 43|en|1998-04-21|Registered
00112|ASHCOMBE|EM|W|30 35 43|en|2004-05-11|Registered
00112|ASHCOMBE GOLDEN HOUR|GB|C|30|en|2019-02-04|Registered
00112|ASHCOMBE GOLDEN HOUR|US|W|30|en|2019-08-05|Pending
00112|THE KETTLE KNOWS|GB|W|30 21|en|2021-11-30|Opposed
00112|ASHCOMBE LEAF (device)|EM|F|21 30|en|2016-09-12|Registered
00112|O'CLOCK TEA|GB|W|30|en|2024-06-17|Pending
00118|NORVIK|EM|W|29|en|2012-01-31|Registered
00118|NORVIK|DK|W|29|da|2011-10-03|Registered
00118|FJORDGULL|EM|C|29 35|en|2022-03-14|Published
00118|FJORDGULL|WO|C|29|en|2022-09-08|Registered
00203|RÜHMANN|DE|W|3 44|de|1987-07-01|Registered
00203|RÜHMANN BLÜTENKRAFT|DE|W|3|de|2014-02-28|Registered
00203|RÜHMANN BLÜTENKRAFT|EM|W|3 5|de|2014-08-25|Registered
00203|hautnah & ehrlich|DE|C|3 35|de|2023-05-09|Pending
00203|ALMSEIFE|AT|W|3|de|2020-10-19|Registered
00317|ZWETTLTAL|AT|C|30 31 40|de|1979-12-06|Registered
00317|ZWETTLTAL|EM|C|30 31|de|2001-06-18|Registered
00317|MÜHLENSTOLZ|AT|W|30|de|2018-03-05|Registered
00317|KORNBLUM'S BESTES|DE|W|30|de|2025-01-20|Pending
00402|LOOPFIELD|US|W|9 42|en|2013-06-11|Registered
00402|LOOPFIELD|EM|W|9 42|en|2013-12-09|Registered
00402|LOOPFIELD|GB|W|9 42|en|2021-01-01|Registered
00402|<loop>|US|C|9 42|en|2022-04-18|Pending
00402|=SUM|US|W|9|en|2024-10-02|Pending
00402|DOCKET, DONE.|US|W|9 45|en|2020-07-27|Registered
00417|SAINT-CYR|FR|W|14 18 25|fr|1994-11-15|Registered
00417|SAINT-CYR|EM|W|18 25|fr|2003-02-10|Registered
00417|Maison d'Été|FR|C|20 25|fr|2017-05-22|Registered
00417|L'Ourse « bleue »|FR|F|25 35|fr|2023-09-04|Published
00508|ØRSHOLM|DK|W|12|da|2005-03-29|Registered
00508|ØRSHOLM|EM|W|12 37|en|2007-11-26|Registered
00508|LADCYKLEN|DK|C|12 35 37|da|2021-06-15|Opposed
00508|ØRSHOLM VOLT|WO|W|12|en|2023-02-07|Registered
00508|ØRSHOLM VOLT|US|W|12|en|2023-02-07|Pending
00521|PFÄNDER|DE|W|18 25|de|1969-05-02|Registered
00521|PFÄNDER|WO|W|18 25|de|1995-10-17|Registered
00521|PFÄNDER GIPFELRUF|DE|W|18 25 28|de|2019-09-30|Registered
00521|GRATWANDERER|AT|W|18 25|de|2011-04-11|Lapsed
00521|GRATWANDERER|EM|W|18 25 41|de|2015-10-20|Registered
00521|Draußen. Daheim.|DE|W|25 35|de|2024-02-29|Pending
00560|YŪGEN|EM|W|21|en|2018-12-18|Registered
00560|幽玄|EM|F|21|en|2018-12-18|Registered
00560|YŪGEN|US|W|21|en|2019-03-26|Registered
00560|YUGEN KILN|GB|W|21 20|en|2022-08-01|Published
00639|WRENFIELD|GB|W|28|en|1962-01-15|Registered
00639|WRENFIELD|EM|W|28 16|en|1996-04-01|Registered
00639|WRENFIELD|US|W|28|en|1999-09-09|Registered
00639|LITTLE CARTOGRAPHER|GB|C|28 16 41|en|2023-11-06|Registered
00639|LITTLE CARTOGRAPHER|EM|C|28 16 41|en|2024-05-03|Opposed
00639|WREN & WREN|GB|W|28|en|2020-12-21|Registered
00639|Tick—Tock—Tortoise|US|W|28|en|2025-02-11|Pending
00702|MEDISOLVE|EM|W|5 44|en|2006-07-03|Registered
00702|MEDISOLVE|GB|W|5 44|en|2021-01-01|Registered
00702|RESPIRANTE|EM|W|5|en|2015-04-27|Registered
00702|RESPIRANTE|US|W|5|en|2015-10-19|Abandoned
00702|PNEUMOCLAIR 24/7|EM|W|5|en|2021-03-08|Opposed
00755|KOVÁŘOV|EM|C|32 43|en|2009-06-22|Registered
00755|KOVÁŘOV|DE|C|32|de|2008-12-01|Registered
00755|Starý Mlýn 1868|EM|F|32|en|2017-10-16|Registered
00771|LINDHAGA|EM|W|9|en|2002-02-12|Registered
00771|LINDHAGA|US|W|9|en|2002-08-12|Registered
00771|LINDHAGA TYST|EM|W|9 42|en|2022-11-21|Registered
00771|LINDHAGA TYST|WO|W|9|en|2023-05-19|Registered
00771|sonic signature (4 notes)|EM|S|9|en|2024-03-18|Published
00804|BORGO NUOVO|EM|C|29 30 43|it|2010-05-31|Registered
00804|Borgo Nuovo «da Piero»|EM|C|30 43|it|2021-09-27|Registered
00804|BORGO NUOVO|GB|C|30 43|en|2021-01-01|Registered
00826|SOLVANE|GB|W|37 39 40|en|2017-01-09|Registered
00826|SOLVANE|EM|W|37 39 40|en|2017-07-05|Registered
00826|SUNSHARE|GB|C|36 39|en|2020-02-24|Refused
00826|SUNSHARE|EM|C|36 39 40|en|2020-08-20|Opposed
00826|KILOWATT HOUR CLUB|GB|W|35 39 41|en|2025-03-04|Pending
00903|QALB|US|C|11 30 43|en|2014-02-14|Registered
00903|QALB|EM|C|11 30 43|en|2014-08-13|Registered
00903|قلب|US|F|30|en|2016-06-06|Registered
00903|SLOW DAWN|US|W|30|en|2021-05-17|Registered
00903|SLOW DAWN|GB|W|30|en|2021-11-12|Registered
00931|MŁYN STARY|EM|C|30 31|en|2011-03-28|Registered
00931|ŻYTNI KRĄG|EM|W|30|en|2023-07-10|Published
00241|PEÑALARA|EM|W|33|es|1999-02-22|Registered
00241|PEÑALARA 12 LUNAS|EM|C|33 35|es|2016-11-07|Registered
00614|SIERRA DEL SUR|EM|C|29 35|es|2008-09-15|Registered
00614|ORO DE LA SIERRA|EM|W|29|es|2022-01-17|Registered
00849|CANTAFLUX|EM|W|5|es|2013-03-04|Registered
00849|CANTAFLUX|GB|W|5|en|2021-01-01|Registered
00305|PEDRA BRANCA|EM|C|32|en|2018-05-14|Registered
00433|TOMÉ|EM|W|18 25|en|2005-10-24|Registered
`

// iberian are the marks of the Madrid and São Paulo lists, kept with one line for each class.
const iberian = `
00241|PEÑALARA|ES|W|33|es|1985-03-18|Registrada
00241|PEÑALARA 12 LUNAS|ES|C|33 35|es|2016-05-06|Registrada
00241|El Sendero de Hijos|ES|W|33 41|es|2021-04-12|Registrada
00241|VIÑA CUESTALARGA|ES|F|33 35 43|es|2024-09-23|En trámite
00614|SIERRA DEL SUR|ES|C|29 35|es|2008-03-10|Registrada
00614|ORO DE LA SIERRA|ES|W|29|es|2021-07-19|Registrada
00614|AOVE Nº 1|ES|W|29 30 35|es|2023-02-13|Denegada
00849|CANTAFLUX|ES|W|5|es|2012-09-03|Registrada
00849|CANTAFLUX NIÑOS|ES|W|5|es|2019-01-28|Registrada
00849|BRISA NORTE|ES|C|3 5 44|es|2022-06-27|Opuesta
00305|PEDRA BRANCA|BR|C|32 43|pt|1997-08-11|Registrada
00305|PEDRA BRANCA PURO MALTE|BR|C|32|pt|2019-10-07|Registrada
00305|Cachaça do Avô|BR|W|33|pt|2023-03-20|En trámite
00433|TOMÉ|PT|W|18 25|pt|1991-06-04|Registrada
00433|TOMÉ & IRMÃOS|BR|C|18 25 35|pt|2014-02-17|Registrada
00433|PASSO LEVE|PT|W|25|pt|2020-11-16|Registrada
00433|PASSO LEVE|BR|W|25 35|pt|2021-05-10|Opuesta
00903|QALB|MX|C|30 43|es|2022-10-24|En trámite
`

// marksOf reads a table of marks; refs are the prefix and a number of four digits.
func marksOf(table, prefix string) []mark {
	var marks []mark
	for i, cells := range records(table) {
		filed, err := time.Parse(time.DateOnly, cells[6])
		if err != nil {
			panic(err)
		}
		m := mark{
			ref: fmt.Sprintf("%s%04d", prefix, 17+i*3), client: cells[0], text: cells[1], office: cells[2], kind: cells[3],
			language: cells[5], status: cells[7], filed: filed, index: i,
		}
		for class := range strings.FieldsSeq(cells[4]) {
			n, err := strconv.Atoi(class)
			if err != nil {
				panic(err)
			}
			m.classes = append(m.classes, n)
		}
		marks = append(marks, m)
	}
	return marks
}

func londonMarks() []mark  { return marksOf(docketed, "TM-") }
func iberianMarks() []mark { return marksOf(iberian, "M-") }

// number is an application number in the form of the mark's office.
func (m mark) number() string {
	n := 100_000 + (m.index*7919+m.filed.Year()*13)%899_999
	switch m.office {
	case "EM":
		return fmt.Sprintf("0%08d", 1_000_000+n*17)
	case "GB":
		return fmt.Sprintf("UK000%08d", 2_100_000+n)
	case "US":
		return fmt.Sprintf("%d/%03d,%03d", 74+(m.filed.Year()-1990)/2, n/1000, n%1000)
	case "DE":
		return fmt.Sprintf("30 %d %03d %03d", m.filed.Year(), n/1000, n%1000)
	case "ES":
		return fmt.Sprintf("M%07d", 2_900_000+n)
	case "BR":
		return strconv.Itoa(910_000_000 + n)
	case "FR":
		return fmt.Sprintf("%07d", 94_00000+n)
	case "AT":
		return fmt.Sprintf("AM %d/%d", n/10, m.filed.Year())
	case "DK":
		return fmt.Sprintf("VA %d %05d", m.filed.Year(), n/10)
	}
	return strconv.Itoa(600_000 + n)
}

func (m mark) registered() bool {
	return m.status == "Registered" || m.status == "Registrada" || m.status == "Lapsed"
}

// registration is the number and day of registration; both are empty for a mark that is not registered.
func (m mark) registration() (string, time.Time) {
	if !m.registered() {
		return "", time.Time{}
	}
	number := strings.TrimPrefix(strings.TrimPrefix(m.number(), "UK000"), "M")
	switch m.office {
	case "US":
		number = fmt.Sprintf("%07d", 987_654+m.index*1013)
	case "DE":
		number = strings.ReplaceAll(number, " ", "")
	case "AT":
		number = strconv.Itoa(180_000 + m.index*31)
	}
	return number, m.filed.AddDate(0, 7+m.index%8, 3+m.index%11)
}

// published is the day of publication, which an application reaches when it is examined.
func (m mark) published() time.Time {
	if m.status == "Pending" || m.status == "En trámite" || m.status == "Refused" {
		return time.Time{}
	}
	return m.filed.AddDate(0, 3+m.index%3, m.index%13)
}

// expiry is ten years after filing, as often as it was renewed.
func (m mark) expiry() time.Time {
	if !m.registered() {
		return time.Time{}
	}
	end := m.filed.AddDate(10, 0, 0)
	for m.status != "Lapsed" && end.Year() < 2026 {
		end = end.AddDate(10, 0, 0)
	}
	return end
}

// statusDate is the day of the last event.
func (m mark) statusDate() time.Time {
	if _, day := m.registration(); !day.IsZero() && m.status != "Lapsed" {
		return day
	}
	if m.status == "Lapsed" {
		return m.expiry()
	}
	return m.filed.AddDate(0, 5+m.index%4, m.index%19)
}
