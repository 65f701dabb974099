package mapping

import (
	"strings"
	"unicode/utf8"
)

// appendGUID writes a GUID, which needs no escapes.
func appendGUID(dst []byte, id string) []byte {
	return append(append(append(dst, '"'), id...), '"')
}

func appendBool(dst []byte, value bool) []byte {
	if value {
		return append(dst, "true"...)
	}
	return append(dst, "false"...)
}

// appendName begins a member of an object, with the comma if it is not the first.
func appendName(dst []byte, name string) []byte {
	if last := dst[len(dst)-1]; last != '{' {
		dst = append(dst, ',')
	}
	return append(append(append(dst, '"'), name...), '"', ':')
}

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
