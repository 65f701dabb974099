package date

import "docketsync/mapping/table"

// monthNames gives the month of a folded name or abbreviation in English, Spanish, French, German, Italian and
// Portuguese. No word means one month in one of them and another in another.
var monthNames = monthTable([12][]string{
	{"january", "jan", "enero", "ene", "janvier", "janv", "januar", "jaenner", "janner", "gennaio", "gen", "genn", "janeiro"},
	{"february", "feb", "febr", "febrero", "fevrier", "fevr", "fev", "februar", "feber", "febbraio", "febb", "fevereiro"},
	{"march", "mar", "marzo", "mzo", "mars", "marz", "maerz", "mrz", "marco"},
	{"april", "apr", "abril", "abr", "avril", "avr", "aprile"},
	{"may", "mayo", "mai", "maggio", "mag", "magg", "maio"},
	{"june", "jun", "junio", "juin", "juni", "giugno", "giu", "junho"},
	{"july", "jul", "julio", "juillet", "juil", "juli", "luglio", "lug", "julho"},
	{"august", "aug", "agosto", "ago", "aout", "aou", "agos"},
	{"september", "sep", "sept", "septiembre", "setiembre", "septembre", "settembre", "sett", "set", "setembro"},
	{"october", "oct", "octubre", "octobre", "oktober", "okt", "ottobre", "ott", "outubro", "out"},
	{"november", "nov", "noviembre", "novembre", "novembro"},
	{"december", "dec", "diciembre", "dic", "decembre", "dezember", "dez", "dicembre", "dezembro"},
})

func monthTable(names [12][]string) map[string]int {
	table := map[string]int{}
	for month, words := range names {
		for _, word := range words {
			table[word] = month + 1
		}
	}
	return table
}

// monthOf returns the month a word names, 0 for none.
func monthOf(word string) int {
	if month, ok := monthNames[word]; ok {
		return month
	}
	if len(word) > 16 {
		return 0
	}
	return monthNames[table.Fold(word)]
}

// weekdays are the folded names and abbreviations of the days of the week in the languages of monthNames. "mar" may be a
// month too; what it is in a date is told by the other words in it.
var weekdays = wordSet(
	"monday", "mon", "tuesday", "tue", "tues", "wednesday", "wed", "thursday", "thu", "thur", "thurs", "friday", "fri",
	"saturday", "sat", "sunday", "sun",
	"lunes", "lun", "martes", "mar", "miercoles", "mie", "mier", "jueves", "jue", "viernes", "vie", "sabado", "sab", "domingo", "dom",
	"lundi", "mardi", "mercredi", "mer", "jeudi", "jeu", "vendredi", "ven", "samedi", "sam", "dimanche", "dim",
	"montag", "mo", "dienstag", "di", "mittwoch", "mi", "donnerstag", "do", "freitag", "fr", "samstag", "sa", "sonnabend", "sonntag", "so",
	"lunedi", "martedi", "mercoledi", "giovedi", "gio", "venerdi", "domenica",
	"segunda", "seg", "terca", "ter", "quarta", "qua", "quinta", "qui", "sexta", "sex",
)

func wordSet(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, word := range words {
		set[word] = true
	}
	return set
}
