package mapping

import (
	"strconv"
	"strings"
)

// classWords are the words that stand before the number of a class in exports.
var classWords = map[string]bool{"": true, "class": true, "classes": true, "cl": true, "ic": true, "int": true, "intcl": true, "nice": true,
	"niceclass": true, "intclass": true, "internationalclass": true, "clase": true, "classe": true, "klasse": true, "kl": true, "tmcl": true}

// classNumber reads a class: "9", "009", "Class 9", "IC 035", "Klasse 9", "Cl. 9".
func classNumber(text string) (int, bool) {
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
	if word := strings.TrimRight(text[:start], " .:#-"); word != "" && !classWords[strings.ReplaceAll(FoldName(word), " ", "")] {
		return 0, false
	}
	number, err := strconv.Atoi(text[start:end])
	return number, err == nil
}
