package mapping

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

const goodsLookups = `lookups:
  classes: {inline: {"9": ` + idOne + `, Class 35: ` + idTwo + `, A: ` + idThree + `}}`

func goodsOf(class, text string) string {
	id := map[string]string{"9": idOne, "35": idTwo, "A": idThree}[class]
	return `{"id":null,"language_id":"` + idThree + `","text":"` + text + `","search_class_id":"` + id + `"}`
}

func goodsWith(lines ...string) string {
	fields := []string{"good_and_services:"}
	for _, line := range lines {
		fields = append(fields, "  "+line)
	}
	return markWith(strings.Join(fields, "\n"), goodsLookups)
}

const goodsItem = "item: {search_class_id: {lookup: classes}, language_id: {value: " + idThree + "}}"

func TestGoodsOfOneCell(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, split, cell, want string }{
		{"two classes", "{column: A}", "9: software; 35: advertising", goodsOf("9", "software") + "," + goodsOf("35", "advertising")},
		{"semicolons within the goods", "{column: A}", "9: software; hardware; 35: ads", goodsOf("9", "software; hardware") + "," + goodsOf("35", "ads")},
		{"colons within the goods", "{column: A}", "9: software: all kinds", goodsOf("9", "software: all kinds")},
		{"classes in other spellings", "{column: A}", "Class 009: software; Int. Cl. 35: ads", goodsOf("9", "software") + "," + goodsOf("35", "ads")},
		{"line by line", `{column: A, entries: "\n", class: " - "}`, "9 - soft-ware\n35 - ads\n", goodsOf("9", "soft-ware") + "," + goodsOf("35", "ads")},
		{"numbers within the goods", "{column: A}", "9: at 3:1, A4: x, 4711: y; 42 hosting", goodsOf("9", "at 3:1, A4: x, 4711: y; 42 hosting")},
		{"one that stands there twice", "{column: A}", "9: software; 9: software", goodsOf("9", "software")},
		{"one class with two texts", "{column: A}", "9: software; 9: hardware", goodsOf("9", "software") + "," + goodsOf("9", "hardware")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := bind(t, goodsWith("split: "+c.split, goodsItem), "Ref, A")
			same(t, mustMap(t, m, textRow(2, "1", c.cell)), markStart+`,"good_and_services":[`+c.want+`]}`)
		})
	}
}

func TestGoodsThatCannotBeTakenApart(t *testing.T) {
	t.Parallel()
	m := bind(t, goodsWith("split: {column: A}", goodsItem), "Ref, A")
	for cell, want := range map[string]string{
		"software":            "good_and_services: goods_unreadable",
		"9: software; 35":     "good_and_services: goods_unreadable",
		"9, 35":               "good_and_services: goods_unreadable",
		"9:":                  "good_and_services.text: required_empty",
		"12: wheels":          "good_and_services.search_class_id: lookup_unknown",
		"46: old":             "good_and_services.search_class_id: lookup_unknown good_and_services.search_class_id: nice_class",
		"x: a; 9: b; 12: c":   "good_and_services.search_class_id: lookup_unknown good_and_services.search_class_id: lookup_unknown",
		"9: ; 35: advertised": "good_and_services: goods_unreadable",
		"9: software\n35: x":  "good_and_services: goods_unreadable",
		"9: a; 35: b\n9: c":   "good_and_services: goods_unreadable",
		"9: a | Cl. 35 : b":   "good_and_services: goods_unreadable",
		"9: films 035:x":      "good_and_services: goods_unreadable",
	} {
		same(t, strings.Join(codes(m, textRow(2, "1", cell)), " "), want)
	}
	same(t, mustMap(t, m, textRow(2, "1", " ")), markStart+"}")
}

