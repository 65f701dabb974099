package source

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

func encrypted(tb testing.TB, password string) []byte {
	tb.Helper()
	parts := bookParts(testStyles, "", "", sheetSpec{name: "Data", data: smallTable})
	noise := make([]byte, 8<<10) // the library cannot read what it encrypts when that is shorter than 4 KiB
	rand.NewChaCha8([32]byte{}).Read(noise)
	parts["docProps/noise.bin"] = string(noise)
	data, err := excelize.Encrypt(archiveOf(tb, parts), &excelize.Options{Password: password})
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
	if diff := cmp.Diff([]string{"1|T Ref|T Name", "2|N 1|N 2"}, show(rows)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, err = readBytes(data, Options{})
	wantRefusal(t, err, "the workbook is encrypted")
	if !strings.Contains(hintOf(err), "password") {
		t.Errorf("the hint %q does not speak of a password", hintOf(err))
	}
	_, err = readBytes(data, Options{Password: "wrong-1234"})
	wantRefusal(t, err, "does not open with the password given")
	if text := err.Error() + hintOf(err); strings.Contains(text, "wrong-1234") {
		t.Errorf("the error %q shows the password", text)
	}
}

func TestAWorkbookWithTheSilentPasswordOpens(t *testing.T) {
	t.Parallel()
	if _, err := readBytes(encrypted(t, silentPassword), Options{}); err != nil {
		t.Error(err)
	}
}

func TestDamagedEncryptionIsRefused(t *testing.T) {
	t.Parallel()
	data := encrypted(t, "x")
	at := bytes.Index(data, wideText("EncryptionInfo"))
	if at < 0 {
		t.Fatal("the compound file has no encryption header")
	}
	for _, cut := range []int{512, 1024, len(data) / 2} {
		_, err := readBytes(append(bytes.Clone(data[:cut]), data[at:at+256]...), Options{Password: "x"})
		if err == nil {
			t.Errorf("a file cut at %d opens", cut)
		}
	}
	for i := range 10 {
		broken := bytes.Clone(data)
		for at := 512 + i*51; at < len(broken); at += 512 {
			broken[at] ^= 0xff
		}
		if rows, err := readBytes(broken, Options{Password: "x"}); err != nil && hintOf(err) == "" {
			t.Errorf("a broken file gives the error %v without a hint (%d rows)", err, len(rows))
		}
	}
}

func TestEncryptionThatWouldTakeTooLongIsRefused(t *testing.T) {
	t.Parallel()
	for description, fine := range map[string]bool{
		`<encryption><keyEncryptors><p:encryptedKey xmlns:p="p" spinCount="100000"/></keyEncryptors></encryption>`:        true,
		`<encryption><keyEncryptors><p:encryptedKey xmlns:p="p" spinCount="1000001"/></keyEncryptors></encryption>`:       false,
		`<encryption><keyEncryptors><p:encryptedKey xmlns:p="p" spinCount="9999999999999"/></keyEncryptors></encryption>`: false,
		`<encryption><keyEncryptors><p:encryptedKey xmlns:p="p" spinCount="-1"/></keyEncryptors></encryption>`:            false,
		`<encryption>`: false,
	} {
		if err := checkSpins([]byte(description + "\x00\x00")); (err == nil) != fine {
			t.Errorf("%s gives error %v", description, err)
		}
	}
}

// What a compound file declares is checked against its size before anything is allocated.
func TestCompoundFilesThatPromiseTooMuch(t *testing.T) {
	t.Parallel()
	whole := encrypted(t, "x")
	if _, err := readCompound(bytes.NewReader(whole), int64(len(whole))); err != nil {
		t.Fatal(err)
	}
	entry := bytes.Index(whole, wideText("EncryptedPackage"))
	for name, at := range map[string]int{"directory sectors": 40, "allocation sectors": 44, "small allocation sectors": 64, "lists of allocation sectors": 72, "a stream": entry + 120} {
		broken := bytes.Clone(whole)
		binary.LittleEndian.PutUint32(broken[at:], 0x7fffffff)
		if _, err := readCompound(bytes.NewReader(broken), int64(len(broken))); !errors.Is(err, errCompound) {
			t.Errorf("a file that declares billions of %s gives error %v", name, err)
		}
	}
	circle := bytes.Clone(whole)
	directory := binary.LittleEndian.Uint32(circle[48:])
	table := (int(binary.LittleEndian.Uint32(circle[76:])) + 1) * 512
	binary.LittleEndian.PutUint32(circle[table+4*int(directory):], directory)
	if _, err := readCompound(bytes.NewReader(circle), int64(len(circle))); !errors.Is(err, errCompound) {
		t.Errorf("a directory that goes in a circle gives error %v", err)
	}
	// Lists of the table's sectors that lead back to themselves are given up long before the file has been read as often as it says.
	lists := append(bytes.Clone(whole[:compoundHeader]), make([]byte, 20_000*512)...)
	binary.LittleEndian.PutUint32(lists[68:], 0)
	binary.LittleEndian.PutUint32(lists[72:], 20_000)
	in := &readsCounted{in: bytes.NewReader(lists)}
	if _, err := readCompound(in, int64(len(lists))); !errors.Is(err, errCompound) || in.reads > 100 {
		t.Errorf("lists that go in a circle give error %v after %d reads", err, in.reads)
	}
}

type readsCounted struct {
	in    io.ReaderAt
	reads int
}

func (r *readsCounted) ReadAt(p []byte, at int64) (int, error) {
	r.reads++
	return r.in.ReadAt(p, at)
}
