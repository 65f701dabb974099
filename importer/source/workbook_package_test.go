package source

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"hash/crc32"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/source/format"
	"docketsync/importer/source/sourcetest"
)

func TestArchivesOfOddWriters(t *testing.T) {
	t.Parallel()
	change := func(edit func(parts map[string]string)) func(t *testing.T) []byte {
		return func(t *testing.T) []byte {
			parts := sourcetest.Book(sourcetest.Styles, `<si><t>x</t></si>`, "", sourcetest.Sheet{Name: "Data", Data: `<row r="1"><c t="s"><v>0</v></c><c s="1"><v>45352</v></c></row>`})
			edit(parts)
			return sourcetest.Archive(t, parts)
		}
	}
	rename := func(parts map[string]string, rewrite func(string) string) {
		for name, content := range parts {
			delete(parts, name)
			parts[rewrite(name)] = content
		}
	}
	tests := map[string]func(t *testing.T) []byte{
		"as the standard has it": change(func(map[string]string) {}),
		"backslashes":            change(func(p map[string]string) { rename(p, func(n string) string { return strings.ReplaceAll(n, "/", `\`) }) }),
		"leading slashes":        change(func(p map[string]string) { rename(p, func(n string) string { return "/" + n }) }),
		"another case":           change(func(p map[string]string) { rename(p, strings.ToUpper) }),
		"another folder": change(func(p map[string]string) {
			rename(p, func(n string) string { return strings.Replace(n, "xl/", "wtf/", 1) })
			p["_rels/.rels"] = strings.Replace(p["_rels/.rels"], "xl/", "/wtf/", 1)
			p["wtf/_rels/workbook.xml.rels"] = strings.Replace(p["wtf/_rels/workbook.xml.rels"], "/xl/", "", 1)
		}),
		"no relationships of the package": change(func(p map[string]string) { delete(p, "_rels/.rels") }),
		"strict": change(func(p map[string]string) {
			for name, content := range p {
				content = strings.ReplaceAll(content, sourcetest.SpreadsheetNS, "http://purl.oclc.org/ooxml/spreadsheetml/main")
				p[name] = strings.ReplaceAll(content, sourcetest.RelationshipsNS, "http://purl.oclc.org/ooxml/officeDocument/relationships")
			}
		}),
		"prefixes": change(func(p map[string]string) {
			for _, name := range []string{"xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"} {
				content := strings.NewReplacer("</", "</x:", "<", "<x:", "xmlns=", "xmlns:x=").Replace(p[name])
				p[name] = content
			}
		}),
		"UTF-16": change(func(p map[string]string) {
			wide := "\xff\xfe" + sourcetest.Encode(p["xl/worksheets/sheet1.xml"], "utf-16le")
			p["xl/worksheets/sheet1.xml"] = wide
		}),
	}
	for name, build := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows, err := readBytes(build(t), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"1|T x|D 2024-03-01"}, sourcetest.Show(rows)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// rawPart is a part of an archive whose header says what it likes.
type rawPart struct {
	name     string
	packed   []byte
	declared uint64
	sum      uint32
	method   uint16
	flags    uint16
}

func rawArchive(tb testing.TB, parts map[string]string, raw ...rawPart) []byte {
	tb.Helper()
	var data bytes.Buffer
	out := zip.NewWriter(&data)
	for _, p := range raw {
		delete(parts, p.name)
		w, err := out.CreateRaw(&zip.FileHeader{Name: p.name, Method: p.method, Flags: p.flags, CRC32: p.sum, CompressedSize64: uint64(len(p.packed)), UncompressedSize64: p.declared})
		if err == nil {
			_, err = w.Write(p.packed)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	for name, content := range parts {
		header := &zip.FileHeader{Name: name, Method: zip.Deflate}
		if content == "" {
			header.Method = zip.Store // a packer takes a megabyte, and there may be thousands of parts
		}
		w, err := out.CreateHeader(header)
		if err == nil {
			_, err = io.WriteString(w, content)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		tb.Fatal(err)
	}
	return data.Bytes()
}

// zeroes returns many megabytes of blanks packed small, and their checksum.
func zeroes(tb testing.TB, megabytes int) ([]byte, uint64, uint32) {
	tb.Helper()
	var packed bytes.Buffer
	out, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		tb.Fatal(err)
	}
	block := bytes.Repeat([]byte{' '}, 1<<20)
	sum := crc32.NewIEEE()
	for range megabytes {
		_, _ = sum.Write(block)
		if _, err := out.Write(block); err != nil {
			tb.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		tb.Fatal(err)
	}
	return packed.Bytes(), uint64(megabytes) << 20, sum.Sum32()
}

func TestHostileArchivesAreRefused(t *testing.T) {
	packed, size, sum := zeroes(t, 65)
	fine := func() map[string]string {
		return sourcetest.Book(sourcetest.Styles, `<si><t>x</t></si>`, "", sourcetest.Sheet{Name: "Data", Data: sourcetest.SmallTable})
	}
	with := func(name, content string) []byte {
		parts := fine()
		parts[name] = content
		return sourcetest.Archive(t, parts)
	}
	bomb := func(name string) []byte {
		return rawArchive(t, fine(), rawPart{name: name, packed: packed, declared: size, sum: sum, method: zip.Deflate})
	}
	declared := func(name string, n uint64) []byte {
		return rawArchive(t, fine(), rawPart{name: name, packed: []byte("<a/>"), declared: n, method: zip.Store})
	}
	many := map[string]string{}
	for _, a := range "abcdefghijklmnopqrstuvwxyz0123456789" {
		for _, b := range "abcdefghijklmnopqrstuvwxyz0123456789" {
			for i := range 16 {
				many[string(a)+string(b)+string(rune('a'+i))] = ""
			}
		}
	}
	const styles, strs, sheet = "xl/styles.xml", "xl/sharedStrings.xml", "xl/worksheets/sheet1.xml"
	tests := []struct {
		name, words string
		data        []byte
	}{
		{"a sheet that is a bomb", "as decompression bombs do", bomb(sheet)},
		{"strings that are a bomb", "as decompression bombs do", bomb(strs)},
		{"styles that are a bomb", "the limit is 16.0 MiB", bomb(styles)},
		{"a sheet of a declared terabyte", "the limit is 4.0 GiB", declared(sheet, 1<<40)},
		{"strings of a declared terabyte", "the limit is 1.0 GiB", declared(strs, 1<<40)},
		{"a workbook of a declared terabyte", "the limit is 16.0 MiB", declared("xl/workbook.xml", 1<<40)},
		{"relationships of a declared terabyte", "the limit is 16.0 MiB", declared("xl/_rels/workbook.xml.rels", 1<<40)},
		{"a million styles", "holds more than", with(styles, `<styleSheet><cellXfs>`+strings.Repeat(`<xf/>`, 600_001)+`</cellXfs></styleSheet>`)},
		{"an entity bomb in the styles", "document type", with(styles, `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><styleSheet>&b;</styleSheet>`)},
		{"an entity bomb in the strings", "document type", with(strs, `<!DOCTYPE x [<!ENTITY a "aaaa">]><sst><si><t>&a;</t></si></sst>`)},
		{"an outside entity in the sheet", "document type", with(sheet, `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><worksheet><sheetData><row><c t="str"><v>&a;</v></c></row></sheetData></worksheet>`)},
		{"an outside entity in the relationships", "document type", with("xl/_rels/workbook.xml.rels", `<!DOCTYPE x SYSTEM "http://127.0.0.1/x"><Relationships/>`)},
		{"too many parts", "more than 20000 parts", rawArchive(t, many)},
		{"an endless text", "longer than 4 MiB", with(strs, "<sst><si><t>"+strings.Repeat("x", 5<<20)+"</t></si></sst>")},
		{"deep nesting", "nested more than", with(sheet, strings.Repeat("<a>", 100_000))},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := readBytes(test.data, Options{})
			runtime.ReadMemStats(&after)
			sourcetest.WantRefusal(t, err, test.words)
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 64<<20 {
				t.Errorf("%s were allocated before the refusal", format.ByteSize(allocated))
			}
		})
	}
}

func TestDamagedArchives(t *testing.T) {
	t.Parallel()
	parts := func() map[string]string {
		return sourcetest.Book(sourcetest.Styles, `<si><t>x</t></si>`, "", sourcetest.Sheet{Name: "Data", Data: sourcetest.SmallTable})
	}
	whole := sourcetest.Archive(t, parts())
	without := func(name string) []byte {
		p := parts()
		delete(p, name)
		return sourcetest.Archive(t, p)
	}
	sheet := []byte(parts()["xl/worksheets/sheet1.xml"])
	directory := bytes.Replace(whole, []byte("PK\x01\x02"), []byte("PK\x00\x00"), 1)
	twice := parts()
	twice["xl/worksheets/Sheet1.xml"] = twice["xl/worksheets/sheet1.xml"]
	tests := []struct {
		name, words string
		data        []byte
	}{
		{"nothing", "this is not a workbook", nil},
		{"text", "this is not a workbook", []byte("a,b,c\n1,2,3\n")},
		{"cut in half", "damaged or was cut off", whole[:len(whole)/2]},
		{"a wrong directory", "damaged or was cut off", directory},
		{"a wrong checksum", "does not match its checksum", rawArchive(t, parts(), rawPart{name: "xl/worksheets/sheet1.xml", packed: sheet, declared: uint64(len(sheet)), sum: 7, method: zip.Store})},
		{"less than declared", "damaged", rawArchive(t, parts(), rawPart{name: "xl/worksheets/sheet1.xml", packed: sheet, declared: uint64(len(sheet)) + 9, sum: crc32.ChecksumIEEE(sheet), method: zip.Store})},
		{"an unknown compression", "uses a compression method", rawArchive(t, parts(), rawPart{name: "xl/worksheets/sheet1.xml", packed: sheet, declared: uint64(len(sheet)), method: 9})},
		{"a zip password", "zip archive with a password", rawArchive(t, parts(), rawPart{name: "xl/worksheets/sheet1.xml", packed: sheet, declared: uint64(len(sheet)), method: zip.Store, flags: 1})},
		{"two parts of one name", "it is there twice", sourcetest.Archive(t, twice)},
		{"no sheet part", "part xl/worksheets/sheet1.xml: it is missing", without("xl/worksheets/sheet1.xml")},
		{"no workbook part", "holds no workbook", without("xl/workbook.xml")},
		{"not XML", "not well-formed", rawArchive(t, parts(), rawPart{name: "xl/workbook.xml", packed: []byte("hello"), declared: 5, sum: crc32.ChecksumIEEE([]byte("hello")), method: zip.Store})},
		{"a document", "holds no workbook", sourcetest.Archive(t, map[string]string{"[Content_Types].xml": "<Types/>", "word/document.xml": "<a/>"})},
		{"an archive of texts", "holds no workbook", sourcetest.Archive(t, map[string]string{"a.csv": "1,2"})},
		{"an empty archive", "holds no workbook", sourcetest.Archive(t, nil)},
		{"a binary workbook", ".xlsb", sourcetest.Archive(t, map[string]string{"[Content_Types].xml": "<Types/>", "xl/workbook.bin": "x"})},
		{"a Numbers workbook", "Apple Numbers", sourcetest.Archive(t, map[string]string{"Index/Document.iwa": "x"})},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := readBytes(test.data, Options{})
			sourcetest.WantRefusal(t, err, test.words)
		})
	}
}

func TestAWorkbookWithoutOptionalParts(t *testing.T) {
	t.Parallel()
	parts := sourcetest.Book("", "", "", sourcetest.Sheet{Name: "Data", Data: sourcetest.SmallTable})
	delete(parts, "xl/styles.xml")
	delete(parts, "xl/sharedStrings.xml")
	parts["xl/_rels/workbook.xml.rels"] = `<Relationships><Relationship Id="s1" Type="x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`
	if diff := cmp.Diff([]string{"1|T Ref|T Name", "2|N 1|N 2"}, sourcetest.Show(mustRows(t, openOne(t, sourcetest.Archive(t, parts), Options{})))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
