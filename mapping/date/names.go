package date

import "docketsync/mapping/table"

// monthNames gives the month of a folded name or abbreviation in English, Spanish, French, German, Italian and
// Portuguese. No word means one month in one of them and another in another.
var monthNames = numbersOf([][]string{
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

func numbersOf(names [][]string) map[string]int {
	table := map[string]int{}
	for n, words := range names {
		for _, word := range words {
			table[word] = n + 1
		}
	}
	return table
}

// monthOf returns the month a word names, 0 for none.
func monthOf(word string) int { return numberOf(monthNames, word) }

func numberOf(names map[string]int, word string) int {
	if n, ok := names[word]; ok {
		return n
	}
	if len(word) > 16 {
		return 0
	}
	return names[table.Fold(word)]
}

// weekdays gives the day of the week, Sunday being 1, of folded names and abbreviations in the languages of monthNames. "mar" may be a
// month too; what it is in a date is told by the other words in it. Those of the last line are
// Sunday in one language and another day in the next, so that they contradict no date.
var weekdays = numbersOf([][]string{
	{"sunday", "sun", "domingo", "dom", "dimanche", "dim", "sonntag", "domenica"},
	{"monday", "mon", "lunes", "lun", "lundi", "montag", "mo", "lunedi", "segunda", "seg"},
	{"tuesday", "tue", "tues", "martes", "mar", "mardi", "dienstag", "martedi", "terca", "ter"},
	{"wednesday", "wed", "miercoles", "mie", "mier", "mercredi", "mer", "mittwoch", "mi", "mercoledi", "quarta", "qua"},
	{"thursday", "thu", "thur", "thurs", "jueves", "jue", "jeudi", "jeu", "donnerstag", "giovedi", "gio", "quinta", "qui"},
	{"friday", "fri", "viernes", "vie", "vendredi", "ven", "freitag", "fr", "venerdi", "sexta", "sex"},
	{"saturday", "sat", "sabado", "sab", "samedi", "sam", "samstag", "sa", "sonnabend"},
	{"do", "di", "so"},
})
