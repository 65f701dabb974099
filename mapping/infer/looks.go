package infer

import (
	"docketsync/apiclient/payload"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// Looks tells whether a text can be read as a value of the type with nothing said about it in a mapping: a GUID in any of
// its forms, a number, a web address, a word for yes or no. It is for whoever proposes a mapping; dates have a DateColumn.
func Looks(t payload.Type, text string) bool {
	text = table.Trim(text)
	switch t {
	case payload.TypeGUID:
		_, ok := value.GUID(text)
		return ok
	case payload.TypeBool:
		_, known := value.Booleans(nil).Read(text)
		return known
	case payload.TypeNumber, payload.TypeInteger:
		return value.CheckNumber(text, t == payload.TypeInteger) == nil
	case payload.TypeURL:
		return value.CheckText(text) == nil && value.CheckURL(text) == nil
	}
	return value.CheckText(text) == nil
}

// LooksClass reads the number of a Nice class as a lookup of classes does: "9", "009", "Class 9", "IC 035". False for a number
// that is none of 1 to 45.
func LooksClass(text string) (number int, ok bool) {
	number, ok = value.ClassNumber(table.Trim(text))
	return number, ok && number >= 1 && number <= 45
}

// LooksGoods takes a cell of classes and goods apart as split: does. It gives the classes, nothing when the cell does not
// begin with one, and whether they have texts.
func LooksGoods(text, entries, class string) (classes []string, texts bool) {
	parts, fail := value.SplitGoods(table.Trim(text), entries, class)
	if fail != nil {
		return nil, false
	}
	for _, part := range parts {
		if _, ok := LooksClass(part.Class); !ok {
			return nil, false
		}
		classes = append(classes, part.Class)
		texts = texts || part.Text != ""
	}
	return classes, texts
}
