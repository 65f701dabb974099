package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"docketsync/apiclient/sandbox"
	"docketsync/importer/ledger"
)

// stormConcurrency is how many records of a storm are in flight, and so how many one kill can leave in doubt.
const stormConcurrency = 6

// stormFirm is a firm made to be imported in bad weather: five jobs over all four operations, each record small. It comes
// in editions, as the exports of one night and the next: an edition adds cases, folders and goods to the one before, and
// changes what the updates say.
//
// The filings are marks whose update makes a case each time it is acted on, and so must be acted on once: they are the
// same in all editions.
type stormFirm struct {
	dir     string
	size    int    // cases of the first edition; the rest follows from it
	service string // base URL
}

const stormGUID = "0b5e4c5a-7f11-4b7e-9a55-%012d"

func stormID(n int) string { return fmt.Sprintf(stormGUID, n) }

// What the directory of a storm's sandbox holds, by the number in the id.
const (
	stormTemplate = 1 + iota
	stormUser
	stormCompany
	stormStatus
	stormRegistry
	stormLanguage
	stormClasses = 100    // 100 + the class
	stormMarks   = 10_000 // 10,000 + the mark
	stormFilings = 20_000 // 20,000 + the filing
)

func (f stormFirm) cases(edition int) int   { return f.size + edition*f.size/4 }
func (f stormFirm) folders(edition int) int { return f.size/4 + edition*f.size/10 }
func (f stormFirm) marks() int              { return f.size / 2 }
func (f stormFirm) filings() int            { return f.size / 4 }
func (f stormFirm) goods(edition int) int   { return 2 + min(edition, 2) } // of one mark

// directory is what the sandbox knows before the first request.
func (f stormFirm) directory() sandbox.Directory {
	d := sandbox.Directory{
		Templates:  []sandbox.Template{{ID: stormID(stormTemplate), Name: "General", Default: true}},
		Users:      []sandbox.User{{ID: stormID(stormUser), FirstName: "Ada", LastName: "Moreau", UserName: "ada", Password: "storm"}},
		Companies:  []sandbox.Company{{ID: stormID(stormCompany), Name: "Lumen GmbH", Agent: true}},
		Statuses:   []sandbox.Status{{ID: stormID(stormStatus), Name: "Open", InitialState: true}},
		Registries: []sandbox.Named{{ID: stormID(stormRegistry), Name: "EUIPO"}},
		Languages:  []sandbox.Named{{ID: stormID(stormLanguage), Name: "English"}},
	}
	for _, class := range []int{9, 35, 36, 37} {
		d.SearchClasses = append(d.SearchClasses, sandbox.Named{ID: stormID(stormClasses + class), Name: strconv.Itoa(class)})
	}
	for first, n := range map[int]int{stormMarks: f.marks(), stormFilings: f.filings()} {
		for i := range n {
			d.Trademarks = append(d.Trademarks, sandbox.Trademark{ID: stormID(first + i), MarkText: "old", RegistryID: stormID(stormRegistry)})
		}
	}
	return d
}

// write puts the configuration, the mappings and the directory into the firm's folder; service is the base URL.
func (f *stormFirm) write(t *testing.T, service string) {
	t.Helper()
	f.service = service
	directory, err := json.Marshal(f.directory())
	if err != nil {
		t.Fatal(err)
	}
	mark := "operation: update_trademark\nkey: App\nfields:\n  id: Id\n  registry_id: {value: " + stormID(stormRegistry) + "}\n" +
		"  mark_text: Mark\n  application_number: App\n  notes: Notes\n"
	goods := "  good_and_services:\n    item: {id: {value: null}, language_id: {value: " + stormID(stormLanguage) + "}, search_class_id: {column: Class, lookup: classes}, text: Goods}\n" +
		fmt.Sprintf("lookups: {classes: {inline: {\"9\": %s, \"35\": %s, \"36\": %s, \"37\": %s}}}\n",
			stormID(stormClasses+9), stormID(stormClasses+35), stormID(stormClasses+36), stormID(stormClasses+37))
	f.put(t, map[string]string{
		"directory.json": string(directory),
		"docketsync.yaml": `service:
  base_url: ` + service + `
  paths: {update_case: /v1/firms/file, update_trademark: /v1/firms/trademark}
  subscription_key: {env: NO_KEY, default: key}
  auth_cookie: {env: NO_COOKIE, default: cookie}
  sign_in: {path: /v1/login, user: ada, password: {env: NO_PASSWORD, default: storm}}
  timeout: 2s
pace: {concurrency: ` + strconv.Itoa(stormConcurrency) + `}
guards: {changes: off, rows_fell: off, vanished: off, rejects: off, dates_shifted: off, header: ignore, columns: ignore}
retry: {refused: always, first_delay: 2ms, max_delay: 20ms, retry_after_cap: 20ms, total: 10s}
jobs:
  - {name: cases, source: cases.csv, mapping: cases.yaml}
  - {name: folders, source: folders.csv, mapping: folders.yaml}
  - {name: updates, source: updates.csv, mapping: updates.yaml}
  - {name: marks, source: marks.csv, mapping: marks.yaml}
  - {name: filings, source: filings.csv, mapping: filings.yaml}
`,
		"cases.yaml": "operation: create_case\nkey: Ref\nfields:\n  name: Title\n  number: Ref\n  active: {value: true}\n" +
			"  file_template_id: {value: " + stormID(stormTemplate) + "}\n  user_id: {value: " + stormID(stormUser) + "}\n",
		"folders.yaml": "operation: create_folder\nkey: Folder\nfields:\n  name: Folder\n  client_id: {value: " + stormID(stormCompany) + "}\n" +
			"  files:\n    item: {name: File, number: No}\n",
		"updates.yaml": "operation: update_case\nkey: Ref\nlookups: {cases: {ledger: create_case}}\nfields:\n  id: {column: Ref, lookup: cases}\n  name: Title\n" +
			"  file_status_id: {value: " + stormID(stormStatus) + "}\n  file_client_id: {value: " + stormID(stormCompany) + "}\n" +
			"  user_id: {value: " + stormID(stormUser) + "}\n  components: []\n  active: {value: true}\n",
		"marks.yaml":   mark + "  do_not_create_file: {value: true}\n" + goods,
		"filings.yaml": mark + "  do_not_create_file: {value: false}\n",
	})
}

