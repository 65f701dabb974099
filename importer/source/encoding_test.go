package source

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"

	"docketsync/importer/source/format"
	"docketsync/importer/source/sourcetest"
)

func TestEncodingIsFound(t *testing.T) {
	t.Parallel()
	const text = "Ref,Owner\n1,Société Générale\n2,Łódź 日本 😀\n"
	const western = "Ref,Owner,Mark\n1,Société Générale,ORBOLIN®\n2,Müller & Söhne – “Größe” ÄÖÜ,VEXO™\n3,Ñandú ¿qué?,L’Étoile…\n4,SOCIÉTÉ, €5\n"
	straddling := strings.Repeat("1,xx\n", (256<<10)/5) + strings.Repeat("y", (256<<10)%5-1) + "é,2\n"
	wide := func(encoding string) string { return string(sourcetest.Encode(text, encoding)) }
	tests := []struct {
		name, in, encoding, why, text string
	}{
		{"ASCII", "a,b\n1,2\n", "utf-8", "all ASCII", "a,b\n1,2\n"},
		{"UTF-8", text, "utf-8", "valid to the end of the file", text},
		{"UTF-8 with a mark", "\ufeff" + text, "utf-8", "byte order mark", text},
		{"UTF-16LE with a mark", wide("utf-16le bom"), "utf-16le", "byte order mark", text},
		{"UTF-16BE with a mark", wide("utf-16be bom"), "utf-16be", "byte order mark", text},
		{"UTF-32LE with a mark", wide("utf-32le bom"), "utf-32le", "byte order mark", text},
		{"UTF-32BE with a mark", wide("utf-32be bom"), "utf-32be", "byte order mark", text},
		{"UTF-16LE", wide("utf-16le"), "utf-16le", "zero bytes where utf-16le has them", text},
		{"UTF-16BE", wide("utf-16be"), "utf-16be", "zero bytes where utf-16be has them", text},
		{"UTF-32LE", wide("utf-32le"), "utf-32le", "zero bytes where utf-32le has them", text},
		{"UTF-32BE", wide("utf-32be"), "utf-32be", "zero bytes where utf-32be has them", text},
		{"UTF-16 in which only delimiters are Latin", string(sourcetest.Encode("名前,商標,Ā\n東京,日本,Ȁ\n", "utf-16le")), "utf-16le", "zero bytes where utf-16le has them", "名前,商標,Ā\n東京,日本,Ȁ\n"},
		{"Windows-1252", sourcetest.InEncoding(t, "windows-1252", western), "windows-1252", "not UTF-8, and plausible as Windows-1252", western},
		{"Windows-1252 whose first accent comes late", strings.Repeat("1,x\n", 1<<18) + "2,M\xfcller\n", "windows-1252", "not UTF-8, and plausible as Windows-1252", strings.Repeat("1,x\n", 1<<18) + "2,Müller\n"},
		{"UTF-8 whose first accent comes late, across two blocks", straddling, "utf-8", "valid to the end of the file", straddling},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := readText(t, tt.in, Options{NoHeader: true, Delimiter: "none", Quote: "none"})
			if got.fault != "" || got.detected.Encoding != tt.encoding || got.detected.EncodingWhy != tt.why {
				t.Fatalf("%s, for %s: %s", got.detected.Encoding, got.detected.EncodingWhy, got.fault)
			}
			var text strings.Builder
			for _, row := range got.rows {
				_, line, _ := strings.Cut(row, ": ")
				text.WriteString(line + "\n")
			}
			if text.String() != tt.text {
				t.Error(cmp.Diff(tt.text, text.String()))
			}
		})
	}
}

func TestEncodingIsConfigured(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"windows-1250": "Příliš žluťoučký kůň", "windows-1251": "Товарный знак", "iso-8859-2": "Łódź", "iso-8859-7": "Λεωνίδας",
		"macintosh": "Société", "koi8-r": "Знак", "shift_jis": "商標ソ表", "euc-jp": "商標", "gbk": "商标注册", "gb18030": "商标😀",
		"big5": "商標許功蓋", "euc-kr": "상표", "Latin1": "Société", "utf-16": "Łódź", "utf-16be": "Łódź", "utf-8": "Łódź", "iso-2022-jp": "商標",
	}
	for label, cell := range tests {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			in := ""
			switch text := "Ref,Name\n1," + cell + "\n"; label {
			case "utf-16":
				in = string(sourcetest.Encode(text, "utf-16le"))
			default:
				in = sourcetest.InEncoding(t, label, text)
			}
			got := readText(t, in, Options{Encoding: label})
			if diff := cmp.Diff([]string{"2: 1|" + cell}, got.rows); diff != "" || got.fault != "" {
				t.Errorf("%s\n%s", got.fault, diff)
			}
			if got.detected.EncodingWhy != format.Configured || len(got.detected.Warnings) > 0 {
				t.Errorf("%+v", got.detected)
			}
		})
	}
}

func TestEncodingIsRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in    string
		o           Options
		fault, hint string // beginning and part
	}{
		{"Greek", sourcetest.InEncoding(t, "windows-1253", "Ref,Name\n1,Λεωνίδας\n2,Αλέξανδρος\n"), Options{}, "in.csv: the encoding could not be determined: ", `windows-1253 reads "Λεωνίδας"`},
		{"Cyrillic", sourcetest.InEncoding(t, "windows-1251", "Ref,Name\n1,Товарный знак\n2,Москва\n"), Options{}, "in.csv: the encoding could not be determined: ", `windows-1251 reads "Товарный"`},
		{"Polish", sourcetest.InEncoding(t, "windows-1250", "Ref,Name\n1,Łódź Spółka\n2,Święta Góra Śląska wałęsa\n"), Options{}, "in.csv: the encoding could not be determined: ", `windows-1250 reads "Łódź"`},
		{"Mac", sourcetest.InEncoding(t, "macintosh", "Ref,Name\n1,Société Générale\n2,Müller à côté\n"), Options{}, "in.csv: the encoding could not be determined: ", `macintosh reads "Société"`},
		{"Shift-JIS", sourcetest.InEncoding(t, "shift_jis", "Ref,Name\n1,商標登録\n2,東京特許許可局\n"), Options{}, "in.csv: the encoding could not be determined: ", `shift_jis reads "商標登録"`},
		{"Chinese", sourcetest.InEncoding(t, "gbk", "Ref,Name\n1,商标注册\n2,北京专利局有限公司\n"), Options{}, "in.csv: the encoding could not be determined: ", `gbk reads "商标注册"`},
		{"Korean", sourcetest.InEncoding(t, "euc-kr", "Ref,Name\n1,상표등록\n2,서울특허청\n"), Options{}, "in.csv: the encoding could not be determined: ", `euc-kr reads "상표등록"`},
		{"DOS", "Ref,Name\n1,Soci\x82t\x82 G\x82n\x82rale\n", Options{}, "in.csv: the encoding could not be determined: ", "Set the encoding"},
		{"damaged UTF-8", "a,b\né,ü\nö,ä\nx,\xe9\n", Options{}, "in.csv, row 4, column B: byte 0xE9 is not a valid character in utf-8", "windows-1252"},
		{"a name that nobody knows", "a,b\n", Options{Encoding: "utf-9"}, `in.csv: encoding "utf-9" is unknown`, "utf-8"},
		{"a mark that contradicts the configuration", "\xef\xbb\xbfa,b\n", Options{Encoding: "windows-1252"}, "in.csv: the encoding is set to windows-1252, but the file begins with the byte order mark of utf-8", "utf-8"},
		{"UTF-16 in the other order", string(sourcetest.Encode("a,b\né,1\n", "utf-16be")), Options{Encoding: "utf-16le"}, "in.csv: the encoding is set to utf-16le, but the file's zero bytes stand where utf-16be has them", "set utf-16be"},
		{"UTF-16 that is none", "a,b\n1,2\n", Options{Encoding: "utf-16"}, "in.csv: the encoding is set to utf-16le, but the file has no zero bytes", "Leave the encoding out"},
		{"a mark of another width", "\xff\xfea\x00", Options{Encoding: "utf-8"}, "in.csv: the encoding is set to utf-8, but the file begins with the byte order mark of utf-16le", "utf-16le"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := readText(t, tt.in, tt.o)
			if !strings.HasPrefix(got.fault, tt.fault) || !strings.Contains(got.hint, tt.hint) {
				t.Errorf("%s\n%s", got.fault, got.hint)
			}
		})
	}
}

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
		got := readText(t, string(sourcetest.Encode("a,b\né,1\n", coded)), Options{Encoding: "UTF-16"})
		if diff := cmp.Diff([]string{"2: é|1"}, got.rows); diff != "" {
			t.Errorf("%s: %s\n%s", coded, got.fault, diff)
		}
	}
}
