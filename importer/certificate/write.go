package certificate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"docketsync/importer/atomicfile"
)

// Files says where the files of a certificate are.
type Files struct {
	Dir  string `json:"dir"`
	HTML string `json:"html"`
	XLSX string `json:"xlsx"`
	JSON string `json:"json"`
}

// WriteJSON writes the certificate as JSON.
func (cert *Certificate) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(cert)
}

// Folder is the name of the certificate's folder: when its last run ended, and a mark of the runs and of how the sample was drawn.
func (cert *Certificate) Folder() string {
	var ids []string
	for _, r := range cert.Runs {
		ids = append(ids, r.ID)
	}
	sum := sha256.Sum256([]byte(fmt.Sprintf("%s %d %d", strings.Join(ids, " "), cert.Seed, cert.SampleSize)))
	return fmt.Sprintf("certificate-%s-%s", cert.Until.Format("2006-01-02-150405"), hex.EncodeToString(sum[:4]))
}

// Write writes the page, the workbook and the JSON into a folder, which it makes; written again, the files are replaced. Each
// appears whole or not at all.
func (cert *Certificate) Write(dir string) (Files, error) {
	files := Files{dir, filepath.Join(dir, "certificate.html"), filepath.Join(dir, "certificate.xlsx"), filepath.Join(dir, "certificate.json")}
	err := os.MkdirAll(dir, 0o750)
	if left, _ := filepath.Glob(filepath.Join(dir, "excelize-[0-9]*")); err == nil { // of a process that was killed
		for _, path := range left {
			_ = os.Remove(path) // it does no harm
		}
	}
	for path, write := range map[string]func(io.Writer) error{files.HTML: cert.WriteHTML, files.JSON: cert.WriteJSON,
		files.XLSX: func(w io.Writer) error { return cert.WriteXLSX(w, dir) }} {
		if err == nil {
			err = atomicfile.Write(path, 0o640, write)
		}
	}
	if err != nil {
		return Files{}, fmt.Errorf("write the certificate into %s: %w", dir, err)
	}
	return files, nil
}
