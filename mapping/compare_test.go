package mapping

import (
	"fmt"
	"strings"
	"testing"

	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// alike maps two rows to two records and lists the checks by which they are told to be the same.
func alike(t *testing.T, m *Mapper, one, two table.Row) string {
	t.Helper()
	first, _ := m.Map([]table.Row{one})
	second, _ := m.Map([]table.Row{two})
	var found []string
	for _, a := range first.Traits {
		for _, b := range second.Traits {
			if a == b {
				found = append(found, a.Check)
			}
		}
	}
	return strings.Join(found, " ")
}

func TestRecordsAreComparedByKeyAndNumber(t *testing.T) {
	t.Parallel()
	const other = "00000000-0000-4000-8000-00000000000f"
	cases := "operation: create_case\nkey: Ref\nfields:\n  name: Name\n  number: No\n  active: {value: true}\n  file_template_id: {value: " + idOne + "}\n  user_id: {value: " + idTwo + "}\n"
	updates := "operation: update_case\nkey: Ref\nlookups: {ids: {inline: {A: " + idOne + ", a1: " + idOne + ", B: " + idTwo + "}}}\n" +
		"fields:\n  id: {column: Id, lookup: ids}\n  name: Id\n  file_status_id: {value: " + idOne + "}\n  file_client_id: null\n  user_id: {value: " + idOne +
		"}\n  number: No\n  components: []\n  active: {value: true}\n"
	marks := "operation: update_trademark\nkey: Ref\nfields:\n  id: Id\n  registry_id: Office\n  mark_text: Ref\n  application_number: App\n  registration_number: Reg\n"
	for _, c := range []struct {
		name, mapping, header string
		one, two              []string
		want                  string
	}{
		{"keys that differ in case and zeros", cases, "Ref, Name, No", []string{"TM-007", "a", "1"}, []string{"tm 7", "b", "2"}, "twin_key"},
		{"keys that differ", cases, "Ref, Name, No", []string{"TM-7", "a", "1"}, []string{"TM-70", "a", "2"}, ""},
		{"keys without a letter or digit", cases, "Ref, Name, No", []string{"+", "a", "1"}, []string{"-", "b", "2"}, ""},
		{"parts of a key", strings.Replace(cases, "key: Ref", "key: [Ref, Name]", 1), "Ref, Name, No", []string{"AB", "C", "1"}, []string{"A", "BC", "2"}, ""},
		{"one number", cases, "Ref, Name, No", []string{"A", "a", "M/0012"}, []string{"B", "b", "m-12"}, "number_repeated"},
		{"a word is no number", cases, "Ref, Name, No", []string{"A", "a", "pending"}, []string{"B", "b", "pending"}, ""},
		{"zeros are no number", cases, "Ref, Name, No", []string{"A", "a", "0000"}, []string{"B", "b", "000"}, ""},
		{"a number that is the key", cases, "Ref, Name, No", []string{"A-7", "a", "a7"}, []string{"a07", "b", "A 7"}, "twin_key"},
		{"a rejected row", cases, "Ref, Name, No", []string{"A-7", "", "1"}, []string{"a07", "b", "1"}, "twin_key number_repeated"},
		{"switched off", cases + "checks: off\n", "Ref, Name, No", []string{"A-7", "a", "1"}, []string{"a07", "b", "1"}, ""},
		{"one switched off", cases + "checks: {twin_key: off}\n", "Ref, Name, No", []string{"A-7", "a", "1"}, []string{"a07", "b", "1"}, "number_repeated"},
		{"one id by two names", updates, "Ref, Id, No", []string{"1", "A", "1"}, []string{"2", "a1", "2"}, "id_repeated"},
		{"two ids", updates, "Ref, Id, No", []string{"1", "A", "7"}, []string{"2", "B", "07"}, "number_repeated"},
		{"one application at one registry", marks, "Ref, Id, Office, App, Reg", []string{"1", idOne, idOne, "EU018123", ""}, []string{"2", idTwo, idOne, "eu-18123", ""}, "application_number_repeated"},
		{"one application at two registries", marks, "Ref, Id, Office, App, Reg", []string{"1", idOne, idOne, "018", ""}, []string{"2", idTwo, idTwo, "018", ""}, ""},
		{"one registration", marks, "Ref, Id, Office, App, Reg", []string{"1", idOne, idOne, "1", "M9"}, []string{"2", other, idOne, "2", "m9"}, "registration_number_repeated"},
		{"one mark", marks, "Ref, Id, Office, App, Reg", []string{"1", idOne, idOne, "1", ""}, []string{"2", "{" + idOne + "}", idTwo, "2", ""}, "id_repeated"},
		{"folders of one client with one number", folderMapping, "Folder, Client, Matter, No, User", []string{"F1", "Acme", "a", "7", ""}, []string{"F2", "Acme", "b", "7", ""}, "file_number_in_two_folders file_created"},
		{"folders of two clients with one number", folderMapping, "Folder, Client, Matter, No, User", []string{"F1", "Acme", "a", "7", ""}, []string{"F2", "Zenith", "b", "7", ""}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := bind(t, c.mapping, c.header)
			same(t, alike(t, m, textRow(2, c.one...), textRow(3, c.two...)), c.want)
		})
	}
}

