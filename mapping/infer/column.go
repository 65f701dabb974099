package infer

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docketsync/apiclient/payload"
	"docketsync/mapping/date"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// Limits on what is kept of a column, so that memory does not grow with the file.
const (
	maxNames     = 2000 // distinct values
	longestName  = 200  // bytes of a value that is kept
	longestShown = 40   // characters of an example

	longestWord  = 20 // bytes of a word for yes or no
	shortestGUID = 32 // bytes: digits alone
	longestGUID  = 45 // bytes: urn:uuid: and hyphens
)

// column is what the rows show about one column, or about several that hold the parts of a name.
type column struct {
	at      []int    // positions, from 0
	ref     string   // its name in a mapping
	parts   []string // the names of several columns in a mapping
	meaning meaning
	context string // what gives the header its meaning, if it has none itself
	stated  string // the date format that the header states, if any

	filled  int
	looks   map[payload.Type]int // cells that can be read as a type
	texts   int                  // cells with letters
	codes   int                  // short cells with a digit, of one or two words or of groups of digits
	lines   int                  // cells with line breaks
	class   int                  // cells that are a class
	points  map[int]int          // decimals by the number of digits after the decimal point
	blanks  map[string]*tally    // texts that mean an empty cell, folded
	coded   tally                // cells with HTML entities, and the first of them
	signs   int                  // numbers that their sheet shows with a currency sign or the like, in a way that cannot be told exactly
	kinds   [table.Error + 1]int
	dates   date.Column
	verdict date.Verdict // of dates, set when all rows are read
	first   string       // the first value, shortened
	goods   []goodsForm
	doubted bool // rows that are not records may have something there

	values map[string]*tally // by the folded text
	more   bool              // there are further values
}

// entity finds an HTML entity.
var entity = regexp.MustCompile(`&(amp|lt|gt|quot|apos|nbsp|#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z]+(acute|grave|uml|circ|tilde|cedil|ring|slash|lig));`)

// tally counts how often a text occurs in a column.
type tally struct {
	text  string // the first spelling
	count int
	row   int
	kind  table.Kind
	order int
}

func newColumn(ref, name string, at ...int) *column {
	stated, name := statedDate(name)
	return &column{at: at, ref: ref, stated: stated, meaning: meaningOf(name), looks: map[payload.Type]int{}, points: map[int]int{},
		blanks: map[string]*tally{},
		values: map[string]*tally{}, goods: newGoodsForms()}
}

// add adds a non-empty cell.
func (c *column) add(row int, cell table.Cell) {
	text := table.Trim(cell.Text)
	if c.filled++; c.filled == 1 {
		c.first = shown(text)
	}
	c.kinds[cell.Kind]++
	if cell.Shown != nil && cell.Shown.Text == "" && !cell.Partial() {
		c.signs++
	}
	c.dates.Add(row, cell)
	switch {
	case len(text) <= longestWord && isWord(text):
		c.looks[payload.TypeBool]++
	case len(text) >= shortestGUID && len(text) <= longestGUID && isGUID(text):
		c.looks[payload.TypeGUID]++
	case strings.Contains(text, "://") && value.CheckText(text) == nil && value.CheckURL(text) == nil:
		c.looks[payload.TypeURL]++
	}
	if _, ok := looksClass(text); ok {
		c.class++
	}
	for i := range c.goods {
		c.goods[i].add(text)
	}
	c.letters(text)
	c.count(row, cell.Kind, text)
}

func (c *column) letters(text string) {
	digits, letters := 0, 0
	for _, r := range text {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		}
	}
	if letters > 0 {
		c.texts++
	}
	words := len(strings.Fields(text))
	if utf8.RuneCountInString(text) <= 30 && digits > 0 && (words <= 2 || words <= 4 && letters == 0) { // also 302023 000 914
		c.codes++
	}
	if strings.ContainsAny(text, "\n\r") {
		c.lines++
	}
	if before, after, ok := strings.Cut(text, "."); ok && letters == 0 && value.CheckNumber(table.Trim(before), true) == nil && strings.Trim(after, "0123456789") == "" {
		c.points[len(after)]++
	}
}

func (c *column) count(row int, kind table.Kind, text string) {
	key := table.Fold(text)
	if strings.IndexByte(text, '&') >= 0 && entity.MatchString(text) {
		if c.coded.count++; c.coded.count == 1 {
			c.coded.text, c.coded.row = shown(text), row
		}
	}
	if known, ok := c.values[key]; ok {
		known.count++
		return
	}
	if len(c.values) >= maxNames || len(text) > longestName {
		c.more = true
		return
	}
	c.values[key] = &tally{strings.Clone(text), 1, row, kind, len(c.values)}
}

// share returns n as a share of the filled cells.
func (c *column) share(n int) float64 {
	if c.filled == 0 {
		return 0
	}
	return float64(n) / float64(c.filled)
}

// distinct returns the share of distinct values among the cells; in a long column, among those that are kept.
func (c *column) distinct() float64 {
	seen := 0
	for _, v := range c.values {
		seen += v.count
	}
	if seen == 0 {
		return 1 // every value is long
	}
	return float64(len(c.values)) / float64(seen)
}

// repeated returns how many values occur in several rows.
func (c *column) repeated() int {
	n := 0
	for _, v := range c.values {
		if v.count > 1 {
			n++
		}
	}
	return n
}

// ordered returns the values, the most frequent first; values of the same frequency in the order of the file.
func (c *column) ordered() []*tally {
	return slices.SortedFunc(maps.Values(c.values), func(a, b *tally) int { return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.order, b.order)) })
}

// isDate reports whether most of the column are dates.
func (c *column) isDate() bool { return c.share(c.verdict.Dates) >= .6 }

// constant returns the value of a column that has only one.
func (c *column) constant() (string, bool) {
	if len(c.values) != 1 || c.more {
		return "", false
	}
	for _, v := range c.values {
		return v.text, true
	}
	return "", false
}

// shown prepares a text for a comment: on one line, without invisible characters, and short.
func shown(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > longestShown {
		return strings.TrimSpace(string(runes[:longestShown-1])) + "…"
	}
	return text
}

// isWord and isGUID say how a text is read without any settings of a mapping: as a word for yes or no, or as a GUID in
// any of its forms.
func isWord(text string) bool {
	_, known := value.Booleans(nil).Read(text)
	return known
}

func isGUID(text string) bool {
	_, ok := value.GUID(text)
	return ok
}

// looksClass reads the number of a Nice class as a lookup of classes does: "9", "009", "Class 9", "IC 035". It returns
// false for a number outside 1 to 45.
func looksClass(text string) (number int, ok bool) {
	number, ok = value.ClassNumber(table.Trim(text))
	return number, ok && number >= 1 && number <= 45
}

// looksGoods splits a cell of classes and goods as split: does. It returns the classes, or none if the cell does not
// begin with one, and whether they have texts.
func looksGoods(text, entries, class string) (classes []string, texts bool) {
	parts, fail := value.SplitGoods(table.Trim(text), entries, class)
	if fail != nil {
		return nil, false
	}
	for _, part := range parts {
		if _, ok := looksClass(part.Class); !ok {
			return nil, false
		}
		classes = append(classes, part.Class)
		texts = texts || part.Text != ""
	}
	return classes, texts
}
