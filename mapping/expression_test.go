package mapping

import (
	"strings"
	"testing"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

func TestFunctions(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		`join([row["A"], "", " ", "b"], "; ")`:                              "Doe, Jane M.; b",
		`join(split("a;b; ;c", ";"), "-")`:                                  "a-b-c",
		`trim("  x ")`:                                                      "x",
		`squeeze("a   b\n c")`:                                              "a b c",
		`upper("é") + lower("É")`:                                           "Éé",
		`upper("Straße ﬁ i") + lower("STRASSE ΟΔΟΣ")`:                       "STRASSE FI Istrasse οδοσ",
		`fold("Straße ΟΔΟΣ")`:                                               "strasse οδοσ",
		`fold("  ÉTÉ ")`:                                                    "ete",
		`replace("a-b-c", "-", "/")`:                                        "a/b/c",
		`before("TM/12/3", "/")`:                                            "TM",
		`after("TM/12/3", "/")`:                                             "12/3",
		`before("TM", "/") + after("TM", "/")`:                              "TM",
		`between("Sol (2014) x", "(", ")")`:                                 "2014",
		`between("Sol (2014", "(", ")")`:                                    "",
		`left("é12", 2) + right("12é", 2)`:                                  "é12é",
		`left("ab", 9) + right("ab", -1)`:                                   "ab",
		`padLeft("7", 3, "0")`:                                              "007",
		`padLeft("1234", 3, "0")`:                                           "1234",
		`digits("TM-7/2024") + letters("TM-7/2024")`:                        "72024TM",
		`coalesce("", " ", "x")`:                                            "x",
		`coalesce("")`:                                                      "",
		`date("1/3/2024", "DD/MM/YYYY")`:                                    "2024-03-01",
		`date("", "DD/MM/YYYY")`:                                            "",
		`date("2024-03-01", "DD/MM/YYYY")`:                                  "2024-03-01",
		`format("2024-03-01", "D MMMM YYYY")`:                               "1 March 2024",
		`format("2024-03-01", "DD.MM.YY")`:                                  "01.03.24",
		`string(year("2024-03-01") + month(today) + day(today))`:            "2037",
		`addYears("2024-02-29", 10)`:                                        "2034-02-28",
		`addYears("2024-02-29", 4)`:                                         "2028-02-29",
		`addMonths("2024-01-31", 1)`:                                        "2024-02-29",
		`addMonths("2024-01-31", -2)`:                                       "2023-11-30",
		`addDays("2024-02-28", 2)`:                                          "2024-03-01",
		`string(daysBetween("2024-02-28", "2024-03-01"))`:                   "2",
		`join(classes("Int. Cl. 9, 35 and 042"), ",")`:                      "9,35,42",
		`padLeft("", 6, "0") + padLeft(" ", 6, "0")`:                        "",
		`join(classes("třída 9, TŘÍDA 35 und 41\nCl.42, 44. 45."), ",")`:    "9,35,41,42,44,45",
		`join(classes("1 to 5, 9"), ",")`:                                   "1,2,3,4,5,9",
		`join(classes("Cl. 25 à 27; 003 to 5, 9 bis 10 and 41 - 42"), ",")`: "25,26,27,3,4,5,9,10,41,42",
		`join(classes("9, 2014-03-01, 35A-36"), ",")`:                       "9,2014,3,1,35,36",
		`join(classes("(9), (35) [42]; Cl. (12): tools"), ",")`:             "9,35,42,12",
		`join(classes("Class (9), 9: software; 35: advertising"), ",")`:     "9,35",
		`join(classes("Class 1 class 9, 16\nClasses 25, 35"), ",")`:         "1,9,16,25,35",
		`fullName(row["A"])`:                                                "Jane M. Doe",
		`surname("Jane Doe") + surname("Doe, J.")`:                          "DoeDoe",
		`givenNames("Jane M. Doe")`:                                         "Jane M.",
		`initials("Doe, Jane M.")`:                                          "JMD",
		`fullName("Doe, J.R.") + fullName("Acme Inc.") + fullName("Doe,")`:  "J.R. DoeAcme Inc.Doe",
		`string(int("-9223372036854775807") - 1 + 2 * 3)`:                   "-9223372036854775802",
		`lookup("people", "ana")`:                                           idOne,
		`known("people", "Eve") ? "y" : "n"`:                                "n",
		`row.A matches "^Doe" ? "y" : "n"`:                                  "y",
		`row["A"] in ["x", "Doe, Jane M."] ? "y" : "n"`:                     "y",
		`string(len(filter(split("1;2;3", ";"), int(#) > 1)))`:              "2",
		`1 + 2`:     "3",
		`3.5 * 2.0`: "7",
	} {
		t.Run(expression, func(t *testing.T) {
			t.Parallel()
			m := bind(t, caseWith("name: {expr: '"+expression+"', empty: keep}", "lookups: {people: {inline: {Ana: "+idOne+"}}}"), "Ref, A")
			record, reasons := m.Map([]table.Row{textRow(2, "R", "Doe, Jane M.")})
			if len(reasons) > 0 {
				t.Fatal(reasons)
			}
			contains(t, string(record.Payload), `"name":"`+want+`",`)
		})
	}
}

