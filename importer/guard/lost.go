package guard

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docketsync/apiclient/jsontext"
)

// lostCharacters reports whether a text in a payload lost characters, as when a spreadsheet program or a program with
// an older encoding has saved the export: leading zeros, the last digits of a long number, or letters that are not in
// its encoding. Any such text counts, also among other changes.
func lostCharacters(before, now json.RawMessage) bool {
	was, is, err := both(before, now)
	return err == nil && slices.ContainsFunc(is, func(m jsontext.Member) bool {
		var old, new any
		value := was.Value(string(m.Name))
		return !bytes.Equal(value, m.Value) && json.Unmarshal(value, &old) == nil && json.Unmarshal(m.Value, &new) == nil && lostIn(old, new)
	})
}

// lostIn compares two values of the same place. The elements of lists are compared if there are as many as before.
func lostIn(was, is any) bool {
	switch is := is.(type) {
	case string:
		was, ok := was.(string)
		return ok && lost(was, is)
	case map[string]any:
		was, _ := was.(map[string]any)
		for name, value := range is {
			if lostIn(was[name], value) {
				return true
			}
		}
	case []any:
		was, _ := was.([]any)
		for n := 0; len(was) == len(is) && n < len(is); n++ {
			if lostIn(was[n], is[n]) {
				return true
			}
		}
	}
	return false
}

// rounded is how many digits of a number a spreadsheet program keeps.
const rounded = 15

// lost reports whether a text is another one that lost characters, and is the same otherwise.
func lost(was, is string) bool {
	digits := func(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }
	switch {
	case was == is || is == "":
		return false
	case strings.HasPrefix(was, "0") && '0' <= is[0] && is[0] <= '9' && strings.TrimLeft(was, "0") == is:
		return true
	case digits(was) && digits(is) && len(was) == len(is) && len(is) > rounded:
		return was[:rounded-1] == is[:rounded-1] && strings.Trim(is[rounded:], "0") == ""
	case utf8.RuneCountInString(was) != utf8.RuneCountInString(is):
		return false
	}
	rest := is
	for _, old := range was {
		new, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
		if plain := new == '?' || new < utf8.RuneSelf && unicode.IsLetter(new); old != new && !(plain && old >= utf8.RuneSelf && unicode.IsLetter(old)) {
			return false
		}
	}
	return true
}
