package xlsx

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/source/archive"
	"docketsync/importer/source/sheet"
	"docketsync/importer/source/sourcetest"
)

// addStrings reads a part of shared strings.
func addStrings(tb testing.TB, xml string, to *sheet.Strings) error {
	tb.Helper()
	data := sourcetest.Archive(tb, map[string]string{"strings.xml": xml})
	parts, err := archive.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		tb.Fatal(err)
	}
	return readStrings(tb.Context(), parts, "strings.xml", to)
}

func TestSharedStrings(t *testing.T) {
	t.Parallel()
	const xml = `<sst><si><t>plain</t></si><si><r><rPr><b/></rPr><t xml:space="preserve">rich </t></r><r><t>text</t></r>` +
		`<rPh sb="0" eb="1"><t>phonetic</t></rPh><phoneticPr fontId="1"/></si><si/><si><t> trimmed
</t></si><si><t xml:space="preserve"> kept </t></si><si><t>a_x000D_b</t></si><si><t><![CDATA[&lt;]]></t></si></sst>`
	want := []string{"plain", "rich text", "", "trimmed", " kept ", "a\rb", "&lt;"}
	for _, limit := range []int{0, 1} {
		table := &sheet.Strings{InMemory: limit}
		if err := addStrings(t, xml, table); err != nil {
			t.Fatal(err)
		}
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
		if err := table.Close(); err != nil {
			t.Error(err)
		}
		for _, index := range []int{-1, len(want)} {
			if _, err := table.At(index); !errors.Is(err, sheet.ErrNoText) {
				t.Errorf("string %d gives error %v", index, err)
			}
		}
	}
	if _, err := new(sheet.Strings).At(0); !errors.Is(err, sheet.ErrNoText) {
		t.Errorf("a workbook without shared strings gives error %v", err)
	}
}

func TestDamagedSharedStringsLeaveNoFiles(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	if err := addStrings(t, "<sst><si><t>x</t></si><si><t>", &sheet.Strings{InMemory: 1}); err == nil || !strings.Contains(err.Error(), "ends in the middle") {
		t.Errorf("got error %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}
