package source

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/source/sourcetest"
)

// st96 and st66 are the same two marks in the two forms of the offices.
const (
	st96 = `<?xml version="1.0" encoding="UTF-8"?>
<tmk:TrademarkTransaction xmlns:com="http://www.wipo.int/standards/XMLSchema/ST96/Common" xmlns:tmk="http://www.wipo.int/standards/XMLSchema/ST96/Trademark">
 <tmk:TrademarkBag>
  <tmk:Trademark com:operationCategory="Insert">
   <com:ApplicationNumber><com:ApplicationNumberText>0012345</com:ApplicationNumberText></com:ApplicationNumber>
   <tmk:ApplicationDate>2021-03-04</tmk:ApplicationDate>
   <com:ExpiryDate>2031-03-04</com:ExpiryDate>
   <tmk:MarkRepresentation><tmk:MarkReproduction><tmk:WordMarkSpecification>
     <tmk:MarkSignificantVerbalElementText>ZEDERN &amp; TAU</tmk:MarkSignificantVerbalElementText>
   </tmk:WordMarkSpecification></tmk:MarkReproduction></tmk:MarkRepresentation>
   <tmk:GoodsServicesBag><tmk:GoodsServices><tmk:ClassDescriptionBag>
     <tmk:ClassDescription><tmk:ClassNumber>09</tmk:ClassNumber><tmk:GoodsServicesDescriptionText com:languageCode="en">Software;
       recorded media</tmk:GoodsServicesDescriptionText></tmk:ClassDescription>
     <tmk:ClassDescription><tmk:ClassNumber>35</tmk:ClassNumber><tmk:GoodsServicesDescriptionText com:languageCode="en">Advertising</tmk:GoodsServicesDescriptionText></tmk:ClassDescription>
   </tmk:ClassDescriptionBag></tmk:GoodsServices></tmk:GoodsServicesBag>
   <tmk:ApplicantBag><tmk:Applicant>Müller</tmk:Applicant><tmk:Applicant>Nadir</tmk:Applicant></tmk:ApplicantBag>
  </tmk:Trademark>
  <tmk:Trademark><com:ApplicationNumber><com:ApplicationNumberText>7</com:ApplicationNumberText></com:ApplicationNumber></tmk:Trademark>
 </tmk:TrademarkBag>
</tmk:TrademarkTransaction>
`
	st66 = `<Transaction xmlns="http://www.wipo.int/standards/XMLSchema/trademarks"><TradeMarkTransactionBody><TransactionContentDetails><TransactionData><TradeMarkDetails>
<TradeMark operationCode="Insert"><ApplicationNumber>0012345</ApplicationNumber><ApplicationDate>2021-03-04</ApplicationDate><ExpiryDate>2031-03-04</ExpiryDate>
<WordMarkSpecification><MarkVerbalElementText>ZEDERN &#38; TAU</MarkVerbalElementText></WordMarkSpecification>
<GoodsServicesDetails><GoodsServices><ClassDescriptionDetails>
<ClassDescription><ClassNumber>9</ClassNumber><GoodsServicesDescription languageCode="EN">Software; recorded media</GoodsServicesDescription></ClassDescription>
<ClassDescription><ClassNumber>35</ClassNumber><GoodsServicesDescription languageCode="EN">Advertising</GoodsServicesDescription></ClassDescription>
</ClassDescriptionDetails></GoodsServices></GoodsServicesDetails>
<ApplicantBag><Applicant>Müller</Applicant><Applicant>Nadir</Applicant></ApplicantBag></TradeMark>
<TradeMark><ApplicationNumber>7</ApplicationNumber></TradeMark>
</TradeMarkDetails></TransactionData></TransactionContentDetails></TradeMarkTransactionBody></Transaction>`
)

