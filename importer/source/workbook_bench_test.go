package source

import (
	"archive/zip"
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"docketsync/importer/source/sourcetest"
	"docketsync/mapping/table"
)

// BenchmarkWorkbook reads workbooks of 25 columns with this package and with excelize's bare row iterator (raw values),
// and reports both speeds, their ratio, and how much the heap grew while reading. The texts are shared strings, as Excel
// writes them, or stand in the cells, as exporting programs write them.
//
//	go test -run - -bench Workbook -benchtime 1x ./importer/source
func BenchmarkWorkbook(b *testing.B) {
	for _, shared := range []bool{false, true} {
		for _, size := range []int{20_000, 200_000} {
			b.Run(fmt.Sprintf("shared=%t/rows=%d", shared, size), func(b *testing.B) {
				path := largeWorkbook(b, size, shared)
				var ours, theirs time.Duration
				var oursPeak, theirsPeak uint64
				for b.Loop() {
					d, peak := measured(func() { readAll(b, path, size) })
					ours, oursPeak = ours+d, max(oursPeak, peak)
					d, peak = measured(func() { excelizeAll(b, path, size) })
					theirs, theirsPeak = theirs+d, max(theirsPeak, peak)
				}
				rows := float64(size * b.N)
				b.ReportMetric(rows/ours.Seconds(), "rows/s")
				b.ReportMetric(rows/theirs.Seconds(), "excelize-rows/s")
				b.ReportMetric(theirs.Seconds()/ours.Seconds(), "ratio")
				b.ReportMetric(float64(oursPeak)/(1<<20), "peak-MiB")
				b.ReportMetric(float64(theirsPeak)/(1<<20), "excelize-peak-MiB")
			})
		}
	}
}

// measured runs the function and returns its time and the largest growth of the heap that a sample every few
// milliseconds saw.
func measured(run func()) (time.Duration, uint64) {
	var before runtime.MemStats
	runtime.GC()
	runtime.GC() // the second one empties what pools kept over the first
	runtime.ReadMemStats(&before)
	done, peak := make(chan struct{}), make(chan uint64)
	go func() {
		highest := before.HeapAlloc
		for ticks := time.NewTicker(20 * time.Millisecond); ; {
			select {
			case <-done:
				ticks.Stop()
				peak <- highest - before.HeapAlloc
				return
			case <-ticks.C:
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				highest = max(highest, now.HeapAlloc)
			}
		}
	}()
	begin := time.Now()
	run()
	took := time.Since(begin)
	close(done)
	return took, <-peak
}

func readAll(tb testing.TB, path string, want int) {
	s, err := Open(context.Background(), path, Options{})
	if err != nil {
		tb.Fatal(err)
	}
	defer s.Close()
	rows := 0
	for _, err := range s.parts[0].table.Rows(context.Background()) {
		if err != nil {
			tb.Fatal(err)
		}
		rows++
	}
	if rows != want {
		tb.Fatalf("%d rows read, want %d", rows, want)
	}
}

func excelizeAll(tb testing.TB, path string, want int) {
	file, err := excelize.OpenFile(path, excelize.Options{RawCellValue: true})
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	rows, err := file.Rows("Data")
	if err != nil {
		tb.Fatal(err)
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		if _, err := rows.Columns(); err != nil {
			tb.Fatal(err)
		}
		n++
	}
	if n != want {
		tb.Fatalf("excelize read %d rows, want %d", n, want)
	}
}

// largeWorkbook writes a workbook of identifiers, names, numbers, days and amounts, 25 columns wide. One text in five is
// in no other cell.
func largeWorkbook(tb testing.TB, rows int, shared bool) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "large.xlsx")
	file, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	archive := zip.NewWriter(file)
	parts := sourcetest.Book(sourcetest.Styles, "", "", sourcetest.Sheet{Name: "Data"})
	delete(parts, "xl/worksheets/sheet1.xml")
	if shared {
		delete(parts, "xl/sharedStrings.xml")
		writePart(tb, archive, "xl/sharedStrings.xml", func(out *bufio.Writer) { writeShared(out, rows) })
	}
	writePart(tb, archive, "xl/worksheets/sheet1.xml", func(out *bufio.Writer) { writeLarge(out, rows, shared) })
	for name, content := range parts {
		writePart(tb, archive, name, func(out *bufio.Writer) { fmt.Fprint(out, content) })
	}
	if err := archive.Close(); err != nil {
		tb.Fatal(err)
	}
	return path
}

func writePart(tb testing.TB, archive *zip.Writer, name string, write func(*bufio.Writer)) {
	tb.Helper()
	part, err := archive.Create(name)
	if err != nil {
		tb.Fatal(err)
	}
	out := bufio.NewWriter(part)
	write(out)
	if err := out.Flush(); err != nil {
		tb.Fatal(err)
	}
}

const largeGoods = "Spectacles &amp; sunglasses; frames therefor"

func writeShared(out *bufio.Writer, rows int) {
	fmt.Fprintf(out, `<sst xmlns="%s"><si><t>%s</t></si>`, sourcetest.SpreadsheetNS, largeGoods)
	for row := range rows {
		fmt.Fprintf(out, `<si><t>TM-%06d/2024</t></si>`, row)
	}
	fmt.Fprint(out, `</sst>`)
}

func writeLarge(out *bufio.Writer, rows int, shared bool) {
	fmt.Fprintf(out, `<worksheet xmlns="%s"><sheetData>`, sourcetest.SpreadsheetNS)
	for row := range rows {
		fmt.Fprintf(out, `<row r="%d" spans="1:25">`, row+1)
		for column := range 25 {
			address := table.CellName(column, row+1)
			switch column % 5 {
			case 0:
				writeText(out, address, shared, row+1, fmt.Sprintf("TM-%06d/2024", row))
			case 1:
				fmt.Fprintf(out, `<c r="%s"><v>%d</v></c>`, address, row*31+column)
			case 2:
				fmt.Fprintf(out, `<c r="%s" s="1"><v>%d</v></c>`, address, 36000+row%9000)
			case 3:
				fmt.Fprintf(out, `<c r="%s"><v>%g</v></c>`, address, float64(row)/8)
			default:
				writeText(out, address, shared, 0, largeGoods)
			}
		}
		fmt.Fprint(out, `</row>`)
	}
	fmt.Fprint(out, `</sheetData></worksheet>`)
}

func writeText(out *bufio.Writer, address string, shared bool, index int, text string) {
	if shared {
		fmt.Fprintf(out, `<c r="%s" t="s"><v>%d</v></c>`, address, index)
		return
	}
	fmt.Fprintf(out, `<c r="%s" t="inlineStr"><is><t>%s</t></is></c>`, address, text)
}
