package source

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"docketsync/importer/source/sourcetest"
)

func encrypted(tb testing.TB, password string) []byte {
	tb.Helper()
	parts := sourcetest.Book(sourcetest.Styles, "", "", sourcetest.Sheet{Name: "Data", Data: sourcetest.SmallTable})
	noise := make([]byte, 8<<10) // the library cannot read what it encrypts when that is shorter than 4 KiB
	rand.NewChaCha8([32]byte{}).Read(noise)
	parts["docProps/noise.bin"] = string(noise)
	data, err := excelize.Encrypt(sourcetest.Archive(tb, parts), &excelize.Options{Password: password})
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func TestEncryptedWorkbooks(t *testing.T) {
	t.Parallel()
	data := encrypted(t, "geheim-4711")
	rows, err := readBytes(data, Options{Password: "geheim-4711"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1|T Ref|T Name", "2|N 1|N 2"}, sourcetest.Show(rows)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, err = readBytes(data, Options{})
	sourcetest.WantRefusal(t, err, "the workbook is encrypted")
	if !strings.Contains(sourcetest.Hint(err), "password") {
		t.Errorf("the hint %q does not speak of a password", sourcetest.Hint(err))
	}
	_, err = readBytes(data, Options{Password: "wrong-1234"})
	sourcetest.WantRefusal(t, err, "does not open with the password given")
	if text := err.Error() + sourcetest.Hint(err); strings.Contains(text, "wrong-1234") {
		t.Errorf("the error %q shows the password", text)
	}
}

func TestAWorkbookWithTheSilentPasswordOpens(t *testing.T) {
	t.Parallel()
	if _, err := readBytes(encrypted(t, "VelvetSweatshop"), Options{}); err != nil {
		t.Error(err)
	}
}

func TestDamagedEncryptionIsRefused(t *testing.T) {
	t.Parallel()
	data := encrypted(t, "x")
	at := bytes.Index(data, []byte(sourcetest.Encode("EncryptionInfo", "utf-16le")))
	if at < 0 {
		t.Fatal("the compound file has no encryption header")
	}
	for _, cut := range []int{512, 1024, len(data) / 2} {
		_, err := readBytes(append(bytes.Clone(data[:cut]), data[at:at+256]...), Options{Password: "x"})
		if err == nil {
			t.Errorf("a file cut at %d opens", cut)
		}
	}
	broken := 3
	if long() {
		broken = 10
	}
	for i := range broken {
		broken := bytes.Clone(data)
		for at := 512 + i*51; at < len(broken); at += 512 {
			broken[at] ^= 0xff
		}
		if rows, err := readBytes(broken, Options{Password: "x"}); err != nil && sourcetest.Hint(err) == "" {
			t.Errorf("a broken file gives the error %v without a hint (%d rows)", err, len(rows))
		}
	}
}
