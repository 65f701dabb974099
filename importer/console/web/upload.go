package web

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
)

// File is the file that came with a post. A key or a certificate, which people pick by mistake in the folder of the configuration, is
// text that could be read as a table, and would be kept and shown as one.
func (r *Request) File() (multipart.File, *multipart.FileHeader, error) {
	file, head, err := r.FormFile("file")
	switch {
	case errors.Is(err, http.ErrMissingFile):
		return nil, nil, Refuse(http.StatusBadRequest, "No file was chosen.", "Choose a file, then upload it.")
	case err != nil:
		return nil, nil, Refuse(http.StatusUnsupportedMediaType, "This is not a file upload.", "Reload the page, choose the file and upload it there. A program must post multipart/form-data.")
	}
	begin := make([]byte, 64)
	n, err := file.ReadAt(begin, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, errors.Join(err, file.Close())
	}
	if bytes.Contains(begin[:n], []byte("-----BEGIN ")) {
		_ = file.Close()
		return nil, nil, Refuse(http.StatusUnsupportedMediaType, "This is a key or a certificate, not a table. Nothing was kept.", "Choose the export instead. If this was a private key, it has been sent over the network: replace it.")
	}
	return file, head, nil
}

// Megabytes is a size as the configuration says it: 1 MB is 1,048,576 bytes.
func Megabytes(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%.3g kB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%.4g MB", float64(bytes)/(1<<20))
}
