package charset

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/source/format"
	"docketsync/importer/source/sourcetest"
)

// reading is a text as it was decoded, or why it was not.
type reading struct{ name, why, text, fault, hint string }

func read(t *testing.T, in, label string) reading {
	t.Helper()
	open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(in)), nil }
	found, err := Find(t.Context(), open, label)
	var e *format.Error
	if errors.As(err, &e) {
		return reading{fault: e.Error(), hint: e.Hint}
	}
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := found.Decode(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(decoded)
	if err != nil {
		t.Fatal(err)
	}
	return reading{name: found.Name, why: found.Why, text: string(text)}
}

func TestEncodingIsFound(t *testing.T) {
	t.Parallel()
	const text = "Ref,Owner\n1,Société Générale\n2,Łódź 日本 😀\n"
	const western = "Ref,Owner,Mark\n1,Société Générale,ORBOLIN®\n2,Müller & Söhne – “Größe” ÄÖÜ,VEXO™\n3,Ñandú ¿qué?,L’Étoile…\n4,SOCIÉTÉ, €5\n"
	straddling := strings.Repeat("1,xx\n", (256<<10)/5) + strings.Repeat("y", (256<<10)%5-1) + "é,2\n"
	wide := func(encoding string) string { return sourcetest.Encode(text, encoding) }
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
		{"UTF-16 in which only delimiters are Latin", sourcetest.Encode("名前,商標,Ā\n東京,日本,Ȁ\n", "utf-16le"), "utf-16le", "zero bytes where utf-16le has them", "名前,商標,Ā\n東京,日本,Ȁ\n"},
		{"Windows-1252", sourcetest.Encode(western, "windows-1252"), "windows-1252", "not UTF-8, and plausible as Windows-1252", western},
		{"Windows-1252 whose first accent comes late", strings.Repeat("1,x\n", 1<<18) + "2,M\xfcller\n", "windows-1252", "not UTF-8, and plausible as Windows-1252", strings.Repeat("1,x\n", 1<<18) + "2,Müller\n"},
		{"UTF-8 whose first accent comes late, across two blocks", straddling, "utf-8", "valid to the end of the file", straddling},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := read(t, tt.in, "")
			if got.fault != "" || got.name != tt.encoding || got.why != tt.why {
				t.Fatalf("%s, for %s: %s", got.name, got.why, got.fault)
			}
			if got.text != tt.text {
				t.Error(cmp.Diff(tt.text, got.text))
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
				in = sourcetest.Encode(text, "utf-16le")
			default:
				in = sourcetest.Encode(text, label)
			}
			got := read(t, in, label)
			if diff := cmp.Diff("Ref,Name\n1,"+cell+"\n", got.text); diff != "" || got.fault != "" || got.why != format.Configured {
				t.Errorf("%s, for %s\n%s", got.fault, got.why, diff)
			}
		})
	}
}

func TestEncodingIsRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in    string
		label       string
		fault, hint string // beginning and part
	}{
		{"Greek", sourcetest.Encode("Ref,Name\n1,Λεωνίδας\n2,Αλέξανδρος\n", "windows-1253"), "", "the encoding could not be determined: ", `windows-1253 reads "Λεωνίδας"`},
		{"Cyrillic", sourcetest.Encode("Ref,Name\n1,Товарный знак\n2,Москва\n", "windows-1251"), "", "the encoding could not be determined: ", `windows-1251 reads "Товарный"`},
		{"Polish", sourcetest.Encode("Ref,Name\n1,Łódź Spółka\n2,Święta Góra Śląska wałęsa\n", "windows-1250"), "", "the encoding could not be determined: ", `windows-1250 reads "Łódź"`},
		{"Mac", sourcetest.Encode("Ref,Name\n1,Société Générale\n2,Müller à côté\n", "macintosh"), "", "the encoding could not be determined: ", `macintosh reads "Société"`},
		{"Shift-JIS", sourcetest.Encode("Ref,Name\n1,商標登録\n2,東京特許許可局\n", "shift_jis"), "", "the encoding could not be determined: ", `shift_jis reads "商標登録"`},
		{"Chinese", sourcetest.Encode("Ref,Name\n1,商标注册\n2,北京专利局有限公司\n", "gbk"), "", "the encoding could not be determined: ", `gbk reads "商标注册"`},
		{"Korean", sourcetest.Encode("Ref,Name\n1,상표등록\n2,서울특허청\n", "euc-kr"), "", "the encoding could not be determined: ", `euc-kr reads "상표등록"`},
		{"DOS, with accents at the end of words alone", "Ref,Name\n1,Ren\x82 Caf\x82\n", "", "the encoding could not be determined: ", "Set the encoding"},
		{"DOS, with accents at both ends", "Ref,Name\n1,\xa5and\xa3 Mart\xa1\n2,Per\xa3\n", "", "the encoding could not be determined: ", "Set the encoding"},
		{"DOS, with an umlaut at the end", "Ref,Name\n1,Europ\x84\n", "", "the encoding could not be determined: ", "Set the encoding"},
		{"DOS", "Ref,Name\n1,Soci\x82t\x82 G\x82n\x82rale\n", "", "the encoding could not be determined: ", "Set the encoding"},
		{"a name that nobody knows", "a,b\n", "utf-9", `encoding "utf-9" is unknown`, "utf-8"},
		{"a mark that contradicts the configuration", "\xef\xbb\xbfa,b\n", "windows-1252", "the encoding is set to windows-1252, but the file begins with the byte order mark of utf-8", "utf-8"},
		{"UTF-16 in the other order", sourcetest.Encode("a,b\né,1\n", "utf-16be"), "utf-16le", "the encoding is set to utf-16le, but the file's zero bytes stand where utf-16be has them", "set utf-16be"},
		{"UTF-16 that is none", "a,b\n1,2\n", "utf-16", "the encoding is set to utf-16le, but the file has no zero bytes", "Leave the encoding out"},
		{"a mark of another width", "\xff\xfea\x00", "utf-8", "the encoding is set to utf-8, but the file begins with the byte order mark of utf-16le", "utf-16le"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := read(t, tt.in, tt.label)
			if !strings.HasPrefix(got.fault, tt.fault) || !strings.Contains(got.hint, tt.hint) {
				t.Errorf("%s\n%s", got.fault, got.hint)
			}
		})
	}
}

// What firms' exports hold, in the languages that an encoding is for. None of it is from anywhere: the names are made up.
func TestWesternTextIsNotDoubted(t *testing.T) {
	t.Parallel()
	for language, text := range map[string]string{
		"French":                             "Société Générale de Crème Brûlée; Hélène Lefèvre; août; à Genève, où le maître brûle; Œuvres du Cœur; goût sûr; piqûre; fenêtre; L'Haÿ; dépôt; reçu; naïve; Noël",
		"French once":                        "1;Crème fraîche;2;Côte d'Azur;3;Flûte",
		"Spanish":                            "Peñíscola, Muñoz y Compañía; Avenida España Nº 5, 2ª planta; ¿Qué?; ¡Olé!; Señorío; pingüino; AÑO; Mª Ángeles",
		"Portuguese":                         "Companhia de Ações São João; Simões & Camões; Guimarães; maçã; irmãos; às vezes; avô, avó; têxtil; pinguim; LIMÕES; órgão; põe; manhã; Conceição",
		"Italian":                            "Società per Azioni; perché; città; lunedì; più; però; caffè; Forlì; Cantù; Niccolò; virtù",
		"Catalan":                            "Fundació Òmnium; història; València; Núria; Lluïsa; força; pingüí; Tòfol; ciència; també",
		"German":                             "Müller & Söhne; Größe; Österreich; Café; Bäckerei; Straße",
		"Dutch":                              "Coöperatie; België; financiële; ideeën; Daniëlle; reünie; vóór",
		"Danish":                             "Åbenrå; Sørensen; Ærø; Møller; Øster Farimagsgade; Tømrer; Hjælp; søen",
		"Norwegian":                          "Tromsøya; Karmøy; Bjørnøya; Ålesund; Kjærstad; Høyre; på; Håkon",
		"Swedish":                            "Åkesson; Göteborg; Malmö; Jämtland; café; Linnéa",
		"Finnish":                            "Hämeenlinna; Jyväskylä; Åbo; Hyvinkää; šakki",
		"Icelandic":                          "Guðmundur Jónsson; Þórður; Sigurður Þorsteinsson; Davíð; Nýja fyrirtækið; íþróttir; Ísafjörður; Alþýða; veðrið; þjóð; GARÐABÆR; Ólafsvík; ætt; Hveragerði",
		"Estonian":                           "Põltsamaa; Võru; Tõnis Kõiv; õigus; Jõgi; Sõber; nõukogu; mõis; Rõõm; Pärnu; Tüür; Põhja; öö; KÕRGE",
		"Portuguese with one Icelandic name": "Ações; São João; Sigurður; Maçã; Guðmundsson",
		"a thousand Danes and one Icelander": strings.Repeat("Sørensen & Møller, ", 1000) + "Guðmundur",
		"French imperatives alone":           "1;Goûtez;2;Brûlez;3;Ajoûtez",
		"one French imperative":              "Brûlez",
		"one Icelandic firm":                 "Nýherji hf.",
		"Icelandic without another accent":   "Kaupþing; Alþingi; Eyþór; Nýsköpun; Heiðar",
		"Faroese":                            "Fuglafjørður; Norðoya; Eyðun Høgnesen; Miðvágur; Kirkjubøur; Bárður; Føroya Banki; Viðareiði; Suðuroy; Sjúrður; Nýggj",
		"a Faroese town":                     "Fuglafjørður",
		"Danish compounds":                   "Søauto; Miljøanalyse; Sjøudsigt; Miljøoptimering",
		"one Danish compound":                "Søauto ApS",
		"two nations":                        "Société Hélène; Peña; Müller; Ny; Åse",
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			got := read(t, sourcetest.Encode("Ref,Name\n1,"+text+"\n", "windows-1252"), "")
			if got.fault != "" || got.name != "windows-1252" {
				t.Errorf("%s: %s\n%s", got.name, got.fault, got.hint)
			}
		})
	}
}

