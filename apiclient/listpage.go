package apiclient

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"docketsync/apiclient/jsontext"
)

// listPage is what one answer of a list operation holds.
type listPage struct {
	items []ListItem
	total int64 // -1 if the answer does not say
}

// readListPage reads a page. The text must be valid JSON.
func readListPage(spec ListSpec, text []byte) (listPage, error) {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	page := listPage{total: -1}
	wrong := func(format string, args ...any) (listPage, error) {
		return listPage{}, &Error{Code: CodeAnswer, Message: "the list " + spec.Name + " does not match the configuration: " + fmt.Sprintf(format, args...),
			Hint: "compare it with an answer of the service and correct items, id and name of the list"}
	}
	items, ok := listItems(spec, text)
	if !ok {
		return wrong("its answer %s", shape(spec, text))
	}
	if members, ok := jsontext.SplitObject(text); ok && spec.Total != "" {
		if total, err := strconv.ParseInt(string(valueAt(members, spec.Total)), 10, 64); err == nil && total >= 0 {
			page.total = total
		}
	}
	page.items = make([]ListItem, 0, len(items))
	for n, raw := range items {
		members, ok := jsontext.SplitObject(raw)
		if !ok {
			return wrong("item %d of the page is %s, not an object", n+1, shorten(string(raw), 60))
		}
		item := ListItem{Texts: make([]string, len(spec.Members))}
		if item.ID, ok = scalarText(valueAt(members, spec.ID)); !ok || item.ID == "" {
			return wrong("item %d of the page has no id in the field %q; it has %s", n+1, spec.ID, names(members))
		}
		if members.Torn(spec.ID) {
			return wrong("item %d of the page has two values in the field %q", n+1, spec.ID)
		}
		for m, name := range spec.Members {
			if item.Texts[m], ok = scalarText(valueAt(members, name)); !ok {
				return wrong("the field %q of item %d is an object or a list, not text", name, n+1)
			}
		}
		if spec.Whole {
			item.Object = raw
		}
		page.items = append(page.items, item)
	}
	return page, nil
}

// listItems finds the array of items.
func listItems(spec ListSpec, text []byte) ([][]byte, bool) {
	if spec.Items == "" && text[0] == '[' {
		return jsontext.SplitList(text)
	}
	members, ok := jsontext.SplitObject(text)
	if !ok {
		return nil, false
	}
	wanted := []string{spec.Items}
	if spec.Items == "" {
		wanted = []string{"items", "data"}
	}
	for _, name := range wanted {
		if value := valueAt(members, name); len(value) > 0 && value[0] == '[' {
			return jsontext.SplitList(value)
		}
	}
	return nil, false
}

// shape says what an answer without the array is instead.
func shape(spec ListSpec, text []byte) string {
	members, ok := jsontext.SplitObject(text)
	switch {
	case !ok && text[0] == '[':
		return fmt.Sprintf("is a list, but items is set to the field %q", spec.Items)
	case !ok:
		return "is " + shorten(string(text), 60) + ", neither a list nor an object"
	case spec.Items != "":
		return fmt.Sprintf("has no list in the field %q; it has %s", spec.Items, names(members))
	}
	return "has no list in items or data; it has " + names(members)
}

func names(members jsontext.Object) string {
	if len(members) == 0 {
		return "no fields"
	}
	list := make([]string, 0, len(members))
	for _, m := range members {
		list = append(list, string(m.Name))
	}
	return shorten(strings.Join(list, ", "), 200)
}

// valueAt returns the value of a member, or of a nested member if dots lead to one. It returns nil if there is none.
func valueAt(members jsontext.Object, path string) []byte {
	if value, there := members.Find(path); there {
		return value
	}
	outer, inner, dotted := strings.Cut(path, ".")
	if !dotted {
		return nil
	}
	value, there := members.Find(outer)
	if !there {
		return nil
	}
	deeper, ok := jsontext.SplitObject(value)
	if !ok {
		return nil
	}
	return valueAt(deeper, inner)
}

// scalarText returns a value as text. ok is false for objects and lists.
func scalarText(value []byte) (text string, ok bool) {
	switch {
	case len(value) == 0, string(value) == "null":
		return "", true
	case value[0] == '{', value[0] == '[':
		return "", false
	}
	return jsontext.Text(value), true
}
