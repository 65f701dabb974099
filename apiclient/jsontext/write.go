package jsontext

const hexDigits = "0123456789abcdef"

// AppendString writes a text as a JSON string, escaping only what JSON must have escaped. The text must be valid UTF-8.
func AppendString(dst []byte, text string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, text[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
		}
	}
	return append(append(dst, text[start:]...), '"')
}

// AppendPlain writes a text that needs no escapes, such as a GUID, as a JSON string.
func AppendPlain(dst []byte, text string) []byte {
	return append(append(append(dst, '"'), text...), '"')
}

// AppendName begins a member of an object that was opened with "{", with a comma if it is not the first.
func AppendName(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return append(AppendPlain(dst, name), ':')
}