func TestTextOfAnotherAlphabetIsNotReadAsWestern(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, label, text, word, rival string }{
		{"Turkish", "windows-1254", "Güneş Sanayi ve Ticaret Anonim Şirketi; Yıldırım Doğan; İstanbul; Kadıköy; Çağdaş", "Güneþ", "Güneş"},
		{"Turkish in capitals", "windows-1254", "GÜNEŞ SANAYİ VE TİCARET; ANONİM ŞİRKETİ; IŞIK; DOĞAN", "GÜNEÞ", "GÜNEŞ"},
		{"one Turkish word", "windows-1254", "Aras Tekstil Ltd. Şti.", "Þti", "Şti"},
		{"one that may be Icelandic", "windows-1254", "Aras Doğan", "Doðan", "Doğan"},
		{"Turkish among French", "windows-1254", "Société Hélène; Crème; Noël; Peña; Yıldız; Müller; Anadolu Güneş; El Niño", "Yýldýz", "Yıldız"},
		{"Polish", "windows-1250", "Sp. z o.o. Gdańsk; Kędzierski; Wiśniewski; Poznań; Kraków", "Gdañsk", "Gdańsk"},
		{"Czech", "windows-1250", "Kučera; Němec; Jiří Dvořák; Česká; Plzeň; společnost; Novotný; Škoda; průmysl", "Kuèera", "Kučera"},
		{"Slovak", "windows-1250", "Kováč; Ondrej Duračka; Piešťany; Žilina; večera; dôvera; Ľubica; koča; mačiatko", "veèera", "večera"},
		{"Hungarian", "windows-1250", "Erdős; Győr; Petőfi utca; Szűcs; műszaki; Szőke Kft.; fővárosi; Gödöllő; Ernő", "Erdõs", "Erdős"},
		{"one Hungarian word", "windows-1250", "Alba Kft. Győr", "Gyõr", "Győr"},
		{"Romanian", "windows-1250", "Constanţa; Bistriţa; Brăila; Bănescu; Timişoara; România", "Constanþa", "Constanţa"},
		{"Latvian", "windows-1257", "Latvijas valdība; Rīga; šķirne; Žagars; Jūrmala; ēka; Ķekava; Rēzekne", "Rçzekne", "Rēzekne"},
		{"Lithuanian", "windows-1257", "Šiauliai; žemė; Žydrūnas; įmonė; Lietuvos ąžuolas; šviesa", "Ðiauliai", "Šiauliai"},
		{"Croatian", "windows-1250", "Kovačević; Petrović; Đorđe; Čakovec; Horvat; Šibenik; Jović", "", "Kovačević"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := read(t, sourcetest.Encode("Ref,Name\n1,"+tt.text+"\n", tt.label), "")
			if !strings.Contains(got.fault, "the encoding could not be determined") || !strings.Contains(got.fault, tt.word) || !strings.Contains(got.hint, tt.label+` reads "`+tt.rival) {
				t.Errorf("%s: %s\n%s", got.name, got.fault, got.hint)
			}
			pinned := read(t, sourcetest.Encode("Ref,Name\n1,"+tt.text+"\n", tt.label), tt.label)
			if pinned.fault != "" || !strings.Contains(pinned.text, tt.rival) {
				t.Error(pinned.fault, pinned.text)
			}
		})
	}
}

