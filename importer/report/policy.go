package report

import (
	"crypto/sha256"
	"encoding/base64"
)

// PagePolicy lets a page use only its own style and script ("" for none), known by their digests: a text that finds its
// way into it can neither run nor request anything from the network.
func PagePolicy(style, script string) string {
	source := func(kind, text string) string {
		sum := sha256.Sum256([]byte(text))
		return kind + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; "
	}
	policy := "default-src 'none'; "
	if script != "" {
		policy += source("script-src", script)
	}
	return policy + source("style-src", style) + "img-src data:; base-uri 'none'; form-action 'none'"
}
