package source

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"

	"docketsync/importer/source/sourcetest"
)

func TestTextEncodedTwiceIsReported(t *testing.T) {
	t.Parallel()
	twice := func(text string) string {
		var b strings.Builder
		for _, c := range []byte(text) {
			if c == 0x81 || c == 0x8d || c == 0x8f || c == 0x90 || c == 0x9d {
				b.WriteRune(rune(c)) // Windows-1252 has nothing there
			} else {
				b.WriteRune(charmap.Windows1252.DecodeByte(c))
			}
		}
		return b.String()
	}
	for _, text := range []string{"Société", "Lâ€™Oréal", twice("L’Oréal"), twice("“Sol”"), twice("Москва"), twice("Ñandú"), twice("Şirketi Güneş"), twice("Ÿ"), twice("Łódź"),
		twice("Ελλάς"), twice("SOL®"), twice("1\u00a0000 €"), twice("Dvořák")} {
		want := "encoded_twice [3]"
		if text == "Société" {
			want = ""
		}
		if got := readText(t, "a,b\nx,1\n"+text+",2\nSÃO PAULO,3\n", Options{}); sourcetest.Codes(got.detected.Warnings) != want {
			t.Error(text, got.detected.Warnings)
		}
	}
	for text, want := range map[string]string{"L\u0092Or\u00e9al": "control_characters [3]", "10 \u0080": "control_characters [3]", "a\u0085b": "", "10 \u00a0€": ""} {
		if got := readText(t, "a,b\nx,1\n"+text+",2\n", Options{}); sourcetest.Codes(got.detected.Warnings) != want {
			t.Errorf("%q: %v", text, got.detected.Warnings)
		}
	}
	for _, text := range []string{"MAÇÃ", "IRMÃS", "“ESPAÑA”", "NIÑO", "DAVÍÐ", "SÅ”", "ÅÄÖ", "Âge d’Or", "Ñ", "ÄÖÜ", "Ï", "€5", "â", "DAVÍÐ’S", "Å™"} {
		if got := readText(t, "a,b\n"+text+",1\n", Options{}); sourcetest.Codes(got.detected.Warnings) != "" {
			t.Error(text, got.detected.Warnings)
		}
	}
}

func TestReplacementCharactersAreReported(t *testing.T) {
	t.Parallel()
	got := readText(t, "a,b\nM\ufffdller,1\nx,2\n", Options{})
	if sourcetest.Codes(got.detected.Warnings) != "replacement_character [2]" {
		t.Error(got.detected.Warnings)
	}
}

func TestEncodingLabelUTF16TakesTheMark(t *testing.T) {
	t.Parallel()
	for _, coded := range []string{"utf-16le bom", "utf-16be bom", "utf-16le", "utf-16be"} {
		got := readText(t, sourcetest.Encode("a,b\né,1\n", coded), Options{Encoding: "UTF-16"})
		if diff := cmp.Diff([]string{"2: é|1"}, got.rows); diff != "" {
			t.Errorf("%s: %s\n%s", coded, got.fault, diff)
		}
	}
}