// A class that is written in another way than the first one would go out as part of its goods.
func TestClassesInOtherSpellingsAreNotTakenForGoods(t *testing.T) {
	t.Parallel()
	m := bind(t, goodsWith("split: {column: A}", goodsItem), "Ref, A")
	for _, second := range []string{"; Class 35 - b", "; class 35 b", "; Int. Cl. 35 b", "; KLASSE 035", "; 35 - b", "; 35 – b", "; 35) b", "; 35. b", "; (35): b", "; (35) b", "；35: b", "、35: b", "; ３５: b",
		"；３５：b", " *35: b", "; #35 - b", "\n35. b", "; hats; 35.", "\nCl. 35, b"} {
		same(t, []string{second, strings.Join(codes(m, textRow(2, "1", "9: a"+second)), " ")}, []string{second, "good_and_services: goods_unreadable"})
	}
	for _, goods := range []string{"35 mm cameras", "3D printers", "3-D printers", "4K televisions", "12 V lamps", "24-hour banking", "12- and 24-volt lamps", "2.5 litre tins", "35 - 40 mm lenses",
		"5G networks", "45 and more", "first class 1st prizes", "open at 10:30", "high class 35mm film", "A4: paper", "classic 35 mm films", "Class A, class AB", "第35回", "８mm film"} {
		for _, cell := range []string{"a; " + goods, "a\n" + goods, goods} {
			same(t, strings.Contains(mustMap(t, m, textRow(2, "1", "9: "+cell)), goods), true)
		}
	}
	comma := bind(t, goodsWith(`split: {column: A, entries: ","}`, goodsItem), "Ref, A")
	same(t, codes(comma, textRow(2, "1", "9: a, 35 - b")), []string{"good_and_services: goods_unreadable"})
	same(t, codes(m, textRow(2, "1", "9: a, 35 - b")), []string{})
}

// Goods that begin with a class of their own are those of the whole mark, or of another class.
func TestGoodsWithAClassOfTheirOwnAreNotThoseOfAColumn(t *testing.T) {
	t.Parallel()
	const item = "item: {search_class_id: {column: A, lookup: classes}, language_id: {value: " + idThree + "}, text: "
	rows := bind(t, goodsWith(item+"B}"), "Ref, A, B")
	pairs := bind(t, goodsWith(`pairs: {class: "Class #", text: "Goods #"}`, goodsItem), "Ref, Class 1, Goods 1, Class 2, Goods 2")
	split := bind(t, goodsWith(`split: {column: A, entries: ","}`, "item: {search_class_id: {lookup: classes}, language_id: {value: "+idThree+"}, text: B}"), "Ref, A, B")
	asIs := bind(t, goodsWith(item+`{expr: 'row["B"]'}}`), "Ref, A, B")
	for _, goods := range []string{"9: software; 35: ads", "35: ads", "Class 9: software", "KLASSE 09 : software", "３５：ads", "(9): software", "* 9: software"} {
		for _, m := range []*Mapper{rows, pairs, split} {
			same(t, append(codes(m, textRow(2, "1", "9", goods)), goods), []string{"good_and_services.text: goods_unreadable", goods})
		}
		same(t, mustMap(t, asIs, textRow(2, "1", "9", goods)), markStart+`,"good_and_services":[`+goodsOf("9", goods)+"]}")
	}
	for _, goods := range []string{"software; 35 mm cameras", "10:30 editions", "3:1 scale models", "46: old", "35 mm cameras: all kinds", "software: class 9", "A4: paper", ": x", "9"} {
		same(t, mustMap(t, rows, textRow(2, "1", "9", goods)), markStart+`,"good_and_services":[`+goodsOf("9", goods)+"]}")
	}
}

// A ratio or a measure behind a semicolon of the goods is no class, and one that may be is not guessed.
func TestMeasuresWithinTheGoodsAreNoClasses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ split, cell, want string }{
		{"", "9: displays 4:3; 16:9 televisions; 35: ads", "16:9 televisions"},
		{"", "9: optical lenses; 3:1 lenses; 12:1 lenses", "3:1 lenses"},
		{"", "9: clocks; 10:30 clocks", "10:30 clocks"},
		{", class: '.'", "9. tins; 2.5 litre tins", "2.5 litre tins"},
		{", entries: '/', class: '-'", "9-lamps / 12-volt batteries / 35-ads", "12-volt batteries"},
		{", entries: '/', class: '-'", "9 - lamps / 12-foo lamps / 35 - ads", "12-foo lamps"},
		{", entries: '/', class: '-'", "9-lamps / 12-24 V lamps / 35-ads", "12-24 V lamps"},
		{"", "9:software;35:ads", ""},
		{"", "9: software; 35:ads", ""},
		{"", "9:3D printers; 35: 24-hour ads", ""},
		{", entries: '/', class: '-'", "9-lamps / 35-ads", ""},
		{", entries: '/', class: '-'", "9 - lamps / 35 -ads / 35-Ads", ""},
		{", entries: '/', class: ' - '", "9 - lamps / 35 - 24-hour ads", ""},
	} {
		m := bind(t, goodsWith("split: {column: A"+c.split+"}", goodsItem), "Ref, A")
		_, reasons := m.Map([]table.Row{textRow(2, "1", c.cell)})
		if got := codesOf(reasons); c.want == "" && len(got) > 0 || c.want != "" && !slices.Equal(got, []string{"good_and_services: goods_unreadable"}) {
			t.Errorf("%s: %v", c.cell, reasons)
		} else if c.want != "" {
			contains(t, reasons[0].Message, `"`+c.want+`" may be a measure within the goods of class 9`)
		}
	}
}

