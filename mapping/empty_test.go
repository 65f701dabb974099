package mapping

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"docketsync/apiclient/payload"
	"docketsync/mapping/table"
)

// emptyWish is what a mapping may say about the empty value of a field.
var emptyWishes = []string{"", "omit", "null", "keep", "reject"}

// becomes is what interface.md part 4 lets an empty field become under a wish: "-" for left out, "null", the empty text or
// list, "rejected"; or "refused" for a wish that the mapping may not have.
func becomes(t payload.Field, wish string) string {
	keep := map[payload.Type]string{payload.TypeText: `""`, payload.TypeGUIDs: "[]", payload.TypeItems: "[]"}[t.Type]
	switch {
	case wish == "reject":
		return "rejected"
	case t.Type == payload.TypeItems && t.Always && wish == "": // an empty list of files is a folder without any
		return "[]"
	case t.Nullable && (wish == "" || wish == "null"):
		return "null"
	case t.Required && wish == "":
		return "rejected"
	case wish == "keep" && keep != "":
		return keep
	case wish == "keep", t.Required || t.Always || t.Nullable:
		return "refused"
	case wish == "null" && t.Type == payload.TypeItems:
		return "refused"
	case wish == "null":
		return "null"
	}
	return "-"
}

// everyTarget lists the fields of all operations with those of their entries, by path.
func everyTarget() map[string]payload.Field {
	all := map[string]payload.Field{}
	for _, op := range payload.Operations {
		for _, t := range payload.Fields(op, payload.Switches{}) {
			all[string(op)+" "+t.Name] = t
			for _, inner := range t.Items {
				all[string(op)+" "+t.Name+"."+inner.Name] = inner
			}
		}
	}
	return all
}

// emptyMapping maps every required field of an operation to a constant, and the one in question to the column A.
func emptyMapping(op payload.Operation, path, wish, top string) string {
	line := "{column: A}"
	if wish != "" {
		line = "{column: A, empty: " + wish + "}"
	}
	outer, inner, nested := strings.Cut(path, ".")
	value := func(t payload.Field) string {
		switch t.Type {
		case payload.TypeGUID:
			return "{value: " + idOne + "}"
		case payload.TypeBool:
			return "{value: yes}"
		case payload.TypeNumber:
			return "{value: 7}"
		}
		return "{value: x}"
	}
	text := fmt.Sprintf("operation: %s\nkey: Ref\nchecks: off\n%sfields:\n", op, top)
	for _, t := range payload.Fields(op, payload.Switches{}) {
		mine := t.Name == outer
		switch {
		case t.Type == payload.TypeItems && (mine || t.Required):
			text += "  " + t.Name + ":\n"
			if mine && !nested && wish != "" {
				text += "    empty: " + wish + "\n"
			}
			text += "    item:\n"
			for _, e := range t.Items {
				switch {
				case mine && e.Name == inner:
					text += "      " + e.Name + ": " + line + "\n"
				case mine && !nested && e.Required && (e.Name == "text" || e.Name == "name"): // a row without it has no entry
					text += "      " + e.Name + ": A\n"
				case mine && nested && e.Required && e.Type != payload.TypeText: // the row has an entry without it, too
					text += "      " + e.Name + ": {column: B, values: {b: " + strings.TrimSuffix(strings.TrimPrefix(value(e), "{value: "), "}") + "}}\n"
				case e.Name == "text" || e.Name == "name":
					text += "      " + e.Name + ": B\n"
				case e.Required:
					text += "      " + e.Name + ": " + value(e) + "\n"
				}
			}
		case t.Type == payload.TypeComponents && !mine && t.Required:
			text += "  components: []\n"
		case mine:
			text += "  " + t.Name + ": " + line + "\n"
		case t.Required:
			text += "  " + t.Name + ": " + value(t) + "\n"
		}
	}
	return text
}

