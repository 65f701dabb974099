package unchanged

import (
	"encoding/hex"
	"strings"
)

// packedText is a text, in half the bytes where it is hexadecimal digits or a GUID.
type packedText struct {
	kind byte
	raw  string
}

const (
	plainText byte = iota
	hexText
	guidText
	textKinds
)

// dashes are where those of a GUID stand.
var dashes = [...]int{8, 13, 18, 23}

func pack(text string) packedText {
	if raw, ok := unhex(text); ok {
		return packedText{hexText, raw}
	}
	if len(text) == 36 && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-' {
		if raw, ok := unhex(strings.ReplaceAll(text, "-", "")); ok && len(raw) == 16 {
			return packedText{guidText, raw}
		}
	}
	return packedText{plainText, text}
}

// unhex reads lower-case hexadecimal digits.
func unhex(text string) (raw string, ok bool) {
	if len(text) == 0 || strings.ToLower(text) != text {
		return "", false
	}
	bytes, err := hex.DecodeString(text)
	return string(bytes), err == nil
}

// String is the text that was packed.
func (p packedText) String() string {
	switch p.kind {
	case hexText:
		return hex.EncodeToString([]byte(p.raw))
	case guidText:
		text := hex.EncodeToString([]byte(p.raw))
		for _, at := range dashes {
			text = text[:at] + "-" + text[at:]
		}
		return text
	}
	return p.raw
}

// is tells whether it is this text; it allocates nothing for digests.
func (p packedText) is(text string) bool {
	var digits [64]byte
	if p.kind == hexText && len(p.raw) <= len(digits)/2 {
		return string(digits[:hex.Encode(digits[:], []byte(p.raw))]) == text
	}
	return p.String() == text
}
