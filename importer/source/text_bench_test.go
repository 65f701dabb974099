package source

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

const benchRows = 100_000

// writeBench writes a file of ten columns; one row in ten has a cell in quotes when some is set, every cell of every row
// when all is.
func writeBench(b *testing.B, quotes string) (path string, size int64) {
	b.Helper()
	path = filepath.Join(b.TempDir(), "bench.csv")
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	out := bufio.NewWriter(file)
	fmt.Fprintln(out, "Our Ref,Mark,Office,App No,Filing Date,Reg No,Status,Classes,Owner,Notes")
	for i := range benchRows {
		format := "TM%06d,MARK %d,EM,%09d,2024-03-%02d,%07d,Registered,9 35 42,Harrow & Pike Ltd,renewal due\n"
		switch {
		case quotes == "all":
			format = "\"TM%06d\",\"MARK %d\",\"EM\",\"%09d\",\"2024-03-%02d\",\"%07d\",\"Registered\",\"9, 35\",\"Société Fictive\",\"renewal \"\"due\"\"\"\n"
		case quotes == "some" && i%10 == 0:
			format = "TM%06d,MARK %d,EM,%09d,2024-03-%02d,%07d,Registered,\"9, 35, 42\",Société Générale,renewal due\n"
		}
		fmt.Fprintf(out, format, i, i, i*7, i%28+1, i*3)
	}
	if err := errors.Join(out.Flush(), file.Close()); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return path, info.Size()
}

// BenchmarkText reads the same file with encoding/csv and with a Source that has found everything out itself; the share
// of the speed of encoding/csv is reported as "of-csv".
func BenchmarkText(b *testing.B) {
	for _, quotes := range []string{"none", "some", "all"} {
		path, size := writeBench(b, quotes)
		var bare float64
		b.Run("quotes="+quotes+"/encoding-csv", func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				readBare(b, path)
			}
			bare = float64(b.Elapsed()) / float64(b.N)
			b.ReportMetric(benchRows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
		b.Run("quotes="+quotes+"/source", func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				readSource(b, path)
			}
			b.ReportMetric(benchRows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			if bare > 0 {
				b.ReportMetric(bare/(float64(b.Elapsed())/float64(b.N)), "of-csv")
			}
		})
	}
}

func readBare(b *testing.B, path string) {
	b.Helper()
	file, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	r := csv.NewReader(file)
	rows := 0
	for {
		if _, err := r.Read(); err == io.EOF {
			break
		} else if err != nil {
			b.Fatal(err)
		}
		rows++
	}
	if rows != benchRows+1 {
		b.Fatalf("%d rows", rows)
	}
}

func readSource(b *testing.B, path string) {
	b.Helper()
	s, err := Open(context.Background(), path, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	rows := 0
	for _, err := range s.Rows(context.Background()) {
		if err != nil {
			b.Fatal(err)
		}
		rows++
	}
	if rows != benchRows {
		b.Fatalf("%d rows", rows)
	}
}