func openXML(t *testing.T, text string) *Source {
	t.Helper()
	s, err := Open(t.Context(), writeFile(t, t.TempDir(), "in.xml", []byte(text), 0o600), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func wide(text string) string {
	var out strings.Builder
	for _, unit := range append([]uint16{0xfeff}, utf16.Encode([]rune(text))...) {
		out.WriteByte(byte(unit))
		out.WriteByte(byte(unit >> 8))
	}
	return out.String()
}

// Both forms, in the encodings that are there and packed, give the same rows, with the lines of the file.
func TestTrademarkFilesOfOfficesAreRead(t *testing.T) {
	t.Parallel()
	latin := strings.NewReplacer("UTF-8", "ISO-8859-1", "ü", "\xfc").Replace(st96)
	want := []string{
		`2021-03-04|0012345|2031-03-04|ZEDERN & TAU|` + "9: Software; recorded media\n35: Advertising|en|Müller\nNadir|Insert",
		`|7||||||`,
	}
	for name, content := range map[string]string{
		"96.xml": st96, "66.xml": st66, "latin.xml": latin, "wide.xml": wide(strings.Replace(st96, "UTF-8", "UTF-16", 1)), "bom.xml": "\xef\xbb\xbf" + st96,
		"not-as-named.csv": st66, "said-latin.xml": strings.Replace(st96, "UTF-8", "ISO-8859-1", 1), "96.xml.gz": gzipped(t, st96), "96.zip": zipped(t, "a/96.xml", st96, "readme.txt", "no table"),
	} {
		path := writeFile(t, t.TempDir(), name, []byte(content), 0o600)
		got := readFile(t, path, Options{})
		if got.fault != "" || got.detected.Format != "xml" || got.detected.HeaderRow != 1 {
			t.Fatalf("%s: %s %+v", name, got.fault, got.detected)
		}
		for n, row := range got.rows {
			_, got.rows[n], _ = strings.Cut(row, ": ") // behind its number and line
		}
		if diff := cmp.Diff(want, got.rows); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	s := openXML(t, st96)
	if diff := cmp.Diff([]string{"Application date", "Application number", "Expiry date", "Mark", "Classes and goods", "Language of goods", "ApplicantBag/Applicant", "Operation"}, s.Header().Names); diff != "" {
		t.Error(diff)
	}
	for row, err := range s.Rows(t.Context()) {
		if err != nil || row.Number == 2 && row.Line != 4 || row.Number == 3 && row.Line != 18 {
			t.Errorf("row %d is of line %d: %v", row.Number, row.Line, err)
		}
	}
	if !s.Ended() {
		t.Error("it is held to be cut off")
	}
}

func TestGoodsInSeveralLanguagesHaveAColumnEach(t *testing.T) {
	t.Parallel()
	text := strings.Replace(st66, `<GoodsServicesDescription languageCode="EN">Advertising`, `<GoodsServicesDescription languageCode="FR">Publicité</GoodsServicesDescription><GoodsServicesDescription languageCode="EN">Advertising`, 1)
	s := openXML(t, text)
	if names := strings.Join(s.Header().Names, "|"); !strings.Contains(names, "Mark|Classes and goods (en)|Classes and goods (fr)|Appl") {
		t.Error(names)
	}
	for row, err := range s.Rows(t.Context()) {
		if err != nil || row.Number == 2 && row.Cells[5].Text != "35: Publicité" {
			t.Errorf("%+v %v", row.Cells, err)
		}
	}
}

// What no office writes, and what is damaged, is refused with the line.
func TestTrademarkFilesThatDoHarmOrAreDamagedAreRefused(t *testing.T) {
	t.Parallel()
	laughs := `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>` + "\n<TrademarkBag><Trademark><ApplicationDate>&b;</ApplicationDate></Trademark></TrademarkBag>"
	inMark := func(text string) string { return "<TrademarkBag>\n<Trademark>" + text + "</Trademark></TrademarkBag>" }
	for name, test := range map[string]struct{ content, words string }{
		"entities":     {laughs, "document type"},
		"external":     {`<!DOCTYPE Trademark SYSTEM "http://example.com/x.dtd"><Trademark><ApplicationDate>1</ApplicationDate></Trademark>`, "document type"},
		"entity":       {inMark("<ApplicationDate>&xxe;</ApplicationDate>"), "row 2: it uses an entity"},
		"cut off":      {st96[:len(st96)/2], "cut off"},
		"cut in tag":   {st96[:len(st96)-30], "cut off"},
		"encoding":     {strings.ReplaceAll(st96, "ü", "\xfc"), "line 16): it is not written in the encoding"},
		"deep":         {inMark(strings.Repeat("<a>", 100_000)), "nested more than 64 deep"},
		"long text":    {inMark("<Goods>" + strings.Repeat("x", 5<<20) + "</Goods>"), "a text has more than 4.0 MiB"},
		"long tag":     {inMark("<Goods a='" + strings.Repeat("x", 17<<20) + "'/>"), "a text or tag has more than 16.0 MiB"},
		"large mark":   {inMark(strings.Repeat("<Goods>"+strings.Repeat("x", 1<<20)+"</Goods>", 18)), "a mark has more than 16.0 MiB"},
		"many columns": {inMark(manyElements(2100)), "more than 2000 different elements"},
		"not closed":   {"<TrademarkBag><Trademark></TrademarkBag></Trademark>", "ends where it is not open"},
		"two roots":    {st66 + "<TradeMark/>", "follows the end"},
		"no marks":     {"<TrademarkBag></TrademarkBag>", "no trademark in it"},
		"other":        {`<?xml version="1.0"?><Workbook></Workbook>`, `this is an XML file, not a table: it begins with the element "Workbook"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := writeFile(t, t.TempDir(), "in.xml", []byte(test.content), 0o600)
			sourcetest.WantRefusal(t, readThrough(t.Context(), path, Options{}), test.words)
		})
	}
}

func manyElements(n int) string {
	var text strings.Builder
	for at := range n {
		fmt.Fprintf(&text, "<e%d>x</e%d>", at, at)
	}
	return text.String()
}

// FuzzTrademarkFiles reads anything that begins as a trademark file: it ends in rows or in an error.
func FuzzTrademarkFiles(f *testing.F) {
	for _, text := range []string{st96, st66, "<TrademarkBag><Trademark><ClassDescription><ClassNumber>1</ClassNumber></ClassDescription></Trademark></TrademarkBag>", "<Trademark", "<TradeMark>&#0;</TradeMark>"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := writeFile(t, t.TempDir(), "in.xml", []byte("<?xml?>"+text), 0o600)
		_ = readThrough(t.Context(), path, Options{})
		path = writeFile(t, t.TempDir(), "in.xml", []byte(text), 0o600)
		_ = readThrough(t.Context(), path, Options{})
	})
}

// No word of a text is lost: whatever marks parts of it, in terms and in descriptions, with and without classes and languages.
func TestNoWordOfATrademarkFileIsLost(t *testing.T) {
	t.Parallel()
	class := func(text string) string {
		return "<ClassDescription><ClassNumber>09</ClassNumber>" + text + "</ClassDescription>"
	}
	for _, test := range []struct{ mark, header, row string }{
		{"<Goods>CO<b:Sub>2</b:Sub> meters <B>and</B> lamps</Goods>", "Goods", "CO2 meters and lamps"},
		{"<Goods>one<P>two</P>three<Br/>four</Goods>", "Goods", "one two three four"},
		{"<ApplicationNumber>1<!-- x -->2<![CDATA[3]]></ApplicationNumber>", "Application number", "123"},
		{"<ExpiryDate>2031-03-04+01:00</ExpiryDate><ApplicationDate>2021-03-04Z</ApplicationDate>", "Application date|Expiry date", "2021-03-04|2031-03-04"},
		{class("<GoodsServicesDescriptionText languageCode='en'>CO<Sub>2</Sub> meters</GoodsServicesDescriptionText>"), "Classes and goods|Language of goods", "9: CO2 meters|en"},
		{class("<GoodsServicesDescription languageCode='en'>All of <Any>these</Any>:<ClassificationTermText>a</ClassificationTermText><ClassificationTermText>b</ClassificationTermText></GoodsServicesDescription>"),
			"Classes and goods|Language of goods", "9: All of these:; a; b|en"},
		{class("") + "<Office>EM</Office>", "Office|Classes and goods", "EM|9"},
		{class("<GoodsServicesDescription>lamps</GoodsServicesDescription>"), "Classes and goods", "9: lamps"},
		{"<ClassDescription><GoodsServicesDescription>lamps</GoodsServicesDescription></ClassDescription>", "Classes and goods", "lamps"},
	} {
		text := "<TrademarkBag xmlns:b='x'>\n<Trademark>" + test.mark + "</Trademark></TrademarkBag>"
		s := openXML(t, text)
		if got := strings.Join(s.Header().Names, "|"); got != test.header {
			t.Errorf("%s: the columns are %q, want %q", test.mark, got, test.header)
		}
		for row, err := range s.Rows(t.Context()) {
			var cells []string
			for _, cell := range row.Cells {
				cells = append(cells, cell.Text)
			}
			if got := strings.Join(cells, "|"); err != nil || got != test.row || len(row.Faults) > 0 {
				t.Errorf("%s: %q, want %q (%v, %v)", test.mark, got, test.row, row.Faults, err)
			}
		}
	}
	for row := range openXML(t, "<Trademark><Goods>lamps <Term>of glass</Term> and wood</Goods></Trademark>").Rows(t.Context()) {
		if len(row.Faults) != 1 || row.Faults[0].Code != "text_mixed" || row.Faults[0].Column != 0 {
			t.Errorf("a text that stands beside other elements: %+v", row)
		}
	}
}
