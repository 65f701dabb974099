package mapping

import (
	"bytes"
	"slices"

	"docketsync/apiclient/payload"
	"docketsync/mapping/reason"
	"docketsync/mapping/rule"
	"docketsync/mapping/table"
)

// Trait is something about a record that no other record of the file should have. Records with an equal trait are
// reported under the check of that name. Sum stands for a text: in a file of a million records, two different texts
// have the same sum with a chance of less than one in a million.
type Trait struct {
	Check string
	Sum   uint64
}

// summer computes the sum that a record is compared by. key is the normalized form of its key (table.AppendTwin).
type summer func(m *Mapper, key []byte) (uint64, bool)

// sums holds the summers by the names of their comparisons. The numbers of files are collected with the entries
// instead.
var sums = map[string]summer{
	reason.Twin:                    twinOfKey,
	reason.NumberTwice:             number("number", ""),
	reason.IDTwice:                 identity,
	"application_number_repeated":  number("application_number", "registry_id"),
	"registration_number_repeated": number("registration_number", "registry_id"),
}

type activeComparison struct {
	name string
	sum  summer
}

// TwinTrait returns the trait of a record with this key. It returns false if the key has no letter or digit.
func TwinTrait(key string) (Trait, bool) {
	sum, ok := twinOfKey(nil, table.AppendTwin(nil, key))
	return Trait{reason.Twin, sum}, ok
}

// NumberTrait returns the trait of a created case with this number. It returns false if the text has no digit from 1 to
// 9, such as "pending".
func NumberTrait(number string) (Trait, bool) {
	twin := table.AppendTwin(nil, number)
	return Trait{reason.NumberTwice, sumOf(nil, twin)}, bytes.ContainsAny(twin, "123456789")
}

// CreatedTraits returns the traits by which something created is known whatever its key: the number of a case, the
// numbers of the files of a folder.
func CreatedTraits(stored []byte) (list []Trait) {
	if trait, ok := NumberTrait(payload.Text(stored, "number")); ok {
		list = append(list, trait)
	}
	values, _ := payload.Walk(stored)
	var client []byte
	for _, v := range values {
		switch v.Field() {
		case "client_id":
			client = []byte(`"client_id":"` + v.Text + `"`)
		case "files.number":
			list = append(list, Trait{reason.FileCreated, sumOf(client, []byte(v.Text))})
		}
	}
	return list
}

// IDTrait returns the trait of an update of the entity with this id in the service.
func IDTrait(id string) Trait { return Trait{reason.IDTwice, sumOf(nil, []byte(`"id":"`+id+`"`))} }

// Comparison returns the comparison of that name as the mapping has it, and whether it rejects; otherwise it adds
// notes. ok is false if the comparison is off or does not apply to the operation.
func (m *Mapping) Comparison(name string) (c Comparison, rejects, ok bool) {
	for _, c := range rule.Comparisons {
		if c.Name == name && slices.Contains(c.Operations, m.rules.Operation) && m.rules.Levels[name] != rule.LevelOff {
			return c, m.rules.Levels[name] == rule.LevelError, true
		}
	}
	return c, false, false
}

// Comparisons returns the comparisons that are on.
func (m *Mapping) Comparisons() []Comparison {
	return slices.DeleteFunc(slices.Clone(rule.Comparisons), func(c Comparison) bool {
		return !slices.Contains(c.Operations, m.rules.Operation) || m.rules.Levels[c.Name] == rule.LevelOff
	})
}

// traits returns the traits of the current record, even if it is rejected: its twin must not be sent in its place.
func (m *Mapper) traits(key string) []Trait {
	if key == "" || len(m.checks.compared) == 0 {
		return nil
	}
	m.twin = table.AppendTwin(m.twin[:0], key)
	list := make([]Trait, 0, len(m.checks.compared)+len(m.fileSums))
	for i := range m.checks.compared {
		c := &m.checks.compared[i]
		if c.sum == nil {
			for _, sum := range m.fileSums {
				list = append(list, Trait{c.name, sum})
			}
		} else if sum, ok := c.sum(m, m.twin); ok {
			list = append(list, Trait{c.name, sum})
		}
	}
	return list
}

func twinOfKey(_ *Mapper, key []byte) (uint64, bool) { return sumOf(nil, key), len(key) > 0 }

// identity sums the id that an update names. It ignores an id written in the mapping itself, and a name that has no id.
func identity(m *Mapper, _ []byte) (uint64, bool) {
	f := m.checks.fields["id"]
	if f == nil || !f.given || f.source == "" {
		return 0, false
	}
	id := m.written(f)
	return sumOf(nil, id), len(id) > 0
}

// number returns a summer of the number in a field, together with the value of another field. Numbers are compared like
// keys, because one system keeps leading zeros that another has dropped. A word such as "pending", or 0000, is not a
// number. A number equal to the key is left to the comparison of keys.
func number(field, beside string) summer {
	return func(m *Mapper, key []byte) (uint64, bool) {
		f := m.checks.fields[field]
		if f == nil || !f.given || f.source == "" {
			return 0, false
		}
		start := len(key)
		m.twin = table.AppendTwin(key, f.source)
		twin := m.twin[start:]
		if !slices.ContainsFunc(twin, func(c byte) bool { return '1' <= c && c <= '9' }) || bytes.Equal(twin, m.twin[:start]) {
			return 0, false
		}
		where := m.checks.fields[beside]
		at := m.written(where)
		return sumOf(at, twin), where == nil || len(at) > 0
	}
}

// written returns a field's member as it stands in the payload of the current record, or nothing if it has none.
func (m *Mapper) written(f *boundField) []byte {
	if f == nil {
		return nil
	}
	return bytes.TrimPrefix(m.out[f.start:f.end], []byte(","))
}

// sumOf computes FNV-1a over two texts, with the length of the first between them.
func sumOf(a, b []byte) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	sum := uint64(offset)
	for _, c := range a {
		sum = (sum ^ uint64(c)) * prime
	}
	sum = (sum ^ uint64(len(a))) * prime
	for _, c := range b {
		sum = (sum ^ uint64(c)) * prime
	}
	return sum
}
