package source

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// oldWorkbook is a compound file as .xls files are: one without an encrypted package.
func oldWorkbook(tb testing.TB) []byte {
	return bytes.ReplaceAll(encrypted(tb, "x"), wideText("EncryptedPackage"), wideText("Workbook--------"))
}

func writeFile(tb testing.TB, dir, name string, data []byte, mode os.FileMode) string {
	tb.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, data, mode); err != nil {
		tb.Fatal(err)
	}
	return path
}

func openPath(path string) ([]table, error) {
	o := Options{}
	if err := o.validate(); err != nil {
		return nil, err
	}
	return openWorkbook(context.Background(), path, o)
}

func TestOldWorkbooksWithoutLibreOffice(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, content := range [][]byte{oldWorkbook(t), []byte("\x09\x08\x10\x00\x00\x06"), []byte("\x09\x04\x06\x00")} {
		_, err := openPath(writeFile(t, t.TempDir(), "old.xls", content, 0o600))
		wantRefusal(t, err, "only with the help of LibreOffice")
	}
}

// The converter here is a program that stands where LibreOffice would: it hands over a workbook under the name that was
// asked for, or fails.
func TestOldWorkbooksAreConverted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the converter of this test is a shell script")
	}
	programs, temporary, dir := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("PATH", programs+string(os.PathListSeparator)+"/bin:/usr/bin")
	t.Setenv("TMPDIR", temporary)
	result := writeFile(t, dir, "result.xlsx", sheetsBytes(t, sheetSpec{name: "Data", data: smallTable}), 0o600)
	writeFile(t, programs, "soffice", []byte("#!/bin/sh\nwhile [ \"$1\" != --outdir ]; do shift; done\ncp '"+result+"' \"$2/$(basename \"$3\" .xls).xlsx\"\n"), 0o700)
	path := writeFile(t, dir, "old.xls", oldWorkbook(t), 0o600)

	tables, err := openPath(path)
	if err != nil {
		t.Fatalf("%v (%s)", err, hintOf(err))
	}
	if diff := cmp.Diff([]string{"1|T Ref|T Name", "2|N 1|N 2"}, show(mustRows(t, tables[0]))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var d Detected
	tables[0].describe(&d)
	if d.Format != "xls" || len(d.Warnings) != 1 || d.Warnings[0].Code != "converted" {
		t.Errorf("detected %+v", d)
	}
	if err := tables[0].close(); err != nil {
		t.Error(err)
	}
	wantEmpty(t, temporary)

	writeFile(t, programs, "soffice", []byte("#!/bin/sh\necho 'source file could not be loaded'\n"), 0o700)
	_, err = openPath(path)
	wantRefusal(t, err, "source file could not be loaded")
	wantEmpty(t, temporary)

	writeFile(t, programs, "soffice", []byte("#!/bin/sh\nexec sleep 600\n"), 0o700)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	o := Options{}
	if _, err := openWorkbook(ctx, path, o); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled conversion ends in %v", err)
	}
	wantEmpty(t, temporary)
}

func wantEmpty(tb testing.TB, dir string) {
	tb.Helper()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		tb.Errorf("left behind: %v (%v)", left, err)
	}
}

func TestFilesThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	_, err := openPath(filepath.Join(t.TempDir(), "none.xlsx"))
	wantRefusal(t, err, "does not exist")
	_, err = openPath(t.TempDir())
	wantRefusal(t, err, "folder")
}
