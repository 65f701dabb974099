package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"time"
)

//go:embed assets
var assetFiles embed.FS

// asset is the address of a file of the folder assets. It changes with the file, so that browsers may keep what they have.
func asset(name string) (string, error) {
	text, err := fs.ReadFile(assetFiles, "assets/"+name)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return "/assets/" + name + "?v=" + hex.EncodeToString(sum[:6]), nil
}

// answerAsset answers with a file of the folder assets, which holds nothing of anybody's.
func answerAsset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	text, err := fs.ReadFile(assetFiles, "assets/"+name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(text))
}
