// Package support makes the bundle that a firm sends to whoever helps it with a run: every reason with its position,
// and no word of the firm or its clients.
//
// Nothing is redacted, because text that may hold a client's word cannot be told from text that does not. Instead, a
// bundle is built from what the program itself can say: numbers, times, and the words of its own closed lists (codes,
// outcomes, fields of the service, settings with a list of values). Any other text is left out. If it matters whether
// two texts are the same (keys, values, names of files and sheets, jobs), a hash stands in their place. The key of
// these hashes is made for the bundle and written nowhere, so nobody can try names on them; they are spelled in
// consonants, so that none looks like a word or a number.
//
// A header is a client's word too: columns are named by their letters, and a header only if it is a field of the
// service. For a value that could not be read as a date or a number, the bundle has its form (99/99/9999, a 9, 9999),
// because that is the question then.
package support

import (
	"archive/zip"
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
)

// Bundle is what goes into the zip archive of one run.
type Bundle struct {
	Book     *ledger.Reader
	Run      string // its id, name or number
	Program  any    // which docketsync made the bundle
	Settings any    // the installation's current settings, as Settings returns them
	Ledger   Ledger
	Log      io.Reader // lines of docketsync's log, nil for none
	Now      time.Time
}

// Ledger says in what state the ledger is.
type Ledger struct {
	Engine  string `json:"engine"` // sqlite or postgres
	Version int64  `json:"schema_version"`
	ledger.Extent
	Checked bool   `json:"checked"`
	Damage  int    `json:"damage"`          // how many lines the check found
	Failed  bool   `json:"failed,omitzero"` // the check could not be made
	Why     string `json:"why_not_checked,omitempty"`
}

const about = `This is a support bundle of one run of docketsync.

run.json       the run: how its files were read, which columns its fields come from, counts, guards, stop code, timings
records.jsonl  its records with something to say of them, one on each line: outcome, rows, reasons, notes, attempts
settings.json  the settings of today: numbers, switches, and which of the others are set
log.jsonl      the lines of the log that was given, if one was

No cell, payload, answer, header, name of a file, client, job or host, and no id of the service is in it. Strings of twenty consonants stand
for such texts: equal strings are equal texts in this bundle, and in no other. What no row, column or code tells is left out.
`

// Write writes the bundle. It reads the ledger and changes nothing.
func (b Bundle) Write(ctx context.Context, to io.Writer) error {
	run, err := b.Book.Run(ctx, b.Run)
	if err != nil {
		return err
	}
	tally, err := b.Book.Tally(ctx, run.ID)
	if err != nil {
		return err
	}
	archive := zip.NewWriter(to)
	w := &writer{archive: archive, run: run, now: b.Now}
	_, _ = rand.Read(w.hide.key[:]) // it never fails
	described := w.describe()
	described.Program, described.Ledger, described.Outcomes = b.Program, b.Ledger, tally
	if summary, err := report.Build(ctx, b.Book, run.ID); err == nil {
		described.Requests = &summary.Requests
		described.AddsUp = &summary.AddsUp
	} else if !errors.As(err, new(*report.PrunedError)) {
		return err
	}
	if err := w.text("README.txt", about); err != nil {
		return err
	}
	described.Codes, described.Unlisted, err = w.records(ctx, b.Book)
	if err != nil {
		return err
	}
	if err := errors.Join(w.json("run.json", described), w.json("settings.json", b.Settings)); err != nil {
		return err
	}
	if b.Log != nil {
		if err := w.log(b.Log); err != nil {
			return err
		}
	}
	return archive.Close()
}

// writer writes the members of one bundle.
type writer struct {
	archive *zip.Writer
	hide    hider
	run     ledger.Run
	now     time.Time
}

func (w *writer) create(name string) (io.Writer, error) {
	return w.archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: w.now})
}

func (w *writer) text(name, text string) error {
	member, err := w.create(name)
	if err == nil {
		_, err = io.WriteString(member, text)
	}
	return err
}

func (w *writer) json(name string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return w.text(name, string(text)+"\n")
}

// lines writes a member with one JSON value on each line.
func (w *writer) lines(name string, each func(write func(any) error) error) error {
	member, err := w.create(name)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(member)
	if err := each(json.NewEncoder(out).Encode); err != nil {
		return err
	}
	return out.Flush()
}
