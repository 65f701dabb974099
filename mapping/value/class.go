package value

import (
	"regexp"
	"strconv"
	"strings"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// classWords are the words that exports write before a class number.
var classWords = table.Words("class classes cl ic int intcl nice niceclass intclass internationalclass clase classe klasse kl tmcl")

// ClassNumber reads a class: "9", "009", "Class 9", "IC 035", "Klasse 9", "Cl. 9".
func ClassNumber(text string) (int, bool) {
	text = strings.TrimRight(text, ". ")
	before := strings.TrimRight(text, "0123456789")
	digits := text[len(before):]
	if digits == "" || len(digits) > 4 {
		return 0, false
	}
	if word := strings.TrimRight(before, " .:#-"); word != "" {
		if folded := strings.ReplaceAll(table.FoldName(word), " ", ""); folded != "" && !classWords[folded] {
			return 0, false
		}
	}
	number, err := strconv.Atoi(digits)
	return number, err == nil
}

// oldClasses matches the schedule that the United States used until 1973 and still print beside the Nice classes: 1 to
// 52 for goods, 100 to 107 for services, A and B for certification marks, 200 for collective marks. Its numbers up to
// 45 mean other things than the Nice classes, so they match only if they are marked as American.
var oldClasses = regexp.MustCompile(`^(?:us (?:class |classes |cl )?0*[1-9][0-9]*|(?:us )?(?:class |classes |cl )?0*(?:a|b|4[6-9]|5[0-2]|10[0-7]|200))$`)

func IsOldClass(text string) bool {
	words := strings.FieldsFunc(table.Fold(text), func(r rune) bool { return r == ' ' || r == '.' || r == '-' || r == ':' || r == '#' })
	folded := strings.Join(words, " ")
	return oldClasses.MatchString(strings.Replace(folded, "u s", "us", 1))
}

// classedText is one entry of a cell.
type classedText struct {
	Class, Text string
	spaced      bool // a space follows the class and its separator
}

// SplitGoods splits a cell of classes and goods. An entry begins only at a class; a piece between two separators
// without a class belongs to the text before it, so semicolons within the goods stay.
func SplitGoods(text, entries, class string) ([]classedText, *reason.Problem) {
	var found []classedText
	for i, piece := range strings.Split(text, entries) {
		before, after, separated := strings.Cut(piece, class)
		name := table.Trim(before)
		_, isClass := ClassNumber(name)
		isClass = isClass || name == "A" || name == "B"
		switch {
		case table.Trim(piece) == "":
		case separated && isClass && len(found) > 0 && !strings.HasSuffix(before, " ") && isMeasure(found[0], class, after):
			return nil, reason.New(reason.GoodsMeasure, table.Trim(piece), found[len(found)-1].Class, name, class)
		case separated && (isClass || i == 0 && name != ""):
			found = append(found, classedText{name, table.Trim(after), strings.HasPrefix(after, " ")})
			piece = after
		case isClass && !separated:
			found = append(found, classedText{Class: name})
		case len(found) > 0 && found[len(found)-1].Text != "":
			found[len(found)-1].Text += entries + strings.TrimRight(piece, " \t\r\n")
		default:
			return nil, reason.New(reason.Goods, table.Trim(piece), class, entries)
		}
		if hidden := hiddenClass(piece); hidden != "" && len(found) > 0 && found[len(found)-1].Text != "" {
			return nil, reason.New(reason.GoodsInside, hidden, found[len(found)-1].Class, entries)
		}
	}
	return found, bareClass(found, class)
}

// measure matches what may follow a number and a hyphen in a measure.
var measure = regexp.MustCompile(`^(?:volt|watt|amp|ohm|bit|byte|pin|core|inch|foot|feet|yard|mile|mm|cm|ounce|pound|gallon|litre|liter|gram|kilo|second|minute|hour|day|week|month|year|` +
	`piece|pack|part|page|ply|way|wheel|door|seat|person|man|player|point|speed|stroke|cylinder|channel|color|colour|sided|dimension|in-)`)

// isMeasure reports whether a class, its separator and what follows may be part of the goods: the ratio 16:9, 2.5
// litres, or 12-volt.
func isMeasure(first classedText, class, after string) bool {
	if after == "" || strings.HasSuffix(class, " ") {
		return false
	}
	lower := class == "-" && after[0] >= 'a' && after[0] <= 'z'
	return after[0] >= '0' && after[0] <= '9' || lower && (first.spaced || measure.MatchString(after))
}

// classInside finds the beginning of an entry inside the text of another, which means that the cell uses a separator
// that the mapping does not set. The colon of 3:1 or 10:30 does not match.
var classInside = regexp.MustCompile(`(?:^|[\s;、,|/()\[\]*#]|\pL\.)` + niceNumber + `\s?:(?:[^0-9]|$)`)

// classFirst finds a class at the beginning of a piece, in another form than split: names: "35 - b", "35) b", "35. b",
// "(35) b". Goods that begin with a number (35 mm cameras, 24-hour banking, 2.5 litres, 12 - 24 V) have no such sign
// after it.
var classFirst = regexp.MustCompile(`^[\s*#(\[]*` + niceNumber + `\s?(?:[)\]]|[.:](?:[^0-9]|$)|\s[-–—]\s*(?:[^\s0-9]|$))`)

// wordFirst finds a word with a number at the beginning of a piece.
var wordFirst = regexp.MustCompile(`^[\s*#(\[]*(\pL[^0-9]{0,24}[0-9]{1,3})(?:[^\pL0-9]|$)`)

const niceNumber = `(0{0,2}[1-9]|0?[1-3][0-9]|0?4[0-5])`

// hiddenClass returns what looks like the beginning of another entry within the goods of one, or "".
func hiddenClass(text string) string {
	text = strings.Map(narrow, text)
	if inside := classInside.FindStringSubmatch(text); inside != nil {
		return inside[1]
	}
	for piece := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(";、|\r\n", r) }) {
		if first := classFirst.FindStringSubmatch(piece); first != nil {
			return first[1]
		}
		if first := wordFirst.FindStringSubmatch(piece); first != nil {
			if n, is := ClassNumber(first[1]); is && n >= 1 && n <= 45 {
				return first[1]
			}
		}
	}
	return ""
}

// OwnClass returns the class that goods begin with, as the goods of a whole mark do ("9: software; 35: ads"), or "".
func OwnClass(goods string) string {
	before, after, found := strings.Cut(strings.Map(narrow, goods), ":")
	class := strings.Trim(before, " \t\r\n*#()[]")
	if number, ok := ClassNumber(class); !found || !ok || number < 1 || number > 45 || after != "" && after[0] >= '0' && after[0] <= '9' {
		return ""
	}
	return class
}

// narrow replaces the full-width signs and digits of East Asian texts with plain ones.
func narrow(r rune) rune {
	if r >= '！' && r <= '～' {
		return r - '！' + '!'
	}
	return r
}

// bareClass reports a class without text among others that have text: a number within the goods looks the same.
func bareClass(found []classedText, class string) *reason.Problem {
	bare, full := "", false
	for _, e := range found {
		if e.Text == "" {
			bare = e.Class
		}
		full = full || e.Text != ""
	}
	if bare == "" || !full {
		return nil
	}
	return reason.New(reason.GoodsBare, bare, class)
}
