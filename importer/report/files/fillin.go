package files

import (
	"bufio"
	"io"
	"slices"
	"strconv"

	"docketsync/importer/report/cause"
	"docketsync/importer/report/csvfile"
)

// FillIn is a file of missing names with an empty column for their ids. It has the columns of the lookup's own file, so that
// its lines can be pasted there once they are filled in, and behind them what helps to fill them in.
type FillIn struct {
	Header []string // of the lookup's file
	Name   int      // its column of names
	// Near gives the most similar name that the lookup has, with its id; "" for none. Lookups look for that of the first 1,000 names,
	// which are those of the most rows.
	Near func(name string) (near, id string)
}

// Write writes the file as CSV (RFC 4180, UTF-8 with a byte order mark).
func (f FillIn) Write(w io.Writer, names []cause.MissingName) error {
	out := bufio.NewWriter(w)
	line := csvfile.Begin(out, append(slices.Clone(f.Header), "rows", "for example", "similar name", "its id")...)
	for _, name := range names {
		cells := make([]string, len(f.Header))
		cells[f.Name] = name.Name
		near, id := f.Near(name.Name)
		_ = line(append(cells, strconv.Itoa(name.Rows), name.Example.Words(), near, id)...) // the buffer keeps the error

	}
	return out.Flush()
}