// TestLikeliestEncodingIsOfferedFirst reads words that no language of Windows-1252 has, and one that may well be of one.
func TestLikeliestEncodingIsOfferedFirst(t *testing.T) {
	t.Parallel()
	for text, first := range map[string]string{"Suðuroy": `windows-1252 reads "Suðuroy", windows-1254 reads`, "Güneþ Þirketi": `windows-1254 reads "Güneş"`, "Gdañsk": `windows-1250 reads "Gdańsk", windows-1252 reads`} {
		got := read(t, sourcetest.Encode("Ref,Name\n1,"+text+"\n", "windows-1252"), "")
		if !strings.Contains(got.hint, "{encoding: …}: "+first) {
			t.Errorf("%s: %s\n%s", text, got.fault, got.hint)
		}
	}
}

func TestATellingWordFarDownIsHeard(t *testing.T) {
	t.Parallel()
	text := "Ref,Name\n" + strings.Repeat("1,Müller\n", 20_000) + "2,Güneş\n"
	got := read(t, sourcetest.Encode(text, "windows-1254"), "")
	if !strings.Contains(got.hint, `windows-1254 reads "Güneş"`) {
		t.Errorf("%s: %s\n%s", got.name, got.fault, got.hint)
	}
}

func TestBig5GetsAHint(t *testing.T) {
	t.Parallel()
	got := read(t, sourcetest.Encode("Ref,Name\n1,商標註冊（一）\n2,台灣、智慧財產局（股）公司\n3,ＡＢＣ有限公司：許功蓋\n", "big5"), "")
	if !strings.Contains(got.hint, `big5 reads "商標註冊"`) {
		t.Errorf("%s\n%s", got.fault, got.hint)
	}
}

// Bytes that are no character become one that UTF-8 does not have, and the first of them is named.
func TestWhatIsNoCharacterIsNotPassedOver(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ label, in, fault string }{
		"a byte that the code page lacks":     {"windows-1252", "a,b\nx,y\x81z\n", "0x81 at offset 7"},
		"an unpaired surrogate":               {"utf-16le", "\xff\xfea\x00,\x00b\x00\n\x00c\x00,\x00x\x00\x00\xd8y\x00", "0x00D8 at offset 16"},
		"half a character at the end":         {"utf-16be", "\xfe\xff\x00a\x00\n\x00b\x00", "0x00 at offset 8"},
		"a broken pair in a double-byte text": {"shift_jis", "a,b\nx,\x83\x65\x83\n", "0x83 at offset 8"},
		"a control character beyond ASCII":    {"shift_jis", "a,b\nx,\x83\x65\x80\n", "0x80 at offset 8"},
		"a byte far down":                     {"euc-kr", strings.Repeat("a,b\n", 20_000) + "\xbb\xf3,\xff\n", "0xFF at offset 80003"},
		"a byte behind a shift":               {"iso-2022-jp", "a,\x1b$B>&\x1b(B,\xe9\n", "0xE9 at offset 11"},
		"many in the middle of a shift":       {"iso-2022-jp", "\x1b$B" + strings.Repeat(">&", 20_000) + strings.Repeat("\xff", 60_000), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := Find(t.Context(), func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(tt.in)), nil }, tt.label)
			if err != nil {
				t.Fatal(err)
			}
			decoded, err := found.Decode(strings.NewReader(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(decoded)
			if err != nil || !strings.Contains(string(text), "\xff") {
				t.Errorf("decoded to %q, error %v", text, err)
			}
			if got := decoded.(interface{ Fault() string }).Fault(); got != tt.fault {
				t.Errorf("the fault is %q, want %q", got, tt.fault)
			}
		})
	}
}
