package value

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"docketsync/mapping/reason"
)

// twice is a text as it comes out when its UTF-8 is taken for Windows-1252 and encoded again.
func twice(text string) string {
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

func TestDamagedTextIsRefused(t *testing.T) {
	t.Parallel()
	for want, texts := range map[string][]string{
		reason.Damaged: {"M\ufffdller", "\ufffd", strings.Repeat("é", 100) + "\ufffd"},
		reason.DamagedTwice: {twice("Société"), "Lâ€™Oréal", twice("L’Oréal"), twice("“Sol”"), twice("Москва"), twice("Ñandú"), twice("Şirketi Güneş"), twice("Ÿ"), twice("Łódź"),
			twice("Ελλάς"), twice("SOL®"), twice("1\u00a0000 €"), twice("Dvořák")},
		reason.DamagedC1:      {"L\u0092Or\u00e9al", "10 \u0080"},
		reason.DamagedError:   {"#N/A", "#REF!", "#NV", "#¡VALOR!", "Licence #NAME?", "#n/a; paid", "a\n#DIV/0!", "#NOMBRE?", "#ÜBERLAUF!", "#ЗНАЧ!", "#N/B", "Err:502"},
		reason.DamagedLost:    {"??", "?? ???", "Žytni Kr?g", "Kr?g", "M?ller GmbH", "see www.x.de/?q=1 or M?ller"},
		reason.DamagedNarrow:  {"###", "########"},
		reason.DamagedMissing: {"NULL", "null", `\N`, "(null)", "<null>", "undefined", "NaN", "[object Object]", "System.String[]"},
		reason.DamagedTyped:   {`=HYPERLINK("http://x","018")`, "=IF(A1>2;\"a\";B1) ", "'00123"},
		reason.DamagedHTML:    {"M&uuml;ller", "A &amp; B", "S&#233;", "S&#xe9;", "AT&T; caf&eacute;"},
	} {
		for _, text := range texts {
			code, form, _ := strings.Cut(want, "/")
			if p := CheckDamage(text); !p.Is(code) || p.Form != form {
				t.Errorf("%q: %+v", text, p)
			}
		}
	}
	for _, text := range []string{"", "Société", "MAÇÃ", "IRMÃS", "“ESPAÑA”", "NIÑO", "DAVÍÐ", "SÅ”", "ÅÄÖ", "Âge d’Or", "Ñ", "ÄÖÜ", "Ï", "€5", "â", "DAVÍÐ’S", "Å™", "a\u0085b", "#", "##", "No. #7", "#NA", "C#", "#NAME", "A###", "#Sale!", "#YES!", "#GIRLPOWER!", "R&notit;", "#1!", "Null", "None", "Nan Goldin", "undefined goods", "=", "=x", "=(a)", "'90s", "'47", "AT&T;", "R&D", "Q&As;", "&", "Err: 502", "10 \u00a0€", "SÃO PAULO", "Łódź", "Москва", "日本",
		"?", "? !", "WHAT?", "Who? What?", "?uestion", "https://x.de/a?b=c", "www.x.de/page?id", "5?6", "“WHY?”"} {
		if p := CheckDamage(text); p != nil {
			t.Errorf("%q: %+v", text, p)
		}
	}
	if p := CheckDamage(strings.Repeat("é", 100) + "M\ufffdller and more"); p == nil || !strings.Contains(p.Message, "M\ufffdller") {
		t.Errorf("the reason does not show the place: %v", p)
	}
}
