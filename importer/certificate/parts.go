package certificate

import (
	"archive/zip"
	"bytes"
	"io"
	"maps"
	"slices"
)

// parts is the package of a workbook, with its parts in the order of their names: excelize writes those that were streamed in the
// order of a map, and the same certificate has to be the same bytes.
type parts struct {
	*zip.Writer
	held map[string]*bytes.Buffer
}

func newParts(w io.Writer) *parts {
	return &parts{zip.NewWriter(w), map[string]*bytes.Buffer{}}
}

// Create begins a part.
func (p *parts) Create(name string) (io.Writer, error) {
	p.held[name] = &bytes.Buffer{}
	return p.held[name], nil
}

// Close writes the parts.
func (p *parts) Close() error {
	for _, name := range slices.Sorted(maps.Keys(p.held)) {
		w, err := p.Writer.Create(name)
		if err == nil {
			_, err = w.Write(p.held[name].Bytes())
		}
		if err != nil {
			return err
		}
	}
	return p.Writer.Close()
}
