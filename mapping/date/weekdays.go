package date

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
