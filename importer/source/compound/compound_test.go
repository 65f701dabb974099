package compound

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

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

// What a compound file declares is checked against its size before anything is allocated.
func TestCompoundFilesThatPromiseTooMuch(t *testing.T) {
	t.Parallel()
	whole := encrypted(t, "x")
	if _, err := Read(bytes.NewReader(whole), int64(len(whole))); err != nil {
		t.Fatal(err)
	}
	entry := bytes.Index(whole, []byte(sourcetest.Encode("EncryptedPackage", "utf-16le")))
	for name, at := range map[string]int{"directory sectors": 40, "allocation sectors": 44, "small allocation sectors": 64, "lists of allocation sectors": 72, "a stream": entry + 120} {
		broken := bytes.Clone(whole)
		binary.LittleEndian.PutUint32(broken[at:], 0x7fffffff)
		if _, err := Read(bytes.NewReader(broken), int64(len(broken))); !errors.Is(err, ErrDamaged) {
			t.Errorf("a file that declares billions of %s gives error %v", name, err)
		}
	}
	circle := bytes.Clone(whole)
	directory := binary.LittleEndian.Uint32(circle[48:])
	table := (int(binary.LittleEndian.Uint32(circle[76:])) + 1) * 512
	binary.LittleEndian.PutUint32(circle[table+4*int(directory):], directory)
	if _, err := Read(bytes.NewReader(circle), int64(len(circle))); !errors.Is(err, ErrDamaged) {
		t.Errorf("a directory that goes in a circle gives error %v", err)
	}
	// Lists of the table's sectors that lead back to themselves are given up long before the file has been read as often as it says.
	lists := append(bytes.Clone(whole[:headerSize]), make([]byte, 20_000*512)...)
	binary.LittleEndian.PutUint32(lists[68:], 0)
	binary.LittleEndian.PutUint32(lists[72:], 20_000)
	in := &readsCounted{in: bytes.NewReader(lists)}
	if _, err := Read(in, int64(len(lists))); !errors.Is(err, ErrDamaged) || in.reads > 100 {
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

// FuzzCompound reads the containers of encrypted workbooks up to the point where the password would be tried.
func FuzzCompound(f *testing.F) {
	f.Add(encrypted(f, "x"))
	register, err := os.ReadFile(filepath.Join("..", "xls", "testdata", "register.xls"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(register)
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Read(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		if held := 4 * (len(c.fat) + len(c.miniFAT)); held > 2*len(data)+8192 {
			t.Errorf("%d bytes of tables are held for a file of %d", held, len(data))
		}
		for _, s := range c.entries {
			if s.kind != kindStream {
				continue
			}
			if content, err := c.Content(s); err == nil && uint64(len(content)) != s.Size {
				t.Errorf("stream %q has %d bytes, declared are %d", s.name, len(content), s.Size)
			}
		}
	})
}
