package lookup

import (
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// blankName is a name of a lookup file that nobody has given an id yet, and where it stands.
type blankName struct {
	name, file string
	line       int
}

// Await takes up a name that has no id yet and where one is to be filled in. It is not found, and whoever looks for it is told
// the line. A name that has an id in another line is found by that one. Names that are awaited twice are told by the first.
func (l *Table) Await(name, file string, line int) {
	name = table.Trim(name)
	if name == "" || l.blank(name) != nil {
		return
	}
	awaited := &blankName{name, file, line}
	l.blankAt[table.Fold(name)] = awaited
	l.blanks = append(l.blanks, awaited)
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

// blank finds a name that has no id, nil for none.
func (l *Table) blank(text string) *blankName { return l.blankAt[table.Fold(text)] }

// blankClass finds a class that has no id by its number, nil for none.
func (l *Table) blankClass(number int) *blankName {
	for _, b := range l.blanks {
		if of, ok := value.ClassNumber(b.name); ok && of == number {
			return b
		}
	}
	return nil
}

// unfilled is the problem of a name that has no id yet, nil for none.
func (l *Table) unfilled(text string, b *blankName) *reason.Problem {
	if b == nil {
		return nil
	}
	return reason.New(reason.LookupUnfilled, text, l.name, b.file, b.line)
}
