package payload

import (
	"bytes"
	"unicode/utf8"

	"docketsync/apiclient/jsontext"
)

// canonical reads a payload that already is as Encode would write it, in one pass and without splitting it. Nearly
// every payload from a mapping is. canonical accepts only what is clearly in order; on anything else, right or wrong,
// it gives up, and Encode looks closer.
type canonical struct {
	text []byte
	at   int
	id   string // of the payload
}

// canonicalID reports whether valid UTF-8 is a payload as Encode would write it, and returns the id of the record to
// update.
func canonicalID(op Operation, text []byte, s Switches) (id string, ok bool) {
	c := canonical{text: text}
	ok = c.object(fieldsFor(op, s).taken, true) && c.at == len(text) && (op.Creates() || c.id != "" && c.id != "." && c.id != "..")
	return c.id, ok
}

// take skips a word if it is next.
func (c *canonical) take(word string) bool {
	if len(c.text)-c.at < len(word) || string(c.text[c.at:c.at+len(word)]) != word {
		return false
	}
	c.at += len(word)
	return true
}

func (c *canonical) object(fields []Field, whole bool) bool {
	if !c.take("{") {
		return false
	}
	empty := true
	for n := range fields {
		f := &fields[n]
		if !c.name(f.Name, empty) {
			if f.Required || f.Always {
				return false
			}
			continue
		}
		from := c.at
		if f.unsent || !c.value(f) {
			return false
		}
		if empty = false; whole && f.Name == "id" {
			c.id = jsontext.Text(c.text[from:c.at])
		}
	}
	return c.take("}")
}

// name skips the name of a member, and the comma before it.
func (c *canonical) name(name string, first bool) bool {
	began := c.at
	if (first || c.take(",")) && c.take(`"`) && c.take(name) && c.take(`":`) {
		return true
	}
	c.at = began
	return false
}

func (c *canonical) value(f *Field) bool {
	if c.take("null") {
		return f.Nullable || !f.Required && !f.Always
	}
	switch f.Type {
	case TypeBool:
		return !f.asText && (c.take("true") || c.take("false"))
	case TypeItems:
		return c.items(f)
	case TypeText, TypeGUID, TypeURL, TypeDate:
		return c.string(f.Max)
	}
	return false
}

func (c *canonical) items(f *Field) bool {
	if !c.take("[") {
		return false
	}
	if c.take("]") {
		return true
	}
	for c.object(f.Items, false) {
		if c.take("]") {
			return true
		}
		if !c.take(",") {
			break
		}
	}
	return false
}

// string skips a text without escapes.
func (c *canonical) string(most int) bool {
	if !c.take(`"`) {
		return false
	}
	size := bytes.IndexByte(c.text[c.at:], '"')
	if size < 0 {
		return false
	}
	text := c.text[c.at : c.at+size]
	for _, b := range text {
		if b < ' ' || b == '\\' {
			return false
		}
	}
	c.at += size + 1
	return most == 0 || size <= most || utf8.RuneCount(text) <= most
}
