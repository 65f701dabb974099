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
	"unicode/utf8"

	"docketsync/config/diagnostic"
	"docketsync/mapping/table"
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

// Whatever a pattern and a text are, a date is a day of the calendar or none.
func FuzzDate(f *testing.F) {
	for _, pattern := range CommonDatePatterns {
		f.Add(pattern, mustPattern(pattern).format(moment{year: 2024, month: 2, day: 29, hour: 23, minute: 59}))
	}
	f.Add("D MMM YYYY", "1er févr. 2024")
	f.Add("'a' D de MMMM YYYY", "A 1 de março 2024")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		p, err := ParseDatePattern(pattern)
		if err != nil {
			return
		}
		m, found := p.match(text, 50)
		if found == fits && (m.month < 1 || m.month > 12 || m.day < 1 || m.day > daysIn(m.year, m.month) || m.hour > 23) {
			t.Fatalf("%q by %q is %+v", text, pattern, m)
		}
		d := &dateReader{patterns: []*DatePattern{p}}
		if u, fail := d.read(text, table.Text); fail == nil && !utf8.Valid(u.appendJSON(nil)) {
			t.Fatalf("%q by %q is written %s", text, pattern, u.appendJSON(nil))
		}
	})
}

// Whatever two cells hold, each is counted once, and the patterns of a proven column read all its dates.
func FuzzDateColumn(f *testing.F) {
	for _, pattern := range CommonDatePatterns {
		f.Add(mustPattern(pattern).format(moment{year: 2024, month: 2, day: 29, hour: 23, minute: 59}), "01/03/2024")
	}
	f.Add("1er févr. 2024", "mar. 5 mars 24")
	f.Add("sexta-feira, 1.º de março de 2024", "2013-05-02+02:00")
	f.Fuzz(func(t *testing.T, first, second string) {
		v := columnOf(first, second).Verdict()
		if v.Dates+v.Empty+v.Others != 2 {
			t.Fatalf("%q and %q: %+v", first, second, v)
		}
		for _, text := range []string{first, second} {
			if alone := columnOf(text).Verdict(); !v.Proven() || alone.Dates == 0 {
				continue
			}
			days := map[moment]bool{}
			for _, pattern := range v.Patterns {
				if m, f := mustPattern(pattern).match(table.Trim(text), 100); f == fits {
					days[m] = true
				}
			}
			if len(days) != 1 {
				t.Fatalf("%q and %q: %q read %q as %d days", first, second, v.Patterns, text, len(days))
			}
		}
	})
}

func FuzzGoods(f *testing.F) {
	f.Add("9: software; hardware; 35: advertising", ";", ":")
	f.Add("9, 35", ",", ":")
	f.Fuzz(func(t *testing.T, text, entries, class string) {
		if entries == "" || class == "" {
			return
		}
		found, fail := splitGoods(text, entries, class)
		for _, e := range found {
			if fail == nil && e.class == "" {
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
