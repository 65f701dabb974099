package mapping

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"docketsync/config/diagnostic"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// Whatever a mapping file holds, it loads or says where it is wrong.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"mappings", "faults"} {
		paths, err := filepath.Glob(filepath.Join("testdata", pattern, "*.yaml"))
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse("m.yaml", data, Options{Today: testDay})
		if err != nil {
			placed(t, err)
			draft := ParseDraft("m.yaml", data, Options{Today: testDay})
			draft.Columns()
			if missing := draft.Missing(table.Header{Names: []string{"A"}}); len(missing) > 0 {
				placed(t, missing)
			}
			return
		}
		header := table.Header{Names: m.Columns()}
		mapper, err := m.Bind(header, nil)
		if err != nil {
			placed(t, err)
			return
		}
		row := table.Row{Number: 2}
		for i := range header.Names {
			row.Cells = append(row.Cells, table.Cell{Kind: table.Text, Text: []string{"x", "01/03/2024", idOne, "9: a; 35: b"}[i%4]})
		}
		mapper.Key(row)
		mapper.Map([]table.Row{row, row})
		m.RunTests(nil)
	})
}

// placed reports an error of a file that does not say where it is.
func placed(t *testing.T, err error) {
	t.Helper()
	var faults diagnostic.Faults
	if !errors.As(err, &faults) || len(faults) == 0 {
		t.Fatalf("no faults: %v", err)
	}
	for _, fault := range faults {
		if fault.Line < 1 || fault.Column < 1 || fault.Message == "" {
			t.Fatalf("a fault without its place: %+v", fault)
		}
	}
}

func FuzzGoods(f *testing.F) {
	f.Add("9: software; hardware; 35: advertising", ";", ":")
	f.Add("9, 35", ",", ":")
	f.Fuzz(func(t *testing.T, text, entries, class string) {
		if entries == "" || class == "" {
			return
		}
		found, fail := value.SplitGoods(text, entries, class)
		for _, e := range found {
			if fail == nil && e.Class == "" {
				t.Fatalf("%q: an entry without a class in %+v", text, found)
			}
		}
	})
}

// Whatever an expression says, it is refused with its place or evaluated within bounds of time and memory.
func FuzzExpression(f *testing.F) {
	for _, seed := range []string{
		`join([row["Ref"], row["Name"]], "\n")`, `row["Ref"] + row["Name"]`, `map(split(row["Name"], ""), # + row["Name"])`, `replace(row["Name"], "a", row["Name"])`,
		`all(1..1000000000, true)`, `len(map(split(row["Name"], "a"), map(split(row["Name"], "a"), row["Name"])))`, `let x = row["Name"]; x + x`, `((((((((`, `"` + "\xff", `=1`,
		`date(row["Ref"])`, `lookup("x", row["Ref"])`, `sort(split(row["Name"], "a"))[99999]`, `int(row["Ref"]) / 0`, `row[row["Ref"]]`, `repeat(row["Name"], 1000000000)`, `match(row["Name"], "(a*)*b")`,
		strings.Repeat("(", 400) + "1" + strings.Repeat(")", 400), strings.Repeat("!", 2000) + "true", `nil ?? row["Name"]`,
	} {
		f.Add(seed, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")
	}
	f.Fuzz(func(t *testing.T, text, cell string) {
		if len(text) > 10_000 || len(cell) > 32_767 {
			return
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		quoted, err := json.Marshal(text) // JSON is YAML
		if err != nil {
			t.Fatal(err)
		}
		m, err := Parse("m.yaml", []byte(caseWith("notes: {expr: "+string(quoted)+"}")), Options{Today: testDay})
		if err != nil {
			placed(t, err)
		} else if mapper, err := m.Bind(table.Header{Names: []string{"Ref", "Name"}}, nil); err == nil {
			mapper.Map([]table.Row{textRow(2, "7", cell)})
		} else {
			placed(t, err)
		}
		runtime.ReadMemStats(&after)
		if took, used := time.Since(began), after.TotalAlloc-before.TotalAlloc; took > 10*time.Second || used > 512<<20 {
			t.Errorf("%q took %v and %d MiB", text, took, used>>20)
		}
	})
}