// export writes the sources of an edition.
func (f stormFirm) export(t *testing.T, edition int) {
	t.Helper()
	var cases, updates, folders, marks, filings strings.Builder
	cases.WriteString("Ref,Title\n")
	updates.WriteString("Ref,Title\n")
	for n := range f.cases(edition) {
		fmt.Fprintf(&cases, "M-%04d,Case %d\n", n, n)
		if n < f.size {
			fmt.Fprintf(&updates, "M-%04d,Case %d of edition %d\n", n, n, edition)
		}
	}
	folders.WriteString("Folder,File,No\n")
	for n := range f.folders(edition) {
		for file := range 2 + n%3 {
			fmt.Fprintf(&folders, "D-%04d,File %d,%d\n", n, file, 100*n+file)
		}
	}
	marks.WriteString("App,Id,Mark,Notes,Class,Goods\n")
	for n := range f.marks() {
		for _, class := range []int{9, 35, 36, 37}[:f.goods(edition)] {
			fmt.Fprintf(&marks, "T-%04d,%s,MARK %d,edition %d,%d,goods of %d\n", n, stormID(stormMarks+n), n, edition, class, class)
		}
	}
	filings.WriteString("App,Id,Mark,Notes\n")
	for n := range f.filings() {
		fmt.Fprintf(&filings, "F-%04d,%s,FILING %d,filed\n", n, stormID(stormFilings+n), n)
	}
	f.put(t, map[string]string{
		"cases.csv": cases.String(), "updates.csv": updates.String(), "folders.csv": folders.String(),
		"marks.csv": marks.String(), "filings.csv": filings.String(),
	})
}

func (f stormFirm) put(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// holding is one thing that the service holds for a record: what it says, and the id it was given.
type holding struct{ text, id string }

// holdings are the books by record ("create_case M-0001", "update_trademark T-0001"), with everything left out that may
// differ from one storm to the next: ids that the service gave, and how often an update was repeated. A record with
// several holdings was acted on more than once.
func holdings(t *testing.T, books sandbox.Snapshot) map[string][]holding {
	t.Helper()
	held := map[string][]holding{}
	add := func(scope, key, id string, what any) {
		text, err := json.Marshal(what)
		if err != nil {
			t.Fatal(err)
		}
		name := scope + " " + key
		held[name] = append(held[name], holding{string(text), id})
	}
	files := map[string][]sandbox.Case{}
	filed := map[string][]sandbox.Case{}
	for _, c := range books.Cases {
		id := c.ID
		c.ID = ""
		switch c.Origin {
		case sandbox.CreateCase:
			add("create_case", c.FirstNumber, id, c)
		case sandbox.CreateFolder:
			folder := c.Folder
			c.Folder = ""
			files[folder] = append(files[folder], c)
		default:
			filed[c.FirstNumber] = append(filed[c.FirstNumber], c)
		}
	}
	for _, f := range books.Folders {
		id := f.ID
		f.ID = ""
		add("create_folder", f.Name, id, []any{f, files[id]})
	}
	for _, m := range books.Trademarks {
		if m.Updates == 0 {
			continue
		}
		m.Updates = 0
		for n := range m.Goods {
			m.Goods[n].ID = ""
		}
		slices.SortFunc(m.Goods, func(a, b sandbox.Goods) int { return cmp.Compare(a.Class, b.Class) })
		add("update_trademark", m.Number, m.ID, []any{m, filed[m.Number]})
	}
	return held
}

// recordName is a ledger record's name among the holdings.
func recordName(r ledger.Record) string { return r.Scope + " " + r.Key }
