package expr

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"docketsync/mapping/date"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// function is a function that expressions may call besides the operators of the language and the allowed builtins.
type function struct {
	name  string
	types []any
	call  func(s *Scope, p []any) (any, error)
}

type (
	text1 = func(string) string
	text2 = func(string, string) string
	text3 = func(string, string, string) string
	cut   = func(string, int) string
)

// functions are in the order of the reference in doc.go.
var functions = []function{
	{"join", []any{new(func([]string, string) string), new(func([]any, string) string)}, joinTexts},
	{"split", []any{new(func(string, string) []string)}, func(_ *Scope, p []any) (any, error) { return splitText(p[0].(string), p[1].(string)) }},
	{"trim", []any{new(text1)}, each(table.Trim)},
	{"squeeze", []any{new(text1)}, each(func(text string) string { return strings.Join(strings.Fields(text), " ") })},
	{"upper", []any{new(text1)}, each(func(text string) string { return cases.Upper(language.Und).String(text) })},
	{"lower", []any{new(text1)}, each(strings.ToLower)},
	{"fold", []any{new(text1)}, each(table.Fold)},
	{"replace", []any{new(text3)}, replaceText},
	{"before", []any{new(text2)}, of2(func(text, sign string) string { before, _, _ := strings.Cut(text, sign); return table.Trim(before) })},
	{"after", []any{new(text2)}, of2(func(text, sign string) string { _, after, _ := strings.Cut(text, sign); return table.Trim(after) })},
	{"between", []any{new(text3)}, func(_ *Scope, p []any) (any, error) {
		_, after, _ := strings.Cut(p[0].(string), p[1].(string))
		inside, _, closed := strings.Cut(after, p[2].(string))
		if !closed {
			return "", nil
		}
		return table.Trim(inside), nil
	}},
	{"left", []any{new(cut)}, func(_ *Scope, p []any) (any, error) {
		runes := []rune(p[0].(string))
		return string(runes[:clamp(p[1].(int), len(runes))]), nil
	}},
	{"right", []any{new(cut)}, func(_ *Scope, p []any) (any, error) {
		runes := []rune(p[0].(string))
		return string(runes[len(runes)-clamp(p[1].(int), len(runes)):]), nil
	}},
	{"padLeft", []any{new(func(string, int, string) string)}, padLeft},
	{"digits", []any{new(text1)}, each(only(func(r rune) bool { return r >= '0' && r <= '9' }))},
	{"letters", []any{new(text1)}, each(only(unicode.IsLetter))},
	{"coalesce", []any{new(func(string, ...string) string)}, func(_ *Scope, p []any) (any, error) {
		for _, value := range p {
			if text := value.(string); table.Trim(text) != "" {
				return text, nil
			}
		}
		return "", nil
	}},
	{"date", []any{new(func(string, ...string) string)}, dateFrom},
	{"format", []any{new(text2)}, formatDate},
	{"year", []any{new(func(string) int)}, datePartOf(func(m date.Moment) int { return m.Year })},
	{"month", []any{new(func(string) int)}, datePartOf(func(m date.Moment) int { return m.Month })},
	{"day", []any{new(func(string) int)}, datePartOf(func(m date.Moment) int { return m.Day })},
	{"addDays", []any{new(cut)}, shiftDate(0, 0, 1)},
	{"addMonths", []any{new(cut)}, shiftDate(0, 1, 0)},
	{"addYears", []any{new(cut)}, shiftDate(1, 0, 0)},
	{"daysBetween", []any{new(func(string, string) int)}, daysBetween},
	{"classes", []any{new(func(string) []string)}, func(_ *Scope, p []any) (any, error) { return classesIn(p[0].(string)) }},
	{"fullName", []any{new(text1)}, ofName(fullName)},
	{"surname", []any{new(text1)}, ofName(func(surname, _ string) string { return surname })},
	{"givenNames", []any{new(text1)}, ofName(func(_, given string) string { return given })},
	{"initials", []any{new(text1)}, ofName(initials)},
	{"lookup", []any{new(text2)}, func(s *Scope, p []any) (any, error) {
		in, name := s.Lookups[p[0].(string)], table.Trim(p[1].(string))
		id, fail := in.Find(name)
		if fail != nil {
			return "", s.refuse(fail)
		}
		s.found = append(s.found, foundName{in, name})
		return id, nil
	}},
	{"known", []any{new(func(string, string) bool)}, func(s *Scope, p []any) (any, error) {
		_, fail := s.Lookups[p[0].(string)].Find(table.Trim(p[1].(string)))
		if fail.Is(reason.LookupFailed) {
			return false, s.refuse(fail)
		}
		return fail == nil, nil
	}},
	// concat implements + between two texts.
	{"concat", []any{new(text2)}, of2(func(a, b string) string { return a + b })},
}

