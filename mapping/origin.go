package mapping

import (
	"slices"

	"docketsync/apiclient/payload"
)

// Origin says which columns of a source one field of the payload is read from.
type Origin struct {
	Field   string            `json:"field"`             // "name", "good_and_services.text", "components." and the component's id
	Name    string            `json:"name,omitempty"`    // of a component, as the mapping calls it
	From    string            `json:"from"`              // as in Step
	Type    string            `json:"type"`              // as in Target, the words of messages
	Columns []int             `json:"columns,omitempty"` // from 0, each once
	Lookup  string            `json:"lookup,omitempty"`
	Names   map[string]string `json:"names,omitempty"` // what ids are called that no cell holds by itself: those of classes
}

// Origins lists the fields that the mapping gives a value to, the key first, then in the order of the payload. Lists and
// components are listed by the fields of an entry. It is kept with a run, so that a value can be shown beside its cells when
// the mapping has long changed.
func (m *Mapper) Origins() []Origin {
	key := Origin{Field: "key", From: m.key.from(), Type: string(payload.TypeText), Columns: distinct(m.key.reads())}
	list := []Origin{key}
	for _, f := range m.fields {
		switch {
		case f.origin == fromNowhere:
		case f.list != nil:
			for _, inner := range f.list.fields {
				list = append(list, inner.entryOrigin(f.list))
			}
		case f.parts != nil:
			for n, inner := range f.parts.items {
				o := inner.originOf()
				o.Field, o.Name = "components."+f.parts.ids[n], inner.target.Name
				list = append(list, o)
			}
		default:
			list = append(list, f.originOf())
		}
	}
	return list
}

func (f *boundField) originOf() Origin {
	return Origin{Field: f.path, From: f.from(), Type: string(f.target.Type), Columns: distinct(f.reads()), Lookup: f.lookup}
}

// entryOrigin is the origin of a field of an entry. A part of an entry stands in the cells that entries are made of.
func (f *boundField) entryOrigin(list *boundItems) Origin {
	o := f.originOf()
	if f.origin != fromPart {
		return o
	}
	switch {
	case list.mode == itemsSplit:
		o.Columns = []int{list.split}
	case f.part == partText && len(list.texts) > 0:
		o.Columns = distinct(list.texts)
	default:
		o.Columns = distinct(list.classes)
	}
	if f.table != nil {
		o.Names = f.table.ShortNames()
	}
	return o
}

func distinct(columns []int) []int {
	var list []int
	for _, column := range columns {
		if column >= 0 && !slices.Contains(list, column) {
			list = append(list, column)
		}
	}
	return list
}
