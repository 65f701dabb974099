package source

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"docketsync/mapping"
)

// maxMerges bounds the merged ranges that are held.
const maxMerges = 200_000

// mergedRange is a block of cells that a spreadsheet shows as one; rows and columns count from 1 and 0, all included.
type mergedRange struct {
	top, bottom, left, right int
	value                    mapping.Cell
}

// unfilled implements mergedTable.
func (s *sheet) unfilled() mergedTable {
	if s.merged == "" {
		return s
	}
	plain := *s
	plain.merged, plain.merges = "", nil
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

// readMerges reads the merged ranges when they are to be filled.
func (s *sheet) readMerges(ctx context.Context) error {
	if s.merged == "" || s.merges != nil {
		return nil
	}
	merges, err := s.mergedRanges(ctx, func(mergedRange) bool { return true })
	s.merges = merges
	return err
}

// mergedRanges reads those merged ranges that are wanted, ordered by their first row. A sheet stores them after its rows,
// which have to be passed over.
func (s *sheet) mergedRanges(ctx context.Context, wanted func(mergedRange) bool) ([]mergedRange, error) {
	if s.info.records != nil {
		return s.recordedMerges(ctx, wanted)
	}
	xml, in, err := s.book.parts.scan(s.info.part, min(maxPartBytes, uint64(s.limits.Unpacked)))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	merges := []mergedRange{}
	for {
		token, err := xml.next()
		if err = errors.Join(err, ctx.Err()); err != nil {
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

// mergeFill repeats the value of merged ranges in their other cells, as rows go by.
type mergeFill struct {
	waiting []mergedRange // ordered by their first row
	active  []mergedRange
	mode    string // "down", "right" or "all"
}

func (f *mergeFill) apply(row int, cells *[]mapping.Cell) {
	if f.mode == "" {
		return
	}
	for len(f.waiting) > 0 && f.waiting[0].top <= row {
		m := f.waiting[0]
		f.waiting = f.waiting[1:]
		if m.top == row && m.left < len(*cells) && (*cells)[m.left].Kind != mapping.Empty {
			m.value = (*cells)[m.left]
			f.active = append(f.active, m)
		}
	}
	f.active = slices.DeleteFunc(f.active, func(m mergedRange) bool { return m.bottom < row })
	for _, m := range f.active {
		f.fill(m, row, cells)
	}
}

func (f *mergeFill) fill(m mergedRange, row int, cells *[]mapping.Cell) {
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
		if (*cells)[column].Kind == mapping.Empty {
			(*cells)[column] = m.value
		}
	}
}
