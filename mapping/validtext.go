package mapping

import (
	"strings"
	"unicode/utf8"
)

// validText refuses what is no text: bytes that are no UTF-8, and the character NUL, which no database takes.
func validText(text string) *problem {
	if strings.IndexByte(text, 0) >= 0 {
		return &problem{codeTextInvalid, "the cell holds the character NUL, which is no text", "Clean the cell, or export the file again."}
	}
	if utf8.ValidString(text) {
		return nil
	}
	return &problem{codeTextInvalid, "the cell holds bytes that are no text in UTF-8", "State the encoding of the file, or save it as UTF-8."}
}