func TestExpressionsThatFailForARow(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		`string(int(row["A"]))`:                          "expression_failed: ",
		`date(row["A"], "DD/MM/YYYY")`:                   "date_unreadable: ",
		`date("03/04/2024", "DD/MM/YYYY", "MM/DD/YYYY")`: "date_ambiguous: ",
		`date("1/3/24", "DD/MM/YY")`:                     "expression_failed: ",
		`addYears(row["A"], 1)`:                          "expression_failed: ",
		`addDays("2024-03-01", 99999999)`:                "expression_failed: ",
		`1 / 0`:                                          "expression_failed: ",
		`string(int("9223372036854775807") * 2)`:         "expression_failed: ",
		`int("9223372036854775807") + 1`:                 "expression_failed: ",
		`int("-9223372036854775807") - 2`:                "expression_failed: ",
		`fullName("Acme, Inc.")`:                         "expression_failed: ",
		`fullName("van der Berg, Jan, Jr.")`:             "expression_failed: ",
		`givenNames("Doe, Jane III")`:                    "expression_failed: ",
		`surname("Banco de Prueba, S.A.")`:               "expression_failed: ",
		`0.0 / 0.0`:                                      "expression_failed: ",
		`9007199254740993.0 * 10.0`:                      "expression_failed: ",
		`lookup("people", row["A"])`:                     "lookup_unknown: ",
		`split(row["A"], "")[0]`:                         "expression_failed: ",
		`split("a", ";")[7]`:                             "expression_failed: ",
		`replace(row["A"], "", "x")`:                     "expression_failed: ",
		`padLeft("7", 5000, "0")`:                        "expression_failed: ",
		`classes("35-9")[0]`:                             "expression_failed: ",
		`classes("25–27")[0]`:                            "expression_failed: ", // 25 and 27, or all three
		`classes("Class 9 (software 2.0), 35")[0]`:       "expression_failed: ", // 2 is no class
		`classes("9 (Windows 11), 35")[0]`:               "expression_failed: ",
		`classes("9.35")[0]`:                             "expression_failed: ",
		`classes("9-35-42")[0]`:                          "expression_failed: ",
		`classes("3 classes: 9, 16, 25")[0]`:             "expression_failed: ", // how many, and which
		`classes("9, 16, 25 (3 Klassen)")[0]`:            "expression_failed: ",
		`classes("9, 16, 25: 3 Nice Classes")[0]`:        "expression_failed: ",
		`classes("1 class: 9")[0]`:                       "expression_failed: ",
		`classes("35 (10 terms)")[0]`:                    "expression_failed: ",
		`classes("25 (15 goods), 35 (3 services)")[0]`:   "expression_failed: ",
		`classes("9 [12th ed.]")[0]`:                     "expression_failed: ",
		`classes("9 computers (2 items)")[0]`:            "expression_failed: ",
		`classes("9, 12th")[0]`:                          "expression_failed: ",
		`classes("Nice 12: 9, 35")[0]`:                   "expression_failed: ",
		`classes("NCL 11 9 35")[0]`:                      "expression_failed: ",
		`classes("NCL(12): 9 35")[0]`:                    "expression_failed: ",
		`classes("9, 35 = 2")[0]`:                        "expression_failed: ",
		`classes("9…12")[0]`:                             "expression_failed: ",
		`classes("9...12")[0]`:                           "expression_failed: ",
		`classes("９, ３５")[0]`:                            "expression_failed: ",
	} {
		t.Run(expression, func(t *testing.T) {
			t.Parallel()
			m := bind(t, caseWith("name: {expr: '"+expression+"'}", "lookups: {people: {inline: {Ana: "+idOne+"}}}"), "Ref, A, B")
			_, reasons := m.Map([]table.Row{textRow(2, "R", "Eve", "(")})
			if len(reasons) != 1 {
				t.Fatal(reasons)
			}
			contains(t, reasons[0].Code+": "+reasons[0].Message, want)
		})
	}
}