func TestClassesWithoutTextsTakeItFromElsewhere(t *testing.T) {
	t.Parallel()
	m := bind(t, goodsWith(`split: {column: A, entries: ","}`,
		"item: {search_class_id: {lookup: classes}, language_id: {value: "+idThree+"}, text: {expr: '\"class \" + class + \" \" + row[\"B\"]'}}"), "Ref, A, B")
	same(t, mustMap(t, m, textRow(2, "1", "9,35", "goods")), markStart+`,"good_and_services":[`+goodsOf("9", "class 9 goods")+","+goodsOf("35", "class 35 goods")+"]}")
}

func TestGoodsOfColumnPairs(t *testing.T) {
	t.Parallel()
	want := markStart + `,"good_and_services":[` + goodsOf("9", "software") + "," + goodsOf("35", "ads") + "]}"
	for header, pairs := range map[string]string{
		"Ref, Class 1, Goods 1, Class 2, Goods 2, Class 3, Goods 3":       `{class: "Class #", text: "Goods #"}`,
		"Ref, Class, Goods, Class, Goods, Class, Goods":                   `{class: "Class #", text: "Goods #"}`,
		"Ref, CLASS01, GOODS01, CLASS02, GOODS02, CLASS03, GOODS03":       `{class: "Class #", text: "Goods #"}`,
		"Ref, 1st Class, 1st G&S, 2nd Class, 2nd G&S, 3rd Class, 3rd G&S": `{class: "# Class", text: "# G&S"}`,
	} {
		m := bind(t, goodsWith("pairs: "+pairs, goodsItem), header)
		same(t, mustMap(t, m, textRow(2, "1", "9", "software", "", "", "35", "ads")), want)
		_, reasons := m.Map([]table.Row{textRow(2, "1", "9", "", "", "lost", "", "")})
		same(t, codesOf(reasons), []string{"good_and_services.text: required_empty", "good_and_services.search_class_id: required_empty"})
		same(t, []string{reasons[0].Cell, reasons[1].Cell}, []string{"C2", "D2"})
	}
}

func TestGoodsOfFlags(t *testing.T) {
	t.Parallel()
	header := "Ref"
	cells := []string{"1"}
	for n := 1; n <= 45; n++ {
		header += ", Class" + string(rune('0'+n/10)) + string(rune('0'+n%10))
		cells = append(cells, map[int]string{9: "1", 35: "x", 12: "0"}[n])
	}
	m := bind(t, goodsWith(`flags: "Class#"`, "item: {search_class_id: {lookup: classes}, language_id: {value: "+idThree+"}, text: {value: all}}"), header)
	same(t, mustMap(t, m, textRow(2, cells...)), markStart+`,"good_and_services":[`+goodsOf("9", "all")+","+goodsOf("35", "all")+"]}")
	cells[3] = "perhaps"
	same(t, codes(m, textRow(2, cells...)), []string{"good_and_services: boolean_unknown"})
}

