package xlsx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"docketsync/importer/source/archive"
	"docketsync/importer/source/format"
	"docketsync/importer/source/numfmt"
	"docketsync/importer/source/sheet"
	"docketsync/importer/source/sheetxml"
)

// maxStyles limits the styles that are held: Excel itself stops at 65,490.
const maxStyles = 600_000

// sheetInfo is one tab of a workbook.
type sheetInfo struct {
	format.Sheet
	part string
}

// cover is what a workbook says about itself: everything but strings and cells.
type cover struct {
	sheets  []sheetInfo
	styles  numfmt.Styles
	strings string // the part of the shared strings, "" if there is none
	stale   bool   // its formulas must be calculated when it is opened: a result of 0 may stand for none
}

// readCover finds the workbook's parts by their relationships, wherever they are, and reads the workbook and its
// styles.
func readCover(c *archive.Archive) (*cover, error) {
	book, err := bookPart(c)
	if err != nil {
		return nil, err
	}
	related, err := relationships(c, book, archive.MaxProperty)
	if err != nil {
		return nil, err
	}
	result, styles := &cover{}, ""
	for _, r := range related {
		switch r.kind {
		case "sharedStrings":
			result.strings = r.target
		case "styles":
			styles = r.target
		}
	}
	dates, err := result.readBook(c, book, related)
	if err == nil {
		result.styles, err = readStyles(c, styles, dates)
	}
	return result, err
}

// bookPart returns the name of the workbook part.
func bookPart(c *archive.Archive) (string, error) {
	related, err := relationships(c, "", archive.MaxProperty)
	if err != nil {
		return "", err
	}
	for _, r := range related {
		if r.kind == "officeDocument" {
			return r.target, nil
		}
	}
	const usual = "xl/workbook.xml"
	if c.Has(usual) {
		return usual, nil
	}
	return "", format.PartFault(usual, archive.ErrMissing)
}

// readBook reads the workbook's tabs in order, and its date system.
func (c *cover) readBook(parts *archive.Archive, book string, related []relationship) (dates numfmt.DateSystem, err error) {
	err = sheetxml.Read(context.Background(), parts, book, archive.MaxProperty, func(xml *sheetxml.Scanner) error {
		switch string(xml.Name) {
		case "workbookPr":
			text, err := xml.Attribute("date1904")
			if err != nil || text == "" {
				return err
			}
			is1904, err := strconv.ParseBool(strings.TrimSpace(text))
			dates = numfmt.DateSystem(is1904)
			return err
		case "calcPr":
			text, err := xml.Attribute("fullCalcOnLoad")
			c.stale = isTrue([]byte(text))
			return err
		case "sheet":
			return c.readTab(xml, related)
		}
		return nil
	})
	return dates, err
}

func (c *cover) readTab(xml *sheetxml.Scanner, related []relationship) error {
	said, err := xml.Decoded("name", "state", "id")
	hidden := strings.EqualFold(said["state"], "hidden") || strings.EqualFold(said["state"], "veryHidden") // only a macro can undo the latter
	tab := sheetInfo{Sheet: format.Sheet{Name: said["name"], Number: len(c.sheets) + 1, Hidden: hidden}}
	if n := slices.IndexFunc(related, func(r relationship) bool { return r.id == said["id"] }); n >= 0 {
		tab.part = related[n].target
		tab.Cells = related[n].kind == "worksheet" && path.Base(path.Dir(tab.part)) != "chartsheets"
	}
	c.sheets = append(c.sheets, tab)
	return err
}

// readStyles reads the number format of each cell style. A workbook may have no styles.
func readStyles(c *archive.Archive, part string, dates numfmt.DateSystem) (numfmt.Styles, error) {
	codes, ids := map[int]string{}, []int(nil)
	if part == "" {
		return numfmt.NewStyles(ids, codes, dates), nil
	}
	err := sheetxml.Read(context.Background(), c, part, archive.MaxProperty, func(xml *sheetxml.Scanner) error {
		group := string(xml.Name)
		if group != "numFmts" && group != "cellXfs" {
			return nil
		}
		return xml.Children(func() error {
			number, code, err := readFormat(xml)
			if err != nil {
				return err
			}
			if group == "numFmts" {
				codes[number] = code
			} else {
				ids = append(ids, number)
			}
			if len(ids)+len(codes) > maxStyles {
				return format.Harm(fmt.Sprintf("it holds more than %d styles", maxStyles))
			}
			return xml.Skip()
		})
	})
	return numfmt.NewStyles(ids, codes, dates), err
}

// readFormat reads what a style says about its number format, or the format itself.
func readFormat(xml *sheetxml.Scanner) (number int, code string, err error) {
	said, err := xml.Decoded("numFmtId", "formatCode")
	if err != nil {
		return 0, "", err
	}
	id, given := said["numFmtId"]
	if !given {
		id = "0"
	}
	if number, err = strconv.Atoi(strings.TrimSpace(id)); err != nil {
		return 0, "", fmt.Errorf("a style has the number format %q, which is not a number", id)
	}
	return number, said["formatCode"], nil
}

// Merges implements sheet.MergedAhead. A sheet stores its merged ranges after its rows, which must be skipped.
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

// hasMerges reports whether the sheet may have merged ranges. Most have none, and searching for their tag takes a
// fraction of the time of reading.
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
