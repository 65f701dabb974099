package lookup

import (
	"fmt"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// blankName is a name of a lookup file that nobody has given an id yet, and where it stands.
type blankName struct {
	name, folded string
	file         string
	line         int
}

// Await takes up a name that has no id yet and where one is to be filled in. It is not found, and whoever looks for it is told
// the line. A name that has an id in another line is found by that one. Names that are awaited twice are told by the first.
func (l *Table) Await(name, file string, line int) {
	if name = table.Trim(name); name != "" {
		l.blanks = append(l.blanks, blankName{name, table.Fold(name), file, line})
	}
}

// Awaited is the line in which an id is to be filled in for a name that was rejected for it, spelled as rows have it; false when
// no line waits for one.
func (l *Table) Awaited(name string) (line int, ok bool) {
	name = table.Trim(name)
	b := l.blank(name)
	if number, class := value.ClassNumber(name); b == nil && class {
		b = l.blankClass(number)
	}
	if b == nil {
		return 0, false
	}
	return b.line, true
}

// blank finds a name that has no id, nil for none. There is an index as soon as someone looks for one.
func (l *Table) blank(text string) *blankName {
	if len(l.blanks) == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.blankAt == nil {
		l.blankAt = map[string]int{}
		for n := len(l.blanks) - 1; n >= 0; n-- {
			l.blankAt[l.blanks[n].folded] = n
		}
	}
	if n, ok := l.blankAt[table.Fold(text)]; ok {
		return &l.blanks[n]
	}
	return nil
}

// unfilled is the problem of a name that has no id yet, nil for others.
func (l *Table) unfilled(text string) *reason.Problem {
	if b := l.blank(text); b != nil {
		return b.problem(text, l.name)
	}
	return nil
}

// unfilledClass is the same for a class that the lookup has by its number.
func (l *Table) unfilledClass(text string, number int) *reason.Problem {
	if b := l.blankClass(number); b != nil {
		return b.problem(text, l.name)
	}
	return nil
}

func (l *Table) blankClass(number int) *blankName {
	for n := range l.blanks {
		if of, ok := value.ClassNumber(l.blanks[n].name); ok && of == number {
			return &l.blanks[n]
		}
	}
	return nil
}

func (b *blankName) problem(text, lookup string) *reason.Problem {
	return reason.New(reason.LookupUnfilled, fmt.Sprintf("%s has no id yet in the lookup %q", reason.Quote(text), lookup),
		fmt.Sprintf("Fill in its id in %s (line %d).", b.file, b.line))

}
