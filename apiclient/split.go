package apiclient

// The functions here take JSON text apart without decoding it, so that values keep their bytes. The text must be valid, as
// json.Valid tells.

// part is one member of an object. The name is as it stands between its quotes, escapes included.
type part struct {
	name, value []byte
}

// splitObject returns the members in their order; ok is false when the text is no object.
func splitObject(text []byte) (parts []part, ok bool) {
	i := skipSpace(text, 0)
	if text[i] != '{' {
		return nil, false
	}
	for i = skipSpace(text, i+1); text[i] != '}'; i = skipSpace(text, i) {
		if text[i] == ',' {
			i = skipSpace(text, i+1)
		}
		end := skipString(text, i)
		name := text[i+1 : end-1]
		i = skipSpace(text, skipSpace(text, end)+1) // past the colon
		end = skipValue(text, i)
		parts = append(parts, part{name: name, value: text[i:end]})
		i = end
	}
	return parts, true
}

// splitArray returns the items; ok is false when the text is no array.
func splitArray(text []byte) (items [][]byte, ok bool) {
	i := skipSpace(text, 0)
	if text[i] != '[' {
		return nil, false
	}
	items = [][]byte{}
	for i = skipSpace(text, i+1); text[i] != ']'; i = skipSpace(text, i) {
		if text[i] == ',' {
			i = skipSpace(text, i+1)
		}
		end := skipValue(text, i)
		items = append(items, text[i:end])
		i = end
	}
	return items, true
}

func skipSpace(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the place after the string that begins at i.
func skipString(text []byte, i int) int {
	for i++; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// skipValue returns the place after the value that begins at i.
func skipValue(text []byte, i int) int {
	switch text[i] {
	case '"':
		return skipString(text, i)
	case '{', '[':
		for depth := 0; ; {
			switch text[i] {
			case '"':
				i = skipString(text, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
			i++
			if depth == 0 {
				return i
			}
		}
	}
	for i < len(text) && text[i] != ',' && text[i] != ']' && text[i] != '}' && text[i] > ' ' {
		i++
	}
	return i
}