// In a field the other half of ?: would be taken where a comparison is false, so that of what is not there, or has no such order, none is made.
func TestFieldsCompareWhatHasAnOrder(t *testing.T) {
	t.Parallel()
	const closed, open, rejected = "true", "false", "rejected"
	for _, c := range []struct{ condition, cell, want string }{
		{`date(row["A"]) < today`, "17/03/2015", closed},
		{`date(row["A"]) < today`, "17/03/2027", open},
		{`date(row["A"]) < today`, "", rejected},
		{`today >= date(row["A"])`, "", rejected},
		{`row["A"] != "" and date(row["A"]) < today`, "", open},
		{`row["A"] == "" or date(row["A"]) > today`, "", closed},
		{`row["A"] == "" or date(row["A"]) > today`, "17/03/2015", open},
		{`row["A"] > ""`, "", open},
		{`row["A"] > ""`, "17/03/2015", closed},
		{`row["A"] < "2024-01-01"`, "01/02/30", rejected},
		{`row["A"] < "2024-01-01"`, "2023-12-31", closed},
		{`row["A"] < "9"`, "10", rejected},
		{`row["A"] < "M"`, "Acme", closed},
	} {
		m := bind(t, caseWith("active: {expr: '"+c.condition+" ? \"yes\" : \"no\"'}", "dates: [DD/MM/YYYY]"), "Ref, Name, A")
		record, reasons := m.Map([]table.Row{textRow(2, "R", "Sol", c.cell)})
		got := rejected
		if len(reasons) == 0 {
			_, rest, _ := strings.Cut(string(record.Payload), `"active":`)
			got, _, _ = strings.Cut(rest, ",")
		} else {
			same(t, codesOf(reasons), []string{"active: expression_failed"})
		}
		if got != c.want {
			t.Errorf("%s with %q: %s, want %s", c.condition, c.cell, got, c.want)
		}
	}
	m := bind(t, markWith("good_and_services:\n  split: {column: Goods}\n  item: {search_class_id: {value: "+idOne+"}, language_id: {value: "+idTwo+
		"}, text: {expr: 'class < \"35\" ? \"a\" : \"b\"'}}"), "Ref, Goods")
	same(t, codes(m, textRow(2, "1", "9: software")), []string{"good_and_services.text: expression_failed"})
}

