package date

import "docketsync/mapping/table"

// monthNames maps a folded name or abbreviation to its month, in English, Spanish, French, German, Italian and
// Portuguese. No word means different months in different languages.
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

// monthOf returns the month that a word names, or 0.
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

// weekdays maps folded names and abbreviations to the day of the week, with Sunday as 1, in the languages of
// monthNames. "mar" may also be a month; the other words of a date show which it is. The words of the last line are
// Sunday in one language and another day in another, so they contradict no date.
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
