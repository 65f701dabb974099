package sheetxml

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// NextAttribute cuts the first attribute off the attributes of a start tag. Name is empty when there are none left.
func NextAttribute(attrs []byte) (name, value, rest []byte, err error) {
	for len(attrs) > 0 && IsBlank(attrs[0]) {
		attrs = attrs[1:]
	}
	if len(attrs) == 0 {
		return nil, nil, nil, nil
	}
	equals := bytes.IndexByte(attrs, '=')
	if equals <= 0 {
		return nil, nil, nil, errMalformedXML
	}
	name = bytes.TrimRight(attrs[:equals], " \t\r\n")
	attrs = attrs[equals+1:]
	for len(attrs) > 0 && IsBlank(attrs[0]) {
		attrs = attrs[1:]
	}
	if len(attrs) == 0 || attrs[0] != '"' && attrs[0] != '\'' {
		return nil, nil, nil, errMalformedXML
	}
	length := bytes.IndexByte(attrs[1:], attrs[0])
	if length < 0 {
		return nil, nil, nil, errMalformedXML
	}
	return name, attrs[1 : 1+length], attrs[length+2:], nil
}

// Attribute returns the value of the attribute with the local name, decoded; "" when there is none.
func (s *Scanner) Attribute(local string) (string, error) {
	for attrs := s.Attrs; ; {
		name, value, rest, err := NextAttribute(attrs)
		if err != nil || name == nil {
			return "", err
		}
		if string(LocalName(name)) == local {
			text, err := AppendCharacters(nil, value)
			return string(text), err
		}
		attrs = rest
	}
}

// AppendText appends the text of the last token.
func (s *Scanner) AppendText(to []byte) ([]byte, error) {
	if s.cdata {
		if !utf8.Valid(s.text) {
			return to, errNotUTF8
		}
		return append(to, s.text...), nil
	}
	return AppendCharacters(to, s.text)
}

// AppendCharacters appends text with its references resolved and its line ends as XML wants them: a literal CR or
// CR LF is one LF, while a referenced one stays.
func AppendCharacters(to, raw []byte) ([]byte, error) {
	if !utf8.Valid(raw) {
		return to, errNotUTF8
	}
	for {
		i := bytes.IndexAny(raw, "&\r")
		if i < 0 {
			return append(to, raw...), nil
		}
		to = append(to, raw[:i]...)
		if raw[i] == '\r' {
			to = append(to, '\n')
			raw = bytes.TrimPrefix(raw[i+1:], []byte("\n"))
			continue
		}
		end := bytes.IndexByte(raw[i:], ';')
		if end < 0 {
			return to, errMalformedXML
		}
		r, ok := reference(string(raw[i+1 : i+end]))
		if !ok {
			return to, errMalformedXML
		}
		to = utf8.AppendRune(to, r)
		raw = raw[i+end+1:]
	}
}

func reference(name string) (rune, bool) {
	switch name {
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "amp":
		return '&', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	}
	base, digits := 10, ""
	switch {
	case len(name) > 2 && name[0] == '#' && (name[1] == 'x' || name[1] == 'X'):
		base, digits = 16, name[2:]
	case len(name) > 1 && name[0] == '#':
		digits = name[1:]
	default:
		return 0, false
	}
	code, err := strconv.ParseUint(digits, base, 32)
	return rune(code), err == nil && code > 0 && code <= utf8.MaxRune && utf8.ValidRune(rune(code))
}

func LocalName(name []byte) []byte {
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		return name[i+1:]
	}
	return name
}

func IsBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
