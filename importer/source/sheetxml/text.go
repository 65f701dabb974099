package sheetxml

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// nextAttribute splits the first attribute off the attributes of a start tag. name is empty if there are none left.
func nextAttribute(attrs []byte) (name, value, rest []byte, err error) {
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

// Attributes calls do with the name and the undecoded value of each attribute of the start tag.
func (s *Scanner) Attributes(do func(name, value []byte) error) error {
	for attrs := s.attrs; ; {
		name, value, rest, err := nextAttribute(attrs)
		if err != nil || name == nil {
			return err
		}
		if err := do(name, value); err != nil {
			return err
		}
		attrs = rest
	}
}

// Decoded returns the decoded values of the attributes with these local names, until it is called again. A name of
// LibreOffice's own, calcext:, is found only with that prefix, because it repeats the local name of another.
func (s *Scanner) Decoded(names ...string) (map[string]string, error) {
	clear(s.decoded)
	err := s.Attributes(func(name, value []byte) error {
		if !bytes.HasPrefix(name, []byte("calcext:")) {
			name = localName(name)
		}
		for _, wanted := range names {
			if string(name) == wanted {
				text, err := appendCharacters(nil, value)
				s.decoded[wanted] = string(text)
				return err
			}
		}
		return nil
	})
	return s.decoded, err
}

// Attribute returns the decoded value of the attribute with the local name, or "" if there is none.
func (s *Scanner) Attribute(local string) (value string, err error) {
	err = s.Attributes(func(name, raw []byte) error {
		if value != "" || string(localName(name)) != local {
			return nil
		}
		text, err := appendCharacters(nil, raw)
		value = string(text)
		return err
	})
	return value, err
}

// AppendText appends the text of the last token.
func (s *Scanner) AppendText(to []byte) ([]byte, error) {
	if s.cdata {
		if !utf8.Valid(s.text) {
			return to, errNotUTF8
		}
		return append(to, s.text...), nil
	}
	return appendCharacters(to, s.text)
}

// appendCharacters appends text with its references resolved and its line ends as XML requires: a literal CR or CR LF
// becomes one LF, while a referenced one stays.
func appendCharacters(to, raw []byte) ([]byte, error) {
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

// entities are those defined by XML itself.
var entities = map[string]rune{"lt": '<', "gt": '>', "amp": '&', "quot": '"', "apos": '\''}

func reference(name string) (rune, bool) {
	if r, known := entities[name]; known {
		return r, true
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

func localName(name []byte) []byte {
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		return name[i+1:]
	}
	return name
}

func IsBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func (s *Scanner) startTag() error {
	end, err := s.tagEnd()
	if err != nil {
		return err
	}
	tag := s.window[s.at+1 : s.at+end]
	s.at += end + 1
	if n := len(tag); n > 0 && tag[n-1] == '/' {
		s.closing = true
		tag = tag[:n-1]
	}
	length := 0
	for length < len(tag) && !IsBlank(tag[length]) {
		length++
	}
	full := tag[:length]
	s.attrs = tag[length:]
	if length == 0 || s.rooted && len(s.openLength) == 0 {
		return errMalformedXML
	}
	if len(s.openLength) >= maxDepth {
		return errDeepXML
	}
	s.rooted = true
	s.Name = localName(full)
	s.open = append(s.open, full...)
	s.openLength = append(s.openLength, length)
	return nil
}

// tagEnd returns the position of the tag's closing bracket relative to s.at; a bracket inside a quoted attribute does
// not count.
func (s *Scanner) tagEnd() (int, error) {
	var quote byte
	for offset := 1; ; {
		for i, c := range s.window[s.at+offset : s.filled] {
			switch {
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case c == '>':
				return offset + i, nil
			case c == '"' || c == '\'':
				quote = c
			case c == '<':
				return 0, errMalformedXML
			}
		}
		offset = s.filled - s.at
		if err := s.fill(); err != nil {
			return 0, truncated(err)
		}
	}
}

func (s *Scanner) endTag() error {
	end, err := s.until(">")
	if err != nil {
		return err
	}
	full := bytes.TrimRight(s.window[s.at+2:s.at+end], " \t\r\n")
	s.at += end + 1
	return s.pop(full)
}

// pop closes the innermost element. Its end tag, if there is one, must name it.
func (s *Scanner) pop(full []byte) error {
	last := len(s.openLength) - 1
	if last < 0 {
		return errMalformedXML
	}
	begin := len(s.open) - s.openLength[last]
	if full != nil && !bytes.Equal(full, s.open[begin:]) {
		return errMalformedXML
	}
	s.Name = localName(s.open[begin:])
	s.open, s.openLength = s.open[:begin], s.openLength[:last]
	return nil
}
