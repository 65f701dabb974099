package source

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func readTestStrings(tb testing.TB, xml string, limit int64) *stringTable {
	tb.Helper()
	s, err := newXMLScanner(strings.NewReader(xml))
	if err != nil {
		tb.Fatal(err)
	}
	table, err := readStrings(s, limit)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := table.close(); err != nil {
			tb.Error(err)
		}
	})
	return table
}

func TestSharedStrings(t *testing.T) {
	t.Parallel()
	const xml = `<sst><si><t>plain</t></si><si><r><rPr><b/></rPr><t xml:space="preserve">rich </t></r><r><t>text</t></r>` +
		`<rPh sb="0" eb="1"><t>phonetic</t></rPh><phoneticPr fontId="1"/></si><si/><si><t> trimmed
</t></si><si><t xml:space="preserve"> kept </t></si><si><t>a_x000D_b</t></si><si><t><![CDATA[&lt;]]></t></si></sst>`
	want := []string{"plain", "rich text", "", "trimmed", " kept ", "a\rb", "&lt;"}
	for _, limit := range []int64{stringsInMemory, 0} {
		table := readTestStrings(t, xml, limit)
		if spilled := table.spilled != nil; spilled != (limit == 0) {
			t.Fatalf("with a limit of %d bytes the strings are spilled: %t", limit, spilled)
		}
		var got []string
		for i := range want {
			text, err := table.at(i)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("limit %d (-want +got):\n%s", limit, diff)
		}
		for _, index := range []int{-1, len(want)} {
			if _, err := table.at(index); !errors.Is(err, errNoSuchString) {
				t.Errorf("string %d gives error %v", index, err)
			}
		}
	}
	var none *stringTable
	if _, err := none.at(0); !errors.Is(err, errNoSuchString) {
		t.Errorf("a workbook without shared strings gives error %v", err)
	}
}

// Strings that do not fit in memory come from disk the same, in any order, with a bounded number of pages held.
func TestManySharedStringsAreSpilled(t *testing.T) {
	t.Parallel()
	const count = 60_000
	text := func(i int) string { return fmt.Sprintf("%d%s", i, strings.Repeat("é", i*7919%300)) }
	var xml strings.Builder
	xml.WriteString("<sst>")
	for i := range count {
		xml.WriteString("<si><t>" + text(i) + "</t></si>")
	}
	xml.WriteString("</sst>")
	table := readTestStrings(t, xml.String(), 1<<20)
	if table.spilled == nil || table.held != nil {
		t.Fatal("the strings stayed in memory")
	}
	for n := range count + 2000 {
		i := n
		if n >= count {
			i = n * 7919 % count
		}
		got, err := table.at(i)
		if err != nil || got != text(i) {
			t.Fatalf("string %d is %.40q (error %v), want %.40q", i, got, err, text(i))
		}
	}
	if held := len(table.spilled.texts.pages); held > pagesHeld {
		t.Errorf("%d pages are held, more than %d", held, pagesHeld)
	}
}

func TestSpilledStringsLeaveNoFiles(t *testing.T) {
	t.Parallel()
	s, err := newXMLScanner(strings.NewReader("<sst><si><t>x</t></si></sst>"))
	if err != nil {
		t.Fatal(err)
	}
	table, err := readStrings(s, 0)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{table.spilled.texts.file.Name(), table.spilled.starts.file.Name()}
	if err := table.close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the temporary file %s is still there (%v)", name, err)
		}
	}
}

func TestDamagedSharedStringsLeaveNoFiles(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s, err := newXMLScanner(strings.NewReader("<sst><si><t>x</t></si><si><t>"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readStrings(s, 0); !errors.Is(err, errTruncatedXML) {
		t.Errorf("got error %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}
