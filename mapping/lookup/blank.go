package lookup

import (
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// blankName is the place of a name in a lookup file that nobody has given an id yet.
type blankName struct {
	file string
	line int
}

// Await adds a name that has no id yet, with the line where the id must be filled in. A lookup of the name fails and
// reports that line, even if a similar name has an id, unless another line gives exactly this name an id. If a name is
// added twice, the first line is reported.
func (l *Table) Await(name, file string, line int) {
	name = table.Trim(name)
	if _, known := l.blanks[name]; known || name == "" {
		return
	}
	l.blanks[name] = blankName{file, line}
	l.index(name)
}

// Awaited returns the line in which an id must be filled in for a rejected name, in the spelling of the rows. It
// returns false if no line waits for one.
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

// unfilled returns the problem of a text that matches a name without an id.
func (l *Table) unfilled(text, name string) *reason.Problem {
	return reason.New(reason.LookupUnfilled, text, l.name, l.blanks[name].file, l.blanks[name].line)
}