func each(f text1) func(*Scope, []any) (any, error) {
	return func(_ *Scope, p []any) (any, error) { return f(p[0].(string)), nil }
}

func of2(f text2) func(*Scope, []any) (any, error) {
	return func(_ *Scope, p []any) (any, error) { return f(p[0].(string), p[1].(string)), nil }
}

func only(keep func(rune) bool) func(string) string {
	return func(text string) string {
		return strings.Map(func(r rune) rune {
			if keep(r) {
				return r
			}
			return -1
		}, text)
	}
}

func clamp(n, most int) int { return max(0, min(n, most)) }

// joinTexts leaves out empty parts, so that a missing one leaves no separator.
func joinTexts(s *Scope, p []any) (any, error) {
	texts, fail := TextsOf(p[0])
	if fail != nil {
		return nil, errors.New(fail.Message)
	}
	separator := p[1].(string)
	if err := s.charge(texts); err != nil {
		return nil, err
	}
	if s.work+len(texts)*len(separator) > maxWork {
		return nil, errWork
	}
	return strings.Join(slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return table.Trim(text) == "" }), separator), nil
}

// splitText splits a text; it trims the parts and leaves out empty ones.
func splitText(text, separator string) ([]string, error) {
	if separator == "" {
		return nil, errors.New("split requires a separator")
	}
	if strings.Count(text, separator) >= maxListLength {
		return nil, fmt.Errorf("it has more than %d parts", maxListLength)
	}
	var parts []string
	for part := range strings.SplitSeq(text, separator) {
		if part = table.Trim(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts, nil
}

func replaceText(s *Scope, p []any) (any, error) {
	text, from, to := p[0].(string), p[1].(string), p[2].(string)
	if from == "" {
		return nil, errors.New("replace requires a text to replace")
	}
	if growth := strings.Count(text, from) * len(to); s.work+growth > maxWork {
		return nil, errWork
	}
	return strings.ReplaceAll(text, from, to), nil
}

func padLeft(_ *Scope, p []any) (any, error) {
	text, width, with := p[0].(string), p[1].(int), p[2].(string)
	if utf8.RuneCountInString(with) != 1 || width > 1000 {
		return nil, errors.New("padLeft requires one character and a width up to 1000")
	}
	if table.Trim(text) == "" { // a missing number must not become zeros
		return "", nil
	}
	return strings.Repeat(with, max(0, width-utf8.RuneCountInString(text))) + text, nil
}

// classRun finds a number, and the numbers that a dash or a word for "to" connects to it.
var classRun = regexp.MustCompile(`[0-9]+(?:(?:\s*(?:[-‐‑–—−…]|\.{2,})\s*|\s+(?i:to|through|thru|bis|al?|à|até)\s+)[0-9]+)*`)

// classWord finds the word directly before a number.
var classWord = regexp.MustCompile(`(\pL+)[ \t.:#([{]*$`)

// decimals matches after a number that has decimals.
var decimals = regexp.MustCompile(`^\.[0-9]`)

// counted matches after a number that counts the classes, as in "3 classes: 9, 16, 25", and after the 1 of "1 class:
// 9".
var counted = regexp.MustCompile(`(?i)^[^\S\r\n]*(?:(?:nice|nizza)[ -]?)?(?:classes|clases|classi|klassen)(?:\PL|$)|^1[^\S\r\n]*(?:class|clase|classe|klasse)\s*:`)

// besides matches before a number that is not a class: "9 (3 items)", "9, 35 = 2", "NCL 11 9, 35". Brackets alone do
// not match: "(9), (35)".
var besides = regexp.MustCompile(`(?i)[0-9][ \t]*[(\[{][ \t]*$|[=*×][ \t]*$|(?:^|\PL)NCL[ \t(.:-]*$`)

// edition matches after a number that is not a class: "Nice 12: 9, 35", "9 (12th ed.)".
var edition = regexp.MustCompile(`^(?:\s*:\s*[0-9]|(?i:st|nd|rd|th|e|er|ème|ª|º)(?:\PL|$))`)

// joinWords may stand between the numbers of classes.
var joinWords = []string{"and", "or", "und", "oder", "et", "ou", "y", "e", "o"}

// highestClass is the last number of the old schedule of classes. A higher number is a year or the like, and makes no
// range.
const highestClass = 107

// classesIn returns the class numbers in a text: "Int. Cl. 9, 35 and 042" gives 9, 35, 42, and "1-3" gives 1, 2, 3.
func classesIn(text string) ([]string, error) {
	var classes []string
	add := func(class string) {
		if class != "" && len(classes) < maxListLength && !slices.Contains(classes, class) {
			classes = append(classes, class)
		}
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII && unicode.IsDigit(r) }) {
		return nil, fmt.Errorf("%q has digits other than 0 to 9", reason.Clip(text, 30))
	}
	known := joinWords
	for n, at := range classRun.FindAllStringIndex(text, -1) {
		run, before, after := text[at[0]:at[1]], text[:at[0]], text[at[1]:]
		if word := classWord.FindStringSubmatch(before); word != nil {
			if n == 0 { // in whatever language, it is the word for class
				known = append(slices.Clone(joinWords), table.Fold(word[1]))
			}
			if _, is := value.ClassNumber(word[1] + " 1"); !is && !slices.Contains(known, table.Fold(word[1])) {
				return nil, fmt.Errorf("the number in %q may be no class; a comma is expected between classes", reason.Clip(word[1]+" "+run, 30))
			}
		}
		if besides.MatchString(before) || edition.MatchString(after) {
			return nil, fmt.Errorf("the number %s in %q may be no class; a comma is expected between classes", run, reason.Clip(text, 60))
		}
		if decimals.MatchString(after) {
			return nil, fmt.Errorf("%q may be a number with decimals or two classes; a comma is expected between classes", reason.Clip(run+after, 30))
		}
		if counted.MatchString(after) || counted.MatchString(run+after) {
			return nil, fmt.Errorf("the number in %q may say how many classes there are; take what stands before or after it", reason.Clip(run+after, 30))
		}
		words := strings.FieldsFunc(run, func(r rune) bool { return r < '0' || r > '9' })
		var numbers []int
		for _, word := range words {
			if n, err := strconv.Atoi(word); err == nil && n <= highestClass {
				numbers = append(numbers, n)
			}
		}
		switch {
		case len(words) == 1 || len(numbers) < len(words):
			for _, word := range words {
				add(strings.TrimLeft(word, "0"))
			}
		case len(words) > 2 || numbers[0] < 1 || numbers[0] >= numbers[1]:
			return nil, fmt.Errorf("%q is not a range of classes; a comma is expected between single ones", reason.Clip(run, 30))
		case numbers[1] > numbers[0]+1 && !strings.ContainsFunc(run, unicode.IsLetter):
			return nil, fmt.Errorf("%q may be two classes or all from %d to %d; write %d, %d or %d to %d", run, numbers[0], numbers[1], numbers[0], numbers[1], numbers[0], numbers[1])
		default:
			for n := numbers[0]; n <= numbers[1]; n++ {
				add(strconv.Itoa(n))
			}
		}
	}
	return classes, nil
}

// ofName splits a person's name: "Doe, Jane" at the comma, "Jane Doe" at the last space.
func ofName(f func(surname, given string) string) func(*Scope, []any) (any, error) {
	return func(_ *Scope, p []any) (any, error) {
		text := strings.Join(strings.Fields(p[0].(string)), " ")
		if surname, given, ok := strings.Cut(text, ","); ok {
			last := given[strings.LastIndexByte(given, ' ')+1:]
			switch {
			case strings.Contains(given, ","):
				return nil, fmt.Errorf("%s has more than one comma, so nobody knows what the given names are", reason.Quote(text))
			case isSuffix(surname, strings.TrimSpace(given), last):
				return nil, fmt.Errorf("%s behind the comma of %s is no given name", reason.Quote(last), reason.Quote(text))
			}
			return f(table.Trim(surname), table.Trim(given)), nil
		}
		at := strings.LastIndexByte(text, ' ')
		return f(text[at+1:], text[:max(at, 0)]), nil
	}
}

// isSuffix reports whether the last word after the comma of a name is not part of a person's name. A suffix that may
// also be initials, or short for a given name, counts only if it stands alone after a surname of several words: Smith
// and Sons, S.A.
func isSuffix(surname, given, last string) bool {
	word := strings.TrimSuffix(strings.ToLower(last), ".")
	if strings.Contains(word, ".") || slices.Contains([]string{"sa", "ag", "co", "sau"}, word) {
		return slices.Contains(suffixes, word) && given == last && strings.Contains(surname, " ")
	}
	return slices.Contains(suffixes, word)
}

// suffixes stand after a comma and are not given names: legal forms of companies, and what follows a person's name.
// J.R. are initials.
var suffixes = strings.Fields(`inc incorporated ltd limited llc l.l.c llp l.l.p lp plc co company corp corporation pty pte
	gmbh mbh ag kg ohg ug kgaa e.v sa s.a sas s.a.s sarl s.a.r.l srl s.r.l spa s.p.a sl s.l slu s.l.u sau s.a.u cv c.v bv b.v nv n.v a/s aps oy oyj asa ltda lda kft sro s.r.o o.o
	jr sr junior senior ii iii iv phd ph.d m.d esq esquire jd qc kc`)

func fullName(surname, given string) string { return table.Trim(given + " " + surname) }

func initials(surname, given string) string {
	var b strings.Builder
	for _, word := range strings.Fields(fullName(surname, given)) {
		if r, _ := utf8.DecodeRuneInString(word); unicode.IsLetter(r) {
			b.WriteRune(unicode.ToUpper(r))
		}
	}
	return b.String()
}
