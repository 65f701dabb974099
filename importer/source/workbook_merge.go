package source

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"docketsync/mapping/table"
)

// maxMerges bounds the merged ranges that are held.
const maxMerges = 200_000

// mergedRange is a block of cells that a spreadsheet shows as one; rows and columns count from 1 and 0, all included.
type mergedRange struct {
	top, bottom, left, right int
	value                    table.Cell
}

// unfilled implements mergedTable.
func (s *sheet) unfilled() mergedTable {
	plain := *s
	plain.merged, plain.merges = "", []mergedRange{}
	return &plain
}

// spans implements mergedTable.
func (s *sheet) spans() ([]mergedRange, error) {
	spans, err := s.mergedRanges(context.Background(), func(m mergedRange) bool { return m.top <= headRowsAll })
	if err != nil {
		return nil, s.book.fault(err, s.info.part)
	}
	return spans, nil
}

// across implements mergedTable.
func (s *sheet) across(left, right int) (func(row int) bool, error) {
	ranges, err := s.mergedRanges(context.Background(), func(m mergedRange) bool { return m.isAcross(left, right) })
	if err != nil {
		return nil, s.book.fault(err, s.info.part)
	}
	rows := make(map[int]bool, len(ranges))
	for _, m := range ranges {
		rows[m.top] = true
	}
	return func(row int) bool { return rows[row] }, nil
}

// isAcross tells if the range is one row over all these columns.
func (m mergedRange) isAcross(left, right int) bool {
	return m.top == m.bottom && m.left <= left && m.right >= right
}

// readMerges reads the merged ranges, to fill them or to look beneath them.
func (s *sheet) readMerges(ctx context.Context) error {
	if s.merged == "" && s.keepCovered || s.merges != nil {
		return nil
	}
	s.merges = []mergedRange{}
	found, err := s.info.records != nil, error(nil)
	if !found {
		found, err = s.hasMerges(ctx)
	}
	if err == nil && found {
		s.merges, err = s.mergedRanges(ctx, func(mergedRange) bool { return true })
	}
	return err
}

// hasMerges tells if the sheet of an .xlsx may have merged ranges. Most have none, and looking for their tag takes a fraction of the time that
// reading takes.
func (s *sheet) hasMerges(ctx context.Context) (bool, error) {
	in, err := s.book.parts.open(ctx, s.info.part, min(maxPartBytes, uint64(s.limits.Unpacked)))
	if err != nil {
		return false, err
	}
	defer in.Close()
	tag := []byte("mergeCell")
	block, kept := make([]byte, windowBytes), 0
	for {
		n, err := in.Read(block[kept:])
		text := block[:kept+n]
		switch {
		case bytes.Contains(text, tag), bytes.IndexByte(text, 0) >= 0: // or UTF-16
			return true, nil
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil:
			return false, err
		}
		kept = copy(block, text[max(0, len(text)-len(tag)+1):])
	}
}

// mergedRanges reads those merged ranges that are wanted, ordered by their first row. A sheet stores them after its rows,
// which have to be passed over.
func (s *sheet) mergedRanges(ctx context.Context, wanted func(mergedRange) bool) ([]mergedRange, error) {
	if s.info.records != nil {
		return s.recordedMerges(ctx, wanted)
	}
	xml, in, err := s.book.parts.scan(ctx, s.info.part, min(maxPartBytes, uint64(s.limits.Unpacked)))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	merges := []mergedRange{}
	for {
		token, err := xml.next()
		if err != nil {
			return nil, err
		}
		if token == xmlEOF {
			break
		}
		if token != xmlStart || string(xml.name) != "mergeCell" {
			continue
		}
		ref, err := xml.attribute("ref")
		if err != nil {
			return nil, err
		}
		if m, ok := parseRange(ref); ok && wanted(m) {
			merges = append(merges, m)
		}
		if len(merges) > maxMerges {
			return nil, &Error{What: fmt.Sprintf("the sheet has more than %d merged ranges", maxMerges), Hint: "Leave merged out, or unmerge the cells in a spreadsheet program."}
		}
	}
	slices.SortStableFunc(merges, byTop)
	return merges, nil
}

func byTop(a, b mergedRange) int { return cmp.Compare(a.top, b.top) }

// parseRange reads "A1:C7".
func parseRange(ref string) (mergedRange, bool) {
	from, to, found := bytes.Cut([]byte(ref), []byte(":"))
	if !found {
		return mergedRange{}, false
	}
	m := mergedRange{top: rowOf(from), left: columnOf(from), bottom: rowOf(to), right: columnOf(to)}
	ok := m.top > 0 && m.left >= 0 && m.bottom >= m.top && m.right >= m.left && m.right < maxSheetColumns
	return m, ok
}

func rowOf(address []byte) int {
	letters := 0
	for letters < len(address) && !isDigit(address[letters]) {
		letters++
	}
	return digitsValue(address[letters:])
}

// mergeFill repeats the value of merged ranges in their other cells, as rows go by, and looks for values that are covered there.
type mergeFill struct {
	waiting []mergedRange // ordered by their first row
	active  []mergedRange
	mode    string // "down", "right" or "all"
	keep    bool   // what is covered is read like any other cell
}

func (f *mergeFill) apply(row int, cells *[]table.Cell) (faults []table.Fault) {
	for len(f.waiting) > 0 && f.waiting[0].top <= row {
		m := f.waiting[0]
		f.waiting = f.waiting[1:]
		if m.top == row && m.left < len(*cells) {
			m.value = (*cells)[m.left]
		}
		f.active = append(f.active, m)
	}
	f.active = slices.DeleteFunc(f.active, func(m mergedRange) bool { return m.bottom < row })
	for _, m := range f.active {
		if !f.keep {
			faults = m.covered(row, *cells, faults)
		}
		if f.mode != "" && m.value.Kind != table.Empty {
			f.fill(m, row, cells)
		}
	}
	return faults
}

// covered adds a fault for each cell of the row beneath the range that holds another value than the range shows: nobody sees it, and
// a filter or an import finds it.
func (m mergedRange) covered(row int, cells []table.Cell, faults []table.Fault) []table.Fault {
	for column := m.left; column <= m.right && column < len(cells); column++ {
		hidden := cells[column].Seen()
		if row == m.top && column == m.left || blankText(hidden) || hidden == m.value.Seen() {
			continue
		}
		faults = append(faults, table.Fault{Code: "covered_value", Column: column,
			Message: fmt.Sprintf("the cell holds %q beneath the merged cells %s:%s, which show %q", firstLine(hidden),
				table.CellName(m.left, m.top), table.CellName(m.right, m.bottom), firstLine(m.value.Seen())),
			Hint: "Unmerge the cells in a spreadsheet program and leave the right value in each; or, if what they hold is right, set covered: keep."})
	}
	return faults
}

func (f *mergeFill) fill(m mergedRange, row int, cells *[]table.Cell) {
	right := m.right
	if f.mode == "down" {
		right = m.left
	}
	if f.mode == "right" && row > m.top {
		return
	}
	if n := len(*cells); right >= n {
		*cells = slices.Grow(*cells, right+1-n)[:right+1]
		clear((*cells)[n:])
	}
	for column := m.left; column <= right; column++ {
		if (*cells)[column].Kind == table.Empty {
			(*cells)[column] = m.value
		}
	}
}
