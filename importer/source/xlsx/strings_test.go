package xlsx

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/source/sharedstrings"
	"docketsync/importer/source/sheetxml"
)

func readTestStrings(tb testing.TB, xml string, limit int64) *sharedstrings.Table {
	tb.Helper()
	s, err := sheetxml.NewScanner(strings.NewReader(xml))
	if err != nil {
		tb.Fatal(err)
	}
	table, err := readStrings(s, limit)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := table.Close(); err != nil {
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
	for _, limit := range []int64{sharedstrings.InMemory, 0} {
		table := readTestStrings(t, xml, limit)
		var got []string
		for i := range want {
			text, err := table.At(i)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("limit %d (-want +got):\n%s", limit, diff)
		}
		for _, index := range []int{-1, len(want)} {
			if _, err := table.At(index); !errors.Is(err, sharedstrings.ErrNone) {
				t.Errorf("string %d gives error %v", index, err)
			}
		}
	}
	var none *sharedstrings.Table
	if _, err := none.At(0); !errors.Is(err, sharedstrings.ErrNone) {
		t.Errorf("a workbook without shared strings gives error %v", err)
	}
}

func TestDamagedSharedStringsLeaveNoFiles(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s, err := sheetxml.NewScanner(strings.NewReader("<sst><si><t>x</t></si><si><t>"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readStrings(s, 0); err == nil || !strings.Contains(err.Error(), "ends in the middle") {
		t.Errorf("got error %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}
