package console

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
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

// assetHandler answers with the files of the folder assets, which hold nothing of anybody's.
func assetHandler() http.Handler {
	files := http.FileServerFS(assetFiles)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		files.ServeHTTP(w, r)
	})
}
