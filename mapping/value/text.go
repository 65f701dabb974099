package value

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"docketsync/mapping/reason"
)

// CheckText refuses what is no text: bytes that are no UTF-8, and the character NUL, which no database takes.
func CheckText(text string) *reason.Problem {
	if strings.IndexByte(text, 0) >= 0 {
		return reason.New(reason.TextInvalid, "the cell holds the character NUL, which is no text", "Clean the cell, or export the file again.")
	}
	if utf8.ValidString(text) {
		return nil
	}
	return reason.New(reason.TextInvalid, "the cell holds bytes that are no text in UTF-8", "State the encoding of the file, or save it as UTF-8.")
}

// CheckURL refuses what is no web address.
func CheckURL(text string) *reason.Problem {
	if u, err := url.Parse(text); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return reason.New(reason.URL, fmt.Sprintf("%s is not a web address", reason.Quote(text)), "It begins with https:// or http://.")
	}
	return nil
}

// Truncate keeps at most so many characters, without parting a letter from its accents.
func Truncate(text string, most int) string {
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
