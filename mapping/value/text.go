package value

import (
	"fmt"
	"net/url"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// CheckText refuses invalid UTF-8 and the character NUL, which no database accepts.
func CheckText(text string) *reason.Problem {
	if strings.IndexByte(text, 0) >= 0 {
		return reason.New(reason.TextNUL)
	}
	if utf8.ValidString(text) {
		return nil
	}
	return reason.New(reason.TextInvalid)
}

// CheckURL refuses what is not a web address.
func CheckURL(text string) *reason.Problem {
	if u, err := url.Parse(text); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return reason.New(reason.URL, text)
	}
	return nil
}

// Truncate keeps at most most characters. It does not separate a letter from its accents, and leaves no space at the
// end.
func Truncate(text string, most int) string {
	end, count, safe := 0, 0, 0
	for i, r := range text {
		if !unicode.In(r, unicode.Mn, unicode.Me) && r != '\u200d' && r != '\ufe0f' {
			safe = i
		}
		if count == most {
			end = safe
			break
		}
		count++
	}
	return strings.TrimRightFunc(text[:end], unicode.IsSpace)
}

// Blanks are texts that mean an empty cell.
type Blanks struct {
	folded  map[string]bool
	longest int
}

// NewBlanks makes Blanks from a list; it returns nil for an empty list.
func NewBlanks(list []string) *Blanks {
	if len(list) == 0 {
		return nil
	}
	set := &Blanks{folded: map[string]bool{}}
	for _, text := range list {
		folded := table.Fold(text)
		set.folded[folded] = true
		set.longest = max(set.longest, len(folded))
	}
	return set
}

// Has reports whether a text means an empty cell. Folding shortens a text to a quarter of its length at most, so longer
// texts need no folding.
func (b *Blanks) Has(text string) bool {
	return b != nil && len(text) <= 4*b.longest+8 && b.folded[table.Fold(text)]
}

// Booleans are one field's words for yes and no, folded.
type Booleans map[string]bool

// usualBooleans are understood without being declared: words of English, Spanish, French, German, Italian and
// Portuguese, and what spreadsheets and databases write. Letters that mean different things in different languages are
// left out.
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

// Read says what a word means. Words that the mapping lists take precedence over the usual ones.
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
	return reason.New(reason.Boolean, text, strings.TrimSpace(reason.Clip(text, 30)))
}

// GUID normalizes a GUID to 36 lower-case characters. It accepts braces, urn:uuid: and 32 digits without hyphens, and
// rejects the GUID of all zeros, which identifies nothing.
func GUID(text string) (string, bool) {
	id, err := uuid.Parse(text)
	if err != nil || id == uuid.Nil {
		return "", false
	}
	if len(text) == 36 { // the usual form
		return strings.ToLower(text), true
	}
	return id.String(), true
}

// NoGUID says why GUID rejects a text.
func NoGUID(text string) *reason.Problem {
	if id, err := uuid.Parse(text); err == nil && id == uuid.Nil {
		return reason.New(reason.GUIDZero, text)
	}
	return reason.New(reason.GUID, text)
}

// Pattern is a regular expression that a text must match as a whole.
type Pattern struct {
	text    string
	matcher *regexp.Regexp
}

// ParsePattern reads a regular expression. message says what is wrong with it, or is ""; hint says what to do.
func ParsePattern(text string) (_ *Pattern, message, hint string) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		_, reason, _ := strings.Cut(err.Error(), "error parsing regexp: ")
		return nil, "invalid regular expression: " + reason, `put it in single quotes, such as '\d{4}-\d+'`
	}
	if large := TooLarge(tree); large != "" {
		return nil, large, TooLargeHint
	}
	return &Pattern{text, regexp.MustCompile(`^(?:` + text + `)$`)}, "", ""
}

// maxSteps is the maximum size of a pattern: at each character of a text all of its steps may have to be tried.
const maxSteps = 2_500

const TooLargeHint = "use fewer repeats; max: limits the length of a text"

// TooLarge says that a regular expression is too large, or returns "".
func TooLarge(re *syntax.Regexp) string {
	if n := steps(re); n > maxSteps {
		return fmt.Sprintf("the pattern has %d steps with its repeats expanded; the maximum is %d", n, maxSteps)
	}
	return ""
}

// steps counts the steps of a regular expression with its repeats expanded.
func steps(re *syntax.Regexp) int {
	n := 1
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, part := range re.Sub {
		n += steps(part)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return n
}

// maxMatched is the capacity of a spreadsheet cell; a text that a mapping joins may be longer.
const maxMatched = 32_767

// Check says why a text does not match as a whole, or returns nil if it does.
func (p *Pattern) Check(text string) *reason.Problem {
	if p == nil {
		return nil
	}
	if n := utf8.RuneCountInString(text); n > maxMatched {
		return reason.New(reason.PatternLong, n, maxMatched)
	}
	if p.matcher.MatchString(text) {
		return nil
	}
	return reason.New(reason.Pattern, text, p.text)
}
