package samples_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"docketsync/apiclient/sandbox"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/charmap"
)

var update = flag.Bool("update", false, "write the generated samples over the ones in the folder")

// TestGenerate keeps the samples equal to what they are generated from, or writes them with -update. Mappings, the
// configuration and the expected results are written by hand.
func TestGenerate(t *testing.T) {
	t.Parallel()
	texts := map[string][]byte{
		"sandbox.json":               directory(t),
		"offices/st96.xml":           st96File(officeMarks(officeSamples)),
		"offices/st66.xml":           st66File(officeMarks(officeSamples)),
		"trademarks/docket.csv":      delimited(t, docketFile(), ',', "\n"),
		"iberian-marks/marcas.tsv":   delimited(t, marcasFile(), '\t', "\n"),
		"case-updates/case-data.csv": append([]byte("\ufeff"), delimited(t, caseFile(), ';', "\r\n")...),
		"folders/folders.csv":        windows1252(t, delimited(t, folderFile(), ';', "\r\n")),
	}
	for name, rows := range lookupFiles() {
		texts["lookups/"+name] = delimited(t, rows, ',', "\n")
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if *update {
				write(t, name, text)
			}
			if diff := cmp.Diff(string(text), string(read(t, name))); diff != "" {
				t.Errorf("differs from what is generated; run go test ./samples -run TestGenerate -update (-want +got):\n%s", diff)
			}
		})
	}
	for name, make := range map[string]func(*testing.T) *excelize.File{"matters/matters.xlsx": matterBook, "lookups/clients.xlsx": clientBook} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := packed(t, make(t))
			if *update {
				write(t, name, want)
			}
			if diff := cmp.Diff(cells(t, want), cells(t, read(t, name))); diff != "" {
				t.Errorf("differs from what is generated; run go test ./samples -run TestGenerate -update (-want +got):\n%s", diff)
			}
		})
	}
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func delimited(t *testing.T, rows [][]string, delimiter rune, end string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Comma, w.UseCRLF = delimiter, end == "\r\n"
	if err := w.WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func windows1252(t *testing.T, text []byte) []byte {
	t.Helper()
	encoded, err := charmap.Windows1252.NewEncoder().Bytes(text)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

// directory is what the sandbox knows before the first request.
func directory(t *testing.T) []byte {
	t.Helper()
	var d sandbox.Directory
	for _, x := range templates {
		template := sandbox.Template{ID: guid("template", x.name), Name: x.name, Default: x.base, IsBase: x.base, IsTemplateForTrademarkFiling: x.marks}
		for i, c := range x.components {
			template.Components = append(template.Components, sandbox.Component{
				ID: guid("component", x.name+"/"+c.name), Name: c.name, Description: c.description, EntityType: c.entity,
				Required: c.required, MultipleValues: c.several, DisplayOrder: i + 1, ValueType: c.value,
			})
		}
		d.Templates = append(d.Templates, template)
	}
	for i, s := range statuses {
		d.Statuses = append(d.Statuses, sandbox.Status{ID: guid("status", s.name), Name: s.name, InitialState: i == 0})
	}
	for _, p := range people {
		account := strings.ToLower(strings.NewReplacer("Ö", "oe").Replace(p.initials))
		user := sandbox.User{ID: guid("user", p.initials), FirstName: p.first, LastName: p.last, UserName: account,
			Email: account + "@marlowe-quintana.example", UserRole: p.role}
		if p.role == "service" {
			user.Password = "sandbox" // to try the sandbox's login with
		}
		d.Users = append(d.Users, user)
	}
	for _, c := range companies {
		d.Companies = append(d.Companies, sandbox.Company{ID: guid("company", c.number), Name: c.name, Agent: c.agent})
	}
	d.Tags, d.Registries = named("tag", tags), named("registry", registries)
	d.RegistrationTypes, d.TrademarkTypes = named("registration type", registrationTypes), named("trademark type", trademarkTypes)
	d.Languages, d.SearchClasses = named("language", languages), named("class", searchClasses())
	for _, m := range append(londonMarks(), iberianMarks()...) {
		d.Trademarks = append(d.Trademarks, sandbox.Trademark{ID: guid("trademark", m.ref), MarkText: m.text, RegistryID: registryID(m.office)})
	}
	text, err := json.MarshalIndent(d, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	if _, err := sandbox.ReadDirectory(bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	return text
}

func named(kind string, l list) []sandbox.Named {
	var names []sandbox.Named
	for _, x := range l {
		names = append(names, sandbox.Named{ID: guid(kind, x.name), Name: x.name})
	}
	return names
}

func registryID(office string) string {
	i := slices.IndexFunc(registries, func(r struct{ code, name string }) bool { return r.code == office })
	return guid("registry", registries[i].name)
}

// lookupFiles are the tables that turn the firm's names into ids.
func lookupFiles() map[string][][]string {
	attorneys := [][]string{{"Initials", "Name", "Office", "Id"}}
	for _, p := range people[1:] {
		attorneys = append(attorneys, []string{p.initials, p.first + " " + p.last, p.office, guid("user", p.initials)})
	}
	kinds := [][]string{{"Type", "Id"}}
	parts := [][]string{{"Component", "Id"}}
	for _, x := range templates {
		kinds = append(kinds, []string{x.name, guid("template", x.name)})
		for _, c := range x.components {
			if x.marks {
				parts = append(parts, []string{c.name, guid("component", x.name+"/"+c.name)})
			}
		}
	}
	marks := [][]string{{"Our Ref", "Mark", "Id"}}
	for _, m := range append(londonMarks(), iberianMarks()...) {
		marks = append(marks, []string{m.ref, m.text, guid("trademark", m.ref)})
	}
	// A mark that was deleted in the service after the list was drawn up.
	marks = append(marks, []string{"TM-0998", "FJORDGULL JUNIOR", guid("trademark", "TM-0998")})
	return map[string][][]string{
		"attorneys.csv": attorneys, "templates.csv": kinds, "components.csv": parts, "trademarks.csv": marks,
		"statuses.csv":   table("status", statuses, "Status"),
		"tags.csv":       table("tag", tags, "Tag"),
		"registries.csv": table("registry", registries, "Registry", "Code"),
		"languages.csv":  table("language", languages, "Language", "Code"),
		"kinds.csv":      table("trademark type", trademarkTypes, "Kind", "Code"),
		"classes.csv":    table("class", searchClasses(), "Name", "Class"),
	}
}

// table is a simple list as a file: code (when there is a header for it), name, id.
func table(kind string, l list, name string, code ...string) [][]string {
	rows := [][]string{append(slices.Clone(code), name, "Id")}
	for _, x := range l {
		row := []string{x.name, guid(kind, x.name)}
		if len(code) > 0 {
			row = append([]string{x.code}, row...)
		}
		rows = append(rows, row)
	}
	return rows
}
