package value

import (
	"fmt"
	"strings"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// Booleans are the words of one field for yes and no, folded.
type Booleans map[string]bool

// usualBooleans are understood without being declared: English, Spanish, French, German, Italian, Portuguese, and what
// spreadsheets and databases write. Letters that mean one thing in one language and another elsewhere are left out.
var usualBooleans = NewBooleans(
	[]string{"true", "yes", "y", "1", "x", "on", "t", "✓", "✔", "☑", "si", "s", "verdadero", "oui", "vrai", "ja", "j", "wahr", "vero", "sim", "verdadeiro"},
	[]string{"false", "no", "n", "0", "off", "f", "☐", "✗", "✘", "falso", "non", "faux", "nein", "falsch", "nao"})

func NewBooleans(yes, no []string) Booleans {
	words := Booleans{}
	for _, word := range yes {
		words[table.Fold(word)] = true
	}
	for _, word := range no {
		words[table.Fold(word)] = false
	}
	return words
}

// Read tells what a word means. Words the mapping lists itself come before the usual ones.
func (b Booleans) Read(text string) (value, known bool) {
	if value, known = b[text]; known {
		return value, true
	}
	if value, known = usualBooleans[text]; known && b == nil {
		return value, true
	}
	folded := table.Fold(text)
	if value, known = b[folded]; known {
		return value, true
	}
	value, known = usualBooleans[folded]
	return value, known
}

func UnknownBoolean(text string) *reason.Problem {
	return reason.New(reason.Boolean, fmt.Sprintf("%s is not mapped to yes or no", reason.Quote(text)),
		"Add it to yes: or no: of the field, or give the field values:, such as values: {"+strings.TrimSpace(reason.Clip(text, 30))+": no}.")

}
