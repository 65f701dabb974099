package mapping

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"docketsync/mapping/lookup"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

func TestLookupTakesNamesOnce(t *testing.T) {
	t.Parallel()
	l := lookup.New("offices")
	for _, c := range []struct{ name, id, want string }{
		{"EUIPO", idOne, ""},
		{" EUIPO ", strings.ToUpper(idOne), ""},
		{"euipo", idTwo, ""},
		{"EUIPO", idTwo, `"EUIPO" appears twice in the lookup "offices", with the ids ` + idOne + " and " + idTwo},
		{"OEPM", "12", `"12", the id of "OEPM" in the lookup "offices", is not a GUID`},
		{"OEPM", "{00000000000000000000000000000000}", `"{00000000000000000000000000000000}", the id of "OEPM" in the lookup "offices", is not a GUID`},
		{"OEPM", "", `"", the id of "OEPM" in the lookup "offices", is not a GUID`},
		{"  ", idOne, `the lookup "offices" has an id without a name`},
	} {
		err := l.Add(c.name, c.id)
		if fmt.Sprint(err) != c.want && (err != nil || c.want != "") {
			t.Errorf("%q, %q: %v", c.name, c.id, err)
		}
	}
	same(t, l.Len(), 2)
}

func TestLookupFindsExactlyThenFolded(t *testing.T) {
	t.Parallel()
	l := lookup.New("names")
	for name, id := range map[string]string{"Société Générale": idOne, "Straße 5": idTwo, "Acme": idOne, "ACME": idTwo, "Ø-Berg": idThree, "12/3": idOne, "O'Hare": idTwo} {
		if err := l.Add(name, id); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]string{
		"Société Générale": idOne, "SOCIETE  GENERALE": idOne, "société\u00a0générale": idOne, "STRASSE 5": idTwo, "Acme": idOne, "ACME": idTwo,
		"acme": reason.LookupAmbiguous, "o-berg": idThree, "12-3": reason.LookupUnknown, "123": reason.LookupUnknown, "O’Hare": idTwo, "SocietéGénérale": reason.LookupUnknown,
	} {
		id, fail := l.Find(text)
		if fail != nil {
			id = fail.Code
		}
		if id != want {
			t.Errorf("%q gives %s, expected %s", text, id, want)
		}
	}
	_, fail := l.Find("acme")
	contains(t, fail.Message, `"Acme"`, `"ACME"`)
}

func TestUnknownNameIsToldWhatIsNear(t *testing.T) {
	t.Parallel()
	l := lookup.New("companies")
	for i, name := range []string{"ACME Limited", "Zenith Optics GmbH", "Nordlicht Optik GmbH", "Harrow & Pike Ltd", "Brightwater Foods, Inc."} {
		if err := l.Add(name, fmt.Sprintf("00000000-0000-4000-8000-%012d", i)); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]string{"Acme Ltd": "ACME Limited", "Nordlicht Optk GmbH": "Nordlicht Optik GmbH", "Pike & Harrow Ltd": "Harrow & Pike Ltd",
		"Brightwater Foods Inc": "Brightwater Foods, Inc."} {
		_, fail := l.Find(text)
		contains(t, fail.Hint, "Did you mean "+reason.Quote(want))
	}
	_, fail := l.Find("Qqqq")
	same(t, fail.Hint, `Add it to the lookup "companies" with its id.`)
}

func TestClassesAreFoundByTheirNumber(t *testing.T) {
	t.Parallel()
	l := lookup.New("classes")
	for name, id := range map[string]string{"Class 9": idOne, "35": idTwo, "Clase 05": idThree, "Class 12 (old)": idOne, "Cl. 7": idOne, "Kl 07": idTwo} {
		if err := l.Add(name, id); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]string{"9": idOne, "009": idOne, "IC 009": idOne, "035": idTwo, "Class 35": idTwo, "5": idThree, "12": reason.LookupUnknown,
		"7": reason.LookupAmbiguous, "90": reason.LookupUnknown, "room 9": reason.LookupUnknown} {
		id, fail := l.FindClass(text)
		if fail != nil {
			id = fail.Code
		}
		if id != want {
			t.Errorf("%q gives %s, expected %s", text, id, want)
		}
	}
}

