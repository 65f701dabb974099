package console_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"html"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"docketsync/importer"
	"docketsync/importer/console"
	"docketsync/importer/console/pagetest"
	"docketsync/importer/console/upload"
	"docketsync/mapping"
)

// uploadLimit is how large an upload may be in these tests.
const uploadLimit = 256 << 10

// uploadWorld is a console that takes files into a folder.
func uploadWorld(t *testing.T) (w *world, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "uploads")
	w = newWorld(t, func(o *console.Options) {
		o.Uploads = &upload.Store{Dir: dir, Limit: uploadLimit, Switches: func() (mapping.Options, error) { return mapping.Options{}, nil }}
		stubOf(o).tables = (&importer.Importer{Ledger: o.Ledger}).Lookups
	})
	return w, dir
}

// uploadForm is the body of an upload and its type.
func uploadForm(t *testing.T, token, name string, data []byte) (body, kind string) {
	t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	_ = form.WriteField("token", token) // a buffer takes all
	part, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write(data)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), form.FormDataContentType()
}

func (c *client) upload(name string, data []byte, headers ...string) answer {
	c.w.t.Helper()
	body, kind := uploadForm(c.w.t, c.token("/import"), name, data)
	return c.do("POST", "/import", body, append([]string{"Content-Type", kind}, headers...)...)
}

// kept lists what there is in a folder, with the rights.
func kept(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if os.IsNotExist(err) {
			return nil
		}
		if err == nil && path != dir {
			names = append(names, path)
			if info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s may be read by others: %v", path, info.Mode())
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

var goodCSV = []byte("Matter,Ref,Status\nSmith v Jones,M-1,Open\nDoe v Roe,M-2,Closed\n")

func TestUploadsAreForOperators(t *testing.T) {
	t.Parallel()
	w, dir := uploadWorld(t)
	operator, viewer, stranger := w.operator(), w.viewer(), w.client()
	body, kind := uploadForm(t, viewer.token("/runs"), "a.csv", goodCSV)
	for name, said := range map[string]answer{
		"a viewer's upload":       viewer.do("POST", "/import", body, "Content-Type", kind),
		"a viewer's look":         viewer.get("/import"),
		"an upload without token": operator.do("POST", "/import", strings.Replace(body, viewer.token("/runs"), "made-up", 1), "Content-Type", kind),
		"another site's upload":   operator.upload("a.csv", goodCSV, "Sec-Fetch-Site", "cross-site"),
		"another origin's upload": operator.upload("a.csv", goodCSV, "Origin", "https://elsewhere.example"),
	} {
		if said.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d\n%s", name, said.StatusCode, said.text)
		}
	}
	if said := stranger.do("POST", "/import", body, "Content-Type", kind); said.StatusCode != http.StatusUnauthorized {
		t.Errorf("a stranger's upload: %d", said.StatusCode)
	}
	if list := kept(t, dir); len(list) > 0 {
		t.Errorf("something was kept: %v", list)
	}
	said := operator.upload("a.csv", goodCSV)
	if said.StatusCode != http.StatusSeeOther {
		t.Fatalf("an operator's upload: %d\n%s", said.StatusCode, said.text)
	}
	at := said.Header.Get("Location")
	for _, page := range []string{"", "/mapping", "/names", "/job", "/run"} {
		if said := viewer.get(at + page); said.StatusCode != http.StatusForbidden {
			t.Errorf("a viewer sees %s: %d", page, said.StatusCode)
		}
		if said := operator.get(at + page); said.StatusCode != http.StatusOK {
			t.Errorf("an operator sees %s: %d\n%s", page, said.StatusCode, said.text)
		}
	}
	for _, post := range []string{"", "/mapping", "/text", "/names", "/job", "/run", "/discard"} {
		form := url.Values{"token": {viewer.token("/runs")}}
		if said := viewer.do("POST", at+post, form.Encode()); said.StatusCode != http.StatusForbidden {
			t.Errorf("a viewer posts to %s: %d", post, said.StatusCode)
		}
		if said := operator.do("POST", at+post, "token=made-up"); said.StatusCode != http.StatusForbidden {
			t.Errorf("a post to %s without the token: %d", post, said.StatusCode)
		}
	}
	if deeds := strings.Join(w.deeds(), "\n"); !strings.Contains(deeds, "Victor upload refused") || !strings.Contains(deeds, "Ines upload done: a.csv, 62 bytes") {
		t.Errorf("the audit says\n%s", deeds)
	}
}

// TestBadUploads sends what is too large, now or once it is unpacked, and what is no table: each is refused in words, and nothing of
// it is kept.
func TestBadUploads(t *testing.T) {
	t.Parallel()
	w, dir := uploadWorld(t)
	c := w.operator()
	for _, test := range []struct {
		name, file string
		data       []byte
		status     int
		says       string
	}{
		{"a little too large", "a.csv", bytes.Repeat([]byte("a,b\n"), uploadLimit/4+1), 413, "larger than 256 kB"},
		{"far too large", "a.csv", bytes.Repeat([]byte("a,b\n"), 2<<20/4), 413, "too large"},
		{"a bomb in gzip", "a.csv.gz", gzipped(t, 70<<20), 422, "unpack"},
		{"a bomb in a zip file", "a.zip", zipped(t, "a.csv", 70<<20), 422, "unpack"},
		{"a bomb in a workbook", "a.xlsx", bombBook(t, 80<<20), 422, ""},
		{"nothing", "a.csv", nil, 422, "empty"},
		{"a picture", "a.csv", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), 422, ""},
	} {
		if len(test.data) > uploadLimit && test.status == 422 {
			t.Fatalf("%s is larger than an upload may be: %d", test.name, len(test.data))
		}
		said := c.upload(test.file, test.data)
		if said.StatusCode != test.status || !strings.Contains(html.UnescapeString(said.text), test.says) || strings.Contains(said.text, dir) {
			t.Errorf("%s: %d\n%s", test.name, said.StatusCode, said.text)
		}
		if list := kept(t, dir); len(list) > 0 {
			t.Errorf("%s: something was kept: %v", test.name, list)
		}
	}
}

