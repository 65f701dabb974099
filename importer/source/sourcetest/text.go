package sourcetest

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/encoding/htmlindex"
)

// Encode writes a text in an encoding, with or without byte order mark.
func Encode(text, name string) []byte {
	name, bom := strings.CutSuffix(name, " bom")
	if bom {
		text = "\ufeff" + text
	}
	var out []byte
	switch name {
	case "utf-16le", "utf-16be":
		for _, unit := range utf16.Encode([]rune(text)) {
			if name == "utf-16le" {
				out = binary.LittleEndian.AppendUint16(out, unit)
			} else {
				out = binary.BigEndian.AppendUint16(out, unit)
			}
		}
	case "utf-32le":
		for _, c := range text {
			out = binary.LittleEndian.AppendUint32(out, uint32(c))
		}
	case "utf-32be":
		for _, c := range text {
			out = binary.BigEndian.AppendUint32(out, uint32(c))
		}
	default:
		out = []byte(text)
	}
	return out
}

// InEncoding writes a text in an encoding of the WHATWG list.
func InEncoding(t testing.TB, label, text string) string {
	t.Helper()
	table, err := htmlindex.Get(label)
	if err != nil {
		t.Fatal(err)
	}
	coded, err := table.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return coded
}

// Texts are small texts of every kind that the reader tells apart.
var Texts = []string{
	"", "a", "a,b\n1,2\n", "\xef\xbb\xbfkitten,win", "sep=;\na;b\n1;2\n", "\"sep=\t\"\r\na\tb\r\n",
	"a,b\n1,\"x \"\"y\"\" z\"\n", "a,b\r\n\"x\r\ny\",2\r\n", "a,b\r1,2\r", "a,b\n\n , \n1,2,3\n", "a,b\na,b\n1,2\n",
	"a,b\n1,x\"y\n", "a,b\n1,\"x\n", "a,b\n1, \"x\" ,\n", "a;b\n\"x \\\"y\\\" z\";2\n", "a|b\n\"q\" x|y\n",
	"title\n\na,b,c\n1,2,3\n4,5,6\n", "Group,,x\na,b,\n1,2,3\n",
	"\xff\xfea\x00,\x00b\x00\n\x00", "\x00a\x00,\x00b\x00\n", "a\x00\x00\x00,\x00\x00\x00", "\xff\xfe\x00\x00a\x00\x00\x00",
	"name\nM\xfcller\n", "name\nM\xc3\xbcller\n\xff", "name\n\xcb\xe5\xf9\xed\n", "a,b\n1,\x00\n", "%PDF-1.7", "\x1f\x8b", "PK\x03\x04",
}
