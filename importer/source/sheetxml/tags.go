package sheetxml

import "bytes"

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
