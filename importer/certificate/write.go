package certificate

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"docketsync/importer/atomicfile"
	"docketsync/importer/certificate/signature"
)

// Files says where the files of a certificate are.
type Files struct {
	Dir  string `json:"dir"`
	HTML string `json:"html"`
	XLSX string `json:"xlsx"`
	JSON string `json:"json"`
	// Signature is the path of certificate.sig, "" if nothing was signed.
	Signature string `json:"signature,omitempty"`
}

// WriteJSON writes the certificate as JSON.
func (cert *Certificate) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(cert)
}

// Folder is the name of the certificate's folder: when its last run ended, and a mark of the runs and of how the sample
// was drawn.
func (cert *Certificate) Folder() string {
	var ids []string
	for _, r := range cert.Runs {
		ids = append(ids, r.ID)
	}
	sum := sha256.Sum256([]byte(fmt.Sprintf("%s %d %d", strings.Join(ids, " "), cert.Seed, cert.SampleSize)))
	return fmt.Sprintf("certificate-%s-%s", cert.Until.Format("2006-01-02-150405"), hex.EncodeToString(sum[:4]))
}

// Write writes the page, the workbook and the JSON into a folder, which it creates if needed, and signs them with the
// key, unless that is nil. It replaces existing files. Each file appears whole or not at all. An earlier signature is
// removed first, because it is not of these files.
func (cert *Certificate) Write(dir string, key ed25519.PrivateKey) (Files, error) {
	files := Files{Dir: dir, HTML: filepath.Join(dir, "certificate.html"), XLSX: filepath.Join(dir, "certificate.xlsx"), JSON: filepath.Join(dir, "certificate.json")}
	err := os.MkdirAll(dir, 0o750)
	if left, _ := filepath.Glob(filepath.Join(dir, "excelize-[0-9]*")); err == nil { // left by a process that was killed
		for _, path := range left {
			_ = os.Remove(path) // it does no harm
		}
	}
	if gone := os.Remove(filepath.Join(dir, signature.Name)); err == nil && !errors.Is(gone, os.ErrNotExist) {
		err = gone
	}
	for path, write := range map[string]func(io.Writer) error{files.HTML: cert.WriteHTML, files.JSON: cert.WriteJSON,
		files.XLSX: func(w io.Writer) error { return cert.WriteXLSX(w, dir) }} {
		if err == nil {
			err = atomicfile.Write(path, 0o640, write)
		}
	}
	if err == nil && key != nil {
		var evidence signature.Evidence
		if cert.Evidence != nil {
			evidence = *cert.Evidence
		}
		files.Signature, err = signature.Sign(dir, []string{filepath.Base(files.HTML), filepath.Base(files.XLSX), filepath.Base(files.JSON)}, evidence, key)
	}
	if err != nil {
		return Files{}, fmt.Errorf("write the certificate into %s: %w", dir, err)
	}
	return files, nil
}
