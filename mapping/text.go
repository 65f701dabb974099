package mapping

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// validText refuses what is no text: bytes that are no UTF-8, and the character NUL, which no database takes.
func validText(text string) *problem {
	if strings.IndexByte(text, 0) >= 0 {
		return newProblem(codeTextInvalid, "the cell holds the character NUL, which is no text", "Clean the cell, or export the file again.")
	}
	if utf8.ValidString(text) {
		return nil
	}
	return newProblem(codeTextInvalid, "the cell holds bytes that are no text in UTF-8", "State the encoding of the file, or save it as UTF-8.")
}

// validURL refuses what is no web address.
func validURL(text string) *problem {
	if u, err := url.Parse(text); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return newProblem(codeURL, fmt.Sprintf("%s is not a web address", quote(text)), "It begins with https:// or http://.")
	}
	return nil
}

// cutText keeps at most so many characters, without parting a letter from its accents.
func cutText(text string, most int) string {
	end, count, safe := 0, 0, 0
	for i, r := range text {
		if !unicode.In(r, unicode.Mn, unicode.Me) && r != '\u200d' && r != '\ufe0f' {
			safe = i
		}
		if count == most {
			end = safe
			break
		}
		count++
	}
	return text[:end]
}