func TestComparisonsHaveLevels(t *testing.T) {
	t.Parallel()
	for checks, want := range map[string]string{
		"":                              "twin_key:true number_repeated:true",
		"checks: warn":                  "twin_key:false number_repeated:false",
		"checks: {twin_key: warn}":      "twin_key:false number_repeated:true",
		"checks: {number_repeated: no}": "",
		"checks: off":                   "",
	} {
		m, err := Parse("m.yaml", []byte(caseWith("name: A", checks)), Options{})
		if (err != nil) != strings.Contains(checks, "no}") {
			t.Fatal(err)
		}
		var levels []string
		for _, name := range []string{"twin_key", "number_repeated", "id_repeated"} {
			if err == nil {
				if _, rejects, ok := m.Comparison(name); ok {
					levels = append(levels, fmt.Sprintf("%s:%v", name, rejects))
				}
			}
		}
		same(t, strings.Join(levels, " "), want)
	}
	m, err := Parse("m.yaml", []byte(markWith("notes: A")), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, rejects, ok := m.Comparison("twin_key"); !ok || rejects {
		t.Error("updates with twin keys are rejected unasked")
	}
}

// A field of a record of several rows is checked by what the rows say, also when the last of them leaves it blank.
func TestFilledFieldsAreChecked(t *testing.T) {
	t.Parallel()
	m := bind(t, markWith("application_date: A\nregistration_date: B\nregistration_number: C", "rows: {group: true, fill: true}"), "Ref, A, B, C")
	same(t, codes(m, textRow(2, "1", "2015-01-01", "2014-01-01", "M1"), textRow(3, "1", "", "", "")), []string{"registration_date: filing_after_registration"})
	record, reasons := m.Map([]table.Row{textRow(2, "1", "2014-01-01", "2015-01-01", "M1"), textRow(3, "1", "", "", "")})
	if len(reasons) > 0 || len(record.Notes) > 0 {
		t.Errorf("reasons %v, notes %v", reasons, record.Notes)
	}
}

func TestRegisteredInSixLanguages(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"Registered", "REGISTERED (renewed)", "Trade mark registered", "Live/Registered", "Registrada", "Marca registrada", "REGISTRADO",
		"Concedida", "Enregistrée", "Marque enregistrée", "ENREGISTRÉ", "Eingetragen", "Marke eingetragen", "registriert", "Registrato", "Marchio registrato",
		"Registado", "Registada", "Registro concedido", "Registo concedido"} {
		if !registered(status) {
			t.Errorf("%q is not read as registered", status)
		}
	}
	for _, status := range []string{"", "Pending", "Not registered", "Unregistered", "Registration pending", "Enregistrement en cours", "No registrada", "Solicitada",
		"Nicht eingetragen", "Eintragung verfügt", "Non registrato", "Em registo", "Marca", "Opposition", "Registrierung beantragt"} {
		if registered(status) {
			t.Errorf("%q is read as registered", status)
		}
	}
}

func TestClassesOfTheOldSchedule(t *testing.T) {
	t.Parallel()
	for _, class := range []string{"A", "b", "Class A", "46", "52", "100", "107", "200", "US 9", "U.S. Cl. 200", "US CLASS 101", "Cl. 051"} {
		if !value.IsOldClass(class) {
			t.Errorf("%q is not told as a class of the old schedule", class)
		}
	}
	for _, class := range []string{"1", "9", "45", "53", "99", "108", "0", "IC 009", "C", "Class 35", "software"} {
		if value.IsOldClass(class) {
			t.Errorf("%q is told as a class of the old schedule", class)
		}
	}
}
