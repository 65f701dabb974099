package mapping

import (
	"slices"
	"strings"
	"unicode"

	"docketsync/mapping/table"
)

// What registries and firms write for a registered mark in English, Spanish, French, German, Italian and Portuguese, folded.
// Whole words: "Enregistrement en cours" is no registration yet.
var (
	registeredWords = strings.Fields("registered registrado registrada registrados registradas enregistre enregistree enregistres enregistrees " +
		"eingetragen eingetragene registriert registrierte registrato registrata registrati registrate registado registada registados registadas " +
		"concedido concedida")
	// nounsOfMarks stand before them: "Marca registrada", "Live/Registered", "Registro concedido".
	nounsOfMarks = strings.Fields("mark marks trademark trademarks trade tm live active marca marcas marque marques marke wortmarke bildmarke marchio marchi " +
		"registro registo la le el il a o die der")
)

// registered tells whether a status says that the mark is registered. Its first word decides, after those for the mark
// itself: "Nicht eingetragen" and "Opposition, registered 2014" do not.
func registered(status string) bool {
	for word := range strings.FieldsFuncSeq(table.Fold(status), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if !slices.Contains(nounsOfMarks, word) {
			return slices.Contains(registeredWords, word)
		}
	}
	return false
}
