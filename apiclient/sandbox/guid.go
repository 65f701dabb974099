package sandbox

import (
	"strings"

	"github.com/google/uuid"
)

// nilGUID stands where interface.md wants an identifier and the sandbox has none.
const nilGUID = "00000000-0000-0000-0000-000000000000"

// parseGUID gives a GUID in lower case. Only the form of 36 characters counts: google/uuid also takes braces, urn: and
// 32 digits, which a strict service would not.
func parseGUID(text string) (string, bool) {
	if len(text) != 36 {
		return "", false
	}
	for i := range len(text) {
		c := text[i]
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return "", false
			}
			continue
		}
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F') {
			return "", false
		}
	}
	return strings.ToLower(text), true
}

// newGUID gives a GUID of version 7, so that the index over ids grows at its end.
func newGUID() (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", err
	}
	return id.String(), nil
}