// TestEmptyMeansWhatTheMappingSays goes through every field of the four operations and everything that empty: may say.
func TestEmptyMeansWhatTheMappingSays(t *testing.T) {
	t.Parallel()
	seen := 0
	for at, target := range everyTarget() {
		op, path, _ := strings.Cut(at, " ")
		if target.Type == payload.TypeComponents {
			continue // has no empty: of its own, see TestEmptyComponents
		}
		for _, wish := range emptyWishes {
			seen++
			want := becomes(target, wish)
			text := emptyMapping(payload.Operation(op), path, wish, "")
			m, err := Parse("m.yaml", []byte(text), Options{})
			if (err != nil) != (want == "refused") {
				t.Errorf("%s, empty: %s is loaded with %v, want %s\n%s", at, wish, err, want, text)
				continue
			}
			if err != nil {
				contains(t, err.Error(), "empty: "+wish)
				continue
			}
			if got := emptyResult(t, m, path); got != want {
				t.Errorf("%s, empty: %s becomes %s, want %s", at, wish, got, want)
			}
		}
	}
	if seen < 45*len(emptyWishes) {
		t.Errorf("only %d fields and wishes", seen)
	}
}

// emptyResult maps a row whose column A is empty, and says what became of the field.
func emptyResult(t *testing.T, m *Mapping, path string) string {
	t.Helper()
	mapper, err := m.Bind(headerOf("Ref, A, B"), nil)
	if err != nil {
		t.Fatal(err)
	}
	record, reasons := mapper.Map([]table.Row{textRow(2, "1", "", "b")})
	if len(reasons) > 0 {
		if codes := codesOf(reasons); !slices.Equal(codes, []string{path + ": required_empty"}) {
			t.Errorf("%s is rejected by %v", path, codes)
		}
		return "rejected"
	}
	name := path[strings.LastIndex(path, ".")+1:]
	text := string(record.Payload)
	if strings.Contains(path, ".") {
		_, text, _ = strings.Cut(text, "[{")
	}
	_, value, there := strings.Cut(text, `"`+name+`":`)
	if !there {
		return "-"
	}
	for _, end := range []string{"null", `""`, "[]"} {
		if strings.HasPrefix(value, end) {
			return end
		}
	}
	return value
}

// TestEmptyIsStatedOnce holds the default of the file to every optional field of the four operations; required ones, and an id of an
// entry, keep their own.
func TestEmptyIsStatedOnce(t *testing.T) {
	t.Parallel()
	for at, target := range everyTarget() {
		op, path, _ := strings.Cut(at, " ")
		if target.Type == payload.TypeComponents || target.Type == payload.TypeItems {
			continue
		}
		for _, wish := range emptyWishes[1:] {
			want := becomes(target, wish)
			if target.Required || target.Nullable || target.Always {
				want = becomes(target, "")
			} else if want == "refused" { // what cannot be sent empty is left out
				want = "-"
			}
			m, err := Parse("m.yaml", []byte(emptyMapping(payload.Operation(op), path, "", "empty: "+wish+"\n")), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := emptyResult(t, m, path); got != want {
				t.Errorf("%s under empty: %s at the top becomes %s, want %s", at, wish, got, want)
			}
		}
	}
}

func TestEmptyComponents(t *testing.T) {
	t.Parallel()
	with := func(empty string) string {
		return strings.Replace(emptyMapping(payload.UpdateCase, "name", "keep", ""), "components: []", "components: {items: {"+idTwo+": {column: A"+empty+"}}}", 1)
	}
	entry := `"components":[{"file_template_component_id":"` + idTwo + `"`
	for empty, want := range map[string]string{"": `"components":[]`, ", empty: omit": `"components":[]`, ", empty: null": entry + `,"value":null}]`,
		", empty: keep": entry + `,"value":""}]`, ", empty: reject": "required_empty"} {
		m := bind(t, with(empty), "Ref, A, B")
		record, reasons := m.Map([]table.Row{textRow(2, "1", "", "b")})
		contains(t, string(record.Payload)+fmt.Sprint(codesOf(reasons)), want)
	}
}