func TestLedgerLookup(t *testing.T) {
	t.Parallel()
	asked := 0
	l := lookup.OfLedger("ids", func(key string) (string, string, error) {
		asked++
		switch key {
		case "known":
			return strings.ToUpper(idThree), "", nil
		case "doubt":
			return "", "it is in doubt since run 7", nil
		case "broken":
			return "", "", errors.New("disk full")
		case "odd":
			return "12", "", nil
		}
		return "", "", nil
	})
	for range 3 {
		for key, want := range map[string]string{"known": idThree, "doubt": reason.LookupPending, "broken": reason.LookupFailed, "odd": reason.GUID, "new": reason.LookupUnknown} {
			id, fail := l.Find(key)
			if fail != nil {
				id = fail.Code
			}
			same(t, id, want)
		}
	}
	same(t, asked, 5)
	contains(t, fmt.Sprint(l.Err()), "disk full")
	if err := lookup.New("x").Err(); err != nil {
		t.Error(err)
	}
}

// A lookup that asks the ledger keeps its answers, so that what a field adds to one of them must not stay in it.
func TestAKeptAnswerIsSaidAlikeEachTime(t *testing.T) {
	t.Parallel()
	m, err := Parse("m.yaml", []byte(caseWith("other_supervisors: {column: A, lookup: ids}", "lookups: {ids: {ledger: create_case}}")), Options{Today: testDay})
	if err != nil {
		t.Fatal(err)
	}
	ids := lookup.OfLedger("ids", func(string) (string, string, error) { return "", "", nil })
	mapper, err := m.Bind(headerOf("Ref, Name, A"), map[string]*lookup.Table{"ids": ids})
	if err != nil {
		t.Fatal(err)
	}
	_, kept := ids.Find("Ana; Eve")
	alone := kept.Hint
	for row := range 3 {
		_, reasons := mapper.Map([]table.Row{textRow(row+2, "R1", "N", "Ana; Eve")})
		same(t, strings.Join(codesOf(reasons), " "), "other_supervisors: lookup_unknown")
		same(t, reasons[0].Hint, alone+` If the cell holds several values, set the separator: split: ";".`)
	}
	same(t, kept.Hint, alone)
}

func TestLookupColumns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		spec LookupSpec
		head string
		want string
	}{
		{"name and id", LookupSpec{}, "count, Name, ID", "1 2"},
		{"two columns", LookupSpec{}, "Oficina, Código", "0 1"},
		{"id first", LookupSpec{}, "GUID, Office", "1 0"},
		{"named", LookupSpec{NameColumn: "company", IDColumn: "key"}, "Key, X, Company", "2 0"},
		{"named by letter", LookupSpec{NameColumn: "@C", IDColumn: "@A"}, "Key, X, Company", "2 0"},
		{"no id", LookupSpec{}, "a, b, c", "column \"id\" not found; set id:"},
		{"named wrongly", LookupSpec{IDColumn: "giud"}, "name, guid", `did you mean "guid"?`},
		{"one for both", LookupSpec{NameColumn: "id"}, "name, id", "cannot hold both"},
		{"twice", LookupSpec{NameColumn: "name"}, "name, name, id", "several columns, A, B"},
		{"two ids", LookupSpec{}, "name, id, ID, guid", `"id" is the name of several columns, B, C; set id: to the one with the ids by its letter, as "@B"`},
		{"two names", LookupSpec{}, "Name, id, name", `"name" is the name of several columns, A, C; set name:`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			name, id, err := c.spec.Columns(headerOf(c.head))
			got := fmt.Sprint(name, id)
			if err != nil {
				got = err.Error()
			}
			contains(t, got, c.want)
		})
	}
}

// TestOfferedNames shows what becomes of names that a table has with several ids: rejects, not a table that cannot be used.
func TestOfferedNames(t *testing.T) {
	t.Parallel()
	const one, two, three = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222", "33333333-3333-4333-8333-333333333333"
	l := lookup.New("clients")
	for _, item := range [][2]string{{"Acme", one}, {"Blue", two}, {"Acme", two}, {"Acme", two}, {"Acme", three}, {"Acme", one}, {" Blue ", two}} {
		if err := l.Offer(item[0], item[1]); err != nil {
			t.Fatal(err)
		}
	}
	if id, fail := l.Find("Blue"); fail != nil || id != two {
		t.Errorf("Blue is %s, %v", id, fail)
	}
	for _, name := range []string{"Acme", "ACME"} {
		_, fail := l.Find(name)
		if fail == nil || fail.Code != reason.LookupAmbiguous || !strings.Contains(fail.Message, "3 ids in the lookup \"clients\": "+one+", "+two+", "+three) {
			t.Errorf("%s: %+v", name, fail)
		}
	}
	if err := l.Offer("Carta", "no-guid"); err == nil {
		t.Error("an id that is no GUID was taken")
	}
	if err := l.Add("Acme", two); err == nil || !strings.Contains(err.Error(), "appears twice") {
		t.Errorf("Add took a name twice: %v", err)
	}
}

