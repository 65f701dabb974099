package console

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"docketsync/importer/ledger"
)

// uploadKinds are the ends of the names of files that can be read.
var uploadKinds = []string{".xlsx", ".xlsm", ".xls", ".ods", ".csv", ".tsv", ".txt"}

var acceptedFiles = strings.Join(uploadKinds, ",")

// askFile has a job read a file that comes with the post, in place of its own source.
func (s *Server) askFile(v *visit) error {
	file, head, err := v.file()
	if err != nil {
		return err
	}
	defer file.Close()
	name := uploadName(head.Filename)
	switch {
	case !slices.Contains(uploadKinds, strings.ToLower(filepath.Ext(name))):
		return refuse(http.StatusUnsupportedMediaType, "This is no kind of file that can be read.", "The name must end in "+strings.Join(uploadKinds, ", ")+".")
	case head.Size == 0:
		return refuse(http.StatusBadRequest, "The file is empty.", "Save it again, and choose it anew.")
	case head.Size > s.UploadLimit:
		return refuse(http.StatusRequestEntityTooLarge, "The file is larger than "+megabytes(s.UploadLimit)+".", "The limit is upload_limit under console: in the configuration.")
	}
	kind := ledger.Push
	if v.r.PostFormValue("dry") != "" {
		kind = ledger.Plan
	}
	return s.order(v, Order{Kind: kind}, func(o *Order) (func(), error) {
		path, undo, err := s.Work.Intake.Store.KeepCorrected(name, file)
		o.File = path
		if v.remark("kept as " + path); kind == ledger.Plan {
			v.remark("a dry run, kept as " + path)
		}
		return undo, err
	})
}

// file is the file that came with a post. A key or a certificate, which people pick by mistake in the folder of the configuration, is
// text that could be read as a table, and would be kept and shown as one.
func (v *visit) file() (multipart.File, *multipart.FileHeader, error) {
	file, head, err := v.r.FormFile("file")
	switch {
	case errors.Is(err, http.ErrMissingFile):
		return nil, nil, refuse(http.StatusBadRequest, "No file was chosen.", "Choose a file, and upload it.")
	case err != nil:
		return nil, nil, refuse(http.StatusUnsupportedMediaType, "What was sent is no upload of a file.", "Open the page again, choose the file, and send it from there. A program posts multipart/form-data.")
	}
	begin := make([]byte, 64)
	n, err := file.ReadAt(begin, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, errors.Join(err, file.Close())
	}
	if bytes.Contains(begin[:n], []byte("-----BEGIN ")) {
		_ = file.Close()
		return nil, nil, refuse(http.StatusUnsupportedMediaType, "This is a key or a certificate, not a table. Nothing was kept.", "Choose the export. If it was a private key, it has crossed the network: have a new one made.")
	}
	return file, head, nil
}

// uploadNameLimit is how long the name of an uploaded file may be that is kept under it.
const uploadNameLimit = 100

// uploadName is the name under which a file is kept: its last part, of which nothing leads anywhere else.
func uploadName(given string) string {
	if at := strings.LastIndexAny(given, `/\`); at >= 0 {
		given = given[at+1:]
	}
	end := filepath.Ext(given)
	clean := func(text string) string {
		return strings.Map(func(r rune) rune {
			switch {
			case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
				return r
			}
			return '_'
		}, text)
	}
	name := strings.TrimLeft(clean(strings.TrimSuffix(given, end)), ".")
	if name == "" {
		name = "file"
	}
	return name[:min(len(name), uploadNameLimit)] + clean(end)
}

// megabytes is a size as the configuration says it: 1 MB is 1,048,576 bytes.
func megabytes(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%.3g kB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%.4g MB", float64(bytes)/(1<<20))
}
