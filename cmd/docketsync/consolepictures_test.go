package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"docketsync/importer/browsertest"
)

// TestConsolePictures makes the pictures of the README in the folder that DOCKETSYNC_PICTURES names: the console of the sample firm after
// a night in which the export of trademarks had lost most of its rows.
func TestConsolePictures(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("DOCKETSYNC_PICTURES")
	if folder == "" {
		t.Skip("skipped: DOCKETSYNC_PICTURES does not say where the pictures go")
	}
	dir := filepath.Join(t.TempDir(), "firm")
	if err := os.CopyFS(dir, os.DirFS("../../samples")); err != nil {
		t.Fatal(err)
	}
	appendConfig(t, dir, "console: {listen: 127.0.0.1:0}\n")
	program(t, dir, "run")
	export := filepath.Join(dir, "trademarks", "docket.csv")
	text, err := os.ReadFile(export)
	if err == nil {
		rows := csv.NewReader(bytes.NewReader(text))
		rows.FieldsPerRecord, rows.LazyQuotes = -1, true
		for range 31 { // the header, and 30 rows, whose cells may have several lines
			_, err = rows.Read()
		}
		text = bytes.Replace(text[:rows.InputOffset()], []byte("ASHCOMBE"), []byte("ASHCOMBE & CO"), 1)
		err = errors.Join(err, os.WriteFile(export, text, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	program(t, dir, "run", "trademarks")
	c := startConsole(t, dir)
	tab := browsertest.Open(t)
	tab.Resize(1200, 900)
	tab.Go(c.open)
	picture(t, tab, filepath.Join(folder, "console.png"), 820)
	tab.Go(c.base + "/jobs/trademarks")
	tab.Press("a.way")
	picture(t, tab, filepath.Join(folder, "console-guard.png"), 900)
	tab.Press(`a[href$="/compare"]`)
	tab.Press(".filter button")
	atRest(tab)
	picture(t, tab, filepath.Join(folder, "console-compare.png"), 900)
	tab.Go(c.base + "/import")
	tab.Upload("input[type=file]", filepath.Join(dir, "matters", "matters.xlsx"))
	tab.Press(".upload button")
	tab.Press(".next a")
	picture(t, tab, filepath.Join(folder, "console-import.png"), 900)
}

// picture keeps the upper part of a page.
func picture(t *testing.T, tab *browsertest.Tab, path string, height int) {
	t.Helper()
	tab.Picture(path)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	upper := image.NewRGBA(image.Rect(0, 0, whole.Bounds().Dx(), height))
	draw.Draw(upper, upper.Bounds(), whole, image.Point{}, draw.Src)
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, upper); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
