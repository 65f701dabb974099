package xlsx

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/xuri/excelize/v2"

	"docketsync/importer/source/archive"
	"docketsync/importer/source/format"
	"docketsync/importer/source/numfmt"
	"docketsync/importer/source/sheetxml"
)

// maxCoverElements bounds what the library that decodes the cover has to hold: Excel itself stops at 65,490 cell
// formats of a handful of elements each.
const maxCoverElements = 600_000

var errManyElements = format.Harm(fmt.Sprintf("it holds more than %d elements", maxCoverElements))

// sheetInfo is one tab of a workbook.
type sheetInfo struct {
	name   string
	part   string
	hidden bool // also "very hidden", which only a macro can undo
	cells  bool // holds cells; chart and dialog sheets do not
}

// cover is what a workbook says about itself: all but strings and cells.
type cover struct {
	sheets  []sheetInfo
	styles  numfmt.Styles
	strings string // the part of the shared strings, "" when there is none
}

// readCover finds the workbook's parts by their relationships, wherever they are, and has excelize decode the workbook
// and its styles. The library gets a package of these parts alone: given the whole file it would unpack every sheet and
// picture first.
func readCover(c *archive.Archive) (*cover, error) {
	book, err := bookPart(c)
	if err != nil {
		return nil, err
	}
	related, err := relationships(c, book)
	if err != nil {
		return nil, err
	}
	small, err := coverPackage(c, book, related)
	if err != nil {
		return nil, err
	}
	file, err := excelize.OpenReader(bytes.NewReader(small))
	if err != nil {
		return nil, fmt.Errorf("its properties cannot be decoded: %w", err)
	}
	defer file.Close()
	props, err := file.GetWorkbookProps()
	if err != nil {
		return nil, format.PartFault(book, err)
	}
	result := &cover{styles: cellStyles(file, numfmt.DateSystem(props.Date1904 != nil && *props.Date1904))}
	for _, r := range related {
		if r.kind == "sharedStrings" {
			result.strings = r.target
		}
	}
	result.sheets = sheetList(file, related)
	return result, nil
}

// bookPart returns the name of the workbook part.
func bookPart(c *archive.Archive) (string, error) {
	related, err := relationships(c, "")
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

// coverPackage packs the parts that excelize is to decode, under the names that it looks for.
func coverPackage(c *archive.Archive, book string, related []relationship) ([]byte, error) {
	var small bytes.Buffer
	out := zip.NewWriter(&small)
	parts := map[string]string{"xl/workbook.xml": book}
	for _, r := range related {
		if r.kind == "styles" {
			parts["xl/styles.xml"] = r.target
		}
	}
	for name, part := range parts {
		data, err := coverPart(c, part)
		if err != nil {
			return nil, format.PartFault(part, err)
		}
		if err := storePart(out, name, data); err != nil {
			return nil, err
		}
	}
	err := errors.Join(
		storePart(out, "[Content_Types].xml", []byte(contentTypes)),
		storePart(out, "_rels/.rels", []byte(packageRels)),
		out.Close())
	return small.Bytes(), err
}

const contentTypes = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
	`<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>` +
	`</Types>`

const packageRels = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
	`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/>` +
	`</Relationships>`

func storePart(out *zip.Writer, name string, data []byte) error {
	w, err := out.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

// coverPart returns a part that has proved to be well-formed, without a document type and of bearable size.
func coverPart(c *archive.Archive, name string) ([]byte, error) {
	in, err := c.Part(context.Background(), name, archive.MaxProperty)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var data bytes.Buffer
	xml, err := sheetxml.NewScanner(io.TeeReader(in, &data))
	if err != nil {
		return nil, err
	}
	elements := 0
	err = xml.Elements(func() error {
		if elements++; elements > maxCoverElements {
			return errManyElements
		}
		return nil
	})
	return data.Bytes(), err
}

// sheetList returns the workbook's tabs in their order.
func sheetList(file *excelize.File, related []relationship) []sheetInfo {
	targets := map[string]relationship{}
	for _, r := range related {
		targets[r.id] = r
	}
	var all []sheetInfo
	for _, tab := range file.WorkBook.Sheets.Sheet {
		target := targets[tab.ID]
		state := strings.ToLower(tab.State)
		all = append(all, sheetInfo{
			name:   tab.Name,
			part:   target.target,
			hidden: state == "hidden" || state == "veryhidden",
			cells:  target.kind == "worksheet" && path.Base(path.Dir(target.target)) != "chartsheets",
		})
	}
	return all
}

// cellStyles returns the number format of each cell style.
func cellStyles(file *excelize.File, dates numfmt.DateSystem) numfmt.Styles {
	if file.Styles == nil || file.Styles.CellXfs == nil {
		return numfmt.Styles{Dates: dates}
	}
	codes := map[int]string{}
	if file.Styles.NumFmts != nil {
		for _, f := range file.Styles.NumFmts.NumFmt {
			codes[f.NumFmtID] = f.FormatCode
		}
	}
	ids := make([]int, len(file.Styles.CellXfs.Xf))
	for n, xf := range file.Styles.CellXfs.Xf {
		if xf.NumFmtID != nil {
			ids[n] = *xf.NumFmtID
		}
	}
	return numfmt.NewStyles(ids, codes, dates)
}
