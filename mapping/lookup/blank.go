package lookup

import (
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// blankName is where a name of a lookup file stands that nobody has given an id yet.
type blankName struct {
	file string
	line int
}

// Await takes up a name that has no id yet and where one is to be filled in. Whoever looks for it is told the line, also where a
// like name has an id; it is found where another line gives just that name one. Names that are awaited twice are told by the first.
func (l *Table) Await(name, file string, line int) {
	name = table.Trim(name)
	if _, known := l.blanks[name]; known || name == "" {
		return
	}
	l.blanks[name] = blankName{file, line}
	l.index(name)
}

// Awaited is the line in which an id is to be filled in for a name that was rejected for it, spelled as rows have it; false when
// no line waits for one.
func (l *Table) Awaited(name string) (line int, ok bool) {
	name = table.Trim(name)
	alike := append([]string{name}, l.folded[table.Fold(name)]...)
	if number, class := value.ClassNumber(name); class {
		alike = append(alike, l.classes[number]...)
	}
	for _, name := range alike {
		if b, ok := l.blanks[name]; ok {
			return b.line, true
		}
	}
	return 0, false
}

// unfilled is the problem of a text that stands for a name without an id.
func (l *Table) unfilled(text, name string) *reason.Problem {
	return reason.New(reason.LookupUnfilled, text, l.name, l.blanks[name].file, l.blanks[name].line)
}