// An expression's time and memory are bounded even if it is written to use them up.
func TestExpressionsCannotRunAway(t *testing.T) {
	t.Parallel()
	grown := `row["A"]`
	for range 30 {
		grown = `replace(` + grown + `, "a", "aaaaaaaaaa")`
	}
	looped := `string(len(map(split(row["B"], ";"), upper(row["A"]) + #)))`
	for name, expression := range map[string]string{"grown": grown, "looped": looped, "joined": `join(split(row["B"], ";"), row["A"])`} {
		m := bind(t, caseWith("name: {expr: '"+expression+"'}"), "Ref, A, B")
		_, reasons := m.Map([]table.Row{textRow(2, "R", strings.Repeat("a", 10_000), strings.Repeat("a;", 9_000))})
		if len(reasons) != 1 || reasons[0].Code != reason.Expression {
			t.Errorf("%s: %+v", name, reasons)
		}
	}
	m := bind(t, caseWith(`name: {expr: 'string(len(split(row["A"], ";")))'}`), "Ref, A")
	same(t, codes(m, textRow(2, "R", strings.Repeat("a;", 10_000))), []string{"name: expression_failed"})
}

func TestDatesOfExpressions(t *testing.T) {
	t.Parallel()
	m := bind(t, markWith(`application_date: {expr: 'row["A"]'}`, "dates: [DD/MM/YYYY]", "checks: off"), "Ref, A")
	for text, want := range map[string]string{"01/03/2024": "2024-03-01", "2024-03-01": "2024-03-01"} {
		contains(t, mustMap(t, m, textRow(2, "1", text)), want+"T00:00:00Z")
	}
	same(t, codes(m, textRow(2, "1", "03-04-2024")), []string{"application_date: date_unreadable"})
	odd := bind(t, markWith(`application_date: {expr: 'row["A"]'}`, "dates: [YYYY-DD-MM]", "checks: off"), "Ref, A")
	contains(t, mustMap(t, odd, textRow(2, "1", "2024-03-04")), "2024-04-03T00:00:00Z")
}

func TestExpressionsThatDoNotLoad(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		`row["A"] > 3`:                          "m.yaml:5:26: invalid operation: > (mismatched types string and int)",
		`uper(row["A"])`:                        `m.yaml:5:17: unknown function or variable "uper"`,
		`Notes`:                                 `use row["Notes"]`,
		`row["A"`:                               "m.yaml:5:23: ",
		`upper(1)`:                              "m.yaml:5:23: cannot use int as argument (type string) to call upper\n",
		`row["A"] == "x"`:                       "the expression returns true or false, but name is text",
		`split(row["A"], ";")`:                  "the expression returns a list, but name is text",
		`1..5`:                                  "ranges (..) are not allowed",
		`let x = row["A"]; x + x`:               "variables and multiple expressions are not allowed",
		`row["A"] matches row["B"] ? "y" : "n"`: "m.yaml:5:37: the regular expression after matches must be in quotes",
		`row["A"] matches "a{1000}b{0,1000}" ? "" : "n"`: "m.yaml:5:34: the pattern has 4001 steps",
		`row[row["A"]]`:              "m.yaml:5:24: the column name must be in quotes",
		`lookup("nobody", row["A"])`: `m.yaml:5:24: unknown lookup "nobody"`,
		`lookup(row["A"], "x")`:      "the lookup name must be in quotes",
		`$env["x"]`:                  "$env is not allowed",
		`now()`:                      `unknown function or variable "now"`,
		`repeat("a", 99)`:            `unknown function or variable "repeat"`,
		`any(split(row["A"], ";"), any(split(row["B"], ";"), # == "")) ? "a" : "b"`: "nested loops over lists",
		`"A" in row ? "a" : "b"`:        "row cannot be searched",
		`len(row)`:                      "m.yaml:5:21: row requires a column",
		``:                              "the expression is empty",
		strings.Repeat("1+", 600) + "1": "",
	} {
		t.Run(expression, func(t *testing.T) {
			t.Parallel()
			_, err := Parse("m.yaml", []byte(caseWith("name: {expr: '"+expression+"'}")), Options{})
			if err == nil {
				t.Fatal("it loads")
			}
			contains(t, err.Error(), want)
		})
	}
}
