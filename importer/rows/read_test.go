package rows

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/ledger"
	"docketsync/mapping"
)

const mappingText = `operation: create_case
key: Ref
rows: {group: GROUP, skip: {dead: 'row["Status"] == "Dead"'}}
fields:
  name: Name
  number: Ref
  active: {value: true}
  file_template_id: {value: 00000000-0000-4000-8000-000000000001}
  user_id: {value: 00000000-0000-4000-8000-000000000002}
`

// read reads files of these texts by a mapping, and returns the run with its account and the records.
func read(t *testing.T, text string, files ...string) (*ledger.Run, []Record) {
	t.Helper()
	return readCorrected(t, nil, text, files...)
}

// readCorrected is read of rows with corrections.
func readCorrected(t *testing.T, cells map[string][]ledger.CellCorrection, text string, files ...string) (run *ledger.Run, records []Record) {
	t.Helper()
	run = readBatches(t, cells, text, func(batch *Batch) { records = append(records, batch.Records...) }, files...)
	return run, records
}

// readBatches is readCorrected with each batch by itself.
func readBatches(t *testing.T, cells map[string][]ledger.CellCorrection, text string, each func(*Batch), files ...string) *ledger.Run {
	t.Helper()
	m, err := mapping.Parse("m.yaml", []byte(text), mapping.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	book, err := ledger.Open(t.Context(), filepath.Join(dir, "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = book.Close() })
	run := &ledger.Run{ID: "run", Kind: ledger.Push, Scope: "s", Operation: "create_case", Phase: ledger.Reading}
	if err := book.Begin(t.Context(), *run); err != nil {
		t.Fatal(err)
	}
	last, err := book.Baseline(t.Context(), *run)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(last.Close)
	r := &Reader{Walk: Walk{Mapping: m, Corrected: cells}, Book: book, Run: run, Last: last, Report: func(int) {}}
	for n, file := range files {
		path := filepath.Join(dir, string(rune('a'+n))+".csv")
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		r.Walk.Inputs = append(r.Walk.Inputs, Input{Path: path})
	}
	r.Begin()
	err = r.Read(t.Context(), func(_ context.Context, batch *Batch) error {
		each(batch)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestLargeRowsGoInSmallBatches reads rows that are as large as books.
func TestLargeRowsGoInSmallBatches(t *testing.T) {
	t.Parallel()
	const rows, book = 20, 1 << 20
	var file strings.Builder
	file.WriteString("Ref,Name,Status,Notes\n")
	for n := range rows {
		fmt.Fprintf(&file, "R%d,Lease,Open,%s\n", n, strings.Repeat("x", book))
	}
	read, most := 0, 0
	readBatches(t, nil, strings.Replace(mappingText, "GROUP", "", 1), func(batch *Batch) {
		read += len(batch.Records)
		most = max(most, len(batch.Records))
	}, file.String())
	if read != rows || most > batchBytes/book {
		t.Errorf("%d records were read, up to %d in a batch", read, most)
	}
}

// Every row that is read is in a record or skipped, each skipped row under its reason; also where rows are set aside first.
func TestEveryRowIsAccountedFor(t *testing.T) {
	t.Parallel()
	files := []string{
		"Ref,Name,Status\nR1,Lease,Open\n,,\nR2,Sale,Dead\nR3,Will,Open\nRef,Name,Status\nR4,,Open\n,Nameless,Open\n",
		"Ref,Name,Status\nR5,Deed,Dead\n,,\nR6,Trust,Open\nR7,Short\n",
	}
	for name, group := range map[string]string{"a record a row": "false", "rows of one record": "true"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run, records := read(t, strings.Replace(mappingText, "GROUP", group, 1), files...)
			want := ledger.Counts{Read: 11, InRecords: 6, Skipped: map[string]int{"blank": 2, "filtered: dead": 2, "repeated header": 1}}
			if diff := cmp.Diff(want, run.Counts); diff != "" {
				t.Errorf("the account (-want +got):\n%s", diff)
			}
			rows, rejected := 0, 0
			for _, r := range records {
				rows += len(r.Rows)
				if len(r.Reasons) > 0 {
					rejected++
				}
			}
			if rows != run.Counts.InRecords || rejected != 3 {
				t.Errorf("the records have %d rows, and %d are rejected", rows, rejected)
			}
		})
	}
}

// A row that names the column of the key and another one that is read is a header, however few of its names are those of the first; what is below one that names a
// column that is read otherwise is rejected too, unless a rule leaves the header out.
func TestAnotherHeaderNamesWhatIsRead(t *testing.T) {
	t.Parallel()
	const in = "Ref,Name,Status,Office,Note\nR1,Lease,Open,,\nHEAD\nR2,Sale,Open,,\n"
	for name, test := range map[string]struct{ head, skip, want string }{
		"columns that are not read": {"REF.,Name,Status,Place,Remark", "Dead", "REF. header_inside"},
		"a column that is read":     {"Ref,Name,State,Place,Remark", "Dead", "Ref header_inside, R2 below_other_header"},
		"a rule":                    {"Ref,Name,State,Place,Remark", "State", ""},
		"the key alone":             {"Ref,Sale,Open,,", "Dead", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, records := read(t, strings.NewReplacer("GROUP", "false", `"Dead"`, `"`+test.skip+`"`).Replace(mappingText), strings.Replace(in, "HEAD", test.head, 1))
			var rejected []string
			for _, r := range records {
				for _, why := range r.Reasons {
					rejected = append(rejected, r.Key+" "+why.Code)
				}
			}
			if got := strings.Join(rejected, ", "); got != test.want {
				t.Errorf("rejected are %q, want %q", got, test.want)
			}
		})
	}
}

// A record whose last cell may go on in a row of its own is rejected where the mapping reads that cell, unless a rule leaves that row out.
func TestRecordAboveAPieceOfItsCellIsRejected(t *testing.T) {
	t.Parallel()
	const in = "Ref,Status,Name\nR1,Open,Lease\nR2,Open,Sale\nPIECE\nR3,Open,Will\n"
	skip := strings.Replace(mappingText, `skip: {dead: 'row["Status"] == "Dead"'}`, `skip: {office: 'row["Ref"] startsWith "Office"'}`, 1)
	for name, test := range map[string]struct{ piece, text, want string }{
		"a piece":                            {"of the year", skip, "R2 cell_split, of the year row_short"},
		"a line that a rule leaves out":      {"Office Rome", skip, ""},
		"a piece of a cell that is not read": {"of the year", strings.Replace(skip, "name: Name", "name: Status", 1), "of the year row_short"},
	} {
		for _, group := range []string{"false", "true"} {
			t.Run(name+", grouped "+group, func(t *testing.T) {
				t.Parallel()
				_, records := read(t, strings.Replace(test.text, "GROUP", group, 1), strings.Replace(in, "PIECE", test.piece, 1))
				var rejected []string
				for _, r := range records {
					for _, why := range r.Reasons {
						rejected = append(rejected, r.Key+" "+why.Code)
					}
				}
				slices.Sort(rejected)
				if got := strings.Join(rejected, ", "); got != test.want {
					t.Errorf("rejected are %q, want %q", got, test.want)
				}
			})
		}
	}
}