// A firm exports the classes that it has: the columns have gaps in their numbers.
func TestCountedGoodsHaveGaps(t *testing.T) {
	t.Parallel()
	flags := goodsWith(`flags: "Class#"`, "item: {search_class_id: {lookup: classes}, language_id: {value: "+idThree+"}, text: {value: all}}")
	m := bind(t, flags, "Ref, Class35, Class1, Class9")
	same(t, mustMap(t, m, textRow(2, "1", "x", "", "x")), markStart+`,"good_and_services":[`+goodsOf("9", "all")+","+goodsOf("35", "all")+"]}")
	pairs := goodsWith(`pairs: {class: "Class #", text: "Goods #"}`, goodsItem)
	m = bind(t, pairs, "Ref, Class 1, Goods 1, Goods 3, Class 3")
	same(t, mustMap(t, m, textRow(2, "1", "9", "software", "ads", "35")), markStart+`,"good_and_services":[`+goodsOf("9", "software")+","+goodsOf("35", "ads")+"]}")
	for _, c := range []struct{ text, header, want string }{
		{pairs, "Ref, Class 1, Goods 1, Class 3", `the file has a column "Class 3" but no "Goods 3"`},
		{pairs, "Ref, Class 1, Goods 1, Goods 2", `the file has a column "Goods 2" but no "Class 2"`},
		{pairs, "Ref, Class 1, Goods 1, Goods 01", `the file has two columns "Goods #" of the number 1`},
		{flags, "Ref, Class 9, Class 09", `the file has two columns "Class#" of the number 9`},
		{flags, "Ref, Class, Class", `the file has no columns "Class#"`}, // they say no class
	} {
		m, err := Parse("m.yaml", []byte(c.text), Options{Today: testDay})
		if err == nil {
			_, err = m.Bind(headerOf(c.header), nil)
		}
		if contains(t, fmt.Sprint(err), c.want); strings.Count(fmt.Sprint(err), "m.yaml:") != 1 {
			t.Errorf("%s is said more than once: %v", c.want, err)
		}
	}
}

func TestGoodsOfOneRowPerClass(t *testing.T) {
	t.Parallel()
	text := strings.Replace(goodsWith("item: {search_class_id: {column: Class, lookup: classes}, language_id: {value: "+idThree+"}, text: Goods}"),
		"mark_text: {value: SOL}", "mark_text: Mark", 1)
	m := bind(t, text, "Ref, Mark, Class, Goods")
	if !m.mapping.Grouped() {
		t.Error("the mapping is not grouped")
	}
	same(t, mustMap(t, m, textRow(2, "1", "SOL", "9", "software"), textRow(3, "1", "SOL", "35", "ads"), textRow(4, "1", "SOL", "", "")),
		markStart+`,"good_and_services":[`+goodsOf("9", "software")+","+goodsOf("35", "ads")+"]}")
	_, reasons := m.Map([]table.Row{textRow(2, "1", "SOL", "9", "software"), textRow(5, "1", "LUNA", "12", "x"), textRow(6, "1", "SOL", "13", "x")})
	same(t, codesOf(reasons), []string{"mark_text: rows_disagree", "good_and_services.search_class_id: lookup_unknown", "good_and_services.search_class_id: lookup_unknown"})
	same(t, reasons[0].Message, `the rows of one record disagree on mark_text: "SOL" in rows 2, 6; "LUNA" in row 5`)
	same(t, []string{reasons[1].Cell, reasons[2].Cell}, []string{"C5", "C6"})
}

func TestEntryIDs(t *testing.T) {
	t.Parallel()
	m := bind(t, goodsWith("split: {column: A}", "item: {id: Entry, search_class_id: {lookup: classes}, language_id: {value: "+idThree+"}}"), "Ref, A, Entry")
	contains(t, mustMap(t, m, textRow(2, "1", "9: a", idTwo)), `[{"id":"`+idTwo+`",`)
	contains(t, mustMap(t, m, textRow(2, "1", "9: a", "")), `[{"id":null,`)
}

func TestNoEntries(t *testing.T) {
	t.Parallel()
	for empty, want := range map[string]string{"": "}", "empty: keep": `,"good_and_services":[]}`, "empty: reject": "good_and_services: required_empty"} {
		m := bind(t, goodsWith("split: {column: A}", goodsItem, empty), "Ref, A")
		record, reasons := m.Map([]table.Row{textRow(2, "1", "")})
		same(t, strings.TrimPrefix(string(record.Payload), markStart)+strings.Join(codesOf(reasons), " "), want)
	}
}

