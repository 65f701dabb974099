package rows

import (
	"slices"
	"strings"
	"sync"

	"docketsync/importer/ledger"
	"docketsync/mapping/table"
)

// Sources holds the files and sheets that a walk has come to, by number. One goroutine may add to it while another
// reads it.
type Sources struct {
	mu   sync.Mutex
	list []ledger.Source
}

// open adds the sources of an opened input.
func (s *Sources) open(t *Table) {
	s.mu.Lock()
	defer s.mu.Unlock()
	origins := t.Mapper.Origins()
	for _, part := range t.Sources() {
		s.list = append(s.list, ledger.Source{File: part.File, Sheet: part.Sheet, Header: t.Header().Names, Dates: t.Mapper.Proven(), Origins: origins})
	}
}

// read notes what shows only when an input has been read to its end.
func (s *Sources) read(t *Table) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := range t.Sources() {
		s.list[t.First+n].DateFormats, s.list[t.First+n].Ended = t.DateFormats(n), t.Ended()
	}
}

// All returns the sources so far.
func (s *Sources) All() []ledger.Source {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}

func (s *Sources) at(n int) ledger.Source {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list[n]
}

// name returns the file of a source, with its sheet if it has one, or "" while there is only one source.
func (s *Sources) name(source int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch found := s.list[source]; {
	case len(s.list) == 1:
		return ""
	case found.Sheet != "":
		return found.File + " (" + found.Sheet + ")"
	default:
		return found.File
	}
}

// files returns the files of rows, each once.
func (s *Sources) files(rows []table.Row) string {
	var files []string
	for _, row := range rows {
		if file := s.at(row.Source).File; !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	return strings.Join(files, ", ")
}

// mostRows is how many rows of a file a reason names.
const mostRows = 100

// Places says where rows are: "row 7", or "a.csv rows 2, 3, b.csv row 2" if there are several files.
func (s *Sources) Places(rows []ledger.Row) string {
	numbers, count := map[int][]int{}, map[int]int{}
	var order []int
	for _, row := range rows {
		if count[row.Source]++; count[row.Source] == 1 {
			order = append(order, row.Source)
		}
		if count[row.Source] <= mostRows {
			numbers[row.Source] = append(numbers[row.Source], row.Number)
		}
	}
	parts := make([]string, 0, len(order))
	for _, n := range order {
		part := table.RowList(numbers[n], count[n])
		if name := s.name(n); name != "" {
			part = name + " " + part
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}
