package value

import (
	"github.com/google/uuid"
)

// GUID normalises a GUID to 36 lower case characters. Braces, urn:uuid: and 32 digits without hyphens are understood.
func GUID(text string) (string, bool) {
	if canonicalGUID(text) {
		return text, true
	}
	id, err := uuid.Parse(text)
	if err != nil {
		return "", false
	}
	return id.String(), true
}

func canonicalGUID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return false
			}
		} else if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