const folderMapping = `operation: create_folder
key: Folder
lookups: {clients: {inline: {Acme: ` + idOne + `, ACME S.L.: ` + idOne + `, Zenith: ` + idTwo + `}}}
fields:
  name: Folder
  client_id: {column: Client, lookup: clients}
  files:
    item: {name: Matter, number: No, user_id: User}
`

func TestFolderOfSeveralRows(t *testing.T) {
	t.Parallel()
	m := bind(t, folderMapping, "Folder, Client, Matter, No, User")
	if !m.mapping.Grouped() {
		t.Error("the mapping is not grouped")
	}
	same(t, mustMap(t, m, textRow(2, "F1", "Acme", "One", "1", ""), textRow(9, "F1", "acme s.l.", "Two", "12345678901234567890", idThree), textRow(10, "F1", "Acme", "", "", "")),
		`{"name":"F1","client_id":"`+idOne+`","files":[{"name":"One","number":1},{"name":"Two","number":12345678901234567890,"user_id":"`+idThree+`"}]}`)
	same(t, mustMap(t, m, textRow(2, "F1", "Acme", "", "", "")), `{"name":"F1","client_id":"`+idOne+`","files":[]}`)
}

func TestFolderOfSeveralClientsIsOneRejectThatListsItsRows(t *testing.T) {
	t.Parallel()
	m := bind(t, folderMapping, "Folder, Client, Matter, No, User")
	_, reasons := m.Map([]table.Row{textRow(2, "F1", "Acme", "One", "1", ""), textRow(5, "F1", "Zenith", "Two", "2", ""), textRow(7, "F1", "Acme", "Three", "3", "")})
	same(t, reasons, []reason.Reason{{Code: "rows_disagree", Field: "client_id", Column: "Client", Row: 2,
		Form: "client", Args: []string{"client_id", `"Acme" in rows 2, 7; "Zenith" in row 5`},
		Message: `the rows of one record disagree on client_id: "Acme" in rows 2, 7; "Zenith" in row 5`,
		Hint:    "A folder holds files of one client: correct the client, or put the files into a folder of their own."}})
}

func TestEveryReasonOfEveryRowOfAFolder(t *testing.T) {
	t.Parallel()
	m := bind(t, folderMapping, "Folder, Client, Matter, No, User")
	_, reasons := m.Map([]table.Row{textRow(2, "F1", "Acme", "", "1", ""), textRow(3, "F1", "Nobody", "Two", "TM-2", "x")})
	var got []string
	for _, r := range reasons {
		got = append(got, r.Cell+" "+r.Code)
	}
	same(t, got, []string{"B3 lookup_unknown", "C2 required_empty", "D3 number_invalid", "E3 guid_invalid"})
}

func TestBlankCellsOfARecordAreTakenFromItsOtherRowsWhenAsked(t *testing.T) {
	t.Parallel()
	rows := []table.Row{textRow(2, "F1", "Acme", "One", "1", ""), textRow(3, "F1", "", "Two", "2", "")}
	same(t, codes(bind(t, folderMapping, "Folder, Client, Matter, No, User"), rows...), []string{"client_id: required_empty"})
	filled := bind(t, strings.Replace(folderMapping, "lookups:", "rows: {fill: true}\nlookups:", 1), "Folder, Client, Matter, No, User")
	contains(t, mustMap(t, filled, rows...), `"client_id":"`+idOne+`"`)
	same(t, codes(filled, textRow(2, "F1", "", "One", "1", ""), textRow(3, "F1", "", "Two", "2", "")), []string{"client_id: required_empty"})
	same(t, codes(filled, append(rows, textRow(4, "F1", "Zenith", "Three", "3", ""))...), []string{"client_id: rows_disagree"})
}

func TestFileNumberThatStandsTwiceInAFolder(t *testing.T) {
	t.Parallel()
	rows := []table.Row{textRow(2, "F1", "Acme", "One", "1", ""), textRow(3, "F1", "Acme", "Two", "1", "")}
	same(t, codes(bind(t, folderMapping, "Folder, Client, Matter, No, User"), rows...), []string{"files.number: file_number_repeated"})
	meant := bind(t, strings.Replace(folderMapping, "lookups:", "checks: {file_number_repeated: warn}\nlookups:", 1), "Folder, Client, Matter, No, User")
	record, reasons := meant.Map(rows)
	same(t, codesOf(reasons), []string{})
	same(t, codesOf(record.Notes), []string{"files.number: file_number_repeated"})
}