func TestServiceLookupsMustBeConfigured(t *testing.T) {
	t.Parallel()
	const text = "operation: create_folder\nkey: A\nlookups:\n  clients: {service: compnies}\nfields:\n  name: A\n  client_id: {column: B, lookup: clients}\n  files: {item: {name: A, number: C}}\n"
	for name, test := range map[string]struct {
		lists []string
		want  string
	}{
		"nobody knows": {nil, ""},
		"it is there":  {[]string{"compnies"}, ""},
		"none at all":  {[]string{}, "add it there, such as compnies: {path: /v1/lists/compnies}"},
		"another is":   {[]string{"companies", "users"}, `did you mean "companies"?`},
		"none like it": {[]string{"users"}, "expected one of: users"},
	} {
		m, err := Parse("m.yaml", []byte(text), Options{Lists: test.lists})
		switch {
		case test.want == "" && (err != nil || m.Lookups()[0].Service != "compnies"):
			t.Errorf("%s: %v", name, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), "m.yaml:4:22: the configuration has no list \"compnies\" under service.lists") || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A name that stands in the lookup without an id is not unknown: whoever uses it is told the line to fill in.
func TestANameWithoutAnIDIsToldWithItsLine(t *testing.T) {
	t.Parallel()
	l := lookup.New("names")
	if err := errors.Join(l.Add("Acme", idOne), l.Add("Class 9", idTwo)); err != nil {
		t.Fatal(err)
	}
	for line, name := range []string{"", "Solvane, Inc.", "SOLVANE,  INC.", "ACME", "9", "Class 12", " "} {
		l.Await(name, "names.csv", line)
	}
	for text, want := range map[string]string{
		"Solvane, Inc.": "(line 1)", "SOLVANE,  INC.": "(line 2)", "solvane, inc.": "(line 1)", // the first of two lines that are alike
		"Acme": "", "ACME": "(line 3)", "acme": "Fill in the id of", // a line of its own, and one of two
		"Solvane": `Add it to the lookup "names"`, "": `Add it to the lookup "names"`,
	} {
		hint := ""
		if _, fail := l.Find(text); fail != nil {
			hint = fail.Hint
			same(t, fail.Code == reason.LookupUnfilled, strings.Contains(want, "line"))
		}
		if !strings.Contains(hint, want) || want == "" && hint != "" {
			t.Errorf("%q: %q, expected %q", text, hint, want)
		}
	}
	for text, want := range map[string]string{"Class 9": "", "9": reason.LookupUnfilled, "009": reason.LookupAmbiguous, "12": reason.LookupUnfilled, "class 012": reason.LookupUnfilled, "35": reason.LookupUnknown} {
		if _, fail := l.FindClass(text); fail != nil && fail.Code != want || fail == nil && want != "" {
			t.Errorf("class %q: %v, expected %q", text, fail, want)
		}
	}
	line, ok := l.Awaited("12")
	same(t, []any{line, ok}, []any{5, true})
	if _, ok = l.Awaited("35"); ok {
		t.Error("a class that is not there is awaited")
	}
}

// A constant or a default whose id nobody has filled in yet is no mistake in the mapping, and nothing that goes out.
func TestAConstantWithoutAnIDRejectsTheRecordsThatNeedIt(t *testing.T) {
	t.Parallel()
	m, err := Parse("m.yaml", []byte(`{operation: create_case, key: Ref, lookups: {names: names.csv}, fields: {name: Ref, number: Ref, active: {value: true},
  file_template_id: {value: usual template, lookup: names}, user_id: {column: Lawyer, lookup: names, default: usual lawyer},
  client_id: {column: Kind, values: {A: Acme}, lookup: names, default: usual client}, other_supervisors: {value: [Acme, usual lawyer], lookup: names}}}`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := lookup.New("names")
	if err := l.Add("Acme", idOne); err != nil {
		t.Fatal(err)
	}
	for line, name := range []string{"", "usual template", "usual lawyer", "usual client"} {
		l.Await(name, "names.csv", line)
	}
	mapper, err := m.Bind(headerOf("Ref, Lawyer, Kind"), map[string]*lookup.Table{"names": l})
	if err != nil {
		t.Fatalf("bind:\n%v", err)
	}
	for _, c := range []struct {
		row  table.Row
		want []string
	}{
		{textRow(2, "1", "Acme", "A"), []string{"file_template_id: lookup_unfilled", "other_supervisors: lookup_unfilled"}},
		{textRow(3, "2", "", "B"), []string{"file_template_id: lookup_unfilled", "user_id: lookup_unfilled", "client_id: lookup_unfilled", "other_supervisors: lookup_unfilled"}},
	} {
		_, reasons := mapper.Map([]table.Row{c.row})
		same(t, codesOf(reasons), c.want)
		same(t, reasons[0].Value, "usual template")
		contains(t, reasons[0].Hint, "names.csv (line 1)")
	}
	if _, err := m.Bind(headerOf("Ref, Lawyer, Kind"), map[string]*lookup.Table{"names": lookup.New("names")}); err == nil {
		t.Error("a constant that the lookup does not have at all is taken")
	}
}

func TestNamesFoundByAnotherSpellingAreTold(t *testing.T) {
	t.Parallel()
	m := bind(t, `operation: create_folder
key: Ref
lookups:
  clients: {inline: {Société Générale: `+idOne+`, Acme: `+idTwo+`}}
  users:   {inline: {Ann: `+idThree+`}}
fields:
  name:      Ref
  client_id: {column: Client, lookup: clients}
  files:
    item: {name: Ref, number: No, user_id: {column: Lawyer, lookup: users}, file_status_id: {column: Agent, lookup: users}}
`, "Ref, Client, No, Lawyer, Agent")
	mustMap(t, m, textRow(2, "1", "SOCIETE GENERALE", "1", "ann", "ann"), textRow(3, "1", "SOCIETE GENERALE", "2", "Ann", "ann"))
	mustMap(t, m, textRow(4, "2", "Société Générale", "3", "ANN", ""))
	mustMap(t, m, textRow(5, "3", "SOCIETE GENERALE", "4", "Ann", ""))
	same(t, m.Respelled(), []Respelling{
		{"clients", "SOCIETE GENERALE", "Société Générale", 3, false}, {"users", "ann", "Ann", 2, false}, {"users", "ANN", "Ann", 1, false},
	})
	e := bind(t, caseWith(`user_id: {expr: 'lookup("users", row["Lawyer"])'}`, "lookups: {users: {inline: {Ann: "+idOne+"}}}"), "Ref, Name, Lawyer")
	mustMap(t, e, textRow(2, "1", "x", "ANN"))
	same(t, e.Respelled(), []Respelling{{"users", "ANN", "Ann", 1, false}})
	list := bind(t, caseWith(`other_supervisors: {column: Lawyers, split: ";", lookup: users}`, "lookups: {users: {inline: {Ann: "+idOne+"}}}"), "Ref, Name, Lawyers")
	mustMap(t, list, textRow(2, "1", "x", "ann;Ann;ann"))
	same(t, list.Respelled(), []Respelling{{"users", "ann", "Ann", 1, false}})
	// So is a word of a list that became the default.
	unknown := bind(t, caseWith(`other_supervisors: {column: Lawyers, split: ";", values: {Ann: `+idOne+`}, unknown: default, default: `+idTwo+`}`, ""), "Ref, Name, Lawyers")
	mustMap(t, unknown, textRow(2, "1", "x", "Ann;Bob"))
	same(t, unknown.Respelled(), []Respelling{{"other_supervisors", "Bob", idTwo, 1, true}})
	// A class that is found by its number has no other spelling.
	class := bind(t, markWith("good_and_services: {split: {column: Classes}, item: {search_class_id: {lookup: classes}, language_id: {value: "+idOne+"}}}",
		"lookups: {classes: {inline: {Class 9: "+idOne+"}}}"), "Ref, Classes")
	mustMap(t, class, textRow(2, "1", "009: software"))
	same(t, class.Respelled(), []Respelling{})
}
