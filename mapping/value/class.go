package value

import (
	"regexp"
	"strconv"
	"strings"

	"docketsync/mapping/table"
)

// classWords are the words that stand before the number of a class in exports.
var classWords = map[string]bool{"": true, "class": true, "classes": true, "cl": true, "ic": true, "int": true, "intcl": true, "nice": true,
	"niceclass": true, "intclass": true, "internationalclass": true, "clase": true, "classe": true, "klasse": true, "kl": true, "tmcl": true}

// ClassNumber reads a class: "9", "009", "Class 9", "IC 035", "Klasse 9", "Cl. 9".
func ClassNumber(text string) (int, bool) {
	end := len(text)
	for end > 0 && (text[end-1] == '.' || text[end-1] == ' ') {
		end--
	}
	start := end
	for start > 0 && text[start-1] >= '0' && text[start-1] <= '9' {
		start--
	}
	if start == end || end-start > 4 {
		return 0, false
	}
	if word := strings.TrimRight(text[:start], " .:#-"); word != "" && !classWords[strings.ReplaceAll(table.FoldName(word), " ", "")] {
		return 0, false
	}
	number, err := strconv.Atoi(text[start:end])
	return number, err == nil
}

// oldClasses is the schedule that the United States used until 1973 and still print beside the Nice classes: 1 to 52 for
// goods, 100 to 107 for services, A and B for certification marks, 200 for collective marks. Its numbers up to 45 mean other things
// than the Nice classes do, so only those marked as American are told apart.
var oldClasses = regexp.MustCompile(`^(?:us (?:class |classes |cl )?0*[1-9][0-9]*|(?:us )?(?:class |classes |cl )?0*(?:a|b|4[6-9]|5[0-2]|10[0-7]|200))$`)

func IsOldClass(text string) bool {
	words := strings.FieldsFunc(table.Fold(text), func(r rune) bool { return r == ' ' || r == '.' || r == '-' || r == ':' || r == '#' })
	folded := strings.Join(words, " ")
	return oldClasses.MatchString(strings.Replace(folded, "u s", "us", 1))
}