func TestNamesOfFoldersAndFilesHave254Characters(t *testing.T) {
	t.Parallel()
	m := bind(t, folderMapping, "Folder, Client, Matter, No, User")
	contains(t, mustMap(t, m, textRow(2, strings.Repeat("é", 254), "Acme", strings.Repeat("名", 254), "1", "")), `{"name":"éé`)
	same(t, codes(m, textRow(2, strings.Repeat("é", 255), "Acme", strings.Repeat("名", 255), "1", "")), []string{"name: text_too_long", "files.name: text_too_long"})
}

func TestRowsGroupedOnRequest(t *testing.T) {
	t.Parallel()
	m := bind(t, goodsWith("split: {column: A}", goodsItem)+"rows: {group: true}\n", "Ref, A")
	if !m.mapping.Grouped() {
		t.Error("the mapping is not grouped")
	}
	record, _ := m.Map([]table.Row{textRow(2, "1", "9: a"), textRow(3, "1", "9: a"), textRow(4, "1", "35: b")})
	same(t, string(record.Payload), markStart+`,"good_and_services":[`+goodsOf("9", "a")+","+goodsOf("35", "b")+"]}")
	same(t, codesOf(record.Notes), []string{})
}

func TestComponents(t *testing.T) {
	t.Parallel()
	m := bind(t, `operation: update_case
key: Ref
dates: [DD/MM/YYYY]
lookups:
  parts: {inline: {Court: `+idOne+`, Hearing: `+idTwo+`, Counsel: `+idThree+`, Count: 00000000-0000-4000-8000-000000000004}}
  companies: {inline: {Acme: `+idThree+`}}
fields:
  id: {value: `+idOne+`}
  name: Ref
  file_status_id: {value: `+idTwo+`}
  file_client_id: null
  user_id: {value: `+idTwo+`}
  active: {value: true}
  components:
    lookup: parts
    items:
      court: Court
      Hearing: {column: Hearing, type: date}
      Counsel: {column: Counsel, lookup: companies}
      Count: {column: Count, type: integer}
      00000000-0000-4000-8000-00000000000A: {column: Secret, type: boolean}
      00000000-0000-4000-8000-00000000000B: {column: Data, type: json}
      00000000-0000-4000-8000-00000000000C: {column: Entity, type: entity, empty: null}
`, "Ref, Court, Hearing, Counsel, Count, Secret, Data, Entity")
	component := func(id, rest string) string { return `{"file_template_component_id":"` + id + `",` + rest + `}` }
	contains(t, mustMap(t, m, textRow(2, "R", `Court "1"`, "01/03/2024", "ACME", "0", "yes", `{"a": 1.0}`, idOne)), `"components":[`+strings.Join([]string{
		component(idOne, `"value":"Court \"1\""`), component(idTwo, `"value":"2024-03-01T00:00:00Z"`), component(idThree, `"entity_id":"`+idThree+`"`),
		component("00000000-0000-4000-8000-000000000004", `"value":"0"`), component("00000000-0000-4000-8000-00000000000a", `"value":"true"`),
		component("00000000-0000-4000-8000-00000000000b", `"value":"{\"a\": 1.0}"`), component("00000000-0000-4000-8000-00000000000c", `"entity_id":"`+idOne+`"`),
	}, ",")+"]")
	same(t, codes(m, textRow(2, "R", "NULL", "", "", "", "", "", "00000000-0000-0000-0000-000000000000")),
		[]string{"components.court: text_damaged", "components.00000000-0000-4000-8000-00000000000C: guid_invalid"})
	contains(t, mustMap(t, m, textRow(2, "R")), `"components":[`+component("00000000-0000-4000-8000-00000000000c", `"entity_id":null`)+`]`)
	same(t, codes(m, textRow(2, "R", "x", "31/02/2024", "Nobody", "1.5", "maybe", "{", "x")), []string{"components.Hearing: date_impossible",
		"components.Counsel: lookup_unknown", "components.Count: number_invalid", "components.00000000-0000-4000-8000-00000000000A: boolean_unknown",
		"components.00000000-0000-4000-8000-00000000000B: json_invalid", "components.00000000-0000-4000-8000-00000000000C: guid_invalid"})
}
