package workbook_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"io"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"docketsync/importer/report/workbook"
)

// TestCorePropertiesHavePrefixes reads the properties of a workbook as exceljs does, which knows them by their names with prefixes.
func TestCorePropertiesHavePrefixes(t *testing.T) {
	t.Parallel()
	b := workbook.New("Title", "run-1", time.Date(2026, 11, 21, 6, 0, 0, 0, time.UTC), t.TempDir())
	defer b.Close()
	b.Sheet("Sheet", false).Put(0, "cell")
	var out bytes.Buffer
	if err := b.Write(&out); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	part, err := archive.Open("docProps/core.xml")
	if err != nil {
		t.Fatal(err)
	}
	decoder, seen := xml.NewDecoder(part), 0
	for {
		token, err := decoder.RawToken()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if element, ok := token.(xml.StartElement); ok {
			if seen++; element.Name.Space == "" {
				t.Errorf("<%s> has no prefix", element.Name.Local)
			}
		}
	}
	if seen < 6 {
		t.Errorf("there are only %d properties", seen)
	}
	again, err := excelize.OpenReader(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if said, err := again.GetDocProps(); err != nil || said.LastModifiedBy != "docketsync" || said.Title != "Title" {
		t.Errorf("%+v %v", said, err)
	}
}
