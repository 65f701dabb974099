package xlsx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"docketsync/importer/source/format"
	"docketsync/importer/source/sheet"
	"docketsync/importer/source/sheetxml"
)

// Merges implements sheet.MergedAhead. A sheet stores its merged ranges after its rows, which have to be passed over.
func (s *sheetPart) Merges(ctx context.Context, wanted func(format.Range) bool) ([]format.Range, error) {
	merges := []format.Range{}
	if found, err := s.hasMerges(ctx); err != nil {
		return nil, format.PartFault(s.part, err)
	} else if !found {
		return merges, nil
	}
	err := sheetxml.Read(ctx, s.book.parts, s.part, s.most, func(xml *sheetxml.Scanner) error {
		if string(xml.Name) != "mergeCell" {
			return nil
		}
		ref, err := xml.Attribute("ref")
		if m, ok := parseRange(ref); ok && wanted(m) {
			merges = append(merges, m)
		}
		if len(merges) > sheet.MostMerges {
			return &format.Error{What: fmt.Sprintf("the sheet has more than %d merged ranges", sheet.MostMerges), Hint: "Leave merged out, or unmerge the cells in a spreadsheet program."}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(merges, sheet.ByTop)
	return merges, nil
}

// hasMerges tells if the sheet may have merged ranges. Most have none, and looking for their tag takes a fraction of the time
// that reading takes.
func (s *sheetPart) hasMerges(ctx context.Context) (bool, error) {
	in, err := s.book.parts.Part(ctx, s.part, s.most)
	if err != nil {
		return false, err
	}
	defer in.Close()
	tag := []byte("mergeCell")
	block, kept := make([]byte, 64<<10), 0
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

// parseRange reads "A1:C7".
func parseRange(ref string) (format.Range, bool) {
	from, to, found := bytes.Cut([]byte(ref), []byte(":"))
	if !found {
		return format.Range{}, false
	}
	m := format.Range{Top: rowOf(from), Left: columnOf(from), Bottom: rowOf(to), Right: columnOf(to)}
	ok := m.Top > 0 && m.Left >= 0 && m.Bottom >= m.Top && m.Right >= m.Left && m.Right < format.SheetColumns
	return m, ok
}

func rowOf(address []byte) int {
	letters := 0
	for letters < len(address) && !format.IsDigit(address[letters]) {
		letters++
	}
	return sheetxml.Digits(address[letters:])
}
