package sourcetest

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode/utf32"
)

// Encode writes a text in an encoding of the WHATWG list or UTF-32; " bom" after its name asks for a byte order mark.
func Encode(text, name string) string {
	name, bom := strings.CutSuffix(name, " bom")
	if bom {
		text = "\ufeff" + text
	}
	var table encoding.Encoding
	var err error
	switch name {
	case "utf-8":
		return text
	case "utf-32le":
		table = utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)
	case "utf-32be":
		table = utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)
	default:
		table, err = htmlindex.Get(name)
	}
	if err == nil {
		text, err = table.NewEncoder().String(text)
	}
	if err != nil {
		panic(err)
	}
	return text
}

// Texts are small texts of every kind that the reader distinguishes.
var Texts = []string{
	"", "a", "a,b\n1,2\n", "\xef\xbb\xbfkitten,win", "sep=;\na;b\n1;2\n", "\"sep=\t\"\r\na\tb\r\n",
	"a,b\n1,\"x \"\"y\"\" z\"\n", "a,b\r\n\"x\r\ny\",2\r\n", "a,b\r1,2\r", "a,b\n\n , \n1,2,3\n", "a,b\na,b\n1,2\n",
	"a,b\n1,x\"y\n", "a,b\n1,\"x\n", "a,b\n1, \"x\" ,\n", "a;b\n\"x \\\"y\\\" z\";2\n", "a|b\n\"q\" x|y\n",
	"title\n\na,b,c\n1,2,3\n4,5,6\n", "Group,,x\na,b,\n1,2,3\n",
	"\xff\xfea\x00,\x00b\x00\n\x00", "\x00a\x00,\x00b\x00\n", "a\x00\x00\x00,\x00\x00\x00", "\xff\xfe\x00\x00a\x00\x00\x00",
	"name\nM\xfcller\n", "name\nM\xc3\xbcller\n\xff", "name\n\xcb\xe5\xf9\xed\n", "a,b\n1,\x00\n", "%PDF-1.7", "\x1f\x8b", "PK\x03\x04",
}