func gzipped(t *testing.T, size int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := io.Copy(z, io.LimitReader(&lines{}, int64(size)))
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipped(t *testing.T, name string, size int) []byte {
	t.Helper()
	return archive(t, map[string]io.Reader{name: io.LimitReader(&lines{}, int64(size))})
}

func archive(t *testing.T, files map[string]io.Reader) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, r := range files {
		part, err := z.Create(name)
		if err == nil {
			_, err = io.Copy(part, r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// lines are lines without end, which pack well.
type lines struct{}

func (*lines) Read(p []byte) (int, error) {
	for n := range p {
		p[n] = 'a'
		if n%1024 == 1023 {
			p[n] = '\n'
		}
	}
	return len(p), nil
}

// bombBook is a workbook whose sheet unpacks to a size.
func bombBook(t *testing.T, size int) []byte {
	t.Helper()
	row := `<row><c t="inlineStr"><is><t>` + strings.Repeat("a", 4096) + `</t></is></c></row>`
	sheet := io.MultiReader(strings.NewReader(`<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`),
		strings.NewReader(strings.Repeat(row, size/len(row))), strings.NewReader(`</sheetData></worksheet>`))
	return archive(t, map[string]io.Reader{
		"[Content_Types].xml":        strings.NewReader(`<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`),
		"_rels/.rels":                strings.NewReader(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`),
		"xl/workbook.xml":            strings.NewReader(`<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>`),
		"xl/_rels/workbook.xml.rels": strings.NewReader(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`),
		"xl/worksheets/sheet1.xml":   sheet,
	})
}

// TestNamesOfUploads makes sure that no name that a browser sends decides where anything is written or read.
func TestNamesOfUploads(t *testing.T) {
	t.Parallel()
	w, dir := uploadWorld(t)
	c := w.operator()
	safe := regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*(/[a-z0-9][a-z0-9._-]*){0,2}$`)
	for _, name := range []string{"../../../tmp/evil.csv", `..\..\evil.csv`, "/etc/passwd", "CON.csv", "..", ".hidden.csv", "a\x00b.csv", "ünï 中文.CSV",
		"<script>alert(1)</script>.csv", strings.Repeat("x", 4000) + ".csv", "evil.php", `"; rm -rf /.csv`} {
		said := c.upload(name, goodCSV)
		if said.StatusCode != http.StatusSeeOther || !regexp.MustCompile(`^/import/[a-z0-9._-]+$`).MatchString(said.Header.Get("Location")) {
			if said.StatusCode != http.StatusBadRequest { // a name that is none is no file
				t.Errorf("%q: %d %s\n%s", name, said.StatusCode, said.Header.Get("Location"), said.text)
			}
			continue
		}
		if page := c.get(said.Header.Get("Location")); strings.Contains(page.text, "<script>alert") {
			t.Errorf("%q is a script on the page", name)
		}
	}
	for _, path := range kept(t, dir) {
		short, err := filepath.Rel(dir, path)
		if err != nil || !safe.MatchString(filepath.ToSlash(short)) {
			t.Errorf("kept as %q", short)
		}
	}
	for _, id := range []string{"..", "%2e%2e", "..%2f..%2fetc", "a-000000000000", "..%5c..", "%00"} {
		for _, page := range []string{"", "/mapping", "/job"} {
			if said := c.get("/import/" + id + page); said.StatusCode == http.StatusOK {
				t.Errorf("%s%s is a page", id, page)
			}
		}
	}
}

// TestScriptsInFiles puts markup into headers and cells: every page shows it as text.
func TestScriptsInFiles(t *testing.T) {
	t.Parallel()
	w, _ := uploadWorld(t)
	c := w.operator()
	const evil = `<script>alert(1)</script>`
	const attribute = `" onmouseover="alert(2)`
	text := fmt.Sprintf("Matter%s,\"Ref%s\",Client,Status\n", evil, strings.ReplaceAll(attribute, `"`, `""`))
	for n := range 4 {
		text += fmt.Sprintf("%s %d,M-%d,\"%s %s\",</textarea>%s\n", evil, n, n, strings.ReplaceAll(attribute, `"`, `""`), evil, evil)
	}
	said := c.upload("a.csv", []byte(text))
	if said.StatusCode != http.StatusSeeOther {
		t.Fatalf("%d\n%s", said.StatusCode, said.text)
	}
	at := said.Header.Get("Location")
	for _, page := range []string{"", "/mapping", "/names", "/job", "/run"} {
		said := c.get(at + page)
		if said.StatusCode != http.StatusOK || strings.Contains(said.text, evil) || strings.Contains(said.text, attribute) || strings.Contains(said.text, "</textarea><script") {
			t.Errorf("%s: %d\n%s", page, said.StatusCode, said.text)
		}
		if page != "/run" && !strings.Contains(html.UnescapeString(said.text), "alert") {
			t.Errorf("%s does not show what is in the file: the test looks at nothing", page)
		}
	}
}

var seenField = regexp.MustCompile(`name="seen" value="([^"]+)"`)

// fieldOf is what a field of a form on a page holds, as a browser sends it back: in one line, unless it is a text area.
func fieldOf(t *testing.T, page, name string) string {
	t.Helper()
	name = regexp.QuoteMeta(name)
	if area := regexp.MustCompile(`(?s)<textarea [^>]*name="` + name + `"[^>]*>\n?(.*?)</textarea>`).FindStringSubmatch(page); area != nil {
		return strings.ReplaceAll(html.UnescapeString(area[1]), "\n", "\r\n")
	}
	found := regexp.MustCompile(`(?s)name="` + name + `" value="(.*?)"`).FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("there is no %s in\n%s", name, page)
	}
	return strings.NewReplacer("\r", "", "\n", "").Replace(html.UnescapeString(found[1]))
}

// TestTheMappingFormChangesOnlyWhatWasChanged sends the form of a mapping back with one word changed: all else stays as it was written.
func TestTheMappingFormChangesOnlyWhatWasChanged(t *testing.T) {
	t.Parallel()
	w, _ := uploadWorld(t)
	c := w.operator()
	at := c.upload("a.csv", goodCSV).Header.Get("Location")
	text := "operation: create_case\nkey: Ref\nfields:\n" +
		"  name: {column: Matter, values: {'A=B': X, ' Open ': \"one\\ntwo\", '\"Say\"': 'Y'}, default: \" dflt \"}\n" +
		"  number: {value: \" 1\\n2 \", default: \"a\\nb\"}\n  active: {value: true}\n" +
		"  file_template_id: {value: 6f0c2d7e-5b0a-5c39-8a5e-0d1a36a0a001}\n  user_id: {value: 7b4a78ea-edbd-5e59-97ce-fb39c3302daa}\n"
	page := c.get(at + "/mapping").text
	form := url.Values{"token": {pagetest.Token(t, page)}, "seen": {seenField.FindStringSubmatch(page)[1]}, "text": {text}}
	if said := c.do("POST", at+"/text", form.Encode()); said.StatusCode != http.StatusSeeOther {
		t.Fatalf("%d\n%s", said.StatusCode, said.text)
	}
	page = c.get(at + "/mapping").text
	form = url.Values{"token": {pagetest.Token(t, page)}, "seen": {seenField.FindStringSubmatch(page)[1]}, "name/from": {"column:Matter"}, "number/from": {"constant"}}
	for _, name := range []string{"name/value", "name/default", "name/words", "number/value", "number/default"} {
		form.Set(name, fieldOf(t, page, name))
	}
	form.Set("name/words", strings.Replace(form.Get("name/words"), "= X", "= Z", 1))
	if said := c.do("POST", at+"/mapping", form.Encode()); said.StatusCode != http.StatusSeeOther {
		t.Fatalf("%d\n%s", said.StatusCode, said.text)
	}
	got := strings.ReplaceAll(fieldOf(t, c.get(at+"/mapping").text, "text"), "\r\n", "\n")
	if want := strings.Replace(text, "'A=B': X", "'A=B': Z", 1); got != want {
		t.Errorf("the mapping is\n%s\nnot\n%s", got, want)
	}
}

// TestDraftsReadNothingElse writes mappings that name other files of the machine: nothing of these is shown.
func TestDraftsReadNothingElse(t *testing.T) {
	t.Parallel()
	w, dir := uploadWorld(t)
	secret := filepath.Join(filepath.Dir(dir), "secret.csv")
	w.must(os.WriteFile(secret, []byte("name,id\nSmith v Jones,the-password-of-the-bank\n"), 0o600))
	c := w.operator()
	at := c.upload("a.csv", goodCSV).Header.Get("Location")
	for _, file := range []string{secret, "../../secret.csv", "lookups/../../../secret.csv", "lookups/sub/a.csv", "lookups/..\\..\\secret.csv", "/etc/passwd", "lookups/.csv"} {
		page := c.get(at + "/mapping")
		text := "operation: create_case\nkey: Ref\nlookups:\n  l: '" + file + "'\nfields:\n  name: Matter\n  number: Ref\n  active: {value: true}\n" +
			"  file_template_id: {column: Matter, lookup: l}\n  user_id: {column: Matter, lookup: l}\n"
		form := url.Values{"token": {c.token(at + "/mapping")}, "seen": seenField.FindStringSubmatch(page.text)[1:], "text": {text}}
		if said := c.do("POST", at+"/text", form.Encode()); said.StatusCode != http.StatusSeeOther {
			t.Fatalf("%s: %d\n%s", file, said.StatusCode, said.text)
		}
		for _, path := range []string{"/mapping", "/names", "/job"} {
			if said := c.get(at + path); strings.Contains(said.text, "password-of") || strings.Contains(said.text, "root:") || !strings.Contains(said.text, "In the browser a lookup is a CSV file") {
				t.Errorf("%s with %s: %d\n%s", path, file, said.StatusCode, said.text)
			}
		}
	}
}

// A page of names that was loaded before somebody else saved takes back nothing of it, and what both have changed is told.
func TestAPageOfNamesThatIsOutOfDateTakesNothingBack(t *testing.T) {
	t.Parallel()
	w, _ := uploadWorld(t)
	c := w.operator()
	at := c.upload("a.csv", []byte("Ref,Matter,Client\n1,One,Acme\n2,Two,Birch\n3,Three,Cedar\n")).Header.Get("Location")
	page := c.get(at + "/mapping")
	text := "operation: create_case\nkey: Ref\nlookups:\n  clients: lookups/clients.csv\nfields:\n  name: Matter\n  number: Ref\n  active: {value: true}\n" +
		"  file_template_id: {column: Client, lookup: clients}\n  user_id: {column: Client, lookup: clients}\n"
	form := url.Values{"token": {c.token(at + "/mapping")}, "seen": seenField.FindStringSubmatch(page.text)[1:], "text": {text}}
	if said := c.do("POST", at+"/text", form.Encode()); said.StatusCode != http.StatusSeeOther {
		t.Fatalf("%d\n%s", said.StatusCode, said.text)
	}
	id := func(n int) string { return fmt.Sprintf("6f0c2d7e-1111-4222-8333-44445555666%d", n) }
	save := func(was, ids [3]string) answer {
		t.Helper()
		return c.do("POST", at+"/names", url.Values{"token": {c.token(at + "/names")}, "name/clients": {"Acme", "Birch", "Cedar"}, "was/clients": was[:], "id/clients": ids[:]}.Encode())
	}
	wrong := [3]string{id(9), id(9), id(9)}
	if said := save([3]string{}, wrong); said.StatusCode != http.StatusSeeOther {
		t.Fatalf("%d\n%s", said.StatusCode, said.text)
	}
	save(wrong, [3]string{id(9), id(2), id(3)}) // somebody else
	if said := save(wrong, [3]string{id(1), id(9), id(7)}); !strings.Contains(said.text, "somebody else has set this to "+id(3)) {
		t.Errorf("%d\n%s", said.StatusCode, said.text)
	}
	now := c.get(at + "/names").text
	for _, want := range []string{id(1), id(2), id(3)} {
		if !strings.Contains(now, `name="was/clients" value="`+want+`"`) {
			t.Errorf("%s is not there:\n%s", want, now)
		}
	}
}

// A page that was loaded before a colleague changed the mapping, or filled in its names, takes nothing of it away.
func TestAPageThatIsOutOfDateTakesNothingAway(t *testing.T) {
	t.Parallel()
	w, _ := uploadWorld(t)
	c := w.operator()
	at := c.upload("a.csv", []byte("Ref,Matter,Client\n1,One,Acme\n2,Two,Birch\n")).Header.Get("Location")
	seen := func(path string) string {
		t.Helper()
		found := seenField.FindStringSubmatch(c.get(path).text)
		if found == nil {
			t.Fatalf("%s carries nothing of what it shows", path)
		}
		return found[1]
	}
	post := func(path, seen string, more ...string) int {
		t.Helper()
		form := url.Values{"token": {c.token(at + "/names")}, "seen": {seen}}
		for n := 0; n+1 < len(more); n += 2 {
			form.Set(more[n], more[n+1])
		}
		return c.do("POST", at+path, form.Encode()).StatusCode
	}
	text := "operation: create_case\nkey: Ref\nlookups:\n  clients: lookups/clients.csv\nfields:\n  name: Matter\n  number: Ref\n  active: {value: true}\n" +
		"  file_template_id: {column: Client, lookup: clients}\n  user_id: {column: Client, lookup: clients}\n"
	const id = "6f0c2d7e-1111-4222-8333-444455556661"
	steps := []struct {
		what string
		do   func() int
	}{
		{"wrote the mapping", func() int { return post("/text", seen(at+"/mapping"), "text", text) }},
		{"filled in a name", func() int { return post("/names", "", "name/clients", "Acme", "was/clients", "", "id/clients", id) }},
		{"saved the job", func() int { return post("/job", seen(at+"/job"), "name", "cases") }},
		{"wrote the mapping again", func() int { return post("/text", seen(at+"/mapping"), "text", "# better\n"+text) }},
	}
	for _, step := range steps {
		stale := map[string]string{"": seen(at), "/discard": seen(at), "/open": seen(at)}
		if step.what == "wrote the mapping" {
			stale["/discard"] = seen("/import")
		}
		if status := step.do(); status != http.StatusSeeOther {
			t.Fatalf("a colleague %s: %d", step.what, status)
		}
		for path, before := range stale {
			if status := post(path, before); status != http.StatusConflict {
				t.Errorf("a colleague %s, then an old page posts to %q: %d", step.what, path, status)
			}
		}
	}
	if page := c.get(at + "/names").text; !strings.Contains(page, id) || !strings.Contains(c.get(at+"/mapping").text, "# better") {
		t.Errorf("the work of the colleague is gone:\n%s", page)
	}
	for _, path := range []string{"/open", ""} {
		if status := post(path, seen(at)); status != http.StatusSeeOther {
			t.Errorf("a page of now posts to %q: %d", path, status)
		}
	}
}

// What the import reads, a job reads too: a compressed export is not refused for its name.
func TestAJobTakesWhatTheImportTakes(t *testing.T) {
	t.Parallel()
	w, _ := uploadWorld(t)
	c := w.operator()
	for _, name := range upload.Extensions {
		form, kind := uploadForm(t, c.token("/runs"), "export"+name, nil)
		if said := c.do("POST", "/jobs/matters/upload", form, "Content-Type", kind); !strings.Contains(said.text, "The file is empty.") {
			t.Errorf("%s: %d\n%s", name, said.StatusCode, said.text)
		}
	}
}
