package source

import (
	"strings"
	"testing"

	"docketsync/importer/source/sourcetest"
)

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
			got := readText(t, sourcetest.InEncoding(t, "windows-1252", "Ref,Name\n1,"+text+"\n"), Options{Delimiter: "comma"})
			if got.fault != "" || got.detected.Encoding != "windows-1252" {
				t.Errorf("%s: %s\n%s", got.detected.Encoding, got.fault, got.hint)
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
			got := readText(t, sourcetest.InEncoding(t, tt.label, "Ref,Name\n1,"+tt.text+"\n"), Options{Delimiter: "comma"})
			if !strings.Contains(got.fault, "the encoding could not be determined") || !strings.Contains(got.fault, tt.word) || !strings.Contains(got.hint, tt.label+` reads "`+tt.rival) {
				t.Errorf("%s: %s\n%s", got.detected.Encoding, got.fault, got.hint)
			}
			pinned := readText(t, sourcetest.InEncoding(t, tt.label, "Ref,Name\n1,"+tt.text+"\n"), Options{Delimiter: "comma", Encoding: tt.label})
			if pinned.fault != "" || !strings.Contains(strings.Join(pinned.rows, "\n"), tt.rival) {
				t.Error(pinned.fault, pinned.rows)
			}
		})
	}
}

// TestLikeliestEncodingIsOfferedFirst reads words that no language of Windows-1252 has, and one that may well be of one.
func TestLikeliestEncodingIsOfferedFirst(t *testing.T) {
	t.Parallel()
	for text, first := range map[string]string{"Suðuroy": `windows-1252 reads "Suðuroy", windows-1254 reads`, "Güneþ Þirketi": `windows-1254 reads "Güneş"`, "Gdañsk": `windows-1250 reads "Gdańsk", windows-1252 reads`} {
		got := readText(t, sourcetest.InEncoding(t, "windows-1252", "Ref,Name\n1,"+text+"\n"), Options{Delimiter: "comma"})
		if !strings.Contains(got.hint, "{encoding: …}: "+first) {
			t.Errorf("%s: %s\n%s", text, got.fault, got.hint)
		}
	}
}

func TestATellingWordFarDownIsHeard(t *testing.T) {
	t.Parallel()
	text := "Ref,Name\n" + strings.Repeat("1,Müller\n", 20_000) + "2,Güneş\n"
	got := readText(t, sourcetest.InEncoding(t, "windows-1254", text), Options{})
	if !strings.Contains(got.hint, `windows-1254 reads "Güneş"`) {
		t.Errorf("%s: %s\n%s", got.detected.Encoding, got.fault, got.hint)
	}
}

func TestBig5GetsAHint(t *testing.T) {
	t.Parallel()
	got := readText(t, sourcetest.InEncoding(t, "big5", "Ref,Name\n1,商標註冊（一）\n2,台灣、智慧財產局（股）公司\n3,ＡＢＣ有限公司：許功蓋\n"), Options{})
	if !strings.Contains(got.hint, `big5 reads "商標註冊"`) {
		t.Errorf("%s\n%s", got.fault, got.hint)
	}
}
